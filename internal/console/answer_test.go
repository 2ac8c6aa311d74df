package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

func TestEachAnswerAboutAMailMovesIntentAndTaskTogether(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ kind, from, action, intent, task string }{
		{review.ApproveIntent, followup.Proposed, "approve", followup.Ready, review.Approved},
		{review.ApproveIntent, followup.Proposed, "reject", followup.Cancelled, review.Rejected},
		{review.HeldSend, followup.InReview, "approve", followup.Ready, review.Approved},
		{review.HeldSend, followup.InReview, "reject", followup.Cancelled, review.Rejected},
		{review.UnknownSend, followup.InReview, "approve", followup.Ready, review.Approved},
		{review.UnknownSend, followup.InReview, "reject", followup.Cancelled, review.Rejected},
		{review.UnknownSend, followup.InReview, "count_as_sent", followup.Accepted, review.Approved},
	} {
		t.Run(x.kind+" "+x.action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			i := w.intent(x.kind, x.from)
			p := w.do("POST", "t1", form(x.action, i.ContentHash))
			if p.status != http.StatusSeeOther || p.location != "/review/?said="+x.action {
				t.Fatalf("status %d to %q: %s", p.status, p.location, p.body)
			}
			intent, task := w.row(key(ledger.Intent, "i1")), w.row(key(ledger.ReviewTask, "t1"))
			if intent.Text("state") != x.intent || task.Text("state") != x.task || task.Text("open_for") != "" || task.Text("answered_by") != "person:Grace" {
				t.Errorf("intent %s, task %s of %q by %s", intent.Text("state"), task.Text("state"), task.Text("open_for"), task.Text("answered_by"))
			}
			ops := w.sends()
			if (x.intent == followup.Ready) != (len(ops) == 1) || len(ops) > 1 {
				t.Fatalf("%d operations", len(ops))
			}
			for _, op := range ops {
				if op.Kind != outbox.SendIntent || op.Intent != "i1" || op.State != outbox.Open || op.DueAt.IsZero() || op.DueShard == "" {
					t.Errorf("the operation is %+v", op)
				}
				if intent.Text("approved_hash") != i.ContentHash || intent.Text("approved_by") != "person:Grace" ||
					intent.Text("not_after") != utc.At(now.Add(48*time.Hour)).String() { // the 48 hours of its rule, from the approval
					t.Errorf("approved as %v", intent)
				}
			}
			if resend := x.kind == review.UnknownSend && x.action == "approve"; resend != (intent.Int("resends") == 1) {
				t.Errorf("%d resends are counted", intent.Int("resends"))
			}
			for _, k := range []ledger.Key{key(ledger.Intent, "i1"), key(ledger.ReviewTask, "t1")} {
				r := w.row(ledger.AuditKey(k, 2))
				if r.Text("by") != "person:Grace" || r.Text("intent") != "i1" || r.Text("to") != w.row(k).Text("state") {
					t.Errorf("the record of %s is %v", k.Entity, r)
				}
			}
		})
	}
}

// What the person saw is no longer so: nothing happens, and he is told.
func TestAnAnswerToWhatIsNoLongerSoChangesNothing(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"approve", "reject", "count_as_sent"} {
		for name, spoil := range map[string]func(*world, followup.Intent, url.Values){
			"stale task": func(_ *world, _ followup.Intent, f url.Values) { f.Set("transition", "0") },
			"refreshed task": func(w *world, _ followup.Intent, _ url.Values) {
				w.set(key(ledger.ReviewTask, "t1"), ledger.Item{"transition": 2})
			},
			"closed task": func(w *world, _ followup.Intent, _ url.Values) {
				w.set(key(ledger.ReviewTask, "t1"), ledger.Item{"state": review.Closed})
			},
			"other content seen": func(_ *world, _ followup.Intent, f url.Values) { f.Set("content_hash", "other") },
			"no content seen":    func(_ *world, _ followup.Intent, f url.Values) { f.Del("content_hash") },
			"content and hash changed": func(w *world, i followup.Intent, _ url.Values) {
				i.Text = "Dear Ada, five crates."
				w.set(key(ledger.Intent, "i1"), ledger.Item{"text": i.Text, "content_hash": i.HashContent()})
			},
			"content changed under its hash": func(w *world, _ followup.Intent, _ url.Values) {
				w.set(key(ledger.Intent, "i1"), ledger.Item{"text": "Dear Ada, five crates."})
			},
			"recipient changed under its hash": func(w *world, _ followup.Intent, _ url.Values) {
				w.set(key(ledger.Intent, "i1"), ledger.Item{"recipient": "eve@example.net"})
			},
			"evidence was quicker": func(w *world, _ followup.Intent, _ url.Values) {
				w.set(key(ledger.Intent, "i1"), ledger.Item{"state": followup.Accepted})
			},
			"the intent waits for another question": func(w *world, _ followup.Intent, _ url.Values) {
				w.set(key(ledger.Intent, "i1"), ledger.Item{"review": "t2"})
			},
		} {
			t.Run(action+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				i := w.intent(review.UnknownSend, followup.InReview)
				f := form(action, i.ContentHash)
				spoil(w, i, f)
				before := w.everything()
				if p := w.do("POST", "t1", f); p.status != http.StatusConflict || !strings.Contains(p.body, "changed since you saw it") {
					t.Errorf("status %d", p.status)
				}
				if w.everything() != before {
					t.Error("something changed")
				}
			})
		}
	}
}

func TestADoubleClickAnswersOnce(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"approve", "reject"} {
		w := newWorld(t)
		i := w.intent(review.ApproveIntent, followup.Proposed)
		if p := w.do("POST", "t1", form("approve", i.ContentHash)); p.status != http.StatusSeeOther {
			t.Fatalf("status %d", p.status)
		}
		before := w.everything()
		if p := w.do("POST", "t1", form(other, i.ContentHash)); p.status != http.StatusConflict || w.everything() != before {
			t.Errorf("the second answer: status %d", p.status)
		}
	}
}

func TestOfManyAnswersAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	for range 20 {
		w := newWorld(t)
		i := w.intent(review.UnknownSend, followup.InReview)
		status := make([]int, 9)
		var wg sync.WaitGroup
		for n := range status {
			action := []string{"approve", "reject", "count_as_sent"}[n%3]
			wg.Go(func() { status[n] = w.do("POST", "t1", form(action, i.ContentHash)).status })
		}
		wg.Wait()
		won := 0
		for _, s := range status {
			switch s {
			case http.StatusSeeOther:
				won++
			case http.StatusConflict:
			default:
				t.Errorf("status %d", s)
			}
		}
		intent := w.row(key(ledger.Intent, "i1"))
		if won != 1 || intent.Int("transition") != 2 || (len(w.sends()) == 1) != (intent.Text("state") == followup.Ready) {
			t.Fatalf("%d answers won: intent %s, %d operations", won, intent.Text("state"), len(w.sends()))
		}
	}
}

// A word that is no answer, of all things an empty one, must not count as a no.
func TestAWordThatIsNoAnswerDoesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{review.DecideEvent, review.IDConflict, review.ApproveIntent, review.HeldSend, review.UnknownSend, "kind_of_newer_code"} {
		for _, action := range []string{"", "Approve", "no", "count_as_sent"} {
			if kind == review.UnknownSend && action == "count_as_sent" {
				continue
			}
			w := newWorld(t)
			i := w.intent(kind, followup.InReview)
			before := w.everything()
			if p := w.do("POST", "t1", form(action, i.ContentHash)); p.status != http.StatusBadRequest || w.everything() != before || len(w.decided) != 0 {
				t.Errorf("%s %q: status %d, %d decided", kind, action, p.status, len(w.decided))
			}
		}
	}
}

func TestAnAnswerAboutAnEventGoesToTheRules(t *testing.T) {
	t.Parallel()
	for action, approve := range map[string]bool{"approve": true, "reject": false} {
		w := newWorld(t)
		w.event()
		w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1"})
		f := form(action, "")
		f.Set("address", " ada@example.net ")
		if p := w.do("POST", "t1", f); p.status != http.StatusSeeOther || p.location != "/review/?said="+action {
			t.Fatalf("status %d to %q", p.status, p.location)
		}
		want := decide.Answer{Approve: approve, By: "person:Grace", Address: "ada@example.net"}
		if len(w.decided) != 1 || w.decided[0] != want {
			t.Errorf("decided %+v", w.decided)
		}
	}
}

func TestWhatTheRulesDidNotTakeIsToldApart(t *testing.T) {
	t.Parallel()
	refresh := func(w *world, by string) {
		var c ledger.Commit
		if _, err := c.Move(ledger.Step{
			Key: key(ledger.ReviewTask, "t1"), Machine: review.Machine(), From: review.Open, Transition: 1, Event: "refresh",
			Set: ledger.Item{"reasons": []string{"address_missing"}}, Audit: audit.Record{At: utc.At(now), By: by},
		}); err != nil {
			w.Fatal(err)
		}
		if err := w.Store.Commit(context.Background(), c); err != nil {
			w.Fatal(err)
		}
	}
	for name, x := range map[string]struct {
		meanwhile func(*world)
		status    int
		location  string
	}{
		"his answer raised a question":    {func(w *world) { refresh(w, "person:Grace") }, http.StatusSeeOther, "/review/t1?said=open"},
		"somebody else's answer did":      {func(w *world) { refresh(w, "person:Linus") }, http.StatusConflict, ""},
		"somebody else was quicker":       {func(w *world) { w.set(key(ledger.ReviewTask, "t1"), ledger.Item{"state": review.Rejected}) }, http.StatusConflict, ""},
		"the ledger did not say anything": {func(*world) {}, http.StatusInternalServerError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.event()
			w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1"})
			w.decide = func(review.Task, decide.Answer) error {
				x.meanwhile(w)
				return errors.New("not taken")
			}
			p := w.do("POST", "t1", form("approve", ""))
			if p.status != x.status || p.location != x.location {
				t.Fatalf("status %d to %q", p.status, p.location)
			}
			if x.location != "" {
				w.shows(w.do("GET", "t1?said=open", nil), "did not settle it", "address missing")
			}
		})
	}
}

func TestAnIDConflictIsOnlyNoted(t *testing.T) {
	t.Parallel()
	for action, state := range map[string]string{"approve": review.Approved, "reject": review.Rejected} {
		w := newWorld(t)
		w.event()
		w.task(review.Task{ID: "t1", Kind: review.IDConflict, Event: "e1", Raw: "raw2"})
		event := w.row(key(ledger.Event, "e1")).Version()
		if p := w.do("POST", "t1", form(action, "")); p.status != http.StatusSeeOther {
			t.Fatalf("status %d", p.status)
		}
		if w.row(key(ledger.ReviewTask, "t1")).Text("state") != state || w.row(key(ledger.Event, "e1")).Version() != event || len(w.sends()) != 0 {
			t.Error("more, or less, than the note was made")
		}
	}
}

// The answer's commit took effect and its answer was lost: the person is not
// told that nothing happened, and answering again does nothing twice.
func TestAnAnswerWhoseFateIsUnknownIsSaidToBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.intent(review.ApproveIntent, followup.Proposed)
	w.commit = func(c ledger.Commit) error {
		_ = w.Store.Commit(context.Background(), c)
		return ledger.ErrUnknown
	}
	p := w.do("POST", "t1", form("approve", i.ContentHash))
	if p.status != http.StatusInternalServerError || !strings.Contains(p.body, "not known whether your answer was stored") {
		t.Errorf("status %d: %s", p.status, p.body)
	}
	w.commit = nil
	if p := w.do("POST", "t1", form("approve", i.ContentHash)); p.status != http.StatusConflict || len(w.sends()) != 1 {
		t.Errorf("again: status %d, %d operations", p.status, len(w.sends()))
	}
	w.shows(w.do("GET", "t1", nil), "This question is approved")
}

func TestAnAnswerFromAnotherSiteIsRefused(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{
		"by fetch metadata":  {"Sec-Fetch-Site", "cross-site"},
		"by a sibling site":  {"Sec-Fetch-Site", "same-site"},
		"by origin":          {"Sec-Fetch-Site", "", "Origin", "https://evil.example"},
		"by the null origin": {"Sec-Fetch-Site", "", "Origin", "null"},
	} {
		w := newWorld(t)
		i := w.intent(review.ApproveIntent, followup.Proposed)
		before := w.everything()
		p := w.do("POST", "t1", form("approve", i.ContentHash), header...)
		if p.status != http.StatusForbidden || w.everything() != before {
			t.Errorf("%s: status %d", name, p.status)
		}
		if p.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: the refusal has no policy", name)
		}
	}
}

func TestANameIsRequired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.intent(review.ApproveIntent, followup.Proposed)
	before := w.everything()
	for _, by := range []string{"", "   ", strings.Repeat("x", 101), "Grace\nperson:Eve", "\xff"} {
		f := form("approve", i.ContentHash)
		f.Set("by", by)
		if p := w.do("POST", "t1", f); p.status != http.StatusBadRequest || w.everything() != before {
			t.Errorf("name %q: status %d", by, p.status)
		}
	}
	f := form("approve", i.ContentHash)
	f.Set("by", strings.Repeat("Ж", 100))
	if p := w.do("POST", "t1", f); p.status != http.StatusSeeOther {
		t.Errorf("a name of 100 letters: status %d", p.status)
	}
}
