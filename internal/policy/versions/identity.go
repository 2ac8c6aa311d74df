package versions

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// ErrIdentityChanged means that the document's identity rule is neither the one
// in force, in all of its fields, nor the one that is being migrated to. The
// keys in the ledger were made under the rule in force, so under another one an
// address that is known would be taken for a new one, and get a second contact.
// Whoever applies it keeps identity as it is and puts the new rule into
// identity_next.
var ErrIdentityChanged = errors.New("versions: the identity rule is not the one in force")

// ErrNotReady means that the document puts the rule in force that is being
// migrated to, and not every key has its new form yet. Whoever applies it
// carries the migration through first. NotReadyError says how far it is.
var ErrNotReady = errors.New("versions: the migration of the identity rule is not ready")

// NotReadyError is ErrNotReady with the state that the migration is in.
type NotReadyError struct {
	Rule  int64
	State string // of package contact
}

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("%v: that to rule %d is %s", ErrNotReady, e.Rule, e.State)
}

// Unwrap makes it an ErrNotReady.
func (e *NotReadyError) Unwrap() error { return ErrNotReady }

// ErrRuleBound means that the document gives a version of the identity rule
// other settings than a document before it did. Keys are named by that number,
// so it is that rule's for ever. Whoever applies it takes a higher one.
var ErrRuleBound = errors.New("versions: this version of the identity rule has other settings already")

// errRuleMoved says that a migration went on between the read and the commit.
var errRuleMoved = errors.New("versions: the migration of the identity rule moved meanwhile")

// MigrationKey names the migration to a version of a tenant's identity rule.
func MigrationKey(tenantID string, rule int64) ledger.Key {
	return ledger.Migration.Under(tenantID, "rule", number(rule))
}

// Migration is how far a migration is; ok is false when there never was one.
func (b *Book) Migration(ctx context.Context, tenantID string, rule int64) (m contact.Migration, ok bool, err error) {
	it, err := b.Store.Get(ctx, MigrationKey(tenantID, rule))
	if err != nil {
		return m, false, fmt.Errorf("read the migration of tenant %s to identity rule %d: %w", tenantID, rule, err)
	}
	if it == nil {
		return m, false, nil
	}
	return m, true, it.Decode(&m)
}

// boundRule is what a version of the identity rule is.
type boundRule struct {
	Tenant        string   `json:"tenant"`
	KeepLocalCase bool     `json:"keep_local_case"`
	FoldDots      bool     `json:"fold_dots"`
	FoldPlus      bool     `json:"fold_plus"`
	BoundAt       utc.Time `json:"bound_at"`
}

// rules is what a document's identity rules are judged on, as it was read.
type rules struct {
	book   *Book
	commit *ledger.Commit
	p      tenant.Policy
	by     string
	rows   map[ledger.Key]ledger.Item
}

// identity adds to a commit what the identity rules of a document need. before
// is nil where the tenant has no policy yet.
func (b *Book) identity(ctx context.Context, c *ledger.Commit, before *tenant.Policy, p tenant.Policy, by string) error {
	if before != nil && before.Identity != p.Identity && !tenant.Activates(*before, p) {
		return ErrIdentityChanged
	}
	r := rules{b, c, p, by, map[ledger.Key]ledger.Item{}}
	was, now := int64(0), p.NextVersion()
	if before != nil {
		was = before.NextVersion()
	}
	if err := r.read(ctx, was, now); err != nil {
		return err
	}
	if err := r.bind(p.Identity); err != nil {
		return err
	}
	if p.IdentityNext != nil {
		if err := r.bind(*p.IdentityNext); err != nil {
			return err
		}
	}
	switch {
	case was == now:
		return nil
	case was != 0 && tenant.Activates(*before, p):
		return r.activate(was)
	case was != 0:
		if err := r.abort(was); err != nil {
			return err
		}
	}
	if now == 0 {
		return nil
	}
	return r.start()
}

func ruleKey(tenantID string, version int64) ledger.Key {
	return ledger.IdentityRule.Under(tenantID, "rule", number(version))
}

func (r *rules) read(ctx context.Context, was, now int64) error {
	keys := []ledger.Key{ruleKey(r.p.Tenant, r.p.Identity.Version)}
	if now != 0 {
		keys = append(keys, ruleKey(r.p.Tenant, now), MigrationKey(r.p.Tenant, now))
	}
	if was != 0 && was != now {
		keys = append(keys, MigrationKey(r.p.Tenant, was))
	}
	items, err := r.book.Store.GetMany(ctx, keys)
	if err != nil {
		return fmt.Errorf("read the identity rules of tenant %s: %w", r.p.Tenant, err)
	}
	for i, k := range keys {
		r.rows[k] = items[i]
	}
	return nil
}

// bind makes a version of the rule what the document says that it is, or holds
// the document to what it was made before.
func (r *rules) bind(rule tenant.Identity) error {
	k := ruleKey(r.p.Tenant, rule.Version)
	now := boundRule{r.p.Tenant, rule.KeepLocalCase, rule.FoldDots, rule.FoldPlus, utc.At(r.book.Now())}
	it := r.rows[k]
	if it == nil {
		return r.commit.Create("identity_rule", k, now)
	}
	var have boundRule
	if err := it.Decode(&have); err != nil {
		return err
	}
	now.BoundAt = have.BoundAt
	if have != now {
		return fmt.Errorf("%w: version %d", ErrRuleBound, rule.Version)
	}
	return nil
}

// start begins the migration that the document names, or begins one again that
// was broken off: from the start, since meanwhile keys were put in one form
// alone.
func (r *rules) start() error {
	rule, now := r.p.NextVersion(), utc.At(r.book.Now())
	k := MigrationKey(r.p.Tenant, rule)
	if r.rows[k] != nil {
		set := ledger.Item(contact.Migration{}.PassAttrs())
		set["from"], set["started_at"], set["policy_version"], set["ready_at"] = r.p.Identity.Version, now, r.p.Version, ""
		return r.move(rule, contact.MigrationRestart, set)
	}
	m := contact.Migration{
		Tenant: r.p.Tenant, Rule: rule, From: r.p.Identity.Version, State: contact.MigrationStarted, Transition: 1,
		StartedAt: now, PolicyVersion: r.p.Version,
	}
	return r.commit.Insert(ledger.Step{Key: k, Machine: contact.MigrationMachine(), Event: "start", Audit: r.audit()}, m, m.State)
}

// activate puts the rule in force. It stands on the state as read: only out of
// ready, in the very commit that says so.
func (r *rules) activate(rule int64) error {
	state := r.rows[MigrationKey(r.p.Tenant, rule)].Text(machine.StateAttr)
	if state != contact.MigrationReady {
		return &NotReadyError{rule, state}
	}
	return r.move(rule, contact.MigrationActivate, nil)
}

func (r *rules) abort(rule int64) error { return r.move(rule, contact.MigrationAbort, nil) }

func (r *rules) move(rule int64, event string, set ledger.Item) error {
	k := MigrationKey(r.p.Tenant, rule)
	it := r.rows[k]
	_, err := r.commit.Move(ledger.Step{
		Key: k, Machine: contact.MigrationMachine(), From: it.Text(machine.StateAttr), Transition: it.Int(machine.TransitionAttr), Event: event, Set: set, Audit: r.audit(),
	})
	if err != nil {
		return fmt.Errorf("move the migration of tenant %s to identity rule %d: %w", r.p.Tenant, rule, err)
	}
	return nil
}

func (r *rules) audit() audit.Record {
	return audit.Record{
		At: utc.At(r.book.Now()), By: r.by, Details: map[string]string{"policy_version": strconv.FormatInt(r.p.Version, 10)},
	}
}
