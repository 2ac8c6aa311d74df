package console_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// complete gives the world's pages all that they can show.
func (w *world) complete() {
	w.service.Raw = func(_ context.Context, e inbound.Event) ([]byte, error) {
		return []byte("Subject: raw of " + e.Raw + "\r\n\r\n<script>alert(1)</script>"), nil
	}
	w.service.Preview = func(_ context.Context, t review.Task) (decide.Result, error) {
		return decide.Result{Outcome: inbound.FollowUp, Contact: "c2", Reasons: []string{"rule_answer"}, Mail: &followup.Intent{
			State: followup.Ready, Recipient: "to-be@example.com", Subject: "Re: what " + t.ID + " asks", Text: "The text that would go.",
		}}, nil
	}
}

// TestATaskShowsTheSevenThings that a reviewer decides on: the original
// context, what was read with its evidence, the candidates with what identifies
// each, recipient and content proposed, the guard's result and the reasons. Of
// an ID that came again no mail is proposed and no contact is in question.
func TestATaskShowsTheSevenThings(t *testing.T) {
	t.Parallel()
	seven := map[string][]string{
		"context":         {"Prices for two crates", "what do two crates cost?", "ada@example.com", `href="./t1/raw"`},
		"evidence":        {"Ada Example", "signed by Ada Example", "80 %"},
		"candidates":      {"Ada E.", "found by its address", "Bob E.", "found by its customer ID", "customer:C-7"},
		"recipient":       {"to-be@example.com"},
		"content":         {"The text that would go."},
		"guard":           {"clear: nothing forbids mail to this address"},
		"reasons":         {"its keys name several contacts", "several_contacts"},
		"mail recipient":  {"<strong><bdi>ada@example.com</bdi></strong>"},
		"mail content":    {"two crates cost 40 euros."},
		"mail reason":     {"by the policy a person approves the first mail to anybody"},
		"the other text":  {"Quite another text."},
		"contact of mail": {"Ada E.", "found by its address"},
	}
	event := []string{"context", "evidence", "candidates", "recipient", "content", "guard", "reasons"}
	mail := []string{"context", "evidence", "contact of mail", "mail recipient", "mail content", "guard", "mail reason"}
	for kind, must := range map[string][]string{
		review.DecideEvent: event, review.ApproveIntent: mail, review.HeldSend: mail, review.UnknownSend: mail,
		review.IDConflict: {"context", "evidence", "guard", "reasons", "the other text"},
	} {
		w := newWorld(t)
		w.complete()
		switch kind {
		case review.DecideEvent, review.IDConflict:
			w.event()
			w.born(key(ledger.Contact, "c2"), ledger.Step{Event: "create"}, contact.Contact{
				Tenant: "acme", ID: "c2", Status: contact.Active, Name: "Bob E.", Keys: []string{"customer:C-7"}, CreatedAt: utc.At(now), Transition: 1,
			}, "")
			task := review.Task{ID: "t1", Kind: kind, Event: "e1", Reasons: []string{"email_key_known", "several_contacts"}, Guard: "clear",
				Candidates: []string{"c1", "c2"}, CandidatesBy: []string{review.ByEmail, review.ByCustomer}}
			if kind == review.IDConflict {
				other := message()
				other.Source.Visible = "Quite another text."
				w.facts["raw2"], task.Raw, task.Candidates, task.CandidatesBy = other, "raw2", nil, nil
			}
			w.task(task)
		default:
			w.intent(kind, map[string]string{review.ApproveIntent: followup.Proposed, review.HeldSend: followup.InReview, review.UnknownSend: followup.InReview}[kind])
			w.set(key(ledger.ReviewTask, "t1"), ledger.Item{"candidates": []string{"c1"}, "candidates_by": []string{review.ByEmail}})
		}
		p := w.do("GET", "t1", nil)
		for _, thing := range must {
			for _, text := range seven[thing] {
				if !strings.Contains(p.body, text) {
					t.Errorf("%s: of the %s, %q is not shown", kind, thing, text)
				}
			}
		}
	}
}

// Without the preview the question is asked all the same.
func TestAPreviewThatFailsHidesNoQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event()
	w.complete()
	w.service.Preview = func(context.Context, review.Task) (decide.Result, error) { return decide.Result{}, errors.New("gone") }
	w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1", Reasons: []string{"several_contacts"}})
	p := w.do("GET", "t1", nil)
	w.shows(p, "its keys name several contacts", `value="approve"`)
	if strings.Contains(p.body, "What follows if you go on") {
		t.Error("the page says what it does not know")
	}
}

func TestAPreviewThatSettlesNothingSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event()
	w.complete()
	w.service.Preview = func(context.Context, review.Task) (decide.Result, error) {
		return decide.Result{Outcome: decide.Referred, Reasons: []string{"several_contacts"}}, nil
	}
	w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1", Reasons: []string{"several_contacts"}})
	w.shows(w.do("GET", "t1", nil), "the question stays open", "cannot say which of them it is")
}

func TestWhatTheReceiversChecksFoundIsShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    inbound.Verdicts
		want string
	}{
		{inbound.Verdicts{SPF: "PASS", DKIM: "PASS", DMARC: "FAIL"}, "DMARC fail, SPF pass, DKIM pass: contradicts the sender"},
		{inbound.Verdicts{SPF: "PASS", DKIM: "FAIL", DMARC: "PASS"}, "does not prove who wrote it"},
		{inbound.Verdicts{SPF: "GRAY", DMARC: "PROCESSING_FAILED"}, "DMARC processing failed, SPF gray: neither proves nor disproves"},
	} {
		w := newWorld(t)
		w.event()
		w.set(key(ledger.Event, "e1"), ledger.Item{"content": "mail", "spf_verdict": c.v.SPF, "dkim_verdict": c.v.DKIM, "dmarc_verdict": c.v.DMARC})
		w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1", Reasons: []string{"sender_not_authenticated"}})
		w.shows(w.do("GET", "t1", nil), c.want, "takes the sender at his word")
	}
}

// Raw content is handed out as a file and never shown: it is a stranger's.
func TestRawContentIsAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event()
	w.complete()
	w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1"})
	p := w.do("GET", "t1/raw", nil)
	if p.status != http.StatusOK || !strings.HasPrefix(p.body, "Subject: raw of raw1") {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "Content-Disposition": `attachment; filename="message.eml"`,
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
	} {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if p := w.do("GET", "nope/raw", nil); p.status != http.StatusNotFound {
		t.Errorf("of no task: status %d", p.status)
	}
	w.set(key(ledger.Event, "e1"), ledger.Item{"virus_verdict": "FAIL"})
	if p := w.do("GET", "t1/raw", nil); p.status != http.StatusNotFound || strings.Contains(p.body, "raw of") {
		t.Errorf("a virus is handed out: status %d", p.status)
	}
	w.set(key(ledger.Event, "e1"), ledger.Item{"virus_verdict": ""})
	w.service.Raw = func(context.Context, inbound.Event) ([]byte, error) { return make([]byte, 5<<20), nil }
	w.shows(w.do("GET", "t1/raw", nil), "too large to be handed out")
}

func TestTheApprovalsEndIsTheRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.intent(review.ApproveIntent, followup.Proposed)
	w.shows(w.do("GET", "t1", nil), "Approval ends after 48h.")
}
