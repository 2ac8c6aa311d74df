package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/blob/s3"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/mailer/ses"
	"onefold/internal/queue/sqs"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// prefix is before the name of each table, bucket and queue of the local
// system.
const prefix = "onefold-dev-"

// openAWS uses DynamoDB, S3 and SQS at an endpoint, and makes there what is
// missing.
func openAWS(ctx context.Context, cfg Config, st *stores) error {
	base := aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(cfg.AWS),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	tables := dynamodb.NewFromConfig(base)
	if err := dynamo.Create(ctx, tables, prefix); err != nil {
		return fmt.Errorf("make the tables at %s: %w", cfg.AWS, err)
	}
	st.ledger = dynamo.New(tables, dynamo.Options{Prefix: prefix})
	st.feed = dynamo.NewFeed(tables, dynamodbstreams.NewFromConfig(base), dynamo.FeedOptions{Prefix: prefix, Poll: 200 * time.Millisecond})
	buckets := awss3.NewFromConfig(base, func(o *awss3.Options) { o.UsePathStyle = true })
	bucket := prefix + "raw"
	_, err := buckets.CreateBucket(ctx, &awss3.CreateBucketInput{Bucket: aws.String(bucket)})
	var owned *s3types.BucketAlreadyOwnedByYou
	if err != nil && !errors.As(err, &owned) {
		return fmt.Errorf("make the bucket at %s: %w", cfg.AWS, err)
	}
	st.blob = s3.New(buckets, bucket)
	queues := awssqs.NewFromConfig(base)
	made, err := queues.CreateQueue(ctx, &awssqs.CreateQueueInput{QueueName: aws.String(prefix + "feedback")})
	if err != nil {
		return fmt.Errorf("make the queue at %s: %w", cfg.AWS, err)
	}
	q, err := sqs.New(queues, aws.ToString(made.QueueUrl), 1)
	if err != nil {
		return err
	}
	st.deliver = func(ctx context.Context, _ *System, event []byte) error { return q.Send(ctx, event) }
	st.receive = func(ctx context.Context, s *System, log *slog.Logger) { receive(ctx, s, q, log) }
	return nil
}

// receive empties the queue of provider events. A message is deleted only when
// feedback has taken it; others come again by themselves.
func receive(ctx context.Context, s *System, q *sqs.Queue, log *slog.Logger) {
	for ctx.Err() == nil {
		messages, err := q.Receive(ctx, 10)
		if err != nil {
			if ctx.Err() == nil {
				log.LogAttrs(ctx, slog.LevelWarn, "the event queue cannot be read", slog.String("error", err.Error()))
				rest(ctx, time.Second)
			}
			continue
		}
		if len(messages) == 0 {
			continue
		}
		s.busy.begin()
		for _, m := range messages {
			e, err := ses.ParseEvent(m.Body)
			if err == nil {
				err = s.Feedback.Handle(ctx, e)
			}
			if err == nil {
				err = q.Delete(ctx, m)
			}
			if err != nil {
				log.LogAttrs(ctx, slog.LevelWarn, "a provider event waits", slog.String("error", err.Error()))
			}
		}
		s.busy.end()
	}
}
