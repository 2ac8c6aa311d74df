package localdeploy_test

import (
	"fmt"
	"reflect"
	"strings"

	"onefold/events"
	"onefold/internal/ledger"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
)

// samples delivers what the demo delivers to the empty system and compares
// what comes of it with events.Wanted.
func (w *world) samples() {
	w.must(w.script())
	var faults []string
	for _, l := range w.settled(settleTime, horizon) {
		faults = append(faults, "still moving: "+l)
	}
	want, got := events.Wanted(), w.count()
	faults = append(faults, differ("", reflect.ValueOf(got), reflect.ValueOf(want))...)
	w.pass("samples", fmt.Sprintf("%d deliveries of events/: %d events, %d contacts, %d mails, %d operations",
		want.Deliveries, want.Events, want.Contacts, want.Mails, want.Operations.Total()), faults...)
}

// differ names the numbers that are not as wanted.
func differ(name string, got, want reflect.Value) []string {
	if got.Kind() != reflect.Struct {
		if got.Int() == want.Int() {
			return nil
		}
		return []string{fmt.Sprintf("%d %s, want %d", got.Int(), name, want.Int())}
	}
	var faults []string
	for i := range got.NumField() {
		faults = append(faults, differ(strings.TrimSpace(name+" "+got.Type().Field(i).Name), got.Field(i), want.Field(i))...)
	}
	return faults
}

// count counts what the ledger holds, in the demo's terms.
func (w *world) count() events.Counts {
	c := events.Counts{
		Mails: len(w.mails("")), Events: len(w.all(ledger.Event)), Contacts: len(w.all(ledger.Contact)),
		Enquiries: len(w.all(ledger.Enquiry)), Intents: len(w.all(ledger.Intent)), Reviews: len(w.all(ledger.ReviewTask)),
	}
	for _, it := range w.all(ledger.Delivery) {
		if it.Text("answer") != inbound.AnswerConflict {
			c.Deliveries++
		}
	}
	for _, it := range w.all(ledger.Guard) {
		if it.Text(guard.StopAttr(guard.ScopeAll)) != "" {
			c.Stopped++
		}
	}
	for _, it := range w.all(ledger.Operation) {
		switch it.Text("kind") {
		case outbox.SendIntent:
			c.Operations.SendIntent++
		case outbox.CancelIntents:
			c.Operations.CancelIntents++
		case outbox.CRMContact:
			c.Operations.CRMContact++
		case outbox.CRMNote:
			c.Operations.CRMNote++
		case outbox.CRMTask:
			c.Operations.CRMTask++
		}
	}
	return c
}
