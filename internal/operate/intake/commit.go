package intake

import (
	"slices"
	"strconv"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
)

// Reasons, in the audit, of what a list brought.
const (
	ReasonImported = "imported"
	ReasonLinked   = "record_listed"
	ReasonListed   = "listed_as_opted_out"
)

// writer makes the commit of one entry. One item appears once in it.
type writer struct {
	*ground
	c    ledger.Commit
	told map[string]bool // contacts whose consent version it raises
	done map[ledger.Key]bool
}

// commit is what an entry writes; nothing, if nothing is to be done. A stop is
// put whatever else the verdict says.
func (g *ground) commit(v verdict) (ledger.Commit, error) {
	if g.many() {
		return ledger.Commit{}, nil
	}
	w := &writer{ground: g, told: map[string]bool{}, done: map[ledger.Key]bool{}}
	var err error
	switch v.outcome {
	case Made:
		err = w.make(v.made)
	case Linked:
		w.standOn(v.contact)
		err = w.mapping(v.contact)
	}
	if err == nil {
		err = w.stop(v)
	}
	if err != nil || v.outcome != Linked || w.told[v.contact] {
		return w.c, err
	}
	w.c.Check("contact", people.Key(g.policy.Tenant, v.contact), ledger.Is(contact.StatusAttr, contact.Active))
	return w.c, nil
}

// make puts the contact under its keys, on condition that nobody has one of them
// and that nothing has come to guard its addresses.
func (w *writer) make(c contact.Contact) error {
	keys := slices.Clone(c.Keys)
	if w.likely != "" && w.keys[w.likely] == nil {
		keys = append(keys, w.likely)
	}
	for _, id := range keys {
		rule, _, _ := contact.EmailKey(id)
		k := contact.Key{Tenant: c.Tenant, ID: id, Contact: c.ID, RuleVersion: rule, CreatedAt: w.now}
		if id == w.likely {
			k.RuleVersion = w.policy.Identity.Version // as a decision puts it
		}
		w.done[w.keyAt(id)] = true
		if err := decide.PutContactKey(&w.c, "contact_key", k); err != nil {
			return err
		}
	}
	stops := w.toStop()
	for _, p := range w.usable {
		k := ledger.Guard.At(c.Tenant, p.GuardID)
		if !w.done[k] && !slices.ContainsFunc(stops, func(o decide.Person) bool { return o.GuardID == p.GuardID }) {
			w.done[k] = true
			w.c.Check("guard", k, ledger.AtVersion(w.guards[p.GuardID].Version()))
		}
	}
	r := w.audit(c.ID, ReasonImported)
	if err := w.c.Insert(ledger.Step{Key: people.Key(c.Tenant, c.ID), Event: "import", Audit: r}, c, ""); err != nil {
		return err
	}
	if w.Record == "" {
		return nil
	}
	return w.mapping(c.ID)
}

// mapping gives the contact its record. Nothing was written there, so every field
// of the record is its people's (crm.Mapping.Wrote), and no version was sent.
func (w *writer) mapping(contactID string) error {
	m := crm.Mapping{
		Tenant: w.policy.Tenant, CRM: w.list.CRM, Contact: contactID, CRMID: w.Record, Transition: 1, CreatedAt: w.now, UpdatedAt: w.now,
	}
	r := w.audit(contactID, ReasonLinked)
	r.Details["crm_id"] = w.Record
	return w.c.Insert(ledger.Step{Key: ledger.CRMMapping.Under(m.Tenant, m.Contact, m.CRM), Event: "import", Audit: r}, m, "")
}

// standOn makes it a condition that the entry's keys still lead where they led.
func (w *writer) standOn(contactID string) {
	for _, p := range w.usable {
		k := w.keys[p.KeyID]
		if k == nil || w.leads(p.KeyID) == nil || w.leads(p.KeyID).ID != contactID || w.done[w.keyAt(p.KeyID)] {
			continue
		}
		w.done[w.keyAt(p.KeyID)] = true
		w.c.Check("contact_key", w.keyAt(p.KeyID), ledger.Is(contact.HolderAttr, k.Contact))
	}
}

// stop forbids mail to the addresses that the list says are opted out, raises the
// consent version of who has them and ends what waits for them, as a person's
// own words would.
func (w *writer) stop(v verdict) error {
	for _, p := range w.toStop() {
		it := w.guards[p.GuardID]
		set := ledger.Item{}
		if it.Text(guard.StopAttr(guard.ScopeAll)) == "" {
			set[guard.StopAttr(guard.ScopeAll)] = w.now
		}
		if said := it.Text(guard.ReasonAttr); guard.StopReason(said, guard.ReasonOptOut) != said {
			set[guard.ReasonAttr] = guard.StopReason(said, guard.ReasonOptOut)
		}
		if it.Text(guard.ErasedAtAttr) == "" {
			set[guard.AddressAttr] = p.Address.String()
		}
		who := w.owners(p)
		r := w.audit("", guard.ReasonOptOut, ReasonListed)
		r.Details["scope"] = guard.ScopeAll
		if len(who) > 0 {
			r.Contact = who[0].ID
		} else if v.outcome == Made && slices.Contains(v.keys, p.KeyID) {
			r.Contact = v.contact
		}
		if k := ledger.Guard.At(w.policy.Tenant, p.GuardID); !w.done[k] { // two spellings have one guard
			w.done[k] = true
			if err := decide.ChangeGuard(&w.c, decide.GuardChange{
				Tenant: w.policy.Tenant, ID: p.GuardID, Seen: it, Event: "stop", Set: set, Audit: r,
			}); err != nil {
				return err
			}
		}
		for _, c := range who {
			if err := w.withdraw(p, *c); err != nil {
				return err
			}
		}
		// Who gets the address before this commit has to be told too.
		for _, id := range []string{p.KeyID, p.NextKeyID} {
			if k := w.keyAt(id); id != "" && w.keys[id] == nil && !w.done[k] {
				w.done[k] = true
				w.c.Check("contact_key", k, ledger.Missing())
			}
		}
	}
	return nil
}

// owners are the contacts that have an address, under either form.
func (w *writer) owners(p decide.Person) []*contact.Contact {
	var out []*contact.Contact
	for _, id := range []string{p.KeyID, p.NextKeyID} {
		k, c := w.keys[id], w.leads(id)
		if k != nil && !k.Shared && !p.Shared && c != nil && c.Status == contact.Active && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

func (w *writer) withdraw(p decide.Person, c contact.Contact) error {
	if w.told[c.ID] {
		return nil
	}
	w.told[c.ID] = true
	if _, err := w.c.Move(ledger.Step{
		Key: people.Key(c.Tenant, c.ID), Transition: c.Transition, Event: "withdraw_consent",
		Set: ledger.Item{contact.ConsentVersionAttr: c.ConsentVersion + 1}, If: ledger.Is(contact.StatusAttr, contact.Active),
		Audit: w.audit(c.ID, "consent_withdrawn", ReasonListed),
	}); err != nil {
		return err
	}
	op := outbox.Operation{
		Tenant: c.Tenant, Kind: outbox.CancelIntents, Guard: p.GuardID, Contact: c.ID, Event: c.FromEvent,
		ID: w.IDs.ID("op", outbox.CancelIntents, c.Tenant, "import", p.GuardID, strconv.FormatInt(w.guards[p.GuardID].Int(machine.TransitionAttr), 10), c.ID),
	}
	return decide.InsertOperation(&w.c, op, w.now, w.audit(c.ID, guard.ReasonOptOut))
}

func (w *writer) audit(contactID string, reasons ...string) audit.Record {
	r := audit.Record{At: w.now, By: w.By, Reasons: reasons, Contact: contactID, Details: map[string]string{"from": "file"}}
	if w.list.CRM != "" {
		r.Details["from"] = w.list.CRM
	}
	return r
}
