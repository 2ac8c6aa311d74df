// Package versions keeps the tenants' policies in the ledger: every version
// for good, and which one is in force.
//
// Its invariant: a version, once stored, never changes, and the version in
// force only rises. What was decided under a version can be read with it. A
// mailbox that a policy in force names leads to its tenant and endpoint, and no
// two tenants hold one. A version of the identity rule is one rule for ever, and
// another rule comes into force only when its migration is ready: under it every
// key that there is will be found.
package versions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/audit"
	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// ErrNone means that the tenant has no policy: there is no such tenant.
var ErrNone = errors.New("versions: no policy for this tenant")

// ErrUnreadable means that a stored version is no policy to this program.
var ErrUnreadable = errors.New("versions: the stored policy cannot be read")

// ErrStale means that the document's version is not above the one in force.
// Whoever applies it reads the one in force and raises the number.
var ErrStale = errors.New("versions: the version is not above the one in force")

// MaxBytes is the most a policy document may have, so that it fits an item.
const MaxBytes = 256 << 10

// Book reads and applies policies. It remembers the one in force for a short
// time, since every delivery asks for it; a new version is thus in force
// everywhere after at most Keep.
type Book struct {
	Store ledger.Store
	Now   func() time.Time
	Keep  time.Duration // how long the one in force is remembered; 0: not at all

	mu    sync.Mutex
	known map[string]entry
}

type entry struct {
	policy   tenant.Policy
	document string // the text it was parsed from
	until    time.Time
}

type row struct {
	Tenant     string   `json:"tenant"`
	Number     int64    `json:"policy_version"`
	Document   string   `json:"document"`
	Sent       []string `json:"sent"` // tenant.Policy.Former
	AppliedAt  utc.Time `json:"applied_at"`
	AppliedBy  string   `json:"applied_by"`
	Transition int64    `json:"transition"`
	Version    int64    `json:"version,omitempty"`
}

func currentKey(t string) ledger.Key {
	return ledger.PolicyCurrent.At(t, "policy")
}

// Current is the policy in force, or ErrNone.
func (b *Book) Current(ctx context.Context, tenantID string) (tenant.Policy, error) {
	b.mu.Lock()
	e, ok := b.known[tenantID]
	b.mu.Unlock()
	if ok && b.Now().Before(e.until) {
		return e.policy, nil
	}
	return b.Fresh(ctx, tenantID)
}

// Fresh is the policy in force, read now.
func (b *Book) Fresh(ctx context.Context, tenantID string) (tenant.Policy, error) {
	if !tenant.ValidName(tenantID) {
		return tenant.Policy{}, ErrNone
	}
	// Before the read: what a slow answer brings is as old as its question.
	until := b.Now().Add(b.Keep)
	it, err := b.Store.Get(ctx, currentKey(tenantID))
	if err != nil {
		return tenant.Policy{}, fmt.Errorf("read the policy of tenant %s: %w", tenantID, err)
	}
	if it == nil {
		return tenant.Policy{}, ErrNone
	}
	p, err := b.parse(tenantID, it)
	if err != nil {
		return tenant.Policy{}, fmt.Errorf("stored policy of tenant %s: %w", tenantID, err)
	}
	return b.remember(p, it.Text("document"), until), nil
}

// parse reads a stored document, or takes what the same text was read as before:
// checking a policy whole costs more than everything else in a claim.
func (b *Book) parse(tenantID string, it ledger.Item) (tenant.Policy, error) {
	b.mu.Lock()
	e, ok := b.known[tenantID]
	b.mu.Unlock()
	if ok && e.document == it.Text("document") {
		return e.policy, nil
	}
	return stored(it)
}

func stored(it ledger.Item) (tenant.Policy, error) {
	var r row
	if err := it.Decode(&r); err != nil {
		return tenant.Policy{}, err
	}
	p, err := tenant.Stored([]byte(r.Document))
	if err != nil {
		return tenant.Policy{}, err
	}
	return p.WithFormer(r.Sent), nil
}

// remember keeps the policy and gives the one that is in force as far as this
// book knows. Versions only rise: a read that was overtaken brings none back.
func (b *Book) remember(p tenant.Policy, document string, until time.Time) tenant.Policy {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.known[p.Tenant]; ok && e.policy.Version > p.Version {
		return e.policy
	}
	if b.known == nil {
		b.known = map[string]entry{}
	}
	b.known[p.Tenant] = entry{p, document, until}
	return p
}

// Document is the text of a stored version, or ErrNone; version 0 is the one in
// force.
func (b *Book) Document(ctx context.Context, tenantID string, version int64) ([]byte, error) {
	it, err := b.row(ctx, tenantID, version)
	if err != nil {
		return nil, err
	}
	return []byte(it.Text("document")), nil
}

// Version is a stored version as it was in force, or ErrNone.
func (b *Book) Version(ctx context.Context, tenantID string, version int64) (tenant.Policy, error) {
	it, err := b.row(ctx, tenantID, version)
	if err != nil {
		return tenant.Policy{}, err
	}
	p, err := stored(it)
	if err != nil {
		return p, fmt.Errorf("%w: version %d of tenant %s: %w", ErrUnreadable, version, tenantID, err)
	}
	return p, nil
}

func (b *Book) row(ctx context.Context, tenantID string, version int64) (ledger.Item, error) {
	if !tenant.ValidName(tenantID) {
		return nil, ErrNone
	}
	k := currentKey(tenantID)
	if version != 0 {
		k = ledger.Policy.Under(tenantID, "policy", number(version))
	}
	it, err := b.Store.Get(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read a policy version of tenant %s: %w", tenantID, err)
	}
	if it == nil {
		return nil, ErrNone
	}
	return it, nil
}

// applyTries is how often a document is applied on mail routes that had
// changed.
const applyTries = 4

// Apply puts a document in force: its version is stored and becomes the
// current one in one commit, and its mailboxes become the tenant's in the same.
// A document that is in force already, word for word, is no error and changes
// nothing. Applied at once by two, one wins and
// the other gets ErrStale. A document with a mailbox of another tenant gets
// ErrMailboxTaken.
//
// One that names another identity rule in identity_next begins its migration,
// one that no longer names it ends that, and one that puts it in force needs it
// ready: else it gets ErrNotReady. Any other change of the identity rule gets
// ErrIdentityChanged, and another rule under a known version ErrRuleBound.
func (b *Book) Apply(ctx context.Context, document []byte, by string) (tenant.Policy, error) {
	if len(document) > MaxBytes {
		return tenant.Policy{}, fmt.Errorf("policy document of %d bytes: at most %d", len(document), MaxBytes)
	}
	p, err := tenant.Parse(document)
	if err != nil {
		return tenant.Policy{}, err
	}
	for try := 1; ; try++ {
		err := b.apply(ctx, p, document, by)
		switch {
		case err == nil:
			return p, nil
		case !errors.Is(err, errRoutesMoved) && !errors.Is(err, errRuleMoved):
			return tenant.Policy{}, err
		case try == applyTries:
			return tenant.Policy{}, fmt.Errorf("apply policy version %d of tenant %s: %w", p.Version, p.Tenant, err)
		}
	}
}

// errRoutesMoved says that another tenant's policy took or let go of a mailbox
// between the read and the commit.
var errRoutesMoved = errors.New("versions: the mail routes were changed meanwhile")

func (b *Book) apply(ctx context.Context, p tenant.Policy, document []byte, by string) error {
	until := b.Now().Add(b.Keep)
	current, err := b.Store.Get(ctx, currentKey(p.Tenant))
	if err != nil {
		return fmt.Errorf("read the policy of tenant %s: %w", p.Tenant, err)
	}
	if current != nil && current.Text("document") == string(document) {
		return nil
	}
	if current != nil && p.Version <= current.Int("policy_version") {
		return fmt.Errorf("%w: version %d is in force", ErrStale, current.Int("policy_version"))
	}
	var before tenant.Policy
	if current != nil {
		before, err = stored(current)
		if err != nil {
			return fmt.Errorf("stored policy of tenant %s: %w", p.Tenant, err)
		}
	}
	p = p.After(before)
	c, err := b.applyCommit(current, p, document, by)
	if err != nil {
		return err
	}
	old := &before
	if current == nil {
		old = nil
	}
	if err := b.identity(ctx, &c, old, p, by); err != nil {
		return err
	}
	if err := b.routes(ctx, &c, before, p); err != nil {
		return err
	}
	err = b.Store.Commit(ctx, c)
	if r, refused := ledger.AsRefused(err); refused {
		if _, stale := r.By("policy"); stale {
			return ErrStale
		}
		if _, moved := r.By("route"); moved {
			return errRoutesMoved
		}
		if _, moved := r.By("identity_migration"); moved {
			return errRuleMoved
		}
		return ErrStale
	}
	if err != nil {
		return fmt.Errorf("apply policy version %d of tenant %s: %w", p.Version, p.Tenant, err)
	}
	b.remember(p, string(document), until)
	return nil
}

func (b *Book) applyCommit(current ledger.Item, p tenant.Policy, document []byte, by string) (ledger.Commit, error) {
	now := utc.At(b.Now())
	r := row{Tenant: p.Tenant, Number: p.Version, Document: string(document), Sent: p.Former(), AppliedAt: now, AppliedBy: by, Transition: 1}
	step := ledger.Step{
		Name: "policy", Key: currentKey(p.Tenant), Event: "apply", Transition: current.Int(machine.TransitionAttr),
		Audit: audit.Record{At: now, By: by, Details: map[string]string{"policy_version": strconv.FormatInt(p.Version, 10)}},
	}
	var c ledger.Commit
	k := ledger.Policy.Under(p.Tenant, "policy", number(p.Version))
	if err := c.Create("policy_version", k, r); err != nil {
		return c, err
	}
	if current == nil {
		return c, c.Insert(step, r, "")
	}
	step.Set = ledger.Item{"policy_version": p.Version, "document": string(document), "sent": p.Former(), "applied_at": now, "applied_by": by}
	_, err := c.Move(step)
	return c, err
}

func number(v int64) string { return fmt.Sprintf("%08d", v) }
