package events_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	samples "onefold/events"
	"onefold/internal/decide"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/webhook"
)

func TestStepsAddUpToWhatIsWanted(t *testing.T) {
	t.Parallel()
	var sum samples.Counts
	for _, d := range samples.Demo() {
		sum = sum.Plus(d.Want)
	}
	if sum != samples.Wanted() {
		t.Errorf("the steps add up to\n%+v, wanted\n%+v", sum, samples.Wanted())
	}
}

func TestStepsAreComplete(t *testing.T) {
	t.Parallel()
	for _, d := range samples.Demo() {
		if len(d.Body) == 0 || d.Name == "" || d.Means == "" || d.Want.Deliveries != max(1, d.Repeat) {
			t.Errorf("%q lacks something", d.Name)
		}
		if isMail := d.Endpoint == "mail"; isMail != (d.ID == "") || isMail != (d.EnvelopeTo != "") {
			t.Errorf("%q: a form has an ID, a mail an envelope recipient", d.Name)
		}
		if d.Endpoint == "mail" && (d.EnvelopeFrom == "") != (rawmail.Parse(d.Body, nil).Kind == rawmail.Bounce) {
			t.Errorf("%q: only a bounce has no envelope sender", d.Name)
		}
	}
}

// TestTheDemoComesToWhatIsWanted runs the script through every use case, with
// the ledger in memory and the providers on loopback.
func TestTheDemoComesToWhatIsWanted(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, autoPolicy(t))
	script := samples.Demo()
	for i := 0; i < len(script); {
		n := i + 1
		for n < len(script) && script[n].Together {
			n++
		}
		if script[i].AfterQuiet {
			p.quiet(t)
		}
		var wg sync.WaitGroup
		for _, d := range script[i:n] {
			wg.Go(func() { deliver(t, p, d) })
		}
		wg.Wait()
		i = n
	}
	p.quiet(t)
	if have := p.count(t); have != samples.Wanted() {
		t.Errorf("came to\n%+v, wanted\n%+v", have, samples.Wanted())
	}
	if n := p.ses.Requests(); n != samples.Wanted().Mails {
		t.Errorf("%d submissions, want %d: one for each mail", n, samples.Wanted().Mails)
	}
	for noun, have := range map[string]int{"contacts": len(p.crm.Contacts()), "notes": len(p.crm.Notes()), "tasks": len(p.crm.Tasks())} {
		want := map[string]int{"contacts": samples.Wanted().Contacts, "notes": samples.Wanted().Enquiries, "tasks": samples.Wanted().Enquiries}[noun]
		if have != want {
			t.Errorf("the CRM has %d %s, want %d", have, noun, want)
		}
	}
}

func TestEveryStepAddsWhatIsWanted(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, autoPolicy(t))
	// One at a time: what each adds is seen by itself.
	before := samples.Counts{}
	for _, d := range samples.Demo() {
		deliver(t, p, d)
		p.quiet(t)
		if have := p.count(t); have != before.Plus(d.Want) {
			t.Errorf("after %q\n%+v, wanted\n%+v", d.Name, have, before.Plus(d.Want))
		}
		before = before.Plus(d.Want)
		checkOutcome(t, p, d)
	}
	for _, i := range p.items(t, ledger.Intent) {
		if i.Text("state") != followup.Accepted {
			t.Errorf("an intent is %s", i.Text("state"))
		}
	}
	for _, c := range p.items(t, ledger.Contact) {
		want := int64(1)
		if c.Text("email") == "alex.morgan@customer.example" {
			want = 2 // raised by the opt-out
		}
		if c.Int("consent_version") != want {
			t.Errorf("consent version %d of %s, want %d", c.Int("consent_version"), c.Text("email"), want)
		}
	}
}

func checkOutcome(t *testing.T, p *pipeline, d samples.Delivery) {
	t.Helper()
	id := d.ID
	if d.Endpoint == "mail" {
		id = webhook.MailID(d.EnvelopeFrom, d.EnvelopeTo, d.Body)
	}
	for _, it := range p.items(t, ledger.Event) {
		var e inbound.Event
		if err := it.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.DeliveryID != id {
			continue
		}
		outcome := e.Outcome
		if e.State == inbound.InReview {
			outcome = decide.Referred
		}
		if outcome != d.Outcome || !slices.Contains(e.Reasons, d.Reason) {
			t.Errorf("%q: %s %v, want %s with %s", d.Name, outcome, e.Reasons, d.Outcome, d.Reason)
		}
		return
	}
	t.Errorf("%q: no event", d.Name)
}

func deliver(t *testing.T, p *pipeline, d samples.Delivery) {
	text, id := samples.SecretForm, d.ID
	headers := map[string]string{}
	if d.Endpoint == "mail" {
		text, id = samples.SecretMail, webhook.MailID(d.EnvelopeFrom, d.EnvelopeTo, d.Body)
		headers["x-onefold-envelope-from"], headers["x-onefold-envelope-to"] = d.EnvelopeFrom, d.EnvelopeTo
	}
	secret, err := webhook.ParseSecret(text)
	if err != nil {
		t.Error(err)
		return
	}
	for range max(1, d.Repeat) {
		at := time.Now()
		headers["webhook-id"], headers["webhook-timestamp"] = id, strconv.FormatInt(at.Unix(), 10)
		headers["webhook-signature"] = webhook.Sign(secret, id, at, d.Body)
		resp := p.system.Ingest.Handle(t.Context(), ingest.Request{Tenant: "demo", Endpoint: d.Endpoint, Headers: headers, Body: d.Body})
		if resp.Status != 200 {
			t.Errorf("%q: %d %s", d.Name, resp.Status, resp.Error)
		}
	}
}

// autoPolicy is the example policy with its one rule in mode auto.
func autoPolicy(t *testing.T) []byte {
	t.Helper()
	document := strings.Replace(string(exampleDocument(t)), `"mode": "draft"`, `"mode": "auto"`, 1)
	policy, err := tenant.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if len(policy.Rules) != 1 || policy.Rules[0].Mode != tenant.ModeAuto {
		t.Fatal("the example policy is not the one that the arithmetic is of")
	}
	return []byte(document)
}

// items is every item of an entity.
func (p *pipeline) items(t *testing.T, e ledger.Entity) []ledger.Item {
	t.Helper()
	var out []ledger.Item
	for cursor := ""; ; {
		page, err := p.store.Scan(context.Background(), ledger.Scan{Table: e.Table(), Segments: 1, Cursor: cursor, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			if ledger.KeyOf(it).Entity == e {
				out = append(out, it)
			}
		}
		if cursor = page.Next; cursor == "" {
			return out
		}
	}
}

func (p *pipeline) count(t *testing.T) samples.Counts {
	t.Helper()
	c := samples.Counts{
		Deliveries: len(p.items(t, ledger.Delivery)), Events: len(p.items(t, ledger.Event)), Contacts: len(p.items(t, ledger.Contact)),
		Enquiries: len(p.items(t, ledger.Enquiry)), Intents: len(p.items(t, ledger.Intent)), Mails: len(p.ses.Sent()),
		Reviews: len(p.items(t, ledger.ReviewTask)),
	}
	for _, g := range p.items(t, ledger.Guard) {
		if g.Text("stop_all") != "" {
			c.Stopped++
		}
	}
	kinds := map[string]*int{
		"send_intent": &c.Operations.SendIntent, "cancel_intents": &c.Operations.CancelIntents,
		"crm_contact": &c.Operations.CRMContact, "crm_note": &c.Operations.CRMNote, "crm_task": &c.Operations.CRMTask,
	}
	for _, op := range p.items(t, ledger.Operation) {
		n, ok := kinds[op.Text("kind")]
		if !ok {
			t.Fatalf("operation of unknown kind %q", op.Text("kind"))
		}
		*n++
	}
	return c
}

// unsettled names what is still under way, "" when nothing is.
func (p *pipeline) unsettled(t *testing.T) string {
	t.Helper()
	for _, check := range []struct {
		entity ledger.Entity
		busy   string
	}{
		{ledger.Event, "recorded"}, {ledger.Intent, "ready sending unknown"}, {ledger.Operation, "open waiting"},
	} {
		for _, it := range p.items(t, check.entity) {
			// An intent's operation is its timer, which may outlast it.
			if state := it.Text("state"); strings.Contains(check.busy, state) && it.Text("kind") != "send_intent" {
				b, _ := json.Marshal(it)
				return string(check.entity) + " " + state + " " + string(b)
			}
		}
	}
	return ""
}

// quiet waits until nothing is under way.
func (p *pipeline) quiet(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		left := p.unsettled(t)
		if left == "" {
			return
		}
		select {
		case <-p.moved:
		case <-ctx.Done():
			t.Fatalf("not quiet: %s", left)
		}
	}
}

func tables() map[string]schema.Table {
	return map[string]schema.Table{"extract": schema.Events, "crmsync": schema.Outbox, "send": schema.Outbox}
}
