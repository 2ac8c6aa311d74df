package events_test

import (
	"strings"
	"testing"

	samples "onefold/events"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
)

// arrival is what the headers and text of a sample say of its way here.
type arrival struct {
	delivered, by, ways string // Route
	inside              string // whom the mail that it passes on is of
	about               string // whom the event is about
}

func TestEachWayThatMailArrives(t *testing.T) {
	t.Parallel()
	policy := examplePolicy(t)
	for _, c := range []struct {
		heardCase
		arrival
	}{
		{
			heardCase{"forwarded-by-workspace/enquiry.eml", "sales+caf_=intake=demo.example@demo.example", inbound.FollowUp, "email_key_new", 0, 0, 1},
			arrival{"intake@demo.example", "sales@demo.example", "gmail_forward", "", "iris.boyd@orchard.example"},
		},
		{
			heardCase{"redirected-by-exchange/enquiry.eml", "hugo.lind@harbour.example", decide.Referred, rawmail.DoubtRedirected, 0, 0, 0},
			arrival{"", "sales@demo.example", "resent exchange_rule", "", "hugo.lind@harbour.example"},
		},
		{
			heardCase{"forwarding-confirmation/gmail.eml", "forwarding-noreply@google.com", decide.Referred, rawmail.ForwardingConfirmation, 0, 0, 0},
			arrival{"", "", "", "", "forwarding-noreply@google.com"},
		},
		{
			heardCase{"forwarded-by-colleague/enquiry.eml", "ben.sand@demo.example", decide.Referred, rawmail.DoubtForwarded, 0, 0, 0},
			arrival{"", "", "", "clara.voss@school.example", "clara.voss@school.example"},
		},
		{
			heardCase{"own-relay/in-the-text.eml", "wordpress@demo.example", decide.Referred, content.ReasonFormRelay, 0, 0, 0},
			arrival{"", "", "", "", "otto.brandt@mill.example"},
		},
		{
			heardCase{"list-copy/direct.eml", "lena.frost@glacier.example", inbound.FollowUp, "email_key_new", 0, 0, 1},
			arrival{"sales@demo.example", "", "", "", "lena.frost@glacier.example"},
		},
		{
			heardCase{"list-copy/by-the-group.eml", "tours+bounces@demo.example", inbound.FollowUp, "email_key_new", 0, 0, 1},
			arrival{"ben.sand@demo.example", "", "", "", "lena.frost@glacier.example"},
		},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			m := rawmail.Parse(samples.Mail(c.file), policy.IsOwn)
			have := arrival{m.Route.DeliveredTo, strings.Join(m.Route.ForwardedBy, " "), strings.Join(m.Route.Ways, " "), "", content.OfMail(m).Source.FromAddress}
			if m.Forwarded != nil {
				have.inside = m.Forwarded.From.Address
			}
			if have != c.arrival {
				t.Errorf("%+v, want %+v", have, c.arrival)
			}
			checkHeard(t, c.heardCase)
		})
	}
}

func TestACopyThroughAGroupIsOneCause(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, autoPolicy(t))
	for n, file := range []string{"list-copy/direct.eml", "list-copy/by-the-group.eml"} {
		d := samples.Delivery{
			Name: file, Endpoint: "mail", EnvelopeFrom: "lena.frost@glacier.example", EnvelopeTo: []string{"sales@demo.example", "ben.sand@demo.example"}[n],
			Body: samples.Mail(file), Outcome: []string{inbound.FollowUp, inbound.Folded}[n], Reason: []string{"email_key_new", "same_cause"}[n],
		}
		deliver(t, p, d)
		p.quiet(t)
		checkOutcome(t, p, d)
	}
	if have := p.count(t); have.Events != 2 || have.Contacts != 1 || have.Enquiries != 1 || have.Mails != 1 {
		t.Errorf("came to %+v", have)
	}
}
