package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"onefold/internal/schema"
)

// failedQueues names where each stream reader's on-failure messages go: shard
// and sequence numbers, never the record. The rows are the truth; the sweeper
// brings the work back.
func failedQueues() map[schema.Function]string {
	return map[schema.Function]string{
		schema.Extract: queueExtractFailed, schema.CRMSync: queueCRMSyncFailed, schema.Send: queueSendFailed,
	}
}

// addStreams has functions read the tables' streams, by the settings that
// schema explains.
func (c *Core) addStreams() {
	for _, m := range schema.StreamMappings() {
		awslambda.NewCfnEventSourceMapping(c.Stack, text(title(string(m.Function))+"Stream"), &awslambda.CfnEventSourceMappingProps{
			FunctionName:     c.Functions[m.Function].Ref(),
			EventSourceArn:   c.Tables[m.Table].AttrStreamArn(),
			StartingPosition: text("TRIM_HORIZON"),
			FilterCriteria: &awslambda.CfnEventSourceMapping_FilterCriteriaProperty{Filters: list(
				&awslambda.CfnEventSourceMapping_FilterProperty{Pattern: text(m.FilterPattern())},
			)},
			FunctionResponseTypes:          texts("ReportBatchItemFailures"),
			BatchSize:                      whole(m.BatchSize),
			MaximumBatchingWindowInSeconds: whole(int(m.Window.Seconds())),
			ParallelizationFactor:          whole(m.PerShard),
			MaximumRetryAttempts:           whole(m.Retries),
			MaximumRecordAgeInSeconds:      whole(int(m.MaxAge.Seconds())),
			BisectBatchOnFunctionError:     m.Bisect,
			DestinationConfig: &awslambda.CfnEventSourceMapping_DestinationConfigProperty{
				OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{
					Destination: c.Queues[failedQueues()[m.Function]].AttrArn(),
				},
			},
		})
	}
}
