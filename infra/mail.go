package main

import (
	"errors"
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"

	"onefold/internal/schema"
)

// Post is a stack of SES: of receiving, of sending, or of both where they are
// in one region. It refers to the core stack by names alone, since it may be in
// another region.
//
// A dormant one has the key, the bucket and the identity: mail that lies there,
// and records of DNS that another identity would change.
type Post struct {
	Stack  awscdk.Stack
	Cfg    Config
	Region string // "" for that of the core stack
	Core   string // region of the core stack, where the queues are; "" if the same

	Key  awskms.CfnKey
	Mail awss3.CfnBucket
	Lost awssqs.CfnQueue // notifications that SNS could not bring to a queue

	lostPolicy awscdk.CfnResource
}

// keepMail is how long a mail lies in its bucket, in days. Ingest copies it to
// the raw bucket within seconds; until then its word may spend 14 days in the
// mail queue and 14 more in the dead one, the longest SQS keeps a message.
const keepMail = 30

const (
	inboundPrefix = "inbound/"    // of keys in the mail bucket
	queueLost     = "undelivered" // notifications of SES that reached no queue
	queueLostSES  = "undelivered-ses"
)

// newPosts adds the stacks of SES that a configuration wants: none, one, or two
// where mail is sent in another region than it is received in. coreRegion may
// be empty if every stack is where the core stack is.
func newPosts(app awscdk.App, core *Core, coreRegion string) ([]*Post, error) {
	cfg := core.Cfg
	in, out := cfg.mailRegion(coreRegion), cfg.sesRegion(coreRegion)
	if coreRegion == "" && (in != "" || out != "") {
		return nil, errors.New("a mail stack in another region needs the region of the core stack")
	}
	receive, send := cfg.MailDomain != "", len(cfg.SendDomains) > 0
	var posts []*Post
	if receive {
		p := newPost(app, core, "mail", in, coreRegion)
		p.addMailBucket()
		p.addIdentity()
		both := send && in == out
		if !cfg.Dormant {
			p.addLost(queueLost)
			p.addRule()
			if both {
				p.addConfigurationSet()
			}
			addMailAlarms(p, true, both)
		}
		send = send && !both
		posts = append(posts, p)
	}
	if send {
		p := newPost(app, core, "ses", out, coreRegion)
		p.addIdentity()
		if !cfg.Dormant {
			p.addLost(queueLostSES)
			p.addConfigurationSet()
			addMailAlarms(p, false, true)
		}
		posts = append(posts, p)
	}
	return posts, nil
}

func newPost(app awscdk.App, core *Core, word, region, coreRegion string) *Post {
	props := &awscdk.StackProps{
		StackName:             text(core.Cfg.name(word)),
		Description:           text("Onefold, stage " + core.Cfg.Stage + ": " + map[string]string{"mail": "inbound email", "ses": "sending"}[word]),
		TerminationProtection: boolean(!core.Cfg.DeleteData),
		Tags:                  &map[string]*string{"onefold:stage": text(core.Cfg.Stage)},
	}
	if region != "" {
		props.Env = &awscdk.Environment{Region: text(region)}
	}
	p := &Post{Stack: awscdk.NewStack(app, text(core.Cfg.name(word)), props), Cfg: core.Cfg, Region: region, Core: coreRegion}
	// The queues are there before a topic is subscribed to them.
	p.Stack.AddStackDependency(core.Stack, text("topics bring their messages to its queues"))
	p.addPostKey(word)
	return p
}

// addPostKey makes a key in this region. SES writes mail and says what became
// of it in its own name, for this account alone.
func (p *Post) addPostKey(word string) {
	p.Key = awskms.NewCfnKey(p.Stack, text("Key"), &awskms.CfnKeyProps{
		Description: text("Onefold " + p.Cfg.Stage + ": inbound mail and what SES says"), EnableKeyRotation: yes(),
		PendingWindowInDays: whole(30),
		KeyPolicy: policy(statement{
			"Sid": "IAM decides", "Effect": "Allow", "Action": "kms:*", "Resource": "*",
			"Principal": map[string]any{"AWS": arn(p.Stack, "iam", "", "root")},
		}, p.allow("ses", "", "*", "kms:GenerateDataKey*", "kms:Decrypt")),
	})
	alias := awskms.NewCfnAlias(p.Stack, text("KeyAlias"), &awskms.CfnAliasProps{
		AliasName: text(p.Cfg.keyAlias() + "-" + word), TargetKeyId: p.Key.AttrKeyId(),
	})
	p.keep(p.Key, alias)
}

// addMailBucket makes the bucket in which SES puts mail. It has no versions: a
// key is written once, and a version would outlive an erasure.
func (p *Post) addMailBucket() {
	p.Mail = awss3.NewCfnBucket(p.Stack, text("MailBucket"), &awss3.CfnBucketProps{
		BucketName: text(schema.MailBucket(p.Cfg.Stage, *p.Stack.Account(), *p.Stack.Region())),
		BucketEncryption: &awss3.CfnBucket_BucketEncryptionProperty{
			ServerSideEncryptionConfiguration: []*awss3.CfnBucket_ServerSideEncryptionRuleProperty{{
				BucketKeyEnabled: true,
				ServerSideEncryptionByDefault: &awss3.CfnBucket_ServerSideEncryptionByDefaultProperty{
					SseAlgorithm: text("aws:kms"), KmsMasterKeyId: p.Key.AttrArn(),
				},
			}},
		},
		OwnershipControls: &awss3.CfnBucket_OwnershipControlsProperty{
			Rules: []*awss3.CfnBucket_OwnershipControlsRuleProperty{{ObjectOwnership: text("BucketOwnerEnforced")}},
		},
		PublicAccessBlockConfiguration: &awss3.CfnBucket_PublicAccessBlockConfigurationProperty{
			BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true,
		},
		LifecycleConfiguration: &awss3.CfnBucket_LifecycleConfigurationProperty{Rules: []*awss3.CfnBucket_RuleProperty{{
			Id: text("mail"), Status: text("Enabled"), ExpirationInDays: whole(keepMail),
			AbortIncompleteMultipartUpload: &awss3.CfnBucket_AbortIncompleteMultipartUploadProperty{DaysAfterInitiation: whole(1)},
		}}},
	})
	put := p.allow("ses", p.ruleARN(), *p.Mail.AttrArn()+"/"+inboundPrefix+"*", "s3:PutObject")
	doc := awss3.NewCfnBucketPolicy(p.Stack, text("MailBucketPolicy"), &awss3.CfnBucketPolicyProps{
		Bucket: p.Mail.Ref(), PolicyDocument: policy(tlsOnly("s3:*", *p.Mail.AttrArn(), *p.Mail.AttrArn()+"/*"), put),
	})
	p.keep(p.Mail, doc)
	suppress(p.Mail, "AwsSolutions-S1",
		"Mail lies here for seconds until it is an event; server access logs would be a second list of what came. CloudTrail's data events tell who read it.")
}

// addLost makes the queue for what SNS gives up: at once where a queue is gone
// or forbids, after 23 days where it is down (SNS Developer Guide, "Message
// delivery retries", read 2026-11). SNS wants it in its own region.
func (p *Post) addLost(name string) {
	p.Lost = awssqs.NewCfnQueue(p.Stack, text("Undelivered"), &awssqs.CfnQueueProps{
		QueueName: text(p.Cfg.name(name)), SqsManagedSseEnabled: true, MessageRetentionPeriod: whole(14 * 86400),
	})
	suppress(p.Lost, "AwsSolutions-SQS3", "This is a dead-letter queue: an alarm watches it, and people empty it.")
}

// addTopic makes a topic on which SES may publish for one source, and brings
// it to a queue of the core stack. It gives besides what has to be there before
// SES publishes, and to stay until SES has stopped: a topic without its
// subscription takes an announcement and tells nobody.
func (p *Post) addTopic(id, name, source, queue string) (awssns.CfnTopic, []awscdk.CfnResource) {
	t := awssns.NewCfnTopic(p.Stack, text(id+"Topic"), &awssns.CfnTopicProps{
		TopicName: text(p.Cfg.name(name)), KmsMasterKeyId: p.Key.AttrArn(),
	})
	doc := awssns.NewCfnTopicPolicy(p.Stack, text(id+"TopicPolicy"), &awssns.CfnTopicPolicyProps{
		Topics:         &[]*string{t.Ref()},
		PolicyDocument: policy(tlsOnly("sns:Publish", *t.Ref()), p.allow("ses", source, *t.Ref(), "sns:Publish")),
	})
	toQueue := awssns.NewCfnSubscription(p.Stack, text(id+"ToQueue"), &awssns.CfnSubscriptionProps{
		TopicArn: t.Ref(), Protocol: text("sqs"),
		// With its envelope, which names the topic: by it a reader knows that
		// the message is one of ours.
		Endpoint: awscdk.Fn_Sub(text(fmt.Sprintf("arn:${AWS::Partition}:sqs:%s:${AWS::AccountId}:%s",
			first(p.Core, "${AWS::Region}"), p.Cfg.name(queue))), nil),
		RedrivePolicy: map[string]any{"deadLetterTargetArn": p.Lost.AttrArn()},
	})
	return t, []awscdk.CfnResource{doc, toQueue, p.addLostPolicy()}
}
