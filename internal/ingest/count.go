package ingest

import (
	"log/slog"

	"onefold/internal/metric"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
)

// counted is the metric of an answer. A delivery whose commit got no answer is
// a failed one, and its next try a duplicate, since nobody can tell.
func counted(r Response) slog.Attr {
	name := schema.DeliveriesRefused
	switch {
	case failed(r):
		name = schema.DeliveriesFailed
	case r.Answer == inbound.AnswerRecorded:
		name = schema.DeliveriesRecorded
	case r.Answer == inbound.AnswerDuplicate:
		name = schema.DeliveriesDuplicate
	case r.Answer == inbound.AnswerConflict:
		name = schema.DeliveriesConflict
	}
	return metric.Count(name, 1)
}
