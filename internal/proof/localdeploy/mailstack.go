package localdeploy

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"onefold/internal/proof/localaws"
	"onefold/internal/schema"
	"time"
)

// The mail stack cannot be deployed here: the emulator has no receipt rules. Of
// what it makes this file makes the two topics, under its names, with its
// subscriptions, and the bucket, so that everything behind them is as deployed.
const (
	wordMail     = "mail"     // topic and queue of received mail
	wordFeedback = "feedback" // topic and queue of the provider's events
	inbound      = "inbound/" // where SES puts mail
)

const snsVersion = "2010-03-31"

func (d *Deployment) topic(word string) string {
	return "arn:aws:sns:" + localaws.Region + ":" + account + ":" + schema.Prefix(d.Stage) + word
}

func (d *Deployment) standInForMailStack(ctx context.Context) error {
	for _, word := range []string{wordMail, wordFeedback} {
		if err := d.subscribe(ctx, word); err != nil {
			return fmt.Errorf("make the topic %s: %w", word, err)
		}
	}
	_, err := d.buckets().CreateBucket(ctx, &awss3.CreateBucketInput{Bucket: aws.String(d.mailBucket())})
	if err != nil {
		return fmt.Errorf("make the bucket of received mail: %w", err)
	}
	return nil
}

func (d *Deployment) mailBucket() string { return schema.MailBucket(d.Stage, account, localaws.Region) }

func (d *Deployment) buckets() *awss3.Client {
	return awss3.NewFromConfig(d.config(), func(o *awss3.Options) { o.UsePathStyle = true })
}

// subscribe makes a topic and has it announce to the queue of the same word.
func (d *Deployment) subscribe(ctx context.Context, word string) error {
	answer, err := d.query(ctx, serviceSNS, "CreateTopic", snsVersion, map[string]string{"Name": schema.Prefix(d.Stage) + word})
	if err != nil {
		return err
	}
	var made struct {
		ARN string `xml:"CreateTopicResult>TopicArn"`
	}
	if err := xml.Unmarshal(answer, &made); err != nil || made.ARN != d.topic(word) {
		return errors.New("it was not made under its name")
	}
	_, err = d.query(ctx, serviceSNS, "Subscribe", snsVersion, map[string]string{
		"TopicArn": made.ARN, "Protocol": "sqs",
		"Endpoint": "arn:aws:sqs:" + localaws.Region + ":" + account + ":" + schema.Prefix(d.Stage) + word,
	})
	return err
}

// publish hands an event of the provider to its topic. It repeats until it is
// taken or the context ends.
func (d *Deployment) publish(ctx context.Context, event []byte) {
	for ctx.Err() == nil {
		if d.announce(ctx, wordFeedback, event) == nil {
			return
		}
		rest(ctx)
	}
}

func (d *Deployment) announce(ctx context.Context, word string, message []byte) error {
	_, err := d.query(ctx, serviceSNS, "Publish", snsVersion, map[string]string{"TopicArn": d.topic(word), "Message": string(message)})
	return err
}

// rest is a moment, or less if the context ends.
func rest(ctx context.Context) {
	timer := time.NewTimer(200 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
