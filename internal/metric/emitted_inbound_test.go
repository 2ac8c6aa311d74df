package metric_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"onefold/internal/ingest"
	"onefold/internal/lambdaio"
	"onefold/internal/ledger"
	"onefold/internal/queue"
	"onefold/internal/reading/reader"
	"onefold/internal/schema"
)

var errDown = errors.New("the store is down")

func inboundRows() []row {
	return []row{
		{"a delivery", func(w *world) { w.form("d1", "ann@example.org", "Hello") }, []string{"ingest DeliveriesRecorded 1"}},
		{"the same delivery twice more", func(w *world) {
			for range 3 {
				w.form("d1", "ann@example.org", "Hello")
			}
		}, []string{"ingest DeliveriesRecorded 1", "ingest DeliveriesDuplicate 2"}},
		{"an ID with other content, twice: one question", func(w *world) {
			w.form("d1", "ann@example.org", "Hello")
			w.form("d1", "eve@example.net", "Hello")
			w.form("d1", "eve@example.net", "Hello")
		}, []string{"ingest DeliveriesConflict 2", "ingest ReviewsOpened 1"}},
		{"no signature", func(w *world) {
			w.ingest.Handle(w.t.Context(), ingest.Request{Tenant: "demo", Endpoint: "form", Body: []byte("{}")})
		}, []string{"ingest DeliveriesRefused 1"}},
		{"no store", func(w *world) {
			w.store.get = func(ledger.Key) error { return errDown }
			w.form("d1", "ann@example.org", "Hello")
		}, []string{"ingest DeliveriesFailed 1"}},
	}
}

func decisionRows() []row {
	return []row{
		{"an enquiry", func(w *world) {
			w.form("d1", "ann@example.org", "Do you walk in May?")
			w.now = w.now.Add(90 * time.Second)
			w.extract()
			w.extract()
		}, []string{
			"extract EventsDecided 1", "extract ContactsCreated 1", "extract IntentsMade 1", "extract DecisionTime 90",
			"extract ReaderCalls 1", "extract ReaderTime 0",
		}},
		{"a reader with a meter and a doubt", func(w *world) {
			w.reader.used = reader.Usage{InputTokens: 700, OutputTokens: 60, CostUSD: 0.25}
			w.reader.change = func(r *reader.Record) {
				r.NeedsHumanReview, r.ReviewReasons = true, []string{reader.ReasonAmbiguous}
				r.Company = reader.Field{Value: "Zebulon", Confidence: 90, Evidence: "Zebulon", Where: reader.InVisible}
			}
			w.form("d1", "ann@example.org", "Do you walk in May?")
			w.extract()
		}, []string{
			"extract ReaderInputTokens 700", "extract ReaderOutputTokens 60", "extract ReaderCost 0.25", "extract ReaderAbstentions 1",
			"extract ReaderCorrections 1", "extract EventsReferred 1", "extract ReviewsOpened 1",
		}},
		{"a reader without an answer", func(w *world) {
			w.reader.fail = errDown
			w.form("d1", "ann@example.org", "Do you walk in May?")
			w.extract()
		}, []string{"extract ReaderCalls 1", "extract ReaderFailures 1", "extract EventsRetried 1"}},
		{"an address of several people", func(w *world) {
			w.form("d1", "info@example.org", "Do you walk in May?")
			w.extract()
		}, []string{"extract MatchesAmbiguous 1", "extract DuplicatesSuspected 1", "extract EventsReferred 1", "extract ReviewsOpened 1"}},
		{"a second enquiry within the window", func(w *world) {
			w.enquiry("d1", "ann@example.org")
			w.form("d2", "ann@example.org", "And in June?")
			w.extract()
		}, []string{"extract DuplicatesPrevented 1", "extract ContactsCreated 1", "extract IntentsMade 1", "extract EventsDecided 2"}},
		{"two of one person at once", twoAtOnce, []string{"extract UniqueConflicts 1", "extract ContactsCreated 1", "extract EventsDecided 2"}},
		{"an opt-out, and an enquiry after it", func(w *world) {
			w.form("d1", "ann@example.org", "Unsubscribe")
			w.extract()
			w.form("d2", "ann@example.org", "Do you walk in May?")
			w.extract()
		}, []string{"extract OptOuts 1", "extract SuppressionBlocks 1"}},
		{"words in doubt", func(w *world) {
			w.form("d1", "ann@example.org", "Before I unsubscribe from anything, do you walk in May and what should I bring along for a week of it?")
			w.extract()
		}, []string{"extract OptOutsDoubtful 1"}},
		{"an event in work", func(w *world) {
			w.form("d1", "ann@example.org", "Do you walk in May?")
			it := w.one(ledger.Event, "state", "recorded")
			w.set(it, ledger.Item{"status": "in_progress", "in_progress_until": "2026-03-02T10:00:00.000Z"})
			w.extract()
		}, []string{"extract InProgressConflicts 1"}},
		{"an event that fails every time", func(w *world) {
			w.form("d1", "ann@example.org", "Do you walk in May?")
			w.set(w.one(ledger.Event, "state", "recorded"), ledger.Item{"attempt": 24, "status": "failed"})
			w.extract()
		}, []string{"extract RowsParked 1"}},
	}
}

// twoAtOnce decides a second event of the same person between the reading and
// the commit of the first.
func twoAtOnce(w *world) {
	w.form("d1", "ann@example.org", "Do you walk in May?")
	first := w.one(ledger.Event, "state", "recorded")
	w.form("d2", "ann@example.org", "And in June?")
	w.store.commit = func(c ledger.Commit) (bool, error) {
		for _, wr := range c.Writes {
			if wr.Op == ledger.OpCreate && wr.Key.Entity == ledger.ContactKey {
				w.store.commit = nil
				for _, it := range w.rows(ledger.Event) {
					if ledger.KeyOf(it) != ledger.KeyOf(first) {
						w.ok(w.process.Handle(w.t.Context(), change(it)))
					}
				}
				break
			}
		}
		return true, nil
	}
	w.ok(w.process.Handle(w.t.Context(), change(first)))
}

// batchRows are of lambdaio, which hands records back for every function.
func batchRows() []row {
	var rows []row
	for _, f := range []schema.Function{schema.Ingest, schema.Extract, schema.CRMSync, schema.Send, schema.Feedback} {
		rows = append(rows, row{"a message handed back by " + string(f), func(w *world) {
			o := lambdaio.Options{Begin: 2 * time.Second, Keep: time.Second, Now: func() time.Time { return w.now }, Log: slog.New(capture{w, f})}
			handle := lambdaio.Queue(func(context.Context, queue.Message) error { return errors.New("not yet") }, o)
			if _, err := handle(w.t.Context(), []json.RawMessage{[]byte(`{"messageId":"m1","body":"x","eventSource":"aws:sqs"}`)}); err != nil {
				w.t.Fatal(err)
			}
		}, []string{string(f) + " RecordsFailed 1"}})
	}
	return rows
}
