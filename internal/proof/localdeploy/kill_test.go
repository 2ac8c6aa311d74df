package localdeploy_test

import (
	"fmt"
	"time"

	"onefold/internal/proof/localdeploy"
	"onefold/internal/schema"
)

// killed has each worker killed with SIGKILL in mid-work: after a call of its
// has had its effect, and before it hears of it. Senders and Lambda come again.
func (w *world) killed() {
	for n, k := range []struct {
		function  schema.Function
		action    string
		comesBack bool // at once, by the sender or by Lambda; else after the lease
		says      string
	}{
		{schema.Ingest, "s3:PutObject", true, "raw content is stored, no event"},
		{schema.Ingest, "dynamodb:PutItem", true, "the event is committed, the sender has no answer"},
		{schema.Extract, "dynamodb:PutItem", false, "a reading is stored, nothing decided"},
		{schema.Send, "dynamodb:UpdateItem", false, "the intent is claimed, nothing submitted"},
		{schema.Send, localdeploy.SendMail, false, "the provider has the mail, the ledger no outcome"},
		{schema.CRMSync, localdeploy.CRMCall + "POST", false, "the CRM has the record, the ledger no outcome"},
		{schema.Feedback, "dynamodb:UpdateItem", false, "the evidence is committed, the queue has no answer"},
	} {
		who := w.person("pat")
		if k.function == schema.Send && k.action == "dynamodb:UpdateItem" {
			w.silent = who
		}
		dead := w.d.KillAfter(k.function, k.action)
		_, err := w.deliver(form(fmt.Sprintf("e2e-killed-%d", n), who, "How much is the two-person tent?"))
		w.must(err)
		name := fmt.Sprintf("killed %s %d", k.function, n)
		select {
		case died := <-dead:
			var faults []string
			if died == 0 {
				faults = append(faults, "no process was there to be killed")
			}
			// What is killed next must be at work on its own person.
			if k.comesBack && !w.until(settleTime, func() bool { return len(w.mails(who)) == 1 && w.inCRM(who) == 1 }) {
				faults = append(faults, "no mail or no CRM contact afterwards")
			}
			w.pass(name, "SIGKILL: "+k.says, faults...)
		case <-time.After(60 * time.Second):
			w.pass(name, k.says, "not reached in a minute: "+k.action)
		case <-w.ctx.Done():
			w.must(w.ctx.Err())
		}
	}
}
