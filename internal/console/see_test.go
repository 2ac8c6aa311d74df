package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

func (w *world) shows(p page, want ...string) {
	w.Helper()
	if p.status != http.StatusOK {
		w.Fatalf("status %d: %s", p.status, p.body)
	}
	for _, s := range want {
		if !strings.Contains(p.body, s) {
			w.Errorf("the page does not show %q", s)
		}
	}
}

func TestTheListShowsOpenTasksOldestFirstAndPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shows(w.do("GET", "", nil), "Nothing waits for you")
	for n := range 120 {
		id := fmt.Sprintf("task%03d", n)
		w.task(review.Task{ID: id, Kind: review.DecideEvent, Reasons: []string{"low_confidence"}})
		w.set(key(ledger.ReviewTask, id), ledger.Item{"opened_at": utc.At(now.Add(time.Duration(n) * time.Minute))})
	}
	w.set(key(ledger.ReviewTask, "task000"), ledger.Item{"open_for": ""}) // answered
	first := w.do("GET", "", nil)
	w.shows(first, "low confidence", "./task001", "./task100")
	if strings.Contains(first.body, "task000") || strings.Contains(first.body, "task101") || strings.Index(first.body, "task001") > strings.Index(first.body, "task002") {
		t.Error("the first page is not the hundred oldest that are open")
	}
	_, after, _ := strings.Cut(first.body, `href="./?after=`)
	after, _, _ = strings.Cut(after, `"`)
	w.shows(w.do("GET", "?after="+after, nil), "./task101", "./task119")
}

func TestTheListSaysWhomATaskIsAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.intent(review.ApproveIntent, followup.Proposed)
	w.task(review.Task{ID: "t2", Kind: review.DecideEvent, Event: "e1"})
	w.task(review.Task{ID: "t3", Kind: review.DecideEvent, Event: "gone"})
	w.shows(w.do("GET", "", nil), "ada@example.com", "sales@example.org", "./t3")
}

func TestAReviewerSeesWhatTheAnswerBinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.intent(review.ApproveIntent, followup.Proposed)
	w.shows(w.do("GET", "t1", nil),
		"Prices for two crates", "what do two crates cost?", "Engines Ltd", "office@example.com", "On Monday you wrote", "plan.pdf", "two from headers", // context
		"Ada Example", "80 %", "signed by Ada Example", "signature", "95 %", "pricing", "may be a wish not to be mailed", "two people named", // fields, evidence
		"Ada E.", "c1", // candidate
		"ada@example.com", "sales@example.org", "Re: Prices for two crates", "two crates cost 40 euros.", // recipient and content
		"by the policy a person approves the first mail to anybody", "nothing forbids mail", // reason, guard
		`name="transition" value="1"`, `name="content_hash"`)
}

func TestTheGuardIsShownAsItIsNow(t *testing.T) {
	t.Parallel()
	guards := map[string]ledger.Item{
		"suppressed all": {"stop_all": "2026-03-01T00:00:00.000Z"}, "suppressed follow up": {"stop_follow_up": "2026-03-01T00:00:00.000Z"},
		"opt out in doubt": {"hold": "2026-03-01T00:00:00.000Z"},
	}
	for word, attrs := range guards {
		w := newWorld(t)
		w.intent(review.ApproveIntent, followup.Proposed)
		w.born(key(ledger.Guard, "g1"), ledger.Step{Event: "stop"}, map[string]any{"transition": 1}, "")
		w.set(key(ledger.Guard, "g1"), attrs)
		w.shows(w.do("GET", "t1", nil), word)
	}
	// Of an event without a mail it is the guard of the address it is about.
	w := newWorld(t)
	w.event()
	w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1", Candidates: []string{"c1"}, Reasons: []string{"field_conflict"}})
	w.shows(w.do("GET", "t1", nil), "nothing forbids mail", "ada@example.com", "it states another value than the contact has", "Ada E.")
}

// TestAReportIsAskedAboutInItsOwnWords: a yes to it stops mail, where a yes to
// an enquiry may send some.
func TestAReportIsAskedAboutInItsOwnWords(t *testing.T) {
	t.Parallel()
	for _, kind := range []rawmail.Kind{rawmail.Bounce, rawmail.Complaint, rawmail.Human} {
		w := newWorld(t)
		w.event()
		f := message()
		f.Kind, f.Failed = kind, []string{"lee@example.org", "kim@example.org"}
		f.Suppression = &rawmail.Suppression{Address: "lee@example.org", Hard: true}
		w.facts["raw1"] = f
		w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1", Reasons: []string{decide.ReasonUnproven}})
		p := w.do("GET", "t1", nil)
		w.shows(p, "it gives back no mail of ours to that address")
		for _, words := range []string{"It is genuine: stop mail", "It is not genuine", "kim@example.org", "Anybody can write such a mail"} {
			if strings.Contains(p.body, words) != (kind != rawmail.Human) {
				t.Errorf("%s: %q", kind, words)
			}
		}
		if strings.Contains(p.body, "Go on with it") != (kind == rawmail.Human) {
			t.Errorf("%s: the words of an enquiry", kind)
		}
	}
}

func TestTheNewestReadingIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event()
	w.extraction("aardvark", now.Add(time.Hour), "Newest Reader")
	w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1"})
	w.shows(w.do("GET", "t1", nil), "Newest Reader", "aardvark")
}

func TestAnIDConflictShowsBothContents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event()
	other := message()
	other.Source.Visible = "Quite another text."
	w.facts["raw2"] = other
	w.task(review.Task{ID: "t1", Kind: review.IDConflict, Event: "e1", Raw: "raw2"})
	w.shows(w.do("GET", "t1", nil), "what do two crates cost?", "Quite another text.")
}

func TestContentThatIsGoneIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event()
	delete(w.facts, "raw1")
	w.task(review.Task{ID: "t1", Kind: review.DecideEvent, Event: "e1"})
	w.shows(w.do("GET", "t1", nil), "could not be read")
}

func TestHostileContentStaysText(t *testing.T) {
	t.Parallel()
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>`
	w := newWorld(t)
	w.intent(review.ApproveIntent, followup.Proposed)
	f := message()
	f.Source.FromName, f.Source.Subject, f.Source.Visible, f.Source.Quoted = evil, evil, evil, "</pre>"+evil
	f.Source.ReplyTo, f.Source.Signature, f.Source.Attachments, f.Warnings = evil, evil, []string{evil}, []string{evil}
	w.facts["raw1"] = f
	w.extraction("zebra", now.Add(time.Minute), evil)
	w.set(key(ledger.Intent, "i1"), ledger.Item{"subject": evil, "text": "</pre>" + evil, "recipient": evil, "reason": evil})
	w.set(key(ledger.Contact, "c1"), ledger.Item{"name": evil, "company": evil, "email": evil})
	w.set(key(ledger.ReviewTask, "t1"), ledger.Item{"reasons": []string{evil}, "guard_result": evil})
	for _, path := range []string{"", "t1", "?said=" + "%22%3E%3Cscript%3E", "t1?said=%3Cscript%3E"} {
		p := w.do("GET", path, nil)
		if strings.Contains(p.body, "<script") || strings.Contains(p.body, "<img") {
			t.Errorf("%q: hostile content became markup", path)
		}
		if csp := p.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "form-action 'self'") {
			t.Errorf("%q: policy %q", path, csp)
		}
		if p.header.Get("X-Content-Type-Options") != "nosniff" || p.header.Get("Referrer-Policy") != "no-referrer" || p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%q: headers %v", path, p.header)
		}
	}
}

// A link that somebody else wrote must not put words into the page's mouth.
func TestThePageSaysOnlyItsOwnWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if p := w.do("GET", "?said=Call+this+number", nil); strings.Contains(p.body, "Call this number") {
		t.Error("the page repeats what a link says")
	}
	w.shows(w.do("GET", "?said=approve", nil), "Your answer was stored: approve")
}

func TestAnUnknownTaskIsNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"nope", "%00", "a%0ab", strings.Repeat("x", 2000)} {
		for _, p := range []page{w.do("GET", path, nil), w.do("POST", path, form("approve", ""))} {
			if p.status != http.StatusNotFound {
				t.Errorf("%.10q: status %d", path, p.status)
			}
		}
	}
}

func TestNothingIsAnsweredByGet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.intent(review.ApproveIntent, followup.Proposed)
	before := w.everything()
	p := w.do("GET", "t1?"+form("approve", i.ContentHash).Encode(), nil)
	if p.status != http.StatusOK || w.everything() != before {
		t.Errorf("status %d, and something changed", p.status)
	}
	if p := w.do("POST", "t1?"+form("approve", i.ContentHash).Encode(), map[string][]string{}); p.status != http.StatusBadRequest || w.everything() != before {
		t.Errorf("an answer in the address was taken: status %d", p.status)
	}
}

func TestReading07TheTaskMarksACandidate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.intent(review.ApproveIntent, followup.Proposed)
	if p := w.do("GET", "t1", nil); strings.Contains(p.body, "candidate only") || strings.Contains(p.body, "perhaps the same person") {
		t.Error("what is believed is marked, or somebody is suggested")
	}
	w.set(key(ledger.Event, "e1"), ledger.Item{"reasons": []string{"email_key_new", decide.ReasonCandidate + "name"}})
	w.shows(w.do("GET", "t1", nil), "80 %: below the limit, so a candidate only")
}

func TestReading11TheTaskSuggestsALikelyDuplicate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.intent(review.ApproveIntent, followup.Proposed)
	w.set(key(ledger.Contact, "c1"), ledger.Item{contact.LikelySameAttr: "c7"})
	w.shows(w.do("GET", "t1", nil), `perhaps the same person as contact <span class="id">c7</span>`)
}
