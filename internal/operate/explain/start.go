package explain

import (
	"fmt"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

// MaxOpenTasks is how many open questions of a tenant are looked through for
// an address that may not be a contact yet.
const MaxOpenTasks = 1000

// start finds where to begin, and puts it on the list.
func (g *gatherer) start(ids digest.Key, q Query, t *Timeline) error {
	switch {
	case q.Email != "":
		return g.startPerson(ids, q, t)
	case q.Event != "":
		return g.startAt(ledger.Event, q.Event, t)
	case q.Intent != "":
		return g.startAt(ledger.Intent, q.Intent, t)
	}
	return g.startMessage(q, t)
}

func (g *gatherer) startAt(e ledger.Entity, id string, t *Timeline) error {
	it, err := g.store.Get(g.ctx, e.At(g.tenant, id))
	if err != nil {
		return fmt.Errorf("read %s: %w", e, err)
	}
	if it == nil {
		return noSuch(string(e))
	}
	t.Known = true
	g.want(e, id)
	return nil
}

// startMessage goes by the index item of the message, which is in the ledger
// itself, and else by the records that name it.
func (g *gatherer) startMessage(q Query, t *Timeline) error {
	provider := q.Provider
	if provider == "" {
		provider = "ses"
	}
	it, err := g.store.Get(g.ctx, ledger.ProviderMessage.At(ledger.NoTenant, provider+":"+q.Message))
	if err != nil {
		return fmt.Errorf("read the message index: %w", err)
	}
	var m followup.ProviderMessage
	if it != nil {
		if err := it.Decode(&m); err != nil {
			return err
		}
	} else {
		page, err := g.store.Query(g.ctx, ledger.Query{Table: schema.Audit, Index: schema.ByMessage, Partition: q.Message, Limit: 1})
		if err != nil {
			return fmt.Errorf("look for the message: %w", err)
		}
		if len(page.Items) == 0 {
			return noSuch("message")
		}
		m.Tenant, m.Intent = page.Items[0].Text("tenant"), page.Items[0].Text("intent")
	}
	if q.Tenant != "" && q.Tenant != m.Tenant {
		return noSuch("message") // another tenant's is none
	}
	g.tenant, t.Tenant = m.Tenant, m.Tenant
	return g.startAt(ledger.Intent, m.Intent, t)
}

// startPerson goes by the address: its guard, its contact, and the open
// questions about mail from it.
func (g *gatherer) startPerson(ids digest.Key, q Query, t *Timeline) error {
	g.whole = true
	policy, err := q.Policy(g.ctx, g.tenant)
	if err != nil {
		return fmt.Errorf("policy of tenant %s: %w", g.tenant, err)
	}
	p := decide.Identify(ids, policy, q.Email)
	if !p.Known() {
		return fmt.Errorf("%w: the address cannot be read", ErrQuery)
	}
	t.Guard, g.asked = &Guard{ID: p.GuardID}, p.GuardID
	g.want(ledger.Guard, p.GuardID)
	for _, id := range []string{p.KeyID, p.NextKeyID} {
		if err := g.startKey(ids, id, t); err != nil {
			return err
		}
	}
	return g.openQuestions(ids, policy, p, t)
}

// startKey goes by one form of the address: "" is none.
func (g *gatherer) startKey(ids digest.Key, id string, t *Timeline) error {
	if id == "" {
		return nil
	}
	it, err := g.store.Get(g.ctx, ledger.ContactKey.At(g.tenant, id))
	if err != nil {
		return fmt.Errorf("read the contact key: %w", err)
	}
	if it == nil {
		return nil
	}
	var k contact.Key
	if err := it.Decode(&k); err != nil {
		return err
	}
	t.Known = true
	return g.owns(ids, k.Contact, t.Guard)
}

// openQuestions finds events that wait for a person and so have made no
// contact yet: the reading stored with them names the address.
func (g *gatherer) openQuestions(ids digest.Key, policy tenant.Policy, p decide.Person, t *Timeline) error {
	for read, cursor := 0, ""; ; {
		page, err := g.store.Query(g.ctx, ledger.Query{Table: schema.Ledger, Index: schema.ByOpenReview, Partition: g.tenant, Cursor: cursor, Limit: 200})
		if err != nil {
			return fmt.Errorf("list open questions: %w", err)
		}
		for _, it := range page.Items {
			if it.Text("kind") != review.DecideEvent {
				continue
			}
			same := false
			if err := each(g, ledger.Extraction, it.Text("event"), func(x reader.Stored) {
				who := decide.Identify(ids, policy, x.Record.SenderEmail.Value)
				same = same || (who.Known() && who.KeyID == p.KeyID)
			}); err != nil {
				return fmt.Errorf("read what an open question is about: %w", err)
			}
			if same {
				t.Known = true
				g.want(ledger.Event, it.Text("event"))
			}
		}
		read += len(page.Items)
		if cursor = page.Next; cursor == "" {
			return nil
		}
		if read >= MaxOpenTasks {
			g.cut = true
			return nil
		}
	}
}
