package decide

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// kept is what a ground keeps of its reads, by a letter for each: a read that is
// added takes a letter that none has had. Letters that are not known are passed
// over.
type kept struct {
	parts map[string]json.RawMessage
	err   error
}

func (k kept) IsZero() bool { return len(k.parts) == 0 }

func (k kept) MarshalJSON() ([]byte, error) {
	if k.IsZero() || k.err != nil {
		return []byte("{}"), k.err
	}
	return json.Marshal(k.parts)
}

func (k *kept) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &k.parts) }

// put keeps a value, nothing where it is nil.
func (k *kept) put(letter string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		k.err = err
	}
	if string(b) == "null" {
		return
	}
	if k.parts == nil {
		k.parts = map[string]json.RawMessage{}
	}
	k.parts[letter] = b
}

// get is a value that was kept, the zero value where nothing was. A damaged one
// is an error of k.
func get[T any](k *kept, letter string) (v T) {
	raw, there := k.parts[letter]
	if !there {
		return v
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // a guard's numbers are whole
	if d.Decode(&v) != nil && k.err == nil {
		k.err = fmt.Errorf("%w: part %s of it is damaged", ErrGround, letter)
	}
	return v
}

type (
	keptKey struct {
		Contact string `json:"c"`
		Shared  bool   `json:"s,omitempty"`
	}
	keptContact struct {
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
)

func freezeSeen(g Ground) (k kept) {
	for _, r := range partyReads() {
		r.keep(g.main(), g.Extraction, &k)
	}
	for _, r := range reads() {
		if r.keep != nil {
			r.keep(g, &k)
		}
	}
	return k
}

func freezeParty(p Party) (k kept) {
	for _, r := range partyReads() {
		r.keep(p, nil, &k)
	}
	return k
}

func freezeKey(k *contact.Key) *keptKey {
	if k == nil {
		return nil
	}
	return &keptKey{k.Contact, k.Shared}
}

func freezeContact(c *contact.Contact, x *reader.Stored) *keptContact {
	if c == nil {
		return nil
	}
	k := &keptContact{ID: c.ID, Status: c.Status, Consent: c.ConsentVersion, Revision: c.Revision, Transition: c.Transition, Reach: c.Reach, Customers: customersOf(c)}
	if k.Status == contact.Active {
		k.Status = ""
	}
	said := stated(x)
	for _, field := range contactFields() {
		have := fieldOf(*c, field)
		switch v, ok := said[field]; {
		case !ok || have == "":
		case same(have, v):
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

func contactFields() []string { return []string{"name", "company", "phone"} }

// freezeGuard keeps what a decision reads of a guard: never the address.
func freezeGuard(g ledger.Item) map[string]any {
	if g == nil {
		return nil
	}
	out := map[string]any{"transition": g.Int("transition")}
	for attr, v := range g {
		switch attr {
		case "hold", "hold_review", "reason", "bounces", "complaints", "erased_at":
			out[attr] = v
		default:
			if strings.HasPrefix(attr, guard.StopAttr("")) {
				out[attr] = v
			}
		}
	}
	return out
}

// Ground puts a kept ground together: the event as it stood before, the policy
// of its version or another in whose place it is decided, and the facts and the
// answer that the digests name. Whom it is about follows from these. Under
// another policy the caller first makes sure that they are the same people.
// Errors are ErrGround.
func (k Kept) Ground(ids digest.Key, e inbound.Event, p tenant.Policy, f Facts, x *reader.Stored) (Ground, error) {
	if k.TooLarge {
		return Ground{}, fmt.Errorf("%w: it was too large to be kept", ErrGround)
	}
	e.State, e.Transition, e.Review = inbound.Recorded, k.Transition, ""
	g := Ground{Input: Input{Event: e, Policy: p, Facts: f, Extraction: x, Now: k.Now, By: k.By}}
	g.Person = Identify(ids, p, Whom(f, x, nil))
	others := Others(ids, p, f, x, g.Person)
	if len(others) != len(k.Also) {
		return g, fmt.Errorf("%w: it is of %d more people, not %d", ErrGround, len(k.Also), len(others))
	}
	main, err := thawParty(k.Seen, g.Person, e.Tenant, x)
	g.setMain(main)
	for _, r := range reads() {
		if r.thaw != nil {
			r.thaw(&k.Seen, &g)
		}
	}
	err = errors.Join(err, k.Seen.err)
	for i, o := range others {
		p, damaged := thawParty(k.Also[i], o, e.Tenant, nil)
		g.Also, err = append(g.Also, p), errors.Join(err, damaged)
	}
	return g, err
}

func thawParty(k kept, p Person, tenantID string, x *reader.Stored) (Party, error) {
	out := Party{Person: p}
	for _, r := range partyReads() {
		r.thaw(&k, &out, tenantID, x)
	}
	return out, k.err
}

// Snapshot is a kept ground as what it was decided from: Decide makes of both
// what was made then.
func (k Kept) Snapshot(ids digest.Key, e inbound.Event, p tenant.Policy, f Facts, x *reader.Stored) (Input, Snapshot, error) {
	g, err := k.Ground(ids, e, p, f, x)
	if err != nil {
		return g.Input, Snapshot{}, err
	}
	answers, err := known(g, ids)
	return g.Input, Snapshot{Kept: answers}, err
}

func thawKey(from *kept, letter, id, tenantID string) *contact.Key {
	k := get[*keptKey](from, letter)
	if k == nil {
		return nil
	}
	return &contact.Key{Tenant: tenantID, ID: id, Contact: k.Contact, Shared: k.Shared}
}

func thawContact(from *kept, letter, tenantID string, x *reader.Stored) *contact.Contact {
	k := get[*keptContact](from, letter)
	if k == nil {
		return nil
	}
	c := &contact.Contact{
		Tenant: tenantID, ID: k.ID, Status: k.Status, ConsentVersion: k.Consent, Revision: k.Revision, Transition: k.Transition, Reach: k.Reach, Keys: k.Customers,
	}
	if c.Status == "" {
		c.Status = contact.Active
	}
	have := map[string]string{}
	said := stated(x)
	for _, field := range k.Same {
		have[field] = said[field]
	}
	maps.Copy(have, k.Values)
	c.Name, c.Company, c.Phone = have["name"], have["company"], have["phone"]
	return c
}

func thawGuard(k *kept, g map[string]any) ledger.Item {
	if g == nil {
		return nil
	}
	it, err := ledger.Normal(g)
	attrs, whole := it.(map[string]any)
	if (err != nil || !whole) && k.err == nil {
		k.err = fmt.Errorf("%w: a guard in it is damaged", ErrGround)
	}
	return attrs
}

// stated are the fields that an answer states.
func stated(x *reader.Stored) map[string]string {
	b := builder{g: Ground{Input: Input{Extraction: x}}}
	return b.values()
}
