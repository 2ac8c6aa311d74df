package main

import (
	"strings"
	"testing"

	"onefold/internal/schema"
)

func TestATableWithoutPointInTimeRecovery(t *testing.T) {
	for id, r := range core(t, nil).each(t, "AWS::DynamoDB::Table") {
		must(t, id, r, true, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled")
		must(t, id, r, 35, "PointInTimeRecoverySpecification", "RecoveryPeriodInDays")
	}
}

func TestATableThatADeploymentCouldDelete(t *testing.T) {
	for id, r := range core(t, nil).each(t, "AWS::DynamoDB::Table") {
		must(t, id, r, true, "DeletionProtectionEnabled")
	}
}

func TestATableUnderAKeyThatNobodyCanRevoke(t *testing.T) {
	for id, r := range core(t, nil).each(t, "AWS::DynamoDB::Table") {
		must(t, id, r, true, "SSESpecification", "SSEEnabled")
		must(t, id, r, "KMS", "SSESpecification", "SSEType")
		if got := written(at(any(r.Properties), "SSESpecification", "KMSMasterKeyId")); got != "<Key.Arn>" {
			t.Errorf("%s is under the key %s", id, got)
		}
	}
	for id, r := range core(t, nil).each(t, "AWS::KMS::Key") {
		must(t, id, r, true, "EnableKeyRotation")
		must(t, id, r, 30, "PendingWindowInDays")
	}
}

// The code reads tables by schema.Specs; a table that differs fails at the
// first query, or has no stream to read.
func TestTheTablesAreThoseOfTheSchema(t *testing.T) {
	tables := core(t, nil).each(t, "AWS::DynamoDB::Table")
	if len(tables) != len(schema.Specs()) {
		t.Errorf("%d tables, not %d", len(tables), len(schema.Specs()))
	}
	for _, spec := range schema.Specs() {
		r, ok := tables[title(string(spec.Name))+"Table"]
		if !ok {
			t.Errorf("no table %s", spec.Name)
			continue
		}
		id := string(spec.Name)
		must(t, id, r, "onefold-prod-"+id, "TableName")
		must(t, id, r, "PAY_PER_REQUEST", "BillingMode")
		must(t, id, r, "expires_at", "TimeToLiveSpecification", "AttributeName")
		must(t, id, r, true, "TimeToLiveSpecification", "Enabled")
		must(t, id, r, "pk", "KeySchema", 0, "AttributeName")
		must(t, id, r, "HASH", "KeySchema", 0, "KeyType")
		must(t, id, r, "sk", "KeySchema", 1, "AttributeName")
		must(t, id, r, "RANGE", "KeySchema", 1, "KeyType")
		var want any
		if spec.Stream {
			want = "NEW_IMAGE"
		}
		must(t, id, r, want, "StreamSpecification", "StreamViewType")
		indexes, _ := r.Properties["GlobalSecondaryIndexes"].([]any)
		if len(indexes) != len(spec.Indexes) {
			t.Errorf("%s has %d indexes, not %d", id, len(indexes), len(spec.Indexes))
			continue
		}
		for n, ix := range spec.Indexes {
			must(t, id, r, ix.Name, "GlobalSecondaryIndexes", n, "IndexName")
			must(t, id, r, ix.Partition, "GlobalSecondaryIndexes", n, "KeySchema", 0, "AttributeName")
			must(t, id, r, ix.Sort, "GlobalSecondaryIndexes", n, "KeySchema", 1, "AttributeName")
			must(t, id, r, "ALL", "GlobalSecondaryIndexes", n, "Projection", "ProjectionType")
		}
		// An attribute that is no key of anything is refused by DynamoDB.
		used := map[string]bool{"pk": true, "sk": true}
		for _, ix := range spec.Indexes {
			used[ix.Partition], used[ix.Sort] = true, true
		}
		defined, _ := r.Properties["AttributeDefinitions"].([]any)
		if len(defined) != len(used) {
			t.Errorf("%s defines %s", id, written(defined))
		}
	}
}

func TestRawContentThatTheWorldCouldRead(t *testing.T) {
	for id, r := range core(t, nil).each(t, "AWS::S3::Bucket") {
		for _, block := range []string{"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"} {
			must(t, id, r, true, "PublicAccessBlockConfiguration", block)
		}
		must(t, id, r, "BucketOwnerEnforced", "OwnershipControls", "Rules", 0, "ObjectOwnership")
		rule := []any{"BucketEncryption", "ServerSideEncryptionConfiguration", 0}
		must(t, id, r, "aws:kms", append(rule, "ServerSideEncryptionByDefault", "SSEAlgorithm")...)
		must(t, id, r, true, append(rule, "BucketKeyEnabled")...)
	}
}

// A bucket, a queue or a topic without this statement answers plain HTTP.
func TestAnythingThatAnswersWithoutTLS(t *testing.T) {
	for kind, held := range map[string]string{
		"AWS::S3::Bucket": "AWS::S3::BucketPolicy", "AWS::SQS::Queue": "AWS::SQS::QueuePolicy", "AWS::SNS::Topic": "AWS::SNS::TopicPolicy",
	} {
		tpl := core(t, nil)
		things, guarded := tpl.each(t, kind), 0
		for id, r := range tpl.each(t, held) {
			s := at(any(r.Properties), "PolicyDocument", "Statement", 0)
			if at(s, "Effect") != "Deny" || at(s, "Principal") != "*" || at(s, "Condition", "Bool", "aws:SecureTransport") != "false" {
				t.Errorf("%s does not begin by refusing what comes without TLS", id)
				continue
			}
			guarded++
		}
		if guarded != len(things) {
			t.Errorf("%d of %d resources of type %s refuse plain HTTP", guarded, len(things), kind)
		}
	}
}

func TestRawContentEndsByTheSetting(t *testing.T) {
	for id, r := range core(t, map[string]any{"rawRetentionDays": 30.0}).each(t, "AWS::S3::Bucket") {
		must(t, id, r, 30, "LifecycleConfiguration", "Rules", 0, "ExpirationInDays")
		must(t, id, r, "Enabled", "LifecycleConfiguration", "Rules", 0, "Status")
		// Erased for good a week after it was erased.
		must(t, id, r, 7, "LifecycleConfiguration", "Rules", 0, "NoncurrentVersionExpiration", "NoncurrentDays")
		if at(any(r.Properties), "LifecycleConfiguration", "Rules", 0, "Prefix") != nil {
			t.Errorf("%s: the rule leaves content out", id)
		}
	}
}

// Rotated, the key that names opt-outs would forget them all.
func TestTheIdentifierKeyIsNeverRotated(t *testing.T) {
	tpl := core(t, nil)
	secrets := tpl.each(t, "AWS::SecretsManager::Secret")
	names := map[any]bool{}
	for id, r := range secrets {
		names[r.Properties["Name"]] = true
		must(t, id, r, 64, "GenerateSecretString", "PasswordLength")
		if got := written(r.Properties["KmsKeyId"]); got != "<Key.Arn>" {
			t.Errorf("%s is under %s", id, got)
		}
	}
	for _, name := range []string{"onefold/prod/identifier-key", "onefold/prod/console-session"} {
		if !names[name] {
			t.Errorf("no secret %s", name)
		}
	}
	for id, r := range tpl.Resources {
		if strings.Contains(r.Type, "Rotation") {
			t.Errorf("%s rotates a secret", id)
		}
	}
}
