package decide

import (
	"strings"

	"onefold/internal/address"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
	"onefold/internal/record/contact"
)

// Person is whom an event is about, by address and the tenant's rules.
type Person struct {
	Address address.Address
	KeyID   string // identity key, of package contact
	GuardID string // keyed hash of the suppression key
	Shared  bool   // an inbox that several people write from
	Own     bool
	Role    bool   // postmaster, no-reply, a service's relay and the like
	Fault   string // why there is no address: a word of package match, or ""

	NextKeyID string // identity key under the rule that is migrated to; "" without one
}

// Known tells whether there is an address at all.
func (p Person) Known() bool { return p.Fault == "" }

// Identify applies the tenant's identity rule to an address as it was written.
func Identify(ids digest.Key, p tenant.Policy, written string) Person {
	if strings.TrimSpace(written) == "" {
		return Person{Fault: "identity_missing"}
	}
	a, err := address.Parse(strings.TrimSpace(written))
	if err != nil {
		return Person{Fault: "identity_invalid"}
	}
	return Person{
		Address: a,
		KeyID:   KeyUnder(p.Identity, a), NextKeyID: nextKey(p, a),
		GuardID: GuardID(ids, p.Tenant, a),
		Shared:  p.IsShared(a.String()),
		Own:     p.IsOwn(a.String()),
		Role:    reader.IsMachineAddress(a.String()),
	}
}

// GuardID names the guard of an address.
func GuardID(ids digest.Key, tenantID string, a address.Address) string {
	return ids.ID("guard", tenantID, string(a.SuppressionKey()))
}

// AddressOf is the address that an event is about: of a bounce or complaint the
// address it names; else what a person supplied, what the stored extraction
// established, or the header or form field itself.
func AddressOf(f content.Facts, x *reader.Stored, a *Answer) string {
	switch {
	case a != nil && a.Address != "":
		return a.Address
	case f.Machine() && f.Suppression != nil:
		return f.Suppression.Address
	case f.Machine():
		return ""
	case x != nil && x.Record.SenderEmail.Value != "":
		return x.Record.SenderEmail.Value
	case f.OptOutPlain() && !isAddress(f.Source.FromAddress) && isAddress(f.Source.ReplyTo):
		return f.Source.ReplyTo
	}
	return f.Source.FromAddress
}

// Others are the further people that an event stops or holds mail to, p being
// whom it is about. A report names each recipient that failed. A wish not to be
// mailed may come from two at most: who writes from one address and wants
// answers at another is known to the ledger by either of them, and a form's
// notification names the person in Reply-To only.
func Others(ids digest.Key, policy tenant.Policy, f content.Facts, x *reader.Stored, p Person) []Person {
	if f.Machine() {
		return otherPeople(ids, policy, f.Failed, p)
	}
	if !wishes(f, x) {
		return nil
	}
	return otherPeople(ids, policy, []string{f.Source.FromAddress, f.Source.ReplyTo}, p)
}

// wishes tells whether an event may be somebody's wish not to be mailed: a
// person's words, or a complaint.
func wishes(f content.Facts, x *reader.Stored) bool {
	if !f.Human() {
		return f.Kind == rawmail.Complaint && f.Suppression != nil && f.Suppression.Hard
	}
	return f.OptOut.Verdict != wish.OptOutNone || x != nil && x.Record.PossibleOptOut
}

func otherPeople(ids digest.Key, policy tenant.Policy, written []string, p Person) []Person {
	var out []Person
	known := map[string]bool{p.GuardID: true}
	for _, w := range written {
		if o := Identify(ids, policy, w); o.Known() && !o.Own && !known[o.GuardID] {
			known[o.GuardID] = true
			out = append(out, o)
		}
	}
	return out
}

func isAddress(written string) bool {
	_, err := address.Parse(strings.TrimSpace(written))
	return err == nil
}

// Party is an address that an event is about, with what the ledger holds of it.
type Party struct {
	Person  Person
	Key     *contact.Key
	Contact *contact.Contact // the key's, read through merges
	Guard   ledger.Item

	Next        *contact.Key // as in Seen
	NextContact *contact.Contact
}

// main is who the event is about.
func (g Ground) main() Party {
	s := g.Seen
	return Party{Person: g.Person, Key: s.Key, Contact: s.Contact, Guard: s.Guard, Next: s.Next, NextContact: s.NextContact}
}
