package smoke

import (
	"context"
	"fmt"
	"strings"
	"time"

	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// functions compares each function with what schema says of it.
func functions(ctx context.Context, l *look) (Outcome, string) {
	var wrong []string
	architecture := map[types.Architecture]bool{}
	for _, runs := range schema.Functions() {
		f, err := l.function(ctx, runs.Function)
		switch {
		case absent(err):
			wrong = append(wrong, string(runs.Function)+" is not there")
			continue
		case err != nil:
			return notChecked("%s cannot be read: %s", runs.Function, said(err))
		case f.State != types.StateActive:
			wrong = append(wrong, fmt.Sprintf("%s is %s", runs.Function, f.State))
		case time.Duration(aws.ToInt32(f.Timeout))*time.Second != runs.Timeout:
			wrong = append(wrong, fmt.Sprintf("%s has a timeout of %d s, and leases reckon with %s", runs.Function, aws.ToInt32(f.Timeout), runs.Timeout))
		}
		for _, a := range f.Architectures {
			architecture[a] = true
		}
	}
	if len(architecture) > 1 {
		wrong = append(wrong, "they are of several architectures")
	}
	if len(wrong) > 0 {
		return failed("%s", strings.Join(wrong, "; "))
	}
	return verified("%d functions are active with their timeouts", len(schema.Functions()))
}

// mapping reads the mapping by which a function reads a stream.
func (l *look) mapping(ctx context.Context, f schema.Function) (*types.EventSourceMappingConfiguration, error) {
	out, err := lambda.NewFromConfig(l.cloud.Config).ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{
		FunctionName: aws.String(schema.FunctionName(l.cloud.Stage, f)),
	})
	if err != nil {
		return nil, err
	}
	for _, m := range out.EventSourceMappings {
		if strings.Contains(aws.ToString(m.EventSourceArn), ":dynamodb:") {
			return &m, nil
		}
	}
	return nil, nil
}

// streams compares each stream's mapping with schema.StreamMappings.
func streams(ctx context.Context, l *look) (Outcome, string) {
	var wrong []string
	for _, want := range schema.StreamMappings() {
		m, err := l.mapping(ctx, want.Function)
		if err != nil && !absent(err) {
			return notChecked("the mappings of %s cannot be read: %s", want.Function, said(err))
		}
		if m == nil {
			wrong = append(wrong, fmt.Sprintf("%s reads no stream", want.Function))
			continue
		}
		for _, what := range differences(want, m) {
			wrong = append(wrong, fmt.Sprintf("%s: %s", want.Function, what))
		}
	}
	if len(wrong) > 0 {
		return failed("%s", strings.Join(wrong, "; "))
	}
	return verified("%d mappings are as written", len(schema.StreamMappings()))
}

func differences(want schema.StreamMapping, m *types.EventSourceMappingConfiguration) []string {
	var wrong []string
	unless := func(holds bool, what string) {
		if !holds {
			wrong = append(wrong, what)
		}
	}
	patterns := 0
	if m.FilterCriteria != nil {
		for _, f := range m.FilterCriteria.Filters {
			unless(aws.ToString(f.Pattern) == want.FilterPattern(), "another filter")
			patterns++
		}
	}
	unless(patterns == 1, fmt.Sprintf("%d filters", patterns))
	unless(aws.ToString(m.State) == "Enabled", "it is "+aws.ToString(m.State))
	unless(m.StartingPosition == types.EventSourcePositionTrimHorizon, "it does not begin at the oldest record")
	unless(len(m.FunctionResponseTypes) == 1 && m.FunctionResponseTypes[0] == types.FunctionResponseTypeReportBatchItemFailures, "no partial responses")
	unless(aws.ToBool(m.BisectBatchOnFunctionError) == want.Bisect, "bisection differs")
	unless(int(aws.ToInt32(m.BatchSize)) == want.BatchSize, "batch size differs")
	unless(int(aws.ToInt32(m.ParallelizationFactor)) == want.PerShard, "batches at once differ")
	unless(int(aws.ToInt32(m.MaximumRetryAttempts)) == want.Retries, fmt.Sprintf("%d retries", aws.ToInt32(m.MaximumRetryAttempts)))
	unless(time.Duration(aws.ToInt32(m.MaximumRecordAgeInSeconds))*time.Second == want.MaxAge, fmt.Sprintf("record age of %d s", aws.ToInt32(m.MaximumRecordAgeInSeconds)))
	return wrong
}

// givenUp looks into the queues that the mappings name.
func givenUp(ctx context.Context, l *look) (Outcome, string) {
	waiting, named := []string{}, 0
	client := sqs.NewFromConfig(l.cloud.Config)
	for _, want := range schema.StreamMappings() {
		m, err := l.mapping(ctx, want.Function)
		switch {
		case err != nil && !absent(err):
			return notChecked("the mappings of %s cannot be read: %s", want.Function, said(err))
		case m == nil || m.DestinationConfig == nil || m.DestinationConfig.OnFailure == nil:
			return failed("%s gives up without a word", want.Function)
		}
		arn := aws.ToString(m.DestinationConfig.OnFailure.Destination)
		name := arn[strings.LastIndex(arn, ":")+1:]
		if !strings.Contains(arn, ":sqs:") || !strings.HasPrefix(name, schema.Prefix(l.cloud.Stage)) {
			return failed("%s gives up to %s, which is no queue of this stage", want.Function, name)
		}
		url, err := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(name)})
		if err != nil {
			return failed("queue %s: %s", name, said(err))
		}
		const count = sqstypes.QueueAttributeNameApproximateNumberOfMessages
		got, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: url.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{count}})
		if err != nil {
			return notChecked("queue %s cannot be read: %s", name, said(err))
		}
		named++
		if n := got.Attributes[string(count)]; n != "0" {
			waiting = append(waiting, n+" in "+name)
		}
	}
	if len(waiting) > 0 {
		return failed("given up: %s; docs/runbook.md says what to do", strings.Join(waiting, ", "))
	}
	return verified("%d queues are there and empty", named)
}
