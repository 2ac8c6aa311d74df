package whatif_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/optout"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// mix makes what comes to a business in two months, by chance: people who write
// again and by other ways, opt-outs plain and doubtful, reports, machines,
// answers to our mails, and in between sends, stops by link and people's answers.
type mix struct {
	*world
	r      *rand.Rand
	people []string
	last   string
	mails  []arrival // that may come again in another mailbox
	made   []string  // intents
	asked  []string  // events in review
}

func newMix(w *world, people int) *mix {
	m := &mix{world: w, r: rand.New(rand.NewPCG(7, 11))}
	for i := range people {
		domain := fmt.Sprintf("firm%d.example", i/3)
		switch {
		case i%11 == 0:
			domain = "gmail.com"
		case i%5 == 0:
			domain = "busy.example"
		}
		m.people = append(m.people, fmt.Sprintf("p%d@%s", i, domain))
	}
	return m
}

func pick[T any](m *mix, list ...T) T { return list[m.r.IntN(len(list))] }

// who writes next: now and then the one who has just written.
func (m *mix) who() string {
	if m.last == "" || m.r.IntN(8) > 0 {
		m.last = m.people[m.r.IntN(len(m.people))]
	}
	return m.last
}

// named is a local part as a name: a name has no digits.
func named(local string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c - '0' + 'a'
		}
		return c
	}, local)
}

// text is what a person writes: a name that is not always the same, now and then
// a firm and a number.
func (m *mix) text(who string) string {
	local, _, _ := strings.Cut(who, "@")
	local = named(local)
	lines := []string{"Do you have huts in June?"}
	switch m.r.IntN(20) {
	case 0:
		lines = append(lines, "Name: Other "+local)
	case 1:
		lines = append(lines, "Name: person  "+local)
	case 2, 3, 4:
	default:
		lines = append(lines, "Name: Person "+strings.ToUpper(local))
	}
	if m.r.IntN(5) == 0 {
		lines = append(lines, "Company: "+pick(m, "Engines Ltd", "Engines Ltd", "Engines Ltd", "Looms Ltd"))
	}
	if m.r.IntN(4) == 0 {
		lines = append(lines, "Phone: +44 20 7946 0"+fmt.Sprint(100+m.r.IntN(20)))
	}
	lines = append(lines, "Intent: "+pick(m, "pricing", "pricing", "product_question", "meeting", "other"))
	if m.r.IntN(20) == 0 {
		lines = append(lines, "Sure: "+pick(m, "20", "60"))
	}
	if m.r.IntN(40) == 0 {
		lines = append(lines, pick(m, "Class: pitch", "Maybe: leave", "Ask: sensitive", "Class: invoice"))
	}
	return strings.Join(lines, "\n")
}

// next is the next event.
func (m *mix) next() arrival {
	id, who := fmt.Sprintf("m%d", m.number), m.who()
	switch n := m.r.IntN(100); {
	case n < 50:
		a := arrival{raw: mail(id, who, pick(m, "Huts", "Re: Huts", "A question"), m.text(who))}
		m.mails = append(m.mails, a)
		return a
	case n < 62:
		return arrival{form: true, mailbox: "website", raw: form(who, "Person "+named(who[:2]), m.text(who))}
	case n < 65:
		return arrival{raw: mail(id, who, "Huts", "unsubscribe")}
	case n < 68:
		return arrival{raw: mail(id, who, "Huts", "My colleague asks how she can unsubscribe.\n"+m.text(who))}
	case n < 69:
		return arrival{raw: bounce(id, who)}
	case n < 72 && len(m.sent) > 0:
		// Our own mail comes back, with its mark.
		ours := m.sent[m.r.IntN(len(m.sent))]
		return arrival{raw: returned(id, ours)}
	case n < 73:
		many := make([]string, 2+m.r.IntN(3*decide.MaxStops))
		for i := range many {
			many[i] = fmt.Sprintf("gone%d@%s.example", i, id)
		}
		return arrival{raw: bounce(id, append(many, who)...)}
	case n < 76 && len(m.mails) > 0:
		a := m.mails[m.r.IntN(len(m.mails))]
		a.mailbox = "sales"
		return a
	case n < 81 && len(m.sent) > 0:
		ours := fmt.Sprintf("<sent-%d@email.amazonses.com>", 1+m.r.IntN(len(m.sent)))
		return arrival{raw: mail(id, who, "Re: Prices", m.text(who), "In-Reply-To: "+ours, "References: "+ours)}
	case n < 84:
		return arrival{raw: mail(id, who, "Away", "I am away.", "Auto-Submitted: auto-replied")}
	case n < 86:
		return arrival{raw: mail(id, who, "News", "Our news.", "List-Id: <news.example>", "List-Unsubscribe: <mailto:leave@news.example>")}
	case n < 88:
		return arrival{raw: mail(id, "info@firm1.example", "Huts", m.text(who))}
	case n < 89:
		return arrival{raw: mail(id, "postmaster@firm2.example", "Huts", m.text(who))}
	case n < 91:
		return arrival{raw: mail(id, who, "Huts", m.text(who), "Reply-To: other-"+who)}
	case n < 92:
		return arrival{raw: mail(id, who, "Huts", m.text(who)), verdicts: inbound.Verdicts{Spam: "FAIL"}}
	case n < 93:
		return arrival{raw: mail(id, who, "Huts", m.text(who)), verdicts: inbound.Verdicts{Virus: "FAIL"}}
	case n < 94:
		return arrival{form: true, mailbox: "website", raw: "no form"}
	case n < 95:
		return arrival{raw: mail(id, "broken", "Huts", m.text(who))}
	case n < 96:
		return arrival{raw: mail(id, "hello@demo.example", "From the page", m.text(who), "Reply-To: "+who)}
	}
	// One thread, over and over.
	return arrival{raw: mail(id, who, "Re: Huts", m.text(who), fmt.Sprintf("References: <root%d@example.org>", m.r.IntN(6)))}
}

// goes lets a number of events come, with all that happens in between.
func (m *mix) goes(n int) {
	for range n {
		m.now = m.now.Add(time.Duration(20+m.r.IntN(480)) * time.Second)
		id := m.comes(m.next())
		e := m.event(id)
		if e.State == inbound.InReview {
			m.asked = append(m.asked, id)
		}
		if e.Outcome == inbound.FollowUp {
			m.made = append(m.made, e.Intent)
		}
		m.between(e)
	}
}

func (m *mix) between(e inbound.Event) {
	if e.Outcome == inbound.FollowUp && m.r.IntN(2) == 0 {
		var i followup.Intent
		m.must(m.item(ledger.Intent.At("demo", e.Intent)).Decode(&i))
		if i.State == followup.Ready {
			m.works(decide.SendOperation(m.ids, i).ID)
		}
	}
	if (e.Outcome == inbound.OptedOut || e.Outcome == inbound.Feedback) && m.r.IntN(12) == 0 {
		m.works(m.ids.ID("op", "cancel_intents", "demo", e.ID))
	}
	if len(m.asked) > 0 && m.r.IntN(8) == 0 {
		at := m.r.IntN(len(m.asked))
		a := decide.Answer{Approve: m.r.IntN(3) > 0}
		if m.r.IntN(8) == 0 {
			a.Address = m.who()
		}
		m.answers(m.asked[at], a)
		m.asked = slices.Delete(m.asked, at, at+1)
	}
	if len(m.made) > 0 && m.r.IntN(40) == 0 {
		m.stopsByLink(m.made[m.r.IntN(len(m.made))])
	}
}

func (m *mix) stopsByLink(intent string) {
	var i followup.Intent
	m.must(m.item(ledger.Intent.At("demo", intent)).Decode(&i))
	l := optout.LinkStop{Intent: i, Guard: m.item(ledger.Guard.At("demo", i.Guard))}
	var c contact.Contact
	m.must(m.item(ledger.Contact.At("demo", i.Contact)).Decode(&c))
	l.Contacts, l.Now = []contact.Contact{c}, m.event(i.Event).ReceivedAt
	if l.Stands() {
		return
	}
	commit, err := optout.StopByLink(l, m.ids)
	m.must(err)
	m.must(m.store.Commit(m.t.Context(), commit))
}

// TestTenThousandEventsUnderTheSamePolicyGiveNoDifference, and nothing that
// cannot be told but what was planned.
func TestTenThousandEventsUnderTheSamePolicyGiveNoDifference(t *testing.T) {
	t.Parallel()
	events := 10_000
	if testing.Short() {
		events = 1_000
	}
	began := time.Now()
	m := newMix(newWorld(t, document()), events/6)
	m.goes(events / 2)
	// What was decided before grounds were kept, and what lost its content.
	planned := m.lose()
	second := strings.Replace(document(), `"version": 1,`, `"version": 2,`, 1)
	m.apply(second)
	m.goes(events - events/2)
	made := time.Since(began)

	var before []string
	if m.long = !testing.Short(); !m.long {
		before = m.written()
	}
	began = time.Now()
	for version, doc := range []string{document(), second} {
		if m.long && version == 0 {
			continue // all but its number is the same
		}
		r := m.replays(doc)
		if r.Seen != events || r.Changed != 0 || r.Faults != 0 || r.Undecided != 0 {
			t.Fatalf("under version %d: %d seen, %d changed %+v, %d faults %+v, %d undecided", version+1, r.Seen, r.Changed, r.Groups, r.Faults, r.FaultList, r.Undecided)
		}
		for reason, n := range planned {
			if r.Reasons[reason] != n {
				t.Errorf("%s: %d, want %d", reason, r.Reasons[reason], n)
			}
			delete(r.Reasons, reason)
		}
		if len(r.Reasons) > 0 {
			t.Errorf("it cannot tell of more than was planned: %v", r.Reasons)
		}
	}
	took := time.Since(began)
	if !m.long && !slices.Equal(before, m.written()) {
		t.Error("a replay has written")
	}
	outcomes := m.outcomes()
	t.Logf("%d events made in %s, replayed in %s: %v", events, made.Round(time.Millisecond), took.Round(time.Millisecond), outcomes)
	for _, want := range []string{
		"decided follow_up", "decided folded", "decided no_rule", "decided suppressed", "decided opted_out", "decided ignored", "decided feedback", "decided dismissed", "in_review ",
		"reason same_cause", "reason within_fold_window", "reason reply_to_ours", "reason loop_suspected", "reason field_conflict", "reason shared_inbox", "reason possible_opt_out",
	} {
		if outcomes[want] == 0 {
			t.Errorf("no event is %s", want)
		}
	}
}

// lose takes grounds and contents of some events away, and tells of how many.
func (m *mix) lose() map[string]int {
	lost := map[string]int{}
	for n := 1; n < len(m.came); n += 97 {
		k := eventKey(m.came[n])
		if n%2 == 0 {
			var c ledger.Commit
			m.must(c.Update("event", k, ledger.Cond{}, ledger.Item{decide.GroundAttr: ""}))
			m.must(m.store.Commit(m.t.Context(), c))
			lost["no_ground"]++
			continue
		}
		if e := m.event(k.ID); !e.IsVirus() {
			m.blob.lose(e.Raw)
			lost["content_gone"]++
		}
	}
	return lost
}

func (m *mix) outcomes() map[string]int {
	out := map[string]int{}
	for _, id := range m.came {
		e := m.event(id)
		out[e.State+" "+e.Outcome]++
		for _, r := range e.Reasons {
			out["reason "+r]++
		}
	}
	return out
}
