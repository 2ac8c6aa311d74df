package events_test

import (
	"slices"
	"testing"

	samples "onefold/events"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
)

// heardCase is what must come of one sample, under rule `welcome` in mode auto.
type heardCase struct {
	file, from, outcome, reason string
	stopped, held               int // addresses
	intents                     int
}

// checkHeard delivers one mail to a system of its own.
func checkHeard(t *testing.T, c heardCase) {
	t.Helper()
	p := newPipeline(t, autoPolicy(t))
	d := samples.Delivery{
		Name: c.file, Endpoint: "mail", EnvelopeFrom: c.from, EnvelopeTo: "hello@demo.example", Body: samples.Mail(c.file),
		Outcome: c.outcome, Reason: c.reason,
	}
	deliver(t, p, d)
	p.quiet(t)
	checkOutcome(t, p, d)
	have := p.count(t)
	if have.Stopped != c.stopped || have.Intents != c.intents || have.Contacts != c.intents {
		t.Errorf("came to %+v, want %d stopped, %d contacts and intents", have, c.stopped, c.intents)
	}
	held := 0
	for _, g := range p.items(t, ledger.Guard) {
		if g.Text("hold") != "" {
			held++
		}
	}
	if held != c.held {
		t.Errorf("%d addresses held, want %d", held, c.held)
	}
}

func TestMachinesThatCarryAPersonsWords(t *testing.T) {
	t.Parallel()
	for _, c := range []heardCase{
		{"group/opt-out.eml", "hosts-bounces@lists.walkers.example", inbound.OptedOut, "opt_out_words", 1, 0, 0},
		{"group/doubtful.eml", "hosts-bounces@lists.walkers.example", decide.Referred, content.ReasonListMail, 0, 1, 0},
		{"group/newsletter.eml", "news@garden-shop.example", inbound.Ignored, "list", 0, 0, 0},
		{"group/ours.eml", "nora.pike@lake.example", inbound.FollowUp, "email_key_new", 0, 0, 1},
		{"own-relay/enquiry.eml", "wordpress@demo.example", decide.Referred, content.ReasonFormRelay, 0, 0, 0},
		{"own-relay/opt-out.eml", "wordpress@demo.example", decide.Referred, content.ReasonFormRelay, 0, 1, 0},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			checkHeard(t, c)
		})
	}
}

// TestReportsThatProveNothingStopNobody: neither gives back a mail with our mark,
// and nobody knows whom they name. A complaint may be a person's wish all the
// same.
func TestReportsThatProveNothingStopNobody(t *testing.T) {
	t.Parallel()
	checkHeard(t, heardCase{file: "bounce/unknown-user.eml", outcome: inbound.Feedback, reason: decide.ReasonUnproven})
	checkHeard(t, heardCase{file: "complaint/abuse.eml", from: "fbl@mail.provider.example", outcome: decide.Referred, reason: decide.ReasonUnproven, held: 1})
}

func TestANullEnvelopeSenderIsAMachines(t *testing.T) {
	t.Parallel()
	const file = "null-sender/acknowledgement.eml"
	for _, from := range []string{"", "<>", " <> "} {
		checkHeard(t, heardCase{file: file, from: from, outcome: inbound.Ignored, reason: "auto_reply"})
	}
	// The headers alone do not tell: with a sender it is a request like any other.
	checkHeard(t, heardCase{file: file, from: "desk@ticketing.example", outcome: inbound.FollowUp, reason: "email_key_new", intents: 1})
}

func TestAnAutoresponderThatVariesItsAddressKeepsItsThread(t *testing.T) {
	t.Parallel()
	first := content.OfMail(rawmail.Parse(samples.Mail("varying-autoresponder/first.eml"), nil))
	second := content.OfMail(rawmail.Parse(samples.Mail("varying-autoresponder/second.eml"), nil))
	if first.Cause == second.Cause || first.Source.FromAddress == second.Source.FromAddress {
		t.Error("the two are not two mails of two addresses")
	}
	if root := first.References[0]; !slices.Contains(second.References, root) {
		t.Error("nothing but the thread ties the two together, and it is not read")
	}
}
