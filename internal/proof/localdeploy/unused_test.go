package localdeploy_test

import "onefold/internal/schema"

// unusedGrants is the whole list of what roles allow and this test does not
// use. A reason that excuses nothing fails the test, as does a grant without
// one, so the list is never longer than needed.
func unusedGrants() []unused {
	const (
		lambdaAsks = "Lambda itself uses it in the function's name: the emulator does without"
		kmsAsks    = "AWS's services use the key in the function's name: the emulator does without"
	)
	return []unused{
		{"", "logs:CreateLogStream", "", lambdaAsks, false},
		{"", "logs:PutLogEvents", "", lambdaAsks, false},
		{"", "dynamodb:DescribeStream", "", lambdaAsks, false},
		{"", "dynamodb:GetRecords", "", lambdaAsks, false},
		{"", "dynamodb:GetShardIterator", "", lambdaAsks, false},
		{"", "dynamodb:ListStreams", "", lambdaAsks, false},
		{"", "sqs:ReceiveMessage", "", lambdaAsks, false},
		{"", "sqs:DeleteMessage", "", lambdaAsks, false},
		{"", "sqs:GetQueueAttributes", "", lambdaAsks, false},
		{"", "sqs:SendMessage", "", lambdaAsks, false},
		{"", "kms:Decrypt", "", kmsAsks, false},
		{"", "kms:DescribeKey", "", kmsAsks, false},
		{"", "kms:GenerateDataKey", "", kmsAsks, false},
		{"", "s3:ListBucket", "", "S3 asks it of whoever is to be told that an object is missing instead of refused; none is missing here", false},
		{schema.Feedback, "dynamodb:ConditionCheckItem", "ledger", "a bounce or complaint of an address that is no contact's; here each is one's, unless the event comes first", true},
		{schema.Optout, "dynamodb:ConditionCheckItem", "ledger", "a click for an address that is nobody's key; here each is somebody's", false},
		{schema.Sweep, "dynamodb:PutItem", "audit", "a row is parked after its tenth nudge, which takes half an hour", false},
		{schema.Console, "", "", "nobody signs in here: the console's answers are tested behind its own gate", false},
	}
}
