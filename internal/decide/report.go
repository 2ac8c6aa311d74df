package decide

import (
	"slices"

	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
)

// ReasonUnproven says that a bounce or complaint came as mail and nothing in it
// proves that it is about a mail of ours.
const ReasonUnproven = "report_unproven"

// Report tells whether this is a bounce or a complaint that came as mail.
func (f Facts) Report() bool { return f.Kind == rawmail.Bounce || f.Kind == rawmail.Complaint }

// hardReport tells whether the report says of an address that mail to it has to
// stop. Who answers with an address has found out whom a complaint is of.
func (b *builder) hardReport() bool {
	f, a := b.g.Facts, b.g.Answer
	return f.Report() && f.Suppression != nil && f.Suppression.Hard ||
		f.Kind == rawmail.Complaint && a != nil && a.Address != ""
}

func (b *builder) reportReason() string {
	if b.g.Facts.Kind == rawmail.Complaint {
		return guard.ReasonComplaint
	}
	return guard.ReasonBounce
}

// proven tells whether the report returns a mail of ours to this address: it
// bears the mark of an intent that there is and that went there. A mark cannot
// be made up, and who copies the one of a mail that he got proves a report on
// himself and on nobody else.
func (b *builder) proven(p Party) bool {
	return slices.ContainsFunc(b.g.Seen.Returned, func(i followup.Intent) bool { return i.Guard == p.Person.GuardID })
}

// accused fills in whom a complaint is of that hides it, as providers do to
// spare the person: the recipient of the one mail of ours that it gives back. Of
// several mails a person has to find out. p is whom it names, if anybody.
func accused(f Facts, p Person, returned []followup.Intent) Facts {
	named := slices.ContainsFunc(f.Failed, func(address string) bool { return address != "" })
	hides := f.Kind == rawmail.Complaint && f.Suppression != nil && f.Suppression.Hard && !named && !p.Known()
	if hides && len(returned) == 1 {
		f.Failed = []string{returned[0].Recipient}
	}
	return f
}

// reported is what a report comes to for the addresses that it names.
type reported struct {
	stop     []Party // still to be stopped
	hold     []Party // still to be held
	release  []Party // held for this report, which a person says is none
	believed bool    // it is proven for one of them, or a person believes it
	doubted  bool    // it is not proven for one of them
	asks     bool    // a person has to look
}

// reported sorts the addresses by what is known of them. What is proven is
// stopped. What is not may be the work of anybody who can send a mail, so it
// stops nobody by itself: an address that somebody here knows, or of which a
// complaint is made, is held until a person has looked, and a bounce of an
// address that nobody knows is kept on file alone. No true bounce of our own
// mail is lost by that: it comes by the provider's feed of events (package
// feedback) as well, which nobody else can write to.
func (b *builder) reported() (r reported) {
	a := b.g.Answer
	for n, p := range b.parties() {
		// Whom the event is about is counted each time. Of the others a stop that
		// stands leaves nothing to do, so that a report that is read again after a
		// crash goes on with the rest.
		main, proven := n == 0 && b.g.Person.Known(), b.proven(p)
		switch {
		case a != nil && !a.Approve:
			if b.lifts(p.Guard) {
				r.release = append(r.release, p)
			}
		case a != nil:
			r.believed = true
			// Stopped as proven when the rest was put before him: once is enough.
			if main && !proven || !b.stands(p) {
				r.stop = append(r.stop, p)
			}
		case proven:
			r.believed = true
			if main || !b.stands(p) {
				r.stop = append(r.stop, p)
			}
		default:
			r.doubted = true
			if b.stands(p) || p.Person.Own || !b.mayHold(p) {
				continue
			}
			r.asks = true
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
	return b.g.Facts.Kind == rawmail.Complaint || p.Key != nil || p.Next != nil || p.Guard != nil
}

// stands tells whether the address is stopped already, for a reason that this
// report's would not take the place of.
func (b *builder) stands(p Party) bool {
	said := p.Guard.Text(guard.ReasonAttr)
	return p.Guard.Text(guard.StopAttr(guard.ScopeAll)) != "" && (said == "" || guard.StopReason(said, b.reportReason()) == said)
}
