package smoke

import (
	"context"
	"time"

	"onefold/internal/schema"
)

// model looks for answers of the model that the stage is deployed with. It asks
// none itself: what counts is that extract may, with its role and settings.
func model(ctx context.Context, l *look) (Outcome, string) {
	extract, err := l.function(ctx, schema.Extract)
	if err != nil {
		return notChecked("the function extract cannot be read: %s", said(err))
	}
	id := ""
	if extract.Environment != nil {
		id = extract.Environment.Variables[schema.EnvModelID]
	}
	switch {
	case id == "":
		return notChecked("not needed: the stage is deployed without modelId, and rules read")
	case l.noAWS:
		return notChecked("the emulator has no models")
	}
	const day = 24 * time.Hour
	counts := map[string]float64{}
	for _, name := range []string{schema.ReaderOutputTokens, schema.ReaderCalls, schema.ReaderFailures} {
		if counts[name], err = l.sum(ctx, schema.MetricNamespace, name, day, schema.DimensionStage, l.cloud.Stage); err != nil {
			return notChecked("reading it needs cloudwatch:GetMetricStatistics: %s", said(err))
		}
	}
	tokens, calls, failures := counts[schema.ReaderOutputTokens], counts[schema.ReaderCalls], counts[schema.ReaderFailures]
	switch {
	case calls == 0:
		return notChecked("nothing was read in the last day: send something first")
	case tokens == 0 && failures == 0:
		// Rules have read: the model has come since, or the budget is spent.
		return notChecked("none of %.0f readings in the last day was the model's: send something, and look again", calls)
	case tokens == 0:
		return failed("%s answered nothing of %.0f readings in the last day, %.0f of which failed; docs/runbook.md#reader-failing says how to look", id, calls, failures)
	}
	return verified("%s answered with %.0f tokens in the last day; of %.0f readings %.0f failed", id, tokens, calls, failures)
}
