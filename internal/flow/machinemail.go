package flow

import (
	"onefold/internal/guard"
	"onefold/internal/inbound"
	"onefold/internal/rawmail"
)

// machineMail ends an event that no person wrote: no contact, no follow-up. A
// hard bounce and a complaint stop every address they name. Such mail can be
// forged; forging it blocks mail and never causes any.
func (b *builder) machineMail() error {
	f := b.g.Facts
	outcome := inbound.Ignored
	if f.Kind == rawmail.Bounce || f.Kind == rawmail.Complaint {
		outcome = inbound.Feedback
	}
	reasons, reason := []string{string(f.Kind)}, guard.ReasonBounce
	if f.Kind == rawmail.Complaint {
		reason = guard.ReasonComplaint
	}
	// Somebody has complained, and only a person can find out who.
	if f.Kind == rawmail.Complaint && len(b.parties()) == 0 && f.Suppression != nil && f.Suppression.Hard {
		return b.refer("complaint_without_address")
	}
	hard := f.Suppression != nil && f.Suppression.Hard
	// Who answers with an address has found out whom the complaint is of.
	if a := b.g.Answer; a != nil && a.Address != "" && f.Kind == rawmail.Complaint {
		hard = true
	}
	if hard && len(b.parties()) > 0 {
		if err := b.stop(reason); err != nil {
			return err
		}
		reasons = append(reasons, "address_stopped")
	}
	return b.decided(outcome, reasons)
}

// optOut commits a plain wish not to be mailed: the stop, the consent version
// of the contact that holds the key, and the work of ending what is queued. No
// reader is asked.
func (b *builder) optOut() error {
	if err := b.stop(guard.ReasonOptOut); err != nil {
		return err
	}
	if err := b.withdrawCustomer(); err != nil {
		return err
	}
	return b.decided(inbound.OptedOut, []string{"opt_out_words", b.g.Facts.OptOut.Phrase})
}

// dismiss ends an event because a person said so. A hold that the event put on
// an address stays: what was doubtful is not made certain by silence.
func (b *builder) dismiss() error {
	return b.decided(inbound.Dismissed, []string{"person_said_no"})
}
