package contacts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

// stamp is when, by whom and in which call an act is committed.
type stamp struct {
	at       utc.Time
	by, call string
	ids      digest.Key
}

// work is an act on the ground as it was read: what it does in words, and the
// changes that are its commit. Making either is pure.
type work struct {
	shown   Plan
	mark    contact.Contact // whose next record tells that it was done
	changes []change
	guards  []people.Guard // that the act stands on
	extra   func(*ledger.Commit, stamp) error
}

// change is one audited change of a contact.
type change struct {
	of     contact.Contact
	event  string
	with   string // another contact, for the record
	reason string
	set    ledger.Item
	dated  string // attribute that keeps the time of the commit
	raise  bool   // the consent version: nothing decided before goes out
	guard  string // of an address that is added, for the record
	told   int64  // the revision that a CRM is to have; 0: none
}

// plan is what is shown. Its token names each row in the version that was read,
// and every word that is shown.
func (w *work) plan() Plan {
	p := w.shown
	parts := []string{string(p.Act), p.Tenant, p.Contact, p.Into, p.Already}
	for _, ch := range w.changes {
		parts = append(parts, "contact", ch.of.ID, strconv.FormatInt(ch.of.Version, 10))
	}
	for _, g := range w.guards {
		parts = append(parts, "guard", g.ID, strconv.FormatInt(g.Item.Version(), 10))
	}
	p.Does, p.Keeps = append([]string{}, p.Does...), append([]string{}, p.Keeps...)
	p.Token = digest.Parts(slices.Concat(parts, []string{"does"}, p.Does, []string{"keeps"}, p.Keeps)...)
	return p
}

// commit makes the one commit. Every row that the plan was made from is a
// condition in the version that was read.
func (w *work) commit(st stamp) (ledger.Commit, error) {
	var c ledger.Commit
	for _, ch := range w.changes {
		if err := ch.add(&c, st); err != nil {
			return c, err
		}
	}
	for _, g := range w.guards {
		c.Check("guard", ledger.Guard.At(w.shown.Tenant, g.ID), ledger.AtVersion(g.Item.Version()))
	}
	if w.extra != nil {
		return c, w.extra(&c, st)
	}
	return c, nil
}

func (ch change) add(c *ledger.Commit, st stamp) error {
	r := audit.Record{At: st.at, By: st.by, Reasons: []string{ch.reason}, Contact: ch.of.ID, Details: map[string]string{"call": st.call}}
	set := ledger.Item{}
	maps.Copy(set, ch.set)
	if ch.dated != "" {
		set[ch.dated] = st.at
	}
	if ch.with != "" {
		r.Details["with"] = ch.with
	}
	if ch.guard != "" {
		r.Details["guard"] = ch.guard
	}
	if ch.raise {
		set[contact.ConsentVersionAttr] = ch.of.ConsentVersion + 1
		r.Details["consent"], r.Reasons = "raised", append(r.Reasons, "opt_outs_united")
	}
	if _, err := c.Move(ledger.Step{
		Key: contactKey(ch.of), Transition: ch.of.Transition, Event: ch.event, Set: set, If: ledger.AtVersion(ch.of.Version), Audit: r,
	}); err != nil {
		return err
	}
	base := outbox.Operation{Tenant: ch.of.Tenant, Contact: ch.of.ID, Event: ch.of.FromEvent}
	put := audit.Record{At: st.at, By: st.by, InboundEvent: ch.of.FromEvent}
	if ch.raise {
		op := base
		op.Kind = outbox.CancelIntents
		op.ID = st.ids.ID("op", op.Kind, op.Tenant, ch.event, op.Contact, strconv.FormatInt(ch.of.Transition+1, 10))
		if err := decide.InsertOperation(c, op, st.at, put); err != nil {
			return err
		}
	}
	if ch.told == 0 {
		return nil
	}
	op := base
	op.Kind, op.Revision = outbox.CRMContact, ch.told
	op.ID = st.ids.ID("op", op.Kind, op.Tenant, op.Contact, strconv.FormatInt(ch.told, 10)) // as flow names it
	if ch.told == ch.of.Revision {
		// A revision that has its operation: this one is the act's.
		op.ID = st.ids.ID("op", op.Kind, op.Tenant, ch.event, op.Contact, strconv.FormatInt(ch.of.Transition+1, 10))
	}
	return decide.InsertOperation(c, op, st.at, put)
}

func contactKey(c contact.Contact) ledger.Key { return people.Key(c.Tenant, c.ID) }

// wishes are those of some guards where a person's own wish stands against
// mail, of whatever scope.
func wishes(guards []people.Guard) []people.Guard {
	return slices.DeleteFunc(slices.Clone(guards), func(g people.Guard) bool { return !isWish(g.Item) })
}

func isWish(it ledger.Item) bool {
	for attr := range it {
		if scope, ok := strings.CutPrefix(attr, guard.StopAttr("")); ok && guard.IsWish(it, scope) {
			return true
		}
	}
	return false
}

func isHeld(it ledger.Item) bool { return it.Text(guard.HoldAttr) != "" }

// named is how a plan calls a contact.
func named(c contact.Contact) string {
	if c.Email == "" {
		return "contact " + c.ID
	}
	return fmt.Sprintf("contact %s (%s)", c.ID, c.Email)
}
