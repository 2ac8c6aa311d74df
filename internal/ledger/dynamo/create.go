package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// Create makes the tables for local use and waits until they are active: on
// demand, without deletion protection, recovery or a key of one's own, which
// the deployment adds. Tables that exist are left as they are.
func Create(ctx context.Context, client *dynamodb.Client, prefix string) error {
	for _, spec := range schema.Specs() {
		if err := createTable(ctx, client, prefix, spec); err != nil {
			return err
		}
	}
	return nil
}

func createTable(ctx context.Context, client *dynamodb.Client, prefix string, spec schema.Spec) error {
	subject := "create table " + string(spec.Name)
	name := prefix + string(spec.Name)
	in := &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema(schema.PK, schema.SK),
	}
	attrs := map[string]bool{}
	define := func(names ...string) {
		for _, n := range names {
			if !attrs[n] {
				attrs[n] = true
				in.AttributeDefinitions = append(in.AttributeDefinitions,
					types.AttributeDefinition{AttributeName: &n, AttributeType: types.ScalarAttributeTypeS})
			}
		}
	}
	define(schema.PK, schema.SK)
	for _, ix := range spec.Indexes {
		define(ix.Partition, ix.Sort)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &ix.Name, KeySchema: keySchema(ix.Partition, ix.Sort),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		})
	}
	if spec.Stream {
		on := true
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: &on, StreamViewType: types.StreamViewTypeNewImage}
	}
	var exists *types.ResourceInUseException
	if _, err := client.CreateTable(ctx, in); err != nil && !errors.As(err, &exists) {
		return readFault(ctx, subject, err)
	}
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay = 50 * time.Millisecond
	})
	if err := active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, 2*time.Minute); err != nil {
		return fault(ctx, subject, ledger.ErrUnavailable, "not active")
	}
	return expire(ctx, client, subject, name)
}

// expire turns the time to live on, unless it is: DynamoDB refuses to turn it
// on twice.
func expire(ctx context.Context, client *dynamodb.Client, subject, name string) error {
	out, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return readFault(ctx, subject, err)
	}
	if d := out.TimeToLiveDescription; d != nil &&
		(d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
		return nil
	}
	attr, on := schema.ExpiresAt, true
	if _, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attr, Enabled: &on}}); err != nil {
		return readFault(ctx, fmt.Sprintf("%s: time to live", subject), err)
	}
	return nil
}

func keySchema(partition, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: &partition, KeyType: types.KeyTypeHash},
		{AttributeName: &sort, KeyType: types.KeyTypeRange},
	}
}
