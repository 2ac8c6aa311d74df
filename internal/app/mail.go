package app

import (
	"context"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"onefold/internal/blob/s3"
	"onefold/internal/ingest"
	"onefold/internal/queue"
)

// Inbox says where SES puts mail and how it announces it.
type Inbox struct {
	Client *awss3.Client // in the region of the bucket
	Bucket string
	Topic  string // ARN; "" where only the queue's policy says who may announce
}

// MailHandler takes in the messages of the queue of received mail. The queue
// hands it one at a time: a mail of the largest size is in memory whole.
func MailHandler(s *ingest.Service, in Inbox) func(context.Context, queue.Message) error {
	mail := &ingest.Mail{
		Service: s, Bucket: in.Bucket, Topic: in.Topic,
		Object: s3.NewInbox(in.Client, in.Bucket, ingest.MaxMail).Get,
	}
	return mail.Handle
}
