package planted

import (
	"strings"
	"time"

	"onefold/internal/operate/mailbox"
)

// The owner's addresses, as the example policy has them.
const (
	hello = "hello@demo.example"
	sales = "sales@demo.example"
	info  = "info@demo.example"
	us    = "Fernweh Hiking <" + hello + ">"
)

// end is the newest date of every planted mailbox.
func end() time.Time { return time.Date(2026, 1, 30, 18, 0, 0, 0, time.UTC) }

// day is a moment of January 2026.
func day(d, hour, minute int) time.Time { return time.Date(2026, 1, d, hour, minute, 0, 0, time.UTC) }

// planter plants mails with their truth.
type planter struct {
	box    Mailbox
	people map[string]*Who
	other  map[string]bool // wrote nothing on their own business
	cast   cast
}

// person is somebody of a scene.
type person struct{ name, address string }

func (p person) header() string { return strings.TrimSpace(p.name + " <" + p.address + ">") }

func newPlanter() *planter {
	p := &planter{people: map[string]*Who{}, other: map[string]bool{}}
	p.box.Truth.Kinds, p.box.Truth.Classes = map[string]int{}, map[string]int{}
	return p
}

// in plants a mail that came in.
func (p *planter) in(kind string, m mail) mail {
	if m.box == "" {
		m.box = hello
	}
	if m.to == "" {
		m.to = m.box
	}
	p.box.mails = append(p.box.mails, m)
	p.box.Truth.Messages++
	p.box.Truth.Kinds[kind]++
	return m
}

// human plants a person's mail of a class, and counts it for them.
func (p *planter) human(w person, class string, m mail) mail {
	m.from = w.header()
	p.class(class)
	who := p.who(w)
	who.Mails++
	switch class {
	case "enquiry":
		who.Enquiries++
	case "pitch", "newsletter":
		p.other[w.address] = true
	}
	return p.in("human", m)
}

func (p *planter) class(class string) {
	if class != "" {
		p.box.Truth.Classes[class]++
	}
}

func (p *planter) who(w person) *Who {
	if p.people[w.address] == nil {
		p.people[w.address] = &Who{Address: w.address, Name: w.name}
	}
	return p.people[w.address]
}

// answered, open and left say what becomes of the enquiry planted last.
func (p *planter) answered() { p.box.Truth.Enquiries++; p.box.Truth.Answered++ }
func (p *planter) open()     { p.box.Truth.Enquiries++; p.box.Truth.Open++ }

// late plants what became of an enquiry that was answered too late, or never:
// then its answer is zero, and it has waited until the end.
func (p *planter) left(m mail, answer time.Time, conversation bool) {
	p.box.Truth.Enquiries++
	l := Left{Message: m.id, Answered: !answer.IsZero(), Conversation: conversation}
	if answer.IsZero() {
		answer = end()
	}
	l.Hours = answer.Sub(m.at).Hours()
	p.box.Truth.Unanswered = append(p.box.Truth.Unanswered, l)
}

// ours plants a mail of the owner's.
func (p *planter) ours(to person, at time.Time, id, subject, text string, headers ...string) mail {
	m := mail{id: id + "@demo.example", from: us, to: to.header(), at: at, subject: subject, text: text, headers: headers}
	p.box.mails = append(p.box.mails, m)
	p.box.Truth.Messages++
	p.box.Truth.Kinds["own"]++
	p.box.Truth.Sent++
	return m
}

// reply plants our answer to a mail, in its thread.
func (p *planter) reply(to person, m mail, at time.Time) mail {
	return p.ours(to, at, "re-"+shortID(m.id), "Re: "+m.subject, p.cast.answer, "In-Reply-To: <"+m.id+">", "References: <"+m.id+">")
}

func (p *planter) review(m mail, reasons ...string) {
	p.box.Truth.Review = append(p.box.Truth.Review, Look{m.id, reasons})
}

func (p *planter) together(why string, who person, review bool, mails ...mail) {
	t := Together{Why: why, Person: who.address, Review: review}
	for _, m := range mails {
		t.Messages = append(t.Messages, m.id)
	}
	p.box.Truth.TwoReplies = append(p.box.Truth.TwoReplies, t)
}

func (p *planter) alike(why string, people ...person) {
	a := Alike{Why: []string{why}}
	for _, w := range people {
		a.People = append(a.People, w.address)
	}
	p.box.Truth.Duplicates = append(p.box.Truth.Duplicates, a)
}

// done sorts people into those who wrote on their own business and the others.
func (p *planter) done() *Mailbox {
	t := &p.box.Truth
	for address, w := range p.people {
		switch {
		case strings.HasPrefix(address, "office@"):
			t.Shared = append(t.Shared, *w)
		case p.other[address]:
			t.OtherSenders = append(t.OtherSenders, *w)
		default:
			t.People = append(t.People, *w)
		}
	}
	t.sort()
	return &p.box
}

func shortID(id string) string {
	local, _, _ := strings.Cut(id, "@")
	return local
}

// Why two replies, as the report has it.
const (
	twice   = mailbox.SameMailTwice
	boxes   = mailbox.TwoMailboxes
	form    = mailbox.FormAndDirect
	shortly = mailbox.ShortlyAfter
)
