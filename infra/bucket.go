package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"

	"onefold/internal/schema"
)

// addRawBucket makes the bucket of raw content. Objects lie under
// tenant/event hash/content hash and are named by what they hold.
//
// One rule ends them all: rawRetentionDays after they were last put. An event's
// content and content that no event names cannot be told apart by a rule, and
// need not be: a delivery that comes again puts its content again, so what an
// event relies on is as young as the event.
//
// Versions are kept for a week, against a slip of an operator's hand. No
// function may delete; whoever erases a person deletes the versions too, and
// where he forgets, the week ends them.
func (c *Core) addRawBucket() {
	name := schema.RawBucket(c.Cfg.Stage, *c.Stack.Account(), c.region())
	c.Raw = awss3.NewCfnBucket(c.Stack, text("RawBucket"), &awss3.CfnBucketProps{
		BucketName: text(name),
		BucketEncryption: &awss3.CfnBucket_BucketEncryptionProperty{
			ServerSideEncryptionConfiguration: []any{&awss3.CfnBucket_ServerSideEncryptionRuleProperty{
				// A bucket key makes one call to KMS serve many objects.
				BucketKeyEnabled: true,
				ServerSideEncryptionByDefault: &awss3.CfnBucket_ServerSideEncryptionByDefaultProperty{
					SseAlgorithm: text("aws:kms"), KmsMasterKeyId: c.Key.AttrArn(),
				},
			}},
		},
		OwnershipControls: &awss3.CfnBucket_OwnershipControlsProperty{
			Rules: []any{&awss3.CfnBucket_OwnershipControlsRuleProperty{ObjectOwnership: text("BucketOwnerEnforced")}},
		},
		PublicAccessBlockConfiguration: &awss3.CfnBucket_PublicAccessBlockConfigurationProperty{
			BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true,
		},
		VersioningConfiguration: &awss3.CfnBucket_VersioningConfigurationProperty{Status: text("Enabled")},
		LifecycleConfiguration: &awss3.CfnBucket_LifecycleConfigurationProperty{Rules: []any{
			&awss3.CfnBucket_RuleProperty{
				Id: text("content"), Status: text("Enabled"),
				ExpirationInDays:               whole(c.Cfg.RawRetentionDays),
				NoncurrentVersionExpiration:    &awss3.CfnBucket_NoncurrentVersionExpirationProperty{NoncurrentDays: whole(7)},
				AbortIncompleteMultipartUpload: &awss3.CfnBucket_AbortIncompleteMultipartUploadProperty{DaysAfterInitiation: whole(1)},
			},
			// A rule may not expire by age and markers both.
			&awss3.CfnBucket_RuleProperty{Id: text("markers"), Status: text("Enabled"), ExpiredObjectDeleteMarker: true},
		}},
	})
	c.keep(c.Raw)
	p := awss3.NewCfnBucketPolicy(c.Stack, text("RawBucketPolicy"), &awss3.CfnBucketPolicyProps{
		Bucket: c.Raw.Ref(), PolicyDocument: policy(tlsOnly("s3:*", *c.Raw.AttrArn(), *c.Raw.AttrArn()+"/*")),
	})
	c.keep(p)
	suppress(c.Raw, "AwsSolutions-S1",
		"Server access logs would be a second store of object keys. Who read what is told by CloudTrail's data events, which docs/deploy.md says how to turn on.")
}

// tlsOnly refuses what comes without TLS.
func tlsOnly(action string, resources ...string) statement {
	return statement{
		"Sid": "TLSOnly", "Effect": "Deny", "Principal": "*", "Action": action, "Resource": resources,
		"Condition": map[string]any{"Bool": map[string]any{"aws:SecureTransport": "false"}},
	}
}
