// Package kept is what is kept of the rows that a decision was made from. Open it
// to see what of a person is stored a second time.
//
// Its invariant: no address, subject or text is kept, and of a contact's fields
// only the values of those that the event states otherwise. What has a form here
// is what a decision reads of the row; a field that it begins to read belongs
// here. The letters are stored: none is used again for something else.
package kept

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Key is a contact key.
type Key struct {
	Contact  string `json:"c"`
	Shared   bool   `json:"s,omitempty"`
	Disputed bool   `json:"d,omitempty"`
}

// KeyOf keeps a key.
func KeyOf(k contact.Key) Key { return Key{k.Contact, k.Shared, k.Disputed} }

// Row is what is known of the key.
func (k Key) Row() contact.Key {
	return contact.Key{Contact: k.Contact, Shared: k.Shared, Disputed: k.Disputed}
}

// Contact is a contact.
type Contact struct {
	ID         string `json:"i"`
	Status     string `json:"s,omitempty"` // "": active
	Consent    int64  `json:"o"`
	Revision   int64  `json:"r"`
	Transition int64  `json:"t"`
	Reach      int64  `json:"a,omitempty"`
	// Customers are its keys of customer IDs. No other key is read.
	Customers []string `json:"u,omitempty"`
	// Of the fields that the event states: which are the same, as people read
	// them, and the values of the others.
	Same   []string          `json:"e,omitempty"`
	Values map[string]string `json:"f,omitempty"`
}

// ContactOf keeps a contact; said are the fields that the event states, and same
// reports whether a field's value equals what was stated.
func ContactOf(c contact.Contact, said map[string]string, same func(field, have, stated string) bool) Contact {
	k := Contact{ID: c.ID, Status: c.Status, Consent: c.ConsentVersion, Revision: c.Revision, Transition: c.Transition, Reach: c.Reach}
	k.Customers = slices.DeleteFunc(slices.Clone(c.Keys), func(id string) bool { return !contact.IsCustomerKey(id) })
	if k.Status == contact.Active {
		k.Status = ""
	}
	for _, field := range contact.Fields() {
		have := c.Field(field)
		switch v, ok := said[field]; {
		case !ok || have == "":
		case same(field, have, v):
			k.Same = append(k.Same, field)
		default:
			if k.Values == nil {
				k.Values = map[string]string{}
			}
			k.Values[field] = have
		}
	}
	return k
}

// Row is what is known of the contact, said being as it was kept with.
func (k Contact) Row(said map[string]string) contact.Contact {
	c := contact.Contact{ID: k.ID, Status: k.Status, ConsentVersion: k.Consent, Revision: k.Revision, Transition: k.Transition, Reach: k.Reach, Keys: k.Customers}
	if c.Status == "" {
		c.Status = contact.Active
	}
	have := map[string]string{}
	for _, field := range k.Same {
		have[field] = said[field]
	}
	maps.Copy(have, k.Values)
	c.Name, c.Company, c.Phone = have["name"], have["company"], have["phone"]
	return c
}

// Guard is a guard.
type Guard map[string]any

// GuardOf keeps what a decision reads of a guard: never the address.
func GuardOf(g ledger.Item) Guard {
	if g == nil {
		return nil
	}
	out := Guard{machine.TransitionAttr: g.Int(machine.TransitionAttr)}
	for attr, v := range g {
		switch attr {
		case guard.HoldAttr, guard.HoldReviewAttr, guard.ReasonAttr, guard.BouncesAttr, guard.ComplaintsAttr, guard.ErasedAtAttr:
			out[attr] = v
		default:
			if strings.HasPrefix(attr, guard.StopAttr("")) {
				out[attr] = v
			}
		}
	}
	return out
}

// UnmarshalJSON reads numbers as a store gives them: whole.
func (g *Guard) UnmarshalJSON(b []byte) error {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&m); err != nil || m == nil {
		return err
	}
	it, err := ledger.Normal(m)
	*g, _ = it.(map[string]any)
	return err
}

// Row is what is known of the guard.
func (g Guard) Row() ledger.Item { return ledger.Item(g) }

// Enquiry is an enquiry.
type Enquiry struct {
	FollowUp string `json:"f,omitempty"`
}

// EnquiryOf keeps an enquiry.
func EnquiryOf(e contact.Enquiry) Enquiry { return Enquiry{e.FollowUp} }

// Row is what is known of the enquiry.
func (k Enquiry) Row() contact.Enquiry { return contact.Enquiry{FollowUp: k.FollowUp} }

// Cadence is a cadence.
type Cadence struct {
	Intent    string   `json:"i,omitempty"`
	FoldUntil utc.Time `json:"u,omitzero"`
	Version   int64    `json:"v"`
}

// CadenceOf keeps a cadence.
func CadenceOf(c followup.Cadence) Cadence { return Cadence{c.Intent, c.FoldUntil, c.Version} }

// Row is what is known of the cadence.
func (k Cadence) Row() followup.Cadence {
	return followup.Cadence{Intent: k.Intent, FoldUntil: k.FoldUntil, Version: k.Version}
}

// Intent is an intent.
type Intent struct {
	ID      string `json:"i"`
	Contact string `json:"c"`
}

// IntentOf keeps an intent.
func IntentOf(i followup.Intent) Intent { return Intent{i.ID, i.Contact} }

// Row is what is known of the intent.
func (k Intent) Row() followup.Intent { return followup.Intent{ID: k.ID, Contact: k.Contact} }

// Cap is the count of a bound. A bound that nothing was counted for yet has a nil Cap.
type Cap struct {
	Version int64 `json:"v"`
	Count   int64 `json:"c"`
}

// CapOf keeps a count.
func CapOf(c ledger.Item) *Cap {
	if c == nil {
		return nil
	}
	return &Cap{c.Version(), c.Int("count")}
}

// Row is what is known of the count.
func (k *Cap) Row() ledger.Item {
	if k == nil {
		return nil
	}
	return ledger.Item{schema.Version: k.Version, "count": k.Count}
}
