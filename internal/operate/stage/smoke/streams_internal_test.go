package smoke

import (
	"strings"
	"testing"

	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func asWritten() (schema.StreamMapping, *types.EventSourceMappingConfiguration) {
	m, _ := schema.StreamMappingOf(schema.Send)
	return m, &types.EventSourceMappingConfiguration{
		State: aws.String("Enabled"), StartingPosition: types.EventSourcePositionTrimHorizon,
		FilterCriteria:             &types.FilterCriteria{Filters: []types.Filter{{Pattern: aws.String(m.FilterPattern())}}},
		FunctionResponseTypes:      []types.FunctionResponseType{types.FunctionResponseTypeReportBatchItemFailures},
		BisectBatchOnFunctionError: aws.Bool(m.Bisect), BatchSize: aws.Int32(int32(m.BatchSize)), ParallelizationFactor: aws.Int32(int32(m.PerShard)),
		MaximumRetryAttempts: aws.Int32(int32(m.Retries)), MaximumRecordAgeInSeconds: aws.Int32(int32(m.MaxAge.Seconds())),
	}
}

func TestEachSettingOfAStreamReaderThatDiffersIsTold(t *testing.T) {
	t.Parallel()
	if want, m := asWritten(); len(differences(want, m)) != 0 {
		t.Errorf("as written: %v", differences(want, m))
	}
	for words, change := range map[string]func(*types.EventSourceMappingConfiguration){
		"Disabled":       func(m *types.EventSourceMappingConfiguration) { m.State = aws.String("Disabled") },
		"oldest record":  func(m *types.EventSourceMappingConfiguration) { m.StartingPosition = types.EventSourcePositionLatest },
		"0 filters":      func(m *types.EventSourceMappingConfiguration) { m.FilterCriteria = nil },
		"another filter": func(m *types.EventSourceMappingConfiguration) { m.FilterCriteria.Filters[0].Pattern = aws.String("{}") },
		"partial":        func(m *types.EventSourceMappingConfiguration) { m.FunctionResponseTypes = nil },
		"bisection":      func(m *types.EventSourceMappingConfiguration) { m.BisectBatchOnFunctionError = nil },
		"batch size":     func(m *types.EventSourceMappingConfiguration) { m.BatchSize = aws.Int32(100) },
		"at once":        func(m *types.EventSourceMappingConfiguration) { m.ParallelizationFactor = aws.Int32(10) },
		"-1 retries":     func(m *types.EventSourceMappingConfiguration) { m.MaximumRetryAttempts = aws.Int32(-1) },
		"record age":     func(m *types.EventSourceMappingConfiguration) { m.MaximumRecordAgeInSeconds = aws.Int32(-1) },
	} {
		want, m := asWritten()
		change(m)
		if got := strings.Join(differences(want, m), "; "); !strings.Contains(got, words) {
			t.Errorf("%s: told %q", words, got)
		}
	}
}
