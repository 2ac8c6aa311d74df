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
	if err := b.stopAll(r.stop, b.reportReason()); err != nil {
		return err
	}
	if err := b.holdAll(r.hold); err != nil {
		return err
	}
	if r.asks {
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
// reader is asked.
func (b *builder) optOut() error {
	if err := b.stopAll(b.parties(), guard.ReasonOptOut); err != nil {
		return err
	}
	if err := b.withdrawCustomer(); err != nil {
		return err
	}
	return b.decided(inbound.OptedOut, []string{"opt_out_words", b.g.Facts.OptOut.Phrase})
}

// dismiss ends an event because a person said so. A hold that doubtful words put
// on an address stays: what was doubtful is not made certain by silence. One
// that a report put goes, for the question was whether the report is genuine,
// and he has said that it is not: else whoever sends a report would have blocked
// the address for good, whatever the answer.
func (b *builder) dismiss() error {
	if b.g.Facts.Report() {
		if err := b.releaseHolds(); err != nil {
			return err
		}
	}
	return b.decided(inbound.Dismissed, []string{"person_said_no"})
}
