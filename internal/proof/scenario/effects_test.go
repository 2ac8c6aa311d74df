package scenario_test

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"onefold/internal/crm"
	"onefold/internal/mailer"
)

// taken is a mail that the provider took.
type taken struct {
	intent  string
	attempt int64
	to      string
	message string
	at      time.Time
}

// postbox is the provider of mail.
type postbox struct {
	w     *world
	calls int
	took  []taken
	last  map[string]string // tags of the last mail taken
	twice bool              // broken: each mail goes out twice
}

func (p *postbox) Provider() string { return "ses" } // by whose names replies are known

func (p *postbox) Submit(ctx context.Context, m mailer.Mail) mailer.Result {
	unknown := mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"}
	res := call(ctx, p.w, "effect", "submit", func() mailer.Result { return p.submit(m) }, func(f fault) mailer.Result {
		if f == fails {
			return mailer.Result{Outcome: mailer.NotBegun, Reason: "no_connection"}
		}
		return unknown
	})
	if p.w.lie != nil {
		res = p.w.lie(res)
	}
	return res
}

func (p *postbox) submit(m mailer.Mail) mailer.Result {
	p.calls++
	word := p.w.take(&p.w.post)
	switch word {
	case "rejected":
		return mailer.Result{Outcome: mailer.Rejected, Reason: "MessageRejected", RequestID: "r"}
	case "throttled":
		return mailer.Result{Outcome: mailer.Throttled, Reason: "TooManyRequestsException", RequestID: "r"}
	case "halted":
		return mailer.Result{Outcome: mailer.Throttled, Reason: "SendingPausedException", Halt: true}
	case "not-begun":
		return mailer.Result{Outcome: mailer.NotBegun, Reason: "no_connection"}
	case "lost-not-taken":
		return mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"}
	}
	tags := map[string]string{}
	for _, t := range m.Tags {
		tags[t.Name] = t.Value
	}
	attempt, _ := strconv.ParseInt(tags[mailer.TagAttempt], 10, 64)
	id := fmt.Sprintf("m%d-%d", p.w.serial, p.calls)
	if word == "same-id" {
		id = fmt.Sprintf("m%d-1", p.w.serial)
	}
	p.took, p.last = append(p.took, taken{tags[mailer.TagIntent], attempt, m.To, id, p.w.now()}), tags
	if p.twice {
		p.took = append(p.took, p.took[len(p.took)-1])
	}
	events := []mailer.EventType{mailer.EventSent, mailer.EventDelivered}
	switch word {
	case "bounced":
		events[1] = mailer.EventBounced
	case "complained":
		events = append(events, mailer.EventComplained)
	}
	for _, kind := range events {
		p.w.report(mailer.Event{
			Type: kind, MessageID: id, At: p.w.now(), Tags: tags, DedupeKey: id + "-" + string(kind) + tags[mailer.TagIntent] + tags[mailer.TagAttempt],
			Permanent: kind == mailer.EventBounced,
		})
	}
	if word == "lost-taken" {
		return mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"}
	}
	return mailer.Result{Outcome: mailer.Accepted, MessageID: id, RequestID: "r"}
}

// record is one record in the CRM.
type record struct {
	id, ref, parent string
	contact         crm.Contact
	body            string
}

// cabinet is the CRM. References are unique in it.
type cabinet struct {
	w       *world
	calls   int
	byRef   map[string]*record // kind/reference
	forgets bool               // broken: references are not unique
	order   []*record
}

const inFlight = 30 * time.Second

func (c *cabinet) Capabilities() crm.Capabilities {
	return crm.Capabilities{Name: "fake", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference, InFlight: inFlight}
}

func (c *cabinet) UpsertContact(ctx context.Context, x crm.Contact, knownID string) crm.Result {
	return c.call(ctx, "upsert contact", func() crm.Result {
		r := c.byRef["contact/"+x.Ref]
		if r == nil {
			for _, o := range c.order {
				if o.id == knownID && o.ref == "" {
					o.ref, o.contact = x.Ref, x
					c.byRef["contact/"+x.Ref] = o
					return crm.Result{Outcome: crm.Done, ID: o.id}
				}
				if o.contact.Email == x.Email && x.Email != "" && o.ref == "" {
					o.ref, o.contact = x.Ref, x
					c.byRef["contact/"+x.Ref] = o
					return crm.Result{Outcome: crm.Done, ID: o.id, Adopted: true}
				}
			}
		}
		return c.upsert("contact", x.Ref, func(r *record) { r.contact = x })
	})
}

func (c *cabinet) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	return c.call(ctx, "upsert note", func() crm.Result {
		return c.upsert("note", n.Ref, func(r *record) { r.parent, r.body = n.ContactID, n.Body })
	})
}

func (c *cabinet) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	return c.call(ctx, "upsert task", func() crm.Result {
		return c.upsert("task", t.Ref, func(r *record) { r.parent, r.body = t.ContactID, t.Body })
	})
}

// Look meets what is next in the script only where that is the account's.
func (c *cabinet) Look(ctx context.Context) crm.Result {
	return call(ctx, c.w, "effect", "look", func() crm.Result {
		if len(c.w.cab) > 0 && c.w.cab[0] == "down" {
			c.w.take(&c.w.cab)
			return noConnection
		}
		return crm.Result{Outcome: crm.Done}
	}, func(fault) crm.Result { return noConnection })
}

var noConnection = crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoConnection, Account: true}

func (c *cabinet) call(ctx context.Context, label string, do func() crm.Result) crm.Result {
	return call(ctx, c.w, "effect", label, func() crm.Result {
		c.calls++
		switch c.w.take(&c.w.cab) {
		case "busy":
			return crm.Result{Outcome: crm.Busy, Reason: "rate_limit", RetryAfter: 10 * time.Second}
		case "down":
			return noConnection
		case "refused":
			return crm.Result{Outcome: crm.Refused, Reason: "invalid_value"}
		case "conflict":
			return crm.Result{Outcome: crm.Conflict, Reason: "two_records"}
		case "lost-not-done":
			return crm.Result{Outcome: crm.Unknown, Reason: "timeout"}
		case "lost-done":
			do()
			return crm.Result{Outcome: crm.Unknown, Reason: "timeout"}
		}
		return do()
	}, func(f fault) crm.Result {
		if f == fails {
			return noConnection
		}
		return crm.Result{Outcome: crm.Unknown, Reason: "timeout"}
	})
}

func (c *cabinet) upsert(kind, ref string, set func(*record)) crm.Result {
	r := c.byRef[kind+"/"+ref]
	created := r == nil || c.forgets
	if created {
		r = &record{id: fmt.Sprintf("%s%d", kind, len(c.order)+1), ref: ref}
		c.byRef[kind+"/"+ref] = r
		c.order = append(c.order, r)
	}
	set(r)
	return crm.Result{Outcome: crm.Done, ID: r.id, Created: created}
}

// count is how many records of a kind there are.
func (c *cabinet) count(kind string) (n int) {
	for _, r := range c.order {
		if r.id[:len(kind)] == kind {
			n++
		}
	}
	return n
}
