package decide

import (
	"slices"

	"onefold/internal/decide/content"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
)

// ReasonUnproven says that a bounce or complaint came as mail and nothing in it
// proves that it is about a mail of ours.
const ReasonUnproven = "report_unproven"

// hardReport tells whether the report says of an address that mail to it has to
// stop. Who answers with an address has found out whom a complaint is of.
func (b *builder) hardReport() bool {
	f, a := b.g.Facts, b.g.Answer
	return f.Report() && f.Suppression != nil && f.Suppression.Hard ||
		f.Kind == rawmail.Complaint && a != nil && a.Address != ""
}

// stopReason is what an address is stopped for.
func (b *builder) stopReason() string {
	switch b.g.Facts.Kind {
	case rawmail.Complaint:
		return guard.ReasonComplaint
	case rawmail.Bounce:
		return guard.ReasonBounce
	default:
		return guard.ReasonOptOut
	}
}

// accused fills in whom a complaint is of that hides it, as providers do to
// spare the person: the recipient of the one mail of ours that it gives back. Of
// several mails a person has to find out. p is whom it names, if anybody.
func accused(f content.Facts, p Person, returned []followup.Intent) content.Facts {
	named := slices.ContainsFunc(f.Failed, func(address string) bool { return address != "" })
	hides := f.Kind == rawmail.Complaint && f.Suppression != nil && f.Suppression.Hard && !named && !p.Known()
	if hides && len(returned) == 1 {
		f.Failed = []string{returned[0].Recipient}
	}
	return f
}

// reported is what a report or a plain wish comes to for the addresses that it
// may be about.
type reported struct {
	stop     []Party // still to be stopped
	hold     []Party // still to be held
	release  []Party // held for this event, which a person says is not theirs
	believed bool    // it is proven for one of them, or a person believes it
	doubted  bool    // it is not proven for one of them
	asked    []Party // of which a person is asked
}

// reported sorts the addresses by what is known of them. What is proven is
// stopped. What is not may be the work of anybody who can send a mail, so it
// stops nobody by itself: an address that somebody here knows, or of which a
// complaint is made, is held until a person has looked, and a bounce of an
// address that nobody knows is kept on file alone. No true bounce of our own
// mail is lost by that: it comes by the provider's feed of events (package
// feedback) as well, which nobody else can write to.
//
// A plain wish is believed of the address that it came from, as every mail is.
func (b *builder) reported() (r reported) {
	a, plain := b.g.Answer, b.g.Facts.OptOutPlain()
	for n, p := range b.parties() {
		// Whom the event is about is counted each time. Of the others a stop that
		// stands leaves nothing to do, so that a report that is read again after a
		// crash goes on with the rest.
		main := n == 0 && b.g.Person.Known()
		proven := b.returned(p) || b.sameContact(p)
		switch {
		case a != nil && !a.Approve:
			if b.lifts(p.Guard) {
				r.release = append(r.release, p)
			}
		case a != nil:
			r.believed = true
			// Stopped as proven when the rest was put before a person: once is enough.
			if main && !proven && !plain || !b.stands(p) {
				r.stop = append(r.stop, p)
			}
		case proven, main && plain:
			r.believed = true
			if main || !b.stands(p) {
				r.stop = append(r.stop, p)
			}
		default:
			r.doubted = true
			if b.stands(p) || p.Person.Own || !b.mayHold(p) {
				continue
			}
			r.asked = append(r.asked, p)
			if _, held := b.addHold(p.Guard); !held {
				r.hold = append(r.hold, p)
			}
		}
	}
	return r
}

// mayHold tells whether a report that is not proven is worth a question. A
// bounce of an address that nobody knows is not: there is no mail that it could
// stop. A complaint always is, for it is a person's wish.
func (b *builder) mayHold(p Party) bool {
	return b.g.Facts.Kind != rawmail.Bounce || p.Key != nil || p.Next != nil || p.Guard != nil
}

// stands tells whether the address is stopped already, for a reason that this
// event's would not take the place of.
func (b *builder) stands(p Party) bool {
	said := p.Guard.Text(guard.ReasonAttr)
	return p.Guard.Text(guard.StopAttr(guard.ScopeAll)) != "" && (said == "" || guard.StopReason(said, b.stopReason()) == said)
}
