package decide

import (
	"slices"

	"onefold/internal/address"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
)

// Why a wish not to be mailed, or a complaint, stops or holds an address that it
// did not come from.
const (
	ReasonMarkReturned = "our_mark_returned" // it gives back the mark of our mail to the address
	ReasonSameContact  = "same_contact"      // the address is the same contact's
	ReasonMailed       = "address_mailed"    // our mail that it answers or gives back went to the address
	ReasonReplyTo      = "address_reply_to"  // it wants answers at the address
)

// How the reasons of a plain wish begin.
const (
	reasonWords  = "opt_out_words"
	reasonNobody = "opt_out_without_address"
)

// mails are the mails of ours that a wish or a complaint answers or gives back,
// to addresses that it does not name itself: one for each address.
func (b *builder) mails() (list []followup.Intent) {
	f := b.g.Facts
	if !wishes(f, b.g.Extraction) {
		return nil
	}
	if b.g.Seen.Replied != nil {
		list = append(list, *b.g.Seen.Replied)
	}
	// Of several mails only a person can find out which one a complaint is of, and
	// of one that hides its address accused has found out.
	if n := len(b.g.Seen.Returned); f.Machine() && (n > 1 || n == 1 && !b.g.Person.Known() && len(b.g.Also) == 0) {
		return nil
	}
	known := map[string]bool{"": true, b.g.Person.GuardID: true}
	for _, p := range b.g.Also {
		known[p.Person.GuardID] = true
	}
	return slices.DeleteFunc(append(list, b.g.Seen.Returned...), func(i followup.Intent) bool {
		was := known[i.Guard]
		known[i.Guard] = true
		return was
	})
}

// mailed are whom these mails went to, with what was read of them.
func (b *builder) mailed() []Party {
	mails, read := b.mails(), b.g.Seen.Mailed
	parties := make([]Party, len(mails))
	copy(parties, read)
	for n, i := range mails[min(len(read), len(mails)):] {
		a, _ := address.Parse(i.Recipient) // none where it is erased
		parties[len(read)+n].Person = Person{Address: a, GuardID: i.Guard}
	}
	return parties
}

// isMailed tells whether the address is known by a mail of ours alone.
func (p Party) isMailed() bool { return p.Person.KeyID == "" }

// returned tells whether the event gives back the mark of a mail of ours to this
// address: there is such an intent, and it went there. A mark cannot be made up,
// and whoever copies the one of a mail that they got proves something of
// themselves alone.
func (b *builder) returned(p Party) bool {
	return slices.ContainsFunc(b.g.Seen.Returned, func(i followup.Intent) bool { return i.Guard == p.Person.GuardID })
}

// sameContact tells whether an address is of the contact whose address the wish
// came from, or for whom a complaint is proven.
func (b *builder) sameContact(p Party) bool {
	from := b.g.main()
	if b.g.Facts.Kind == rawmail.Bounce || b.g.Facts.Report() && !b.returned(from) || b.shared() || p.Person.Shared || p.Key != nil && p.Key.Shared {
		return false
	}
	return p.Person.GuardID != from.Person.GuardID && p.Contact != nil && from.Contact != nil && p.Contact.ID == from.Contact.ID
}

// relation says what an address that is stopped or held has to do with the
// event; nothing of one that the event names itself or comes from.
func (b *builder) relation(p Party) []string {
	plain := b.g.Facts.OptOutPlain()
	switch {
	case p.Person.GuardID == b.g.Person.GuardID, !plain && !p.isMailed():
		return nil
	case b.returned(p):
		return []string{ReasonMarkReturned}
	case b.sameContact(p):
		return []string{ReasonSameContact}
	case p.isMailed():
		return []string{ReasonMailed}
	}
	return []string{ReasonReplyTo}
}
