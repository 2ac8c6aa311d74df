package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
)

// minBootstrap is the least version of the bootstrap stack that a stack of the
// CDK asks for (aws-cdk-lib, DefaultStackSynthesizer, read 2026-11).
const minBootstrap = 6

// toolkit is the bootstrap stack's usual name.
const toolkit = "CDKToolkit"

// stack finds a stack in a region; nil where there is none.
func (q *inquiry) stack(ctx context.Context, region, name string) (*types.Stack, error) {
	client := cloudformation.NewFromConfig(q.cloud.Config, func(o *cloudformation.Options) { o.Region = region })
	out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(name)})
	var refused smithy.APIError
	// DescribeStacks says ValidationError of a stack that does not exist (API
	// reference, "DescribeStacks").
	if errors.As(err, &refused) && refused.ErrorCode() == "ValidationError" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(out.Stacks) == 0 {
		return nil, nil
	}
	return &out.Stacks[0], nil
}

// bootstrap looks for the CDK's own stack wherever something is deployed.
func (q *inquiry) bootstrap(ctx context.Context) {
	regions := []string{q.Region}
	if q.settings["mailDomain"] != "" {
		regions = append(regions, q.mailRegion())
	}
	if len(q.domains()) > 0 {
		regions = append(regions, q.sesRegion())
	}
	slices.Sort(regions)
	for _, region := range slices.Compact(regions) {
		const id = "bootstrap"
		do := fmt.Sprintf("`make bootstrap AT=aws://%s/%s`, once for each account and region", q.Account, region)
		s, err := q.stack(ctx, region, toolkit)
		if err != nil {
			q.unknown(id, err, "reading it needs cloudformation:DescribeStacks")
			continue
		}
		version := 0
		if s != nil {
			for _, o := range s.Outputs {
				if aws.ToString(o.OutputKey) == "BootstrapVersion" {
					version, _ = strconv.Atoi(aws.ToString(o.OutputValue))
				}
			}
		}
		switch {
		case s == nil:
			q.add(id, Stop, region+" is not bootstrapped for the CDK", do)
		case version < minBootstrap:
			q.add(id, Stop, fmt.Sprintf("%s has version %d of the CDK's bootstrap stack, at least %d is needed", region, version, minBootstrap), do)
		default:
			q.add(id, OK, fmt.Sprintf("%s is bootstrapped for the CDK, version %d", region, version), "")
		}
	}
}

func (q *inquiry) keptTables(ctx context.Context) ([]string, error) {
	client := dynamodb.NewFromConfig(q.cloud.Config)
	var kept []string
	for _, spec := range schema.Specs() {
		name := schema.TableName(q.Stage, spec.Name)
		_, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
		var none *dynamotypes.ResourceNotFoundException
		if errors.As(err, &none) {
			continue
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, name)
	}
	return kept, nil
}

// concurrency looks at how many functions may run at once. Accounts begin with
// 10 in practice, and 1,000 by the documents (Lambda Developer Guide, "Lambda
// quotas": "New AWS accounts have reduced concurrency").
func (q *inquiry) concurrency(ctx context.Context) {
	const id = "concurrency"
	out, err := lambda.NewFromConfig(q.cloud.Config).GetAccountSettings(ctx, nil)
	if err != nil || out.AccountLimit == nil {
		if err == nil {
			err = errors.New("an answer without limits")
		}
		q.unknown(id, err, "reading it needs lambda:GetAccountSettings")
		return
	}
	n := out.AccountLimit.ConcurrentExecutions
	if n >= 100 {
		q.add(id, OK, fmt.Sprintf("%d executions at once, for all functions of the account in this region", n), "")
		return
	}
	q.add(id, Attention, fmt.Sprintf("only %d executions at once, for all functions of the account in this region: "+
		"a burst waits or is answered 503, and nothing is lost that was answered 2xx", n),
		"ask for more in Service Quotas, quota L-B99A9384 of Lambda: 100 is plenty")
}
