package stored_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"onefold/internal/crm"
	"onefold/internal/mailer"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

// outside is what the provider of mail and the CRM hold. It is kept with the
// store, since they would hold it too.
type outside struct {
	Mails   []sent             `json:"mails"`
	Records map[string]*record `json:"records"` // kind/reference
	Calls   int                `json:"calls"`

	reports []mailer.Event      // not handed to feedback yet
	post    map[string][]string // recipient → what happens to the next mails
	cab     map[string][]string // contact, note or task → what happens to the next calls
	known   map[string]string   // contact in the CRM → the ID that the last call named it by
	sane    bool                // the reader does not follow its script
}

// sent is a mail that the provider took.
type sent struct {
	To      string            `json:"to"`
	Message string            `json:"message"`
	Tags    map[string]string `json:"tags"`
	Text    string            `json:"text"`
	Link    string            `json:"opt_out_link"`
	Mark    string            `json:"mark"` // by which we know our own mail
	At      time.Time         `json:"at"`
}

// record is one record in the CRM.
type record struct {
	ID    string `json:"id"`
	Email string `json:"email,omitempty"`
}

func take(words map[string][]string, of string) (word string) {
	if list := words[of]; len(list) > 0 {
		word, words[of] = list[0], list[1:]
	}
	return word
}

// postbox is the provider of mail.
type postbox struct{ s *system }

func (postbox) Provider() string { return "ses" }

func (p postbox) Submit(_ context.Context, m mailer.Mail) mailer.Result {
	s := p.s
	s.Calls++
	word := take(s.post, m.To)
	switch word {
	case "rejected":
		return mailer.Result{Outcome: mailer.Rejected, Reason: "MessageRejected", RequestID: "r"}
	case "throttled":
		return mailer.Result{Outcome: mailer.Throttled, Reason: "TooManyRequestsException", RequestID: "r"}
	case "not_begun":
		return mailer.Result{Outcome: mailer.NotBegun, Reason: "no_connection"}
	case "lost":
		return mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"}
	case "dies":
		panic(death{})
	}
	x := sent{To: m.To, Message: fmt.Sprintf("message-%d", s.Calls), Tags: map[string]string{}, Text: m.Text, At: s.now}
	for _, t := range m.Tags {
		x.Tags[t.Name] = t.Value
	}
	for _, h := range m.Headers {
		switch h.Name {
		case "List-Unsubscribe":
			x.Link = strings.Trim(h.Value, "<>")
		case rawmail.MarkHeader:
			x.Mark = h.Value
		}
	}
	s.Mails = append(s.Mails, x)
	switch word {
	case "taken, dies":
		panic(death{})
	case "taken, lost":
		return mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"}
	}
	s.reports = append(s.reports, s.report(x, mailer.EventSent), s.report(x, mailer.EventDelivered))
	return mailer.Result{Outcome: mailer.Accepted, MessageID: x.Message, RequestID: "r"}
}

// report is what the provider says about a mail that it took.
func (s *system) report(x sent, kind mailer.EventType) mailer.Event {
	return mailer.Event{
		Type: kind, MessageID: x.Message, At: s.now, Tags: x.Tags, DedupeKey: x.Message + "-" + string(kind),
		Permanent: kind == mailer.EventBounced, Recipients: []string{x.To},
	}
}

// mailsTo are the mails that the provider took for an address, from one on.
func (s *system) mailsTo(address string, from int) (list []sent) {
	for _, m := range s.Mails[from:] {
		if m.To == address {
			list = append(list, m)
		}
	}
	return list
}

// cabinet is the CRM. References are unique in it.
type cabinet struct{ s *system }

func (cabinet) Capabilities() crm.Capabilities {
	return crm.Capabilities{Name: "hubspot", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference, InFlight: 5 * time.Minute}
}

func (c cabinet) UpsertContact(_ context.Context, x crm.Contact, known string) crm.Result {
	return c.upsert("contact", x.Ref, known, x.Email)
}

func (c cabinet) UpsertNote(_ context.Context, n crm.Note) crm.Result {
	return c.upsert("note", n.Ref, "", "")
}

func (c cabinet) UpsertTask(_ context.Context, t crm.Task) crm.Result {
	return c.upsert("task", t.Ref, "", "")
}

func (c cabinet) Look(context.Context) crm.Result { return crm.Result{Outcome: crm.Done} }

func (c cabinet) upsert(kind, ref, known, email string) crm.Result {
	word := take(c.s.cab, kind)
	switch word {
	case "busy":
		return crm.Result{Outcome: crm.Busy, Reason: "rate_limit", RetryAfter: 3 * time.Hour}
	case "refused":
		return crm.Result{Outcome: crm.Refused, Reason: "invalid_value"}
	case "conflict":
		return crm.Result{Outcome: crm.Conflict, Reason: "two_records"}
	case "dies":
		panic(death{})
	}
	r := c.s.Records[kind+"/"+ref]
	created := r == nil
	if created {
		r = &record{ID: fmt.Sprintf("%s-%d", kind, len(c.s.Records)+1)}
		c.s.Records[kind+"/"+ref] = r
	}
	r.Email = email
	if kind == "contact" && c.s.known != nil {
		c.s.known[r.ID] = known
	}
	switch {
	case known != "" && known != r.ID:
		return crm.Result{Outcome: crm.Conflict, Reason: "another_record"}
	case word == "lost":
		return crm.Result{Outcome: crm.Unknown, Reason: "timeout"}
	}
	return crm.Result{Outcome: crm.Done, ID: r.ID, Created: created}
}

// worded is the rules, with words in brackets that a text may hold.
type worded struct {
	reader.Reader
	s *system
}

func newReader(s *system) worded { return worded{rules.New(), s} }

func (r worded) Extract(ctx context.Context, x reader.Source) (reader.Record, error) {
	says := func(word string) bool { return strings.Contains(x.Visible, "["+word+"]") }
	switch {
	case says("dies") && !r.s.sane:
		panic(death{})
	case says("silent") && !r.s.sane:
		return reader.Record{}, errors.New("no answer")
	case says("busy") && !r.s.sane:
		return reader.Record{}, &reader.NoAnswer{Outcome: reader.Busy, Reason: "throttled"}
	}
	a, err := r.Reader.Extract(ctx, x)
	a.Intent = reader.Other
	for word, i := range map[string]reader.Intent{
		"price": reader.Pricing, "meeting": reader.Meeting, "support": reader.Support, "boots": reader.ProductQuestion,
	} {
		if says(word) {
			a.Intent = i
		}
	}
	if says("unsure") {
		a.NeedsHumanReview = true
	}
	return a, err
}
