package stories_test

// The first story: a worker is killed with SIGKILL after the provider accepted
// the mail and before the result was recorded; and, one after the other, at
// every other point of the protocol on the wire.
//
// Real: the send worker and the sweeper as processes of their own, wired by
// app.Wire, ledger/dynamo, the stream feed and the SES adapter with the SDK's
// retries as they are by default, HTTP, SIGKILL. Fake: DynamoDB and its
// streams and S3 (MiniStack), SES (the wire fake, which takes the mail and then holds
// its answer), the moment of death (the fault proxy, or the SES fake, holds
// the wire there), time (later workers have a clock that is ahead instead of
// waiting for the lease of 80 s and the deadline of an hour), the queue of the
// provider's events (called straight). Ingest, extract and feedback run in the
// test's own process, past the proxy: they are not what dies here.
//
// May be asserted: what the provider holds, what the ledger holds and tells.
// No chance is in these schedules; the seed is of identifiers only.

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
	"onefold/internal/operate/explain"
	"onefold/internal/proof/faultproxy"
	"onefold/internal/record/followup"
	"onefold/internal/webhook"
)

// The points of death, in the order of the protocol.
const (
	beforeClaim = "the claim has not reached the ledger"
	afterClaim  = "the claim is committed, its answer has not come, the provider is not called"
	beforeCall  = "the claim is known, the provider is not called"
	atProvider  = "the provider has accepted, its answer has not come"
	beforeDone  = "the provider has answered, the result has not reached the ledger"
	afterDone   = "the result is committed, its answer has not come"
)

// The fates of the provider's events of the mail that was under way.
const (
	early = "they come before anybody notices the death"
	late  = "they come after the lease has lapsed"
	lost  = "they never come"
)

type death struct {
	at     string
	events string
	alive  bool // the feed is proven alive after the deadline
	resend bool // the policy accepts a possible duplicate

	lapsed   string   // the intent's state when the next worker is done
	end      string   // and at the end
	mails    int      // that the provider has
	attempts []string // their states at the end
	moves    string   // of the intent, as explain tells them
	says     string   // explain's first sentence
}

func deaths() []death {
	const (
		one, none   = "This person got 1 mail.", "This person got no mail that is known of, and 1 submission whose outcome is not known."
		andOne      = "This person got 1 mail, and 1 more submission of which it is not known."
		acc, unk    = followup.AttemptAccepted, followup.AttemptUnknown
		seen, asked = "create claim lose evidence", "create claim lose refer"
	)
	return []death{
		{at: beforeClaim, events: late, lapsed: followup.Accepted, end: followup.Accepted, mails: 1, attempts: []string{acc}, moves: "create claim accept", says: one},
		{at: afterClaim, events: lost, alive: true, lapsed: followup.Unknown, end: followup.InReview, mails: 0, attempts: []string{unk}, moves: asked, says: none},
		{at: beforeCall, events: lost, alive: true, lapsed: followup.Unknown, end: followup.InReview, mails: 0, attempts: []string{unk}, moves: asked, says: none},
		{at: beforeCall, events: lost, alive: true, resend: true, lapsed: followup.Unknown, end: followup.Accepted, mails: 1, attempts: []string{unk, acc}, moves: "create claim lose resend claim accept", says: andOne},
		{at: atProvider, events: late, lapsed: followup.Unknown, end: followup.Accepted, mails: 1, attempts: []string{acc}, moves: seen, says: one},
		{at: atProvider, events: early, lapsed: followup.Accepted, end: followup.Accepted, mails: 1, attempts: []string{acc}, moves: "create claim evidence", says: one},
		{at: atProvider, events: lost, alive: true, lapsed: followup.Unknown, end: followup.InReview, mails: 1, attempts: []string{unk}, moves: asked, says: none},
		{at: atProvider, events: lost, lapsed: followup.Unknown, end: followup.Unknown, mails: 1, attempts: []string{unk}, moves: "create claim lose", says: none},
		{at: atProvider, events: lost, alive: true, resend: true, lapsed: followup.Unknown, end: followup.Accepted, mails: 2, attempts: []string{unk, acc}, moves: "create claim lose resend claim accept", says: andOne},
		{at: beforeDone, events: late, lapsed: followup.Unknown, end: followup.Accepted, mails: 1, attempts: []string{acc}, moves: seen, says: one},
		{at: afterDone, events: late, lapsed: followup.Accepted, end: followup.Accepted, mails: 1, attempts: []string{acc}, moves: "create claim accept", says: one},
	}
}

func TestAWorkerKilledAnywhereSubmitsOnceOrSaysThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for n, d := range deaths() {
		name := fmt.Sprintf("%02d %s; %s", n+1, d.at, d.events)
		for _, more := range []struct {
			is   bool
			says string
		}{{d.alive, ", the feed alive"}, {d.resend, ", a duplicate accepted"}} {
			if more.is {
				name += more.says
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d.tell(t, uint64(n))
		})
	}
}

// tell lives through one death and what comes after it.
func (d death) tell(t *testing.T, seed uint64) {
	t.Logf("seed %d; killed when %s; the events: %s", seed, d.at, d.events)
	w := newWorld(t, seed, func(rule map[string]any) {
		if d.resend {
			rule["on_unknown"] = "accept_possible_duplicate"
		}
	})
	w.ses.SetFeed(d.feed())
	w.enquire(d.recipient())
	d.kill(w)
	if got := w.intent().State; d.at == beforeClaim && got != followup.Ready {
		t.Fatalf("killed before its claim, and the intent is %s", got)
	}
	if d.events == early {
		w.forward(time.Minute)
		w.ses.SetFeed(sestest.FeedUp)
		w.flush()
	}

	// Ten minutes later another worker and the sweeper come by: the lease of
	// 80 s has lapsed.
	before := w.ses.Requests()
	w.forward(10 * time.Minute)
	w.work("after the lapse", d.lapsed)
	if d.at != beforeClaim && w.ses.Requests() != before {
		t.Errorf("the next worker submitted again")
	}
	w.holds(false)

	w.forward(20 * time.Minute)
	if d.events == lost {
		w.flush() // lost for good before the feed is up again
	}
	w.ses.SetFeed(sestest.FeedUp)
	w.probe() // a sign of life before the deadline proves nothing about it
	w.flush()

	// The deadline is an hour after the lapse.
	if d.alive {
		w.forward(80 * time.Minute)
		w.probe()
		w.flush()
	}
	w.forward(2 * time.Hour)
	w.ses.SetFeed(sestest.FeedHeld) // a worker's own result and the event race otherwise
	w.work("at the end", d.end)
	w.ses.SetFeed(sestest.FeedUp)
	w.flush()
	if got := w.mails(""); got != d.mails {
		t.Errorf("the provider has %d mails, want %d", got, d.mails)
	}
	d.recorded(w)
	d.explained(w)
	w.holds(d.end != followup.Unknown)
}

// kill starts a worker, waits until it stands where it is to die, and kills it.
func (d death) kill(w *world) {
	w.t.Helper()
	there := make(chan struct{})
	rule := faultproxy.Rule{Operation: "TransactWriteItems", Times: 1, Wait: 10 * time.Minute, Hit: func(faultproxy.Request) { close(there) }}
	var rules []faultproxy.Rule
	switch d.at {
	case beforeClaim:
		rule.Fault = faultproxy.Delay
	case afterClaim:
		rule.Fault = faultproxy.DelayAnswer
	case beforeCall:
		// The stops are read once more between claim and call.
		rule.Fault, rule.Operation = faultproxy.Delay, "BatchGetItem"
		var claimed atomic.Bool
		rule.When = func(faultproxy.Request) bool { return claimed.Load() }
		rules = append(rules, faultproxy.Rule{
			Fault: faultproxy.DelayAnswer, Operation: "TransactWriteItems", Times: 1, Wait: time.Nanosecond,
			Hit: func(faultproxy.Request) { claimed.Store(true) },
		})
	case beforeDone:
		rule.Fault, rule.Skip = faultproxy.Delay, 1
	case afterDone:
		rule.Fault, rule.Skip = faultproxy.DelayAnswer, 1
	}
	if d.at != atProvider {
		if err := w.proxy.Set(append(rules, rule)...); err != nil {
			w.t.Fatal(err)
		}
	}
	victim := w.start(sendWorker)
	if d.at == atProvider {
		w.until("the provider has the mail", func() bool { return w.mails("") == 1 })
	} else {
		select {
		case <-there:
		case <-time.After(patience):
			w.t.Fatalf("the worker never came to where it was to die; the proxy did %v\n%s", w.proxy.Counts(), victim.log.tail())
		}
	}
	victim.kill()
	if err := w.proxy.Set(); err != nil {
		w.t.Fatal(err)
	}
}

// feed is how the provider's events begin.
func (d death) feed() sestest.FeedMode {
	if d.events == lost {
		return sestest.FeedLost
	}
	return sestest.FeedHeld
}

// recipient decides what the SES fake does.
func (d death) recipient() string {
	if d.at == atProvider {
		return "timeout-sent-once@customer.example" // taken, and no answer, the first time
	}
	return "alex@customer.example"
}

// recorded compares the attempts and what is written about a duplicate.
func (d death) recorded(w *world) {
	w.t.Helper()
	i := w.intent()
	var states []string
	rows, err := ledger.ReadAll(w.t.Context(), w.parts.Store, ledger.AttemptKey(i.Tenant, i.ID, 1))
	if err != nil {
		w.t.Fatal(err)
	}
	for n, row := range rows {
		states = append(states, row.Text("state"))
		if got, want := row.Text("resend_accepted") == "policy_accepts_possible_duplicate", n > 0; got != want {
			w.t.Errorf("attempt %d: a possible duplicate is recorded as accepted: %t, want %t", n+1, got, want)
		}
	}
	if !slices.Equal(states, d.attempts) {
		w.t.Errorf("attempts %v, want %v", states, d.attempts)
	}
	tasks := w.all(ledger.ReviewTask)
	if want := d.end == followup.InReview; (len(tasks) == 1) != want || want && (tasks[0].Text("kind") != "unknown_send" || tasks[0].Text("state") != "open") {
		w.t.Errorf("tasks %v, want an open question about an unknown send: %t", tasks, want)
	}
}

// explained asks why this person got what he got.
func (d death) explained(w *world) {
	w.t.Helper()
	told, err := explain.Explain(w.t.Context(), w.parts.Store, w.parts.IDs, explain.Query{Tenant: "demo", Email: d.recipient(), Policy: w.sys.Policies.Current})
	if err != nil {
		w.t.Fatal(err)
	}
	var moves []string
	for _, e := range told.Entries {
		if e.Noun == string(ledger.Intent) {
			moves = append(moves, e.Happened)
		}
	}
	if got := strings.Join(moves, " "); got != d.moves {
		w.t.Errorf("explain tells of the intent: %s; want: %s", got, d.moves)
	}
	if len(told.Summary) == 0 || told.Summary[0] != d.says {
		w.t.Errorf("explain says %q, want %q first", told.Summary, d.says)
	}
	var text strings.Builder
	if err := told.WriteText(&text); err != nil {
		w.t.Fatal(err)
	}
	for word, wanted := range map[string]bool{"its worker fell silent": strings.Contains(d.moves, "lose"), "the policy accepts a possible duplicate": d.resend} {
		if strings.Contains(text.String(), word) != wanted {
			w.t.Errorf("explain says %q: %t, want %t:\n%s", word, !wanted, wanted, text.String())
		}
	}
}

// enquire brings one form through ingest and extract: there is an intent that
// is ready to be sent.
func (w *world) enquire(email string) {
	w.t.Helper()
	body := fmt.Appendf(nil, `{"data":{"email":%q,"message":"How much is a tent?"}}`, email)
	secrets, err := w.set.webhookSecrets(w.t.Context(), "demo", "form")
	if err != nil {
		w.t.Fatal(err)
	}
	r := w.sys.Ingest.Handle(w.t.Context(), ingest.Request{Tenant: "demo", Endpoint: "form", Body: body, Headers: map[string]string{
		"content-type": "application/json", "webhook-id": "E-42", "webhook-timestamp": fmt.Sprint(w.now().Unix()),
		"webhook-signature": webhook.Sign(secrets[0], "E-42", w.now(), body),
	}})
	if r.Status != 200 {
		w.t.Fatalf("the delivery was answered %+v", r)
	}
	k := ledger.Event.At("demo", r.Event)
	it, err := w.parts.Store.Get(w.t.Context(), k)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.sys.Process.Handle(w.t.Context(), ledger.Change{Key: k, Item: it}); err != nil {
		w.t.Fatal(err)
	}
	if got := w.intent().State; got != followup.Ready {
		w.t.Fatalf("the intent is %s, want ready", got)
	}
}

// work lets a new worker, the CRM's and a sweeper do all that is due at the
// world's time. The intent must come to the state, and stay there.
func (w *world) work(when, state string) {
	w.t.Helper()
	c := w.start(sendWorker, crmWorker, sweepWorker)
	w.until(when+" the intent is "+state, func() bool { return w.intent().State == state })
	c.workedOff(sendWorker, crmWorker)
	c.kill()
	if i := w.intent(); i.State != state {
		w.t.Errorf("%s the intent is %s (%s), want %s", when, i.State, i.Reason, state)
	}
}

// probe proves that the provider's events arrive.
func (w *world) probe() {
	w.t.Helper()
	p, err := w.sys.Policies.Current(w.t.Context(), "demo")
	if err != nil {
		w.t.Fatal(err)
	}
	if r := w.sys.Send.Probe(w.t.Context(), p.Sender); r.Outcome != mailer.Accepted {
		w.t.Fatalf("the probe came to %+v", r)
	}
}
