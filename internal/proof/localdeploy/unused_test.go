package localdeploy_test

import (
	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// unusedGrants is the whole list of what roles allow and this test does not
// use. A reason that excuses nothing fails the test, as does a grant without
// one, so the list is never longer than needed.
func unusedGrants() []roles.Unused {
	const (
		lambdaAsks = "Lambda itself uses it in the function's name: the emulator does without"
		kmsAsks    = "AWS's services use the key in the function's name: the emulator does without"
	)
	return []roles.Unused{
		{Action: "logs:CreateLogStream", Why: lambdaAsks},
		{Action: "logs:PutLogEvents", Why: lambdaAsks},
		{Action: "dynamodb:DescribeStream", Why: lambdaAsks},
		{Action: "dynamodb:GetRecords", Why: lambdaAsks},
		{Action: "dynamodb:GetShardIterator", Why: lambdaAsks},
		{Action: "dynamodb:ListStreams", Why: lambdaAsks},
		{Action: "sqs:ReceiveMessage", Why: lambdaAsks},
		{Action: "sqs:DeleteMessage", Why: lambdaAsks},
		{Action: "sqs:GetQueueAttributes", Why: lambdaAsks},
		{Action: "sqs:SendMessage", Why: lambdaAsks},
		{Action: "kms:Decrypt", Why: kmsAsks},
		{Action: "kms:DescribeKey", Why: kmsAsks},
		{Action: "kms:GenerateDataKey", Why: kmsAsks},
		{Action: "s3:ListBucket", Why: "S3 asks it of whoever is to be told that an object is missing instead of refused; none is missing here"},
		{Function: schema.Optout, Action: "dynamodb:ConditionCheckItem", Resource: "ledger", Why: "a click for an address that is nobody's key; here each is somebody's"},
		{Function: schema.Sweep, Action: "dynamodb:PutItem", Resource: "audit", Why: "a row is parked after its tenth nudge, which takes half an hour"},
		{Function: schema.CRMSync, Action: "dynamodb:PutItem", Resource: "outbox", Why: "it asks for a contact older than the CRM, and for a probe of a connection that is down; neither is so here"},
		{Function: schema.Console, Why: "nobody signs in here: the console's answers are tested behind its own gate"},
	}
}
