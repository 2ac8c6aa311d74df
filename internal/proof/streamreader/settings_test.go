package streamreader_test

import (
	"errors"
	"testing"
	"time"

	"onefold/internal/proof/streamreader"
	"onefold/internal/schema"
)

func TestSettingsThatAWSRefusesAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*streamreader.Mapping){
		"no batch":                 func(m *streamreader.Mapping) { m.BatchSize = 0 },
		"a batch of 10,001":        func(m *streamreader.Mapping) { m.BatchSize = 10_001 },
		"a window of 301 s":        func(m *streamreader.Mapping) { m.MaximumBatchingWindow = 301 * time.Second },
		"no starting position":     func(m *streamreader.Mapping) { m.StartingPosition = "" },
		"AT_TIMESTAMP":             func(m *streamreader.Mapping) { m.StartingPosition = "AT_TIMESTAMP" },
		"retries -2":               func(m *streamreader.Mapping) { m.MaximumRetryAttempts = -2 },
		"10,001 retries":           func(m *streamreader.Mapping) { m.MaximumRetryAttempts = 10_001 },
		"an age of 59 s":           func(m *streamreader.Mapping) { m.MaximumRecordAge = 59 * time.Second },
		"an age over a week":       func(m *streamreader.Mapping) { m.MaximumRecordAge = 604_801 * time.Second },
		"no lanes":                 func(m *streamreader.Mapping) { m.ParallelizationFactor = 0 },
		"eleven lanes":             func(m *streamreader.Mapping) { m.ParallelizationFactor = 11 },
		"six filters":              func(m *streamreader.Mapping) { m.FilterCriteria = make([]string, 6) },
		"a filter that is no JSON": func(m *streamreader.Mapping) { m.FilterCriteria = []string{"{"} },
	} {
		m := usual()
		change(&m)
		if _, err := streamreader.New(m, streamreader.Assume{}); !errors.Is(err, streamreader.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The bounds that the reasons of the mappings name.
func TestOurMappingsKeepTheirOwnReasons(t *testing.T) {
	t.Parallel()
	for _, sm := range schema.StreamMappings() {
		m := streamreader.Of(sm)
		if _, err := streamreader.New(m, streamreader.Assume{}); err != nil {
			t.Errorf("%s: %v", sm.Function, err)
		}
		if m.StartingPosition != streamreader.TrimHorizon || !m.ReportBatchItemFailures || !m.BisectBatchOnFunctionError {
			t.Errorf("%s: LATEST, no reported failures or no bisect", sm.Function)
		}
		if m.BatchSize > m.MaximumRetryAttempts+1 {
			t.Errorf("%s: a batch of %d does not get through in %d calls that settle one record each", sm.Function, m.BatchSize, m.MaximumRetryAttempts+1)
		}
		if sm.MaxAge <= 0 || sm.MaxAge > schema.StreamRetention/2 {
			t.Errorf("%s: records expire about when they are given up", sm.Function)
		}
		if sm.WhyWhere == "" || sm.WhyBatch == "" || sm.WhyPerShard == "" || sm.WhyRetries == "" || sm.WhyMaxAge == "" {
			t.Errorf("%s: a setting without a reason", sm.Function)
		}
		runs, ok := schema.RunsOf(sm.Function)
		if !ok {
			t.Fatalf("%s is no function", sm.Function)
		}
		// A poison record that dies in the timeout every time: the splits until
		// it is alone, the first call alone and its retries.
		splits := 0
		for n := sm.BatchSize; n > 1; n = (n + 1) / 2 {
			splits++
		}
		if held := time.Duration(splits+1+sm.Retries) * runs.Timeout; held > 10*time.Minute {
			t.Errorf("%s: a poison record holds its shard for %v and the waits between", sm.Function, held)
		}
	}
}
