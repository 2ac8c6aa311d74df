package decide

import (
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// machineMail ends an event that no person wrote: no contact, no follow-up. A
// hard bounce or a complaint stops the addresses for which it is proven or for
// which a person believes it.
func (b *builder) machineMail() error {
	f := b.g.Facts
	if !f.Report() {
		return b.decided(inbound.Ignored, []string{string(f.Kind)})
	}
	reasons := []string{string(f.Kind)}
	if !b.hardReport() {
		return b.decided(inbound.Feedback, reasons)
	}
	if len(b.parties()) == 0 {
		// Somebody has complained, and only a person can find out who.
		if f.Kind == rawmail.Complaint && f.Suppression != nil && f.Suppression.Hard {
			return b.refer("complaint_without_address")
		}
		return b.decided(inbound.Feedback, reasons)
	}
	r := b.reported()
	if err := b.stopAll(r.stop, b.stopReason()); err != nil {
		return err
	}
	if err := b.holdAll(r.hold); err != nil {
		return err
	}
	if len(r.asked) > 0 {
		return b.refer(string(f.Kind), ReasonUnproven)
	}
	if r.believed {
		reasons = append(reasons, "address_stopped")
	}
	if r.doubted {
		reasons = append(reasons, ReasonUnproven)
	}
	return b.decided(inbound.Feedback, reasons)
}

// optOut commits a plain wish not to be mailed: the stop, the consent version
// of the contact that holds the key, and the work of ending what is queued. No
// reader is asked. Of an address that it need not be the wish of a person is
// asked, and it is held until then.
func (b *builder) optOut() error {
	r := b.reported()
	if err := b.stopAll(r.stop, guard.ReasonOptOut); err != nil {
		return err
	}
	if err := b.holdAll(r.hold); err != nil {
		return err
	}
	if err := b.withdrawCustomer(); err != nil {
		return err
	}
	reasons := []string{reasonWords}
	if !b.g.Person.Known() {
		reasons = []string{reasonNobody}
	}
	for _, p := range r.asked {
		reasons = append(reasons, b.relation(p)...)
	}
	if len(r.asked) > 0 || !b.g.Person.Known() && len(r.stop) == 0 {
		return b.refer(unique(reasons)...)
	}
	return b.decided(inbound.OptedOut, []string{reasonWords, b.g.Facts.OptOut.Phrase})
}

// dismiss ends an event because a person said so. A hold that doubtful words put
// on an address stays: what was doubtful is not made certain by silence. One
// that a report or a plain wish put goes, for the question was whether it is
// genuine, or the address's, and a person has said that it is not: else anybody
// who sends one would have blocked the address for good, whatever the answer.
func (b *builder) dismiss() error {
	if b.asksWhose() {
		if err := b.releaseHolds(); err != nil {
			return err
		}
	}
	return b.decided(inbound.Dismissed, []string{"person_said_no"})
}
