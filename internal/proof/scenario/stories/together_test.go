package stories_test

// The second story: two deliveries with different IDs, E-43 and E-44, bring
// messages of one identity at the same moment; and one identity's mails come
// in two mailboxes at once.
//
// Real: five processes, each of which runs ingest, extract, crmsync and send
// over the whole stream, so that every event and operation is contended for;
// ledger/dynamo, the SES and HubSpot adapters with their retries as in
// production; HTTP, signatures, the sender's repeats. One process is killed
// with SIGKILL in the middle. Fake: DynamoDB, its streams and S3 (MiniStack), SES
// and HubSpot (wire fakes), the weather (the fault proxy loses requests and
// answers, makes conflicts, throttles, fails and delays by chance), the time
// that leases take to lapse (later processes have a clock that is ahead).
//
// May be asserted: what ledger, provider and CRM hold in the end. The seed is
// of the weather and of who gets which delivery; processes race, so that a
// seed repeats the odds and not the course.

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/proof/faultproxy"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/webhook"
)

var (
	seedFlag   = flag.Uint64("stories-seed", 0, "seed of the weather; 0 takes a new one")
	roundsFlag = flag.Int("stories-rounds", 10, "how many people write twice at the same moment")
)

const processes = 5

// weather is what goes wrong, by chance, between the processes and DynamoDB.
func weather() []faultproxy.Rule {
	const write = "TransactWriteItems"
	rules := []faultproxy.Rule{
		{Fault: faultproxy.DropAfter, Operation: write, Chance: 0.05},
		{Fault: faultproxy.Conflict, Operation: write, Chance: 0.10},
		{Fault: faultproxy.DropBefore, Operation: write, Chance: 0.02},
		{Fault: faultproxy.FailAfter, Operation: write, Chance: 0.02},
		{Fault: faultproxy.Exceeded, Operation: write, Chance: 0.02},
		{Fault: faultproxy.Delay, Operation: write, Chance: 0.15, Wait: 30 * time.Millisecond},
		{Fault: faultproxy.DelayAnswer, Operation: write, Chance: 0.15, Wait: 30 * time.Millisecond},
	}
	for _, read := range []string{"GetItem", "BatchGetItem", "Query"} {
		rules = append(rules, faultproxy.Rule{Fault: faultproxy.DropAfter, Operation: read, Chance: 0.01},
			faultproxy.Rule{Fault: faultproxy.FailBefore, Operation: read, Chance: 0.01})
	}
	return rules
}

// pair is what one person sends at one moment.
type pair struct {
	kind   string
	person string
	out    []local.Outgoing // two deliveries; more are repeats of the first
	causes int
}

// pairs makes every kind in turn, each of a person of its own.
func pairs(n int) []pair {
	all := make([]pair, n)
	for i := range all {
		p := pair{person: fmt.Sprintf("person%d@customer.example", i), causes: 2}
		shout := strings.ToUpper(p.person[:1]) + p.person[1:]
		e43 := form(fmt.Sprintf("E-43-%d", i), p.person, "How much is a tent?")
		e44 := form(fmt.Sprintf("E-44-%d", i), shout, "And do you deliver?")
		switch i % 5 {
		case 0:
			p.kind, p.out = "two forms", []local.Outgoing{e43, e44}
		case 1:
			p.kind, p.causes = "one mail in two mailboxes", 1
			p.out = []local.Outgoing{mail(i, p.person, "sales"), mail(i, p.person, "hello")}
		case 2:
			p.kind, p.out = "two mails in two mailboxes", []local.Outgoing{mail(i, p.person, "sales"), mail(i+1000, shout, "hello")}
		case 3:
			p.kind, p.out = "a form and a mail", []local.Outgoing{e43, mail(i, shout, "hello")}
		default:
			p.kind, p.out = "two forms, the first delivered twice", []local.Outgoing{e43, e44, e43}
		}
		all[i] = p
	}
	return all
}

func form(id, email, message string) local.Outgoing {
	body, _ := json.Marshal(map[string]any{"data": map[string]any{"email": email, "message": message}}) // texts only
	return local.Outgoing{Endpoint: "form", ID: id, Body: body}
}

func mail(n int, from, box string) local.Outgoing {
	body := fmt.Sprintf("Received: from mx.%s.demo.example\r\nFrom: %s\r\nTo: hello@demo.example\r\nSubject: Question\r\nMessage-ID: <m%d@customer.example>\r\n"+
		"Date: Thu, 15 Jan 2026 09:00:00 +0000\r\n\r\nDo you sell boots in size 43?\r\n", box, from, n)
	return local.Outgoing{Endpoint: "mail", EnvelopeFrom: from, EnvelopeTo: box + "@demo.example", Body: []byte(body)}
}

func TestTwoDeliveriesOfOnePersonAtTheSameMomentMakeOneContactAndOneFollowUp(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d: repeat with -stories-seed %d", seed, seed)
	random := rand.New(rand.NewPCG(seed, 2))
	w := newWorld(t, seed, nil)
	if err := w.proxy.Set(weather()...); err != nil {
		t.Fatal(err)
	}
	var workers []*worker
	for range processes {
		workers = append(workers, w.start(ingestWorker, extractWorker, crmWorker, sendWorker))
	}
	urls := make([]string, processes)
	for n, c := range workers {
		urls[n] = c.address()
	}

	written := pairs(*roundsFlag)
	for n, p := range written {
		if n == len(written)/2 {
			workers[0].kill() // whatever it holds
		}
		w.together(random, p, urls)
	}
	// What the dead process has claimed, and what met too many faults, is for
	// later.
	for end := time.Now().Add(5 * time.Second); w.pending() > 0 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	for _, c := range workers {
		c.kill()
	}
	t.Logf("the proxy did %v", w.proxy.Counts())
	for _, f := range []faultproxy.Fault{faultproxy.DropAfter, faultproxy.Conflict, faultproxy.Delay} {
		if w.proxy.Did(f, "TransactWriteItems") == 0 {
			t.Errorf("no %s: the weather was too fair to prove anything", f)
		}
	}
	if err := w.proxy.Set(); err != nil {
		t.Fatal(err)
	}
	w.finishLater()

	for _, p := range written {
		w.judge(p)
	}
	if got, want := len(w.all(ledger.Event)), 2*len(written); got != want {
		t.Errorf("%d events, want %d", got, want)
	}
	if got, want := len(w.all(ledger.Contact)), len(written); got != want {
		t.Errorf("%d contacts, want %d", got, want)
	}
	w.holds(true)
}

// together delivers all of a pair at the same moment, each to a process drawn
// by lot, and again until it is taken, as a provider would.
func (w *world) together(random *rand.Rand, p pair, urls []string) {
	w.t.Helper()
	start := make(chan struct{})
	faults := make([]error, len(p.out))
	var wg sync.WaitGroup
	for n, o := range p.out {
		order := random.Perm(len(urls))
		wg.Go(func() {
			<-start
			faults[n] = w.deliver(o, urls, order)
		})
	}
	close(start)
	wg.Wait()
	for n, err := range faults {
		if err != nil {
			w.t.Fatalf("%s, delivery %d: %v", p.kind, n, err)
		}
	}
}

func (w *world) deliver(o local.Outgoing, urls []string, order []int) error {
	secrets, err := w.set.webhookSecrets(w.t.Context(), "demo", o.Endpoint)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	said := ""
	for try := 0; ctx.Err() == nil; try++ {
		sender := local.Sender{
			URL: urls[order[try%len(order)]], Tenant: "demo", Secrets: map[string]webhook.Secret{o.Endpoint: secrets[0]}, Now: w.now, Client: http.DefaultClient,
		}
		r, err := sender.Send(ctx, o)
		if err == nil && r.Status == http.StatusOK {
			return nil
		}
		said = fmt.Sprint(r.Status, r.Error, err)
		time.Sleep(time.Duration(10<<min(try, 5)) * time.Millisecond)
	}
	return fmt.Errorf("not taken: %s", said)
}

// undecided counts events that wait for a worker.
func (w *world) undecided() int {
	n := 0
	for _, it := range w.all(ledger.Event) {
		if it.Text("state") == inbound.Recorded {
			n++
		}
	}
	return n
}

// pending counts what is not yet ended or with a person.
func (w *world) pending() int {
	n := w.undecided()
	for _, it := range w.all(ledger.Operation) {
		if s := it.Text("state"); s == outbox.Open || s == outbox.Waiting {
			n++
		}
	}
	return n
}

// finishLater lets one process at a time, each later than the last, do what
// the faults and the death left: claims that lapse, outcomes to be looked up,
// deadlines.
func (w *world) finishLater() {
	w.t.Helper()
	w.t.Logf("left for later: %d", w.pending())
	for _, ahead := range []time.Duration{10 * time.Minute, 2 * time.Hour, 4 * time.Hour} {
		w.forward(ahead)
		w.probe()
		c := w.start(extractWorker, crmWorker, sendWorker, sweepWorker)
		c.workedOff(extractWorker, crmWorker, sendWorker)
		c.kill()
		w.flush()
		if w.pending() == 0 {
			w.t.Logf("nothing is pending %s later", ahead)
			return
		}
	}
	w.t.Errorf("still pending after hours: %d", w.pending())
}

// judge compares what one person has come to with what may be.
func (w *world) judge(p pair) {
	w.t.Helper()
	is := func(attr string) func(ledger.Item) bool {
		return func(it ledger.Item) bool { return strings.EqualFold(it.Text(attr), p.person) }
	}
	count := func(e ledger.Entity, mine func(ledger.Item) bool) []ledger.Item {
		var out []ledger.Item
		for _, it := range w.all(e) {
			if mine(it) {
				out = append(out, it)
			}
		}
		return out
	}
	contacts := count(ledger.Contact, is("email"))
	keys := count(ledger.ContactKey, func(it ledger.Item) bool { return it.Text("id") == "email:"+p.person })
	if len(contacts) != 1 || len(keys) != 1 {
		w.t.Errorf("%s: %d contacts and %d keys, want one of each", p.kind, len(contacts), len(keys))
		return
	}
	id := contacts[0].Text("id")
	hers := func(it ledger.Item) bool { return it.Text("contact") == id }
	var outcomes []string
	for _, it := range count(ledger.Event, hers) {
		outcomes = append(outcomes, it.Text("outcome"))
	}
	slices.Sort(outcomes)
	// The rule's fold window of 15 minutes, and one mail as one cause.
	if want := []string{inbound.Folded, inbound.FollowUp}; !slices.Equal(outcomes, want) {
		w.t.Errorf("%s: the events ended %v, want %v", p.kind, outcomes, want)
	}
	if got := len(count(ledger.Enquiry, hers)); got != p.causes {
		w.t.Errorf("%s: %d enquiries, want %d", p.kind, got, p.causes)
	}
	intents := count(ledger.Intent, hers)
	if len(intents) != 1 {
		w.t.Errorf("%s: %d follow-ups, want one", p.kind, len(intents))
		return
	}
	mails, state := w.mails(intents[0].Text("id")), intents[0].Text("state")
	// A worker that died before its call leaves a question and no mail.
	if mails > 1 || state == followup.Accepted && mails != 1 || state != followup.Accepted && state != followup.InReview {
		w.t.Errorf("%s: the provider has %d mails and the follow-up is %s", p.kind, mails, state)
	}
	inCRM := 0
	for _, r := range w.crm.Contacts() {
		if strings.EqualFold(r.Properties["email"], p.person) {
			inCRM++
		}
	}
	if inCRM != 1 {
		w.t.Errorf("%s: %d contacts in the CRM, want one", p.kind, inCRM)
	}
}
