package extract_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/send/evidence"
	"onefold/internal/utc"
)

// within puts header lines into a raw mail.
func within(raw []byte, lines string) []byte {
	return []byte(strings.Replace(string(raw), "Subject:", lines+"\r\nSubject:", 1))
}

// TestAnAutoresponderThatVariesItsAddressIsStopped: bug report of a loop with
// a new local part, or a new domain, for each mail.
func TestAnAutoresponderThatVariesItsAddressIsStopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mails, made int
		from, lines string
	}{
		"in one thread, each time another domain": {8, 3, "bot@d%d.example", "References: <start@example.com>"},
		"each a thread, in one domain":            {25, 20, "bot%d@desk.example", "X-N: 1"},
	} {
		w := newWorld(t, tenant.ModeAuto)
		s := w.service(w.store, w.reader)
		for n := range c.mails {
			id := fmt.Sprintf("m%d", n)
			k := w.record("hello@demo.example", id, within(rawMail(id, fmt.Sprintf(c.from, n), "Huts", body), c.lines))
			w.settle(s, k)
			e := w.event(k)
			if beyond := n >= c.made; beyond != (e.State == inbound.InReview) {
				t.Fatalf("%s: mail %d is %s %s %v", name, n+1, e.State, e.Outcome, e.Reasons)
			} else if beyond && w.task(k).Reasons[0] != decide.ReasonLoop {
				t.Errorf("%s: reasons %v", name, w.task(k).Reasons)
			}
		}
		w.wants(map[ledger.Entity]int{ledger.Intent: c.made, ledger.ReviewTask: c.mails - c.made})
	}
}

func TestAReplyToOurFollowUpIsAConversation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		index, tenant, lines string
		folded               bool
	}{
		"by In-Reply-To":      {"ses:0100-a-000000", "demo", "In-Reply-To: <0100-a-000000@eu-west-1.amazonses.com>", true},
		"further up":          {"ses:0100-a-000000", "demo", "In-Reply-To: <x@example.org>\r\nReferences: <0100-a-000000@email.amazonses.com> <x@example.org>", true},
		"by the stored ID":    {"ses:own@mail.example", "demo", "In-Reply-To: <own@mail.example>", true},
		"of another tenant":   {"ses:0100-a-000000", "other", "In-Reply-To: <0100-a-000000@eu-west-1.amazonses.com>", false},
		"to a stranger's SES": {"ses:0100-a-000000", "demo", "In-Reply-To: <0100-b-000000@eu-west-1.amazonses.com>", false},
	} {
		w := newWorld(t, tenant.ModeAuto)
		s := w.service(w.store, w.reader)
		first := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
		w.settle(s, first)
		ours := w.event(first).Intent
		var index ledger.Commit
		provider, id, _ := strings.Cut(c.index, ":")
		if err := errors.Join(evidence.IndexMessage(&index, provider, id, c.tenant, ours, 1, utc.At(w.clock.Now())), w.store.Commit(t.Context(), index)); err != nil {
			t.Fatal(err)
		}
		w.clock.goTo(utc.At(w.clock.Now().Add(48 * time.Hour)))
		k := w.record("hello@demo.example", "m2", within(rawMail("m2", ada, "Re: Huts", "Thank you, and what of June?"), c.lines))
		w.settle(s, k)
		e := w.event(k)
		if folded := e.Outcome == inbound.Folded && e.Intent == ours && e.Reasons[len(e.Reasons)-1] == decide.ReasonReplyToOurs; folded != c.folded {
			t.Errorf("%s: %s %v", name, e.Outcome, e.Reasons)
		}
		if made := w.count(ledger.Intent); made != 1 == c.folded {
			t.Errorf("%s: %d intents", name, made)
		}
		w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Enquiry: 2})
	}
}

const doubtful = "Please do not unsubscribe me yet. Do you have huts with a stove?"

// TestADoubtfulWishHoldsBeforeTheReaderAnswers: a reader that is down for hours
// leaves no way for a mail; its answer is there for the reviewer later.
func TestADoubtfulWishHoldsBeforeTheReaderAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(call int, src reader.Source) (reader.Record, error) {
		if strings.Contains(src.Visible, "unsubscribe") && call < 4 {
			return reader.Record{}, errBroken
		}
		return plainRecord(src), nil
	}
	s := w.service(w.store, w.reader)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", doubtful))
	_ = w.handle(s, k)
	guards := w.all(ledger.Guard)
	if w.event(k).State != inbound.Recorded || len(guards) != 1 || guards[0].Text("hold") == "" {
		t.Fatalf("event %s, guards %v", w.event(k).State, guards)
	}
	next := w.record("hello@demo.example", "m2", rawMail("m2", ada, "Boots", "And boots?"))
	_ = w.handle(s, next)
	if e := w.event(next); e.Outcome != inbound.Suppressed || w.count(ledger.Intent) != 0 {
		t.Errorf("a mail that is read meanwhile: %s, %d intents", e.Outcome, w.count(ledger.Intent))
	}
	w.settle(s, k)
	if guards = w.all(ledger.Guard); guards[0].Int("transition") != 1 {
		t.Errorf("the hold was put %d times", guards[0].Int("transition"))
	}
	if task := w.task(k); task.Reasons[0] != "possible_opt_out" || task.Guard != "opt_out_in_doubt" || w.count(ledger.Extraction) == 0 {
		t.Errorf("task %+v, %d answers", task, w.count(ledger.Extraction))
	}
	if err := w.answer(s, k, decide.Answer{Approve: true, By: "person:grace"}); err != nil {
		t.Fatal(err)
	}
	if guards = w.all(ledger.Guard); guards[0].Text("hold") != "" || w.event(k).Outcome != inbound.FollowUp {
		t.Errorf("after the approval: hold %q, %s", guards[0].Text("hold"), w.event(k).Outcome)
	}
}

// TestALateWorkerDoesNotHoldAgain: it claimed the event, slept, and meanwhile a
// person let the address go.
func TestALateWorkerDoesNotHoldAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	s := w.service(w.store, w.reader)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", doubtful))
	late := w.event(k)
	w.settle(s, k)
	if err := w.answer(s, k, decide.Answer{Approve: true, By: "person:grace"}); err != nil {
		t.Fatal(err)
	}
	p, err := w.book.Current(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	f := content.OfMail(mailOf(p, rawMail("m1", ada, "Huts", doubtful)))
	in := decide.Input{Event: late, Policy: p, Facts: f, Now: utc.At(w.clock.Now()), By: "extract"}
	c, err := decide.Read(in, w.ids, decide.HoldFirst, w.rows)
	if err != nil || len(c.Writes) == 0 {
		t.Fatalf("%d writes, %v", len(c.Writes), err)
	}
	if _, refused := ledger.AsRefused(w.store.Commit(t.Context(), c)); !refused {
		t.Error("the late hold goes through")
	}
}

// TestAnEarlyHoldLeadsToATask: also when the words are no longer doubtful
// by the lists of the day on which the reader answers.
func TestAnEarlyHoldLeadsToATask(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	p, err := w.book.Current(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	raw := rawMail("m1", ada, "Huts", body)
	k := w.record("hello@demo.example", "m1", raw)
	f := content.OfMail(mailOf(p, raw))
	f.OptOut.Verdict = "doubtful" // by the lists of yesterday
	in := decide.Input{Event: w.event(k), Policy: p, Facts: f, Now: utc.At(w.clock.Now()), By: "extract"}
	c, err := decide.Read(in, w.ids, decide.HoldFirst, w.rows)
	if err := errors.Join(err, w.store.Commit(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	s := w.service(w.store, w.reader)
	w.settle(s, k)
	if task := w.task(k); task.State != review.Open || task.Reasons[0] != "possible_opt_out" {
		t.Fatalf("task %+v", task)
	}
	if err := w.answer(s, k, decide.Answer{Approve: true, By: "person:grace"}); err != nil {
		t.Fatal(err)
	}
	if g := w.all(ledger.Guard)[0]; g.Text("hold") != "" {
		t.Errorf("the hold stays: %v", g)
	}
}

func (w *world) rows(keys []ledger.Key) ([]ledger.Item, error) {
	return w.store.GetMany(w.t.Context(), keys)
}

func mailOf(p tenant.Policy, raw []byte) rawmail.Message { return rawmail.Parse(raw, p.IsOwn) }

// TestFollowUpsAtOnceStayWithinTheLimit: what is counted is what was made,
// whoever decides at the same time.
func TestFollowUpsAtOnceStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	var keys []ledger.Key
	for n := range 8 {
		id := fmt.Sprintf("m%d", n)
		keys = append(keys, w.record("hello@demo.example", id, within(rawMail(id, fmt.Sprintf("bot@d%d.example", n), "Huts", body), "References: <start@example.com>")))
	}
	var group sync.WaitGroup
	for _, k := range keys {
		group.Go(func() { _ = w.handle(w.service(w.store, w.reader), k) })
	}
	group.Wait()
	w.settle(w.service(w.store, w.reader), keys...)
	w.wants(map[ledger.Entity]int{ledger.Intent: 3, ledger.ReviewTask: 5, ledger.LoopCap: 4})
	for _, it := range w.all(ledger.LoopCap) {
		if n := it.Int("count"); n != 1 && n != 3 {
			t.Errorf("count %d", n)
		}
	}
}
