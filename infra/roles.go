package main

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"

	"onefold/internal/schema"
)

// addRole makes a function's role: its duty in statements, each of one purpose,
// and nothing managed by somebody else.
func (c *Core) addRole(f schema.Function) {
	d := schema.DutyOf(f)
	statements := []statement{c.writeLogs(f)}
	statements = append(statements, c.useTables(d)...)
	statements = append(statements, c.useRaw(d)...)
	statements = append(statements, c.readMail(d)...)
	statements = append(statements, c.readSecrets(d)...)
	statements = append(statements, c.useKey(d)...)
	statements = append(statements, c.readSource(f)...)
	statements = append(statements, c.sendMail(d)...)
	statements = append(statements, c.askModel(d)...)
	if c.Cfg.Tracing {
		statements = append(statements, statement{
			"Sid": "Trace", "Effect": "Allow", "Action": []string{"xray:PutTelemetryRecords", "xray:PutTraceSegments"}, "Resource": "*",
		})
	}
	role := awsiam.NewCfnRole(c.Stack, text(title(string(f))+"Role"), &awsiam.CfnRoleProps{
		Description: text("The function " + schema.FunctionName(c.Cfg.Stage, f)),
		AssumeRolePolicyDocument: policy(statement{
			"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": map[string]any{"Service": "lambda.amazonaws.com"},
		}),
		Policies: list(&awsiam.CfnRole_PolicyProperty{PolicyName: text("duty"), PolicyDocument: policy(statements...)}),
	})
	for _, s := range stars() {
		suppressLike(role, "AwsSolutions-IAM5", s.like, s.reason)
	}
	c.Roles[f] = role
}

// star is a kind of resource that may hold a star, by cdk-nag's words for it as
// a regular expression, and why.
type star struct{ like, reason string }

// stars lists all there are. Another one is a finding.
func stars() []star {
	const ours = `^Resource::arn:<AWS::Partition>:`
	return []star{
		{ours + `logs:.+:log-group:\/aws\/lambda\/onefold-[a-z0-9-]+:\*$`, "The log streams of the function's own log group; Lambda makes their names."},
		{`^Resource::<RawBucket\.Arn>\/\*$`, "The objects of the bucket of raw content; their names are hashes of what they hold."},
		{ours + `s3:::onefold-[a-z0-9-]+-mail-.+\/\*$`, "The objects of the bucket of inbound mail; SES makes their names."},
		{ours + `secretsmanager:.+:secret:onefold\/[a-z0-9-]+\/(webhook|crm)\/\*$`, "The secrets of tenants, which come and go without a deployment."},
		{ours + `ses:.+:identity\/\*$`, "Whom mail goes to may be an identity too; whom it is from is bounded by a condition."},
		{ours + `kms:.+:key\/\*$`, "The key of the mail bucket is another stack's, and bound by its alias and by S3."},
		{`^Resource::\*$`, "dynamodb:ListStreams, which Lambda asks for reading a stream, and X-Ray's two actions know no resource."},
	}
}

func (c *Core) writeLogs(f schema.Function) statement {
	// No CreateLogGroup: the group is the stack's, with its retention.
	return statement{
		"Sid": "Log", "Effect": "Allow", "Action": []string{"logs:CreateLogStream", "logs:PutLogEvents"},
		"Resource": arn(c.Stack, "logs", c.region(), "log-group:"+functionLogs(c.Cfg, f)+":*"),
	}
}

func (c *Core) useTables(d schema.Duty) []statement {
	var out []statement
	for _, a := range d.Tables {
		table, word := *c.Tables[a.Table].AttrArn(), title(string(a.Table))
		if len(a.Reads) > 0 {
			out = append(out, statement{"Sid": "Read" + word, "Effect": "Allow", "Action": a.Reads, "Resource": table})
		}
		if len(a.Indexes) > 0 {
			var indexes []string
			for _, ix := range a.Indexes {
				indexes = append(indexes, table+"/index/"+ix)
			}
			out = append(out, statement{"Sid": "Query" + word, "Effect": "Allow", "Action": schema.QueryItems, "Resource": indexes})
		}
		if len(a.Writes) > 0 {
			out = append(out, statement{
				"Sid": "Write" + word, "Effect": "Allow", "Action": a.Writes, "Resource": table,
				// A write outside a transaction is none of the ledger's.
				"Condition": map[string]any{"ForAnyValue:StringEquals": map[string]any{"dynamodb:EnclosingOperation": "TransactWriteItems"}},
			})
		}
	}
	return out
}

func (c *Core) useRaw(d schema.Duty) []statement {
	objects := *c.Raw.AttrArn() + "/*"
	switch d.Raw {
	case schema.RawPut:
		return []statement{{"Sid": "PutRaw", "Effect": "Allow", "Action": "s3:PutObject", "Resource": objects}}
	case schema.RawGet:
		return []statement{
			{"Sid": "GetRaw", "Effect": "Allow", "Action": "s3:GetObject", "Resource": objects},
			// Without it S3 answers "denied" for what is missing, which is no
			// answer (API Reference, GetObject, "Permissions").
			{"Sid": "MissRaw", "Effect": "Allow", "Action": "s3:ListBucket", "Resource": *c.Raw.AttrArn()},
		}
	default:
		return nil
	}
}

// readMail lets ingest read inbound mail, in whatever region it is received.
func (c *Core) readMail(d schema.Duty) []statement {
	if !d.Mail || c.Cfg.MailDomain == "" {
		return nil
	}
	region := c.Cfg.mailRegion(c.region())
	bucket := "arn:" + *c.Stack.Partition() + ":s3:::" + schema.MailBucket(c.Cfg.Stage, *c.Stack.Account(), region)
	return []statement{
		{"Sid": "GetMail", "Effect": "Allow", "Action": "s3:GetObject", "Resource": bucket + "/*"},
		{"Sid": "MissMail", "Effect": "Allow", "Action": "s3:ListBucket", "Resource": bucket},
		{
			"Sid": "OpenMail", "Effect": "Allow", "Action": "kms:Decrypt", "Resource": arn(c.Stack, "kms", region, "key/*"),
			"Condition": map[string]any{
				"ForAnyValue:StringEquals": map[string]any{"kms:ResourceAliases": c.Cfg.mailKeyAlias()},
				"StringEquals":             map[string]any{"kms:ViaService": "s3." + region + "." + *c.Stack.UrlSuffix()},
			},
		},
	}
}

// readSecrets lets a function read the secrets it needs, by name. Secrets
// Manager puts a dash and six characters after a name in the ARN.
func (c *Core) readSecrets(d schema.Duty) []statement {
	if len(d.Secrets) == 0 {
		return nil
	}
	var names []string
	for _, s := range d.Secrets {
		name := schema.SecretPrefix(c.Cfg.Stage) + s
		if strings.HasSuffix(s, "/") {
			name += "*"
		} else {
			name += "-??????"
		}
		names = append(names, arn(c.Stack, "secretsmanager", c.region(), "secret:"+name))
	}
	return []statement{{"Sid": "Secrets", "Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": names}}
}

// useKey lets a function use the key through the services that it uses, and
// never by itself.
func (c *Core) useKey(d schema.Duty) []statement {
	via := func(sid, service string, actions ...string) statement {
		return statement{
			"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": *c.Key.AttrArn(),
			"Condition": map[string]any{"StringEquals": map[string]any{"kms:ViaService": service + "." + c.region() + "." + *c.Stack.UrlSuffix()}},
		}
	}
	var out []statement
	if len(d.Tables) > 0 {
		// What DynamoDB asks of whoever uses a table (Developer Guide, "DynamoDB
		// encryption at rest: usage notes", read 2026-11); the table's own keys
		// were made with the table. It covers streams too.
		out = append(out, via("KeyOfTables", "dynamodb", "kms:Decrypt", "kms:DescribeKey"))
	}
	switch d.Raw {
	case schema.RawPut:
		out = append(out, via("KeyOfRaw", "s3", "kms:GenerateDataKey"))
	case schema.RawGet:
		out = append(out, via("KeyOfRaw", "s3", "kms:Decrypt"))
	case schema.RawNone:
	}
	if len(d.Secrets) > 0 {
		out = append(out, via("KeyOfSecrets", "secretsmanager", "kms:Decrypt"))
	}
	return out
}

// readSource lets Lambda read a function's stream or queue in its name, and
// give up into the queue for that.
func (c *Core) readSource(f schema.Function) []statement {
	var out []statement
	gives := map[string]bool{}
	if m, ok := schema.StreamMappingOf(f); ok {
		out = append(out,
			statement{
				"Sid": "Stream", "Effect": "Allow", "Resource": *c.Tables[m.Table].AttrStreamArn(),
				"Action": []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"},
			},
			statement{"Sid": "ListStreams", "Effect": "Allow", "Action": "dynamodb:ListStreams", "Resource": "*"},
		)
		gives[failedQueues()[f]] = true
	}
	for _, q := range sourceQueues() {
		if q.reader == f {
			out = append(out, statement{
				"Sid": "Queue", "Effect": "Allow", "Resource": *c.Queues[q.name].AttrArn(),
				"Action": []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
			})
		}
	}
	for _, s := range c.Cfg.schedules() {
		if s.function == f {
			gives[queueScheduleDead] = true
		}
	}
	var queues []string
	for _, name := range []string{queueExtractFailed, queueCRMSyncFailed, queueSendFailed, queueScheduleDead} {
		if gives[name] {
			queues = append(queues, *c.Queues[name].AttrArn())
		}
	}
	if len(queues) > 0 {
		out = append(out, statement{"Sid": "GiveUp", "Effect": "Allow", "Action": "sqs:SendMessage", "Resource": queues})
	}
	return out
}

// sendMail lets send, and nobody else, send: from the stage's domains, with the
// stage's configuration set.
//
// The sender bounds it, not the identity: of a mail to somebody whose address or
// domain is an identity of the account, which all are in the sandbox, SES asks
// for the right to that identity too, and a role that names its own alone is
// refused for each of them.
func (c *Core) sendMail(d schema.Duty) []statement {
	if !d.Sends || len(c.Cfg.SendDomains) == 0 {
		return nil
	}
	region := c.Cfg.sesRegion(c.region())
	resources := []string{
		arn(c.Stack, "ses", region, "configuration-set/"+c.Cfg.configurationSet()), arn(c.Stack, "ses", region, "identity/*"),
	}
	var from []string
	for _, domain := range c.Cfg.SendDomains {
		// An identity is good for what lies below it too.
		from = append(from, "*@"+domain, "*@*."+domain)
	}
	return []statement{{
		"Sid": "Send", "Effect": "Allow", "Action": "ses:SendEmail", "Resource": resources,
		"Condition": map[string]any{"StringLike": map[string]any{"ses:FromAddress": from}},
	}}
}
