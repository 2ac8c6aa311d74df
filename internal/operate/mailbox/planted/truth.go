package planted

import (
	"slices"
	"strings"

	"onefold/internal/operate/mailbox"
)

// Truth is what a mailbox holds, by Message-ID and address. It has every finding
// of a report and none of its positions, so that a mailbox in another order has
// the same.
type Truth struct {
	Messages int            `json:"messages"`
	Undated  int            `json:"undated"`
	Heard    int            `json:"heard"`
	Sent     int            `json:"sent"`
	Kinds    map[string]int `json:"kinds"`
	Classes  map[string]int `json:"classes"`

	People       []Who `json:"people"`
	OtherSenders []Who `json:"other_senders"`
	Shared       []Who `json:"shared"`

	Duplicates []Alike       `json:"duplicates"`
	Contacts   *ListTruth    `json:"contacts"`
	TwoReplies []Together    `json:"two_replies"`
	OptOuts    []Wish        `json:"opt_outs"`
	Enquiries  int           `json:"enquiries"`
	Answered   int           `json:"answered"`
	Open       int           `json:"open"`
	NoDate     int           `json:"enquiries_without_date"`
	Unanswered []Left        `json:"unanswered"`
	Review     []Look        `json:"review"`
	Stopped    []StoppedWord `json:"stopped"`
}

// Who is one sender.
type Who struct {
	Address   string `json:"address"`
	Name      string `json:"name"`
	Mails     int    `json:"mails"`
	Enquiries int    `json:"enquiries"`
}

// Alike are people who look like one.
type Alike struct {
	Why    []string `json:"why"`
	People []string `json:"people"`
}

// Together are mails that get one reply.
type Together struct {
	Why      string   `json:"why"`
	Person   string   `json:"person"`
	Review   bool     `json:"review"`
	Messages []string `json:"messages"` // each copy
}

// Wish is a wish not to be mailed.
type Wish struct {
	Address string   `json:"address"`
	Verdict string   `json:"verdict"`
	Message string   `json:"message"`
	Wrote   []string `json:"wrote"` // mails of ours after it
}

// Left is an enquiry that waited for more than a day.
type Left struct {
	Message      string  `json:"message"`
	Answered     bool    `json:"answered"`
	Hours        float64 `json:"hours"`
	Conversation bool    `json:"conversation"`
}

// Look is a mail for a person to look at.
type Look struct {
	Message string   `json:"message"`
	Reasons []string `json:"reasons"`
}

// StoppedWord is an address that a report names.
type StoppedWord struct {
	Address string `json:"address"`
	Reason  string `json:"reason"`
	Hard    bool   `json:"hard"`
}

// ListTruth is what is planted in a contact list, by line numbers.
type ListTruth struct {
	Rows       int      `json:"rows"`
	Unusable   []int    `json:"unusable"`
	Duplicates [][]int  `json:"duplicates"`
	Missing    []string `json:"missing"`
	HeldTwice  []Twice  `json:"held_twice"`
}

// Twice is a person whom several rows name.
type Twice struct {
	People []string `json:"people"`
	Sure   bool     `json:"sure"`
	Lines  []int    `json:"lines"`
}

// Of reduces a report to the form of a truth.
func Of(r mailbox.Report) Truth {
	t := Truth{
		Messages: r.Mailbox.Messages, Undated: r.Mailbox.Undated, Heard: r.Mailbox.Heard, Sent: r.Own.Sent,
		Kinds: r.Mailbox.Kinds, Classes: r.Mailbox.Classes,
		People: whos(r.People), OtherSenders: whos(r.OtherSenders), Shared: whos(r.Shared),
		Enquiries: r.Unanswered.Enquiries, Answered: r.Unanswered.Answered, Open: r.Unanswered.Open, NoDate: r.Unanswered.Undated,
	}
	for _, d := range r.Duplicates {
		t.Duplicates = append(t.Duplicates, Alike{d.Why, addresses(d.People)})
	}
	for _, g := range r.TwoReplies.Groups {
		x := Together{Why: g.Why, Person: g.Person, Review: g.Review}
		for _, m := range g.Messages {
			x.Messages = append(x.Messages, m.MessageID)
		}
		t.TwoReplies = append(t.TwoReplies, x)
	}
	for _, o := range r.OptOuts {
		w := Wish{Address: o.Address, Verdict: o.Verdict, Message: o.Messages[0].MessageID}
		for _, s := range o.Wrote {
			w.Wrote = append(w.Wrote, s.MessageID)
		}
		t.OptOuts = append(t.OptOuts, w)
	}
	for _, w := range r.Unanswered.Items {
		t.Unanswered = append(t.Unanswered, Left{w.MessageID, w.Answered, w.Hours, w.Conversation})
	}
	for _, w := range r.Review.Items {
		reasons := slices.Sorted(slices.Values(w.Reasons))
		if slices.Contains(reasons, "unparseable") {
			reasons = []string{"unparseable"} // what else is missing follows from it
		}
		t.Review = append(t.Review, Look{w.MessageID, reasons})
	}
	for _, s := range r.Stopped {
		t.Stopped = append(t.Stopped, StoppedWord{s.Address, s.Reason, s.Hard})
	}
	if c := r.Contacts; c != nil {
		t.Contacts = listTruth(*c)
	}
	t.sort()
	return t
}

func listTruth(c mailbox.Contacts) *ListTruth {
	l := &ListTruth{Rows: c.Rows, Missing: addresses(c.Missing)}
	lines := func(rows []mailbox.Row) (list []int) {
		for _, r := range rows {
			list = append(list, r.Line)
		}
		return list
	}
	for _, u := range c.Unusable {
		l.Unusable = append(l.Unusable, u.Line)
	}
	for _, g := range c.Duplicates {
		l.Duplicates = append(l.Duplicates, lines(g.Rows))
	}
	for _, h := range c.HeldTwice {
		l.HeldTwice = append(l.HeldTwice, Twice{addresses(h.People), h.Sure, lines(h.Rows)})
	}
	return l
}

// sort brings a truth into the order that it is compared in.
func (t *Truth) sort() {
	for _, list := range [][]Who{t.People, t.OtherSenders, t.Shared} {
		slices.SortFunc(list, func(x, y Who) int { return strings.Compare(x.Address, y.Address) })
	}
	for i := range t.Duplicates {
		slices.Sort(t.Duplicates[i].People)
	}
	for i := range t.TwoReplies {
		slices.Sort(t.TwoReplies[i].Messages)
	}
	slices.SortFunc(t.Duplicates, func(x, y Alike) int { return strings.Compare(x.People[0], y.People[0]) })
	slices.SortFunc(t.TwoReplies, func(x, y Together) int { return strings.Compare(x.Messages[0], y.Messages[0]) })
	slices.SortFunc(t.OptOuts, func(x, y Wish) int { return strings.Compare(x.Message, y.Message) })
	slices.SortFunc(t.Unanswered, func(x, y Left) int { return strings.Compare(x.Message, y.Message) })
	slices.SortFunc(t.Review, func(x, y Look) int { return strings.Compare(x.Message, y.Message) })
	slices.SortFunc(t.Stopped, func(x, y StoppedWord) int { return strings.Compare(x.Address, y.Address) })
	if l := t.Contacts; l != nil {
		slices.Sort(l.Missing)
		for i := range l.HeldTwice {
			slices.Sort(l.HeldTwice[i].People)
		}
		slices.SortFunc(l.HeldTwice, func(x, y Twice) int { return x.Lines[0] - y.Lines[0] })
	}
}

func whos(people []mailbox.Person) []Who {
	var list []Who
	for _, p := range people {
		w := Who{Address: p.Address, Mails: p.Mails, Enquiries: p.Enquiries}
		if len(p.Names) > 0 {
			w.Name = p.Names[0]
		}
		list = append(list, w)
	}
	return list
}

func addresses(people []mailbox.Person) []string {
	var list []string
	for _, p := range people {
		list = append(list, p.Address)
	}
	return list
}
