package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"

	"onefold/internal/schema"
)

// addKey makes the key of tables, raw content and secrets. Its policy hands
// the decision to IAM, as AWS's default policy does: roles.go then gives each
// function the use of it through one service at a time. Without that line a
// key can be locked against everybody.
func (c *Core) addKey() {
	c.Key = awskms.NewCfnKey(c.Stack, text("Key"), &awskms.CfnKeyProps{
		Description:         text("Onefold " + c.Cfg.Stage + ": tables, raw content, secrets"),
		EnableKeyRotation:   yes(),
		PendingWindowInDays: whole(30),
		KeyPolicy: policy(statement{
			"Sid": "IAM decides", "Effect": "Allow", "Action": "kms:*", "Resource": "*",
			"Principal": map[string]any{"AWS": arn(c.Stack, "iam", "", "root")},
		}),
	})
	c.keep(c.Key)
	alias := awskms.NewCfnAlias(c.Stack, text("KeyAlias"), &awskms.CfnAliasProps{
		AliasName: text(c.Cfg.keyAlias()), TargetKeyId: c.Key.AttrKeyId(),
	})
	c.keep(alias)
}

// addTables makes the tables of the schema.
func (c *Core) addTables() {
	for _, spec := range schema.Specs() {
		name := schema.TableName(c.Cfg.Stage, spec.Name)
		attributes := []any{attribute(schema.PK), attribute(schema.SK)}
		defined := map[string]bool{schema.PK: true, schema.SK: true}
		indexes := []any{}
		for _, ix := range spec.Indexes {
			for _, a := range []string{ix.Partition, ix.Sort} {
				if !defined[a] {
					defined[a] = true
					attributes = append(attributes, attribute(a))
				}
			}
			indexes = append(indexes, &awsdynamodb.CfnTable_GlobalSecondaryIndexProperty{
				IndexName: text(ix.Name), KeySchema: keys(ix.Partition, ix.Sort),
				Projection: &awsdynamodb.CfnTable_ProjectionProperty{ProjectionType: text("ALL")},
			})
		}
		props := &awsdynamodb.CfnTableProps{
			TableName:                 text(name),
			BillingMode:               text("PAY_PER_REQUEST"),
			KeySchema:                 keys(schema.PK, schema.SK),
			AttributeDefinitions:      attributes,
			GlobalSecondaryIndexes:    indexes,
			DeletionProtectionEnabled: !c.Cfg.DeleteData,
			PointInTimeRecoverySpecification: &awsdynamodb.CfnTable_PointInTimeRecoverySpecificationProperty{
				PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: whole(35),
			},
			SseSpecification: &awsdynamodb.CfnTable_SSESpecificationProperty{
				SseEnabled: true, SseType: text("KMS"), KmsMasterKeyId: c.Key.AttrArn(),
			},
			// Retention only: expiry is always compared in the condition.
			TimeToLiveSpecification: &awsdynamodb.CfnTable_TimeToLiveSpecificationProperty{
				AttributeName: text(schema.ExpiresAt), Enabled: true,
			},
		}
		if spec.Stream {
			props.StreamSpecification = &awsdynamodb.CfnTable_StreamSpecificationProperty{StreamViewType: text("NEW_IMAGE")}
		}
		t := awsdynamodb.NewCfnTable(c.Stack, text(title(string(spec.Name))+"Table"), props)
		c.keep(t)
		c.Tables[spec.Name] = t
	}
}

func attribute(name string) *awsdynamodb.CfnTable_AttributeDefinitionProperty {
	return &awsdynamodb.CfnTable_AttributeDefinitionProperty{AttributeName: text(name), AttributeType: text("S")}
}

func keys(partition, sort string) []any {
	return []any{
		&awsdynamodb.CfnTable_KeySchemaProperty{AttributeName: text(partition), KeyType: text("HASH")},
		&awsdynamodb.CfnTable_KeySchemaProperty{AttributeName: text(sort), KeyType: text("RANGE")},
	}
}

// addSecrets makes the two secrets of a stage that nobody has to know: 64
// random letters and digits each. Those of tenants (webhooks, CRMs) are put
// beside them by operators, under the same prefix and key.
func (c *Core) addSecrets() {
	for _, s := range []struct{ id, name, meaning string }{
		{"IdentifierKey", schema.SecretIdentifierKey, "names every opt-out and intent; another value would forget them all, so it is never rotated"},
		{"ConsoleSession", schema.SecretConsole, "signs the cookies of the console's sessions; a new value signs everybody out"},
	} {
		secret := awssecretsmanager.NewCfnSecret(c.Stack, text(s.id+"Secret"), &awssecretsmanager.CfnSecretProps{
			Name:        text(schema.SecretPrefix(c.Cfg.Stage) + s.name),
			Description: text(s.meaning),
			KmsKeyId:    c.Key.AttrArn(),
			GenerateSecretString: &awssecretsmanager.CfnSecret_GenerateSecretStringProperty{
				PasswordLength: whole(64), ExcludePunctuation: yes(),
			},
		})
		c.keep(secret)
		suppress(secret, "AwsSolutions-SMG4", rotationReason(s.name))
	}
}

func rotationReason(name string) string {
	if name == schema.SecretIdentifierKey {
		return "Opt-outs and intents are named with this key: rotated, every stop would be forgotten and every follow-up sent again."
	}
	return "A session lives hours; the secret is rotated by putting a new value, and the previous one is honoured until sessions end."
}

// policy makes a policy document.
func policy(statements ...statement) map[string]any {
	list := make([]any, len(statements))
	for i, s := range statements {
		list[i] = map[string]any(s)
	}
	return map[string]any{"Version": "2012-10-17", "Statement": list}
}

// statement is one statement of a policy document.
type statement map[string]any

// title makes a construct's word of a name: "crmsync-failed" → "CrmsyncFailed".
func title(name string) string {
	out, up := make([]byte, 0, len(name)), true
	for i := range len(name) {
		switch b := name[i]; {
		case b == '-':
			up = true
		case up && b >= 'a' && b <= 'z':
			out, up = append(out, b-'a'+'A'), false
		default:
			out, up = append(out, b), false
		}
	}
	return string(out)
}
