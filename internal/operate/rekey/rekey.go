// Package rekey migrates a tenant's identity rule: it gives every contact key its
// form under the rule that is to come into force. The keys come first, then the
// rule.
//
// Its invariant: a key is only ever added, where nobody has it, and leads to the
// same contact as the key that it is another form of. Where two contacts would be
// one under the next rule, it asks a person. It says that
// a migration is ready only after a whole pass, begun when no process could know
// an older policy any more, that found nothing to add and nobody in the way.
//
// A run may end anywhere, and the next one goes on where it was. Two at once
// harm nothing: one of them is told.
//
// It puts no rule in force (versions.Apply does), merges nobody, and deletes
// no key: those of a migration that was broken off are of a namespace that
// nothing reads.
package rekey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

var (
	// ErrNone means that the policy in force names no rule to migrate to.
	ErrNone = errors.New("rekey: no migration is under way")
	// ErrNotSettled means that a process may still work under the policy before,
	// and put keys in one form alone. Report.SettledAt says until when to wait.
	ErrNotSettled = errors.New("rekey: not every process knows the policy yet")
	// ErrElsewhere means that somebody else moved the migration meanwhile: another
	// run, or a policy that was applied. Whoever runs it looks again.
	ErrElsewhere = errors.New("rekey: the migration was moved by somebody else")
)

// Service migrates. All fields are needed but for Told.
type Service struct {
	Store    ledger.Store
	Policies *versions.Book
	IDs      digest.Key
	Now      func() time.Time
	By       string // "person:" and who
	// Settle is how long after a policy was applied a process may still work
	// under the one before: as long as it remembers that, and as long as it may
	// run with it, and what clocks may differ by.
	Settle time.Duration
	// Told hears how far a pass is, after each page; nil: nobody does.
	Told func(contact.Migration)
}

// segments is into how many parts a new pass cuts the ledger, and page how many
// rows are read at once: what a run that dies does again.
const (
	segments = 8
	page     = 200
)

// maxPasses bounds the passes of one run. Each but the last adds what the one
// before did not see, which is nothing unless somebody adds keys past flow.
const maxPasses = 5

// Run brings the tenant's migration as far as it goes. The report is good with
// any error; with none, its State says whether it is ready, and what is in the
// way if it is not. Errors besides those above are of the ledger: run it again.
func (s *Service) Run(ctx context.Context, tenantID string) (Report, error) {
	p, err := s.Policies.Fresh(ctx, tenantID)
	if err != nil {
		return Report{}, err
	}
	err = s.run(ctx, p)
	rep, readErr := s.State(ctx, tenantID)
	return rep, errors.Join(err, readErr)
}

func (s *Service) run(ctx context.Context, p tenant.Policy) error {
	if p.IdentityNext == nil {
		return errors.Join(ErrNone, s.closeIdle(ctx, p))
	}
	w := &work{Service: s, p: p}
	var err error
	if w.m, err = s.migration(ctx, p); err != nil {
		return err
	}
	if s.settled(w.m).After(utc.At(s.Now())) {
		return ErrNotSettled
	}
	if err := w.open(ctx); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if err := w.pass(ctx); err != nil {
			return err
		}
		if err := s.closeIdle(ctx, p); err != nil {
			return err
		}
		switch {
		case w.m.Missing == 0 && w.m.Collisions == 0:
			return w.finish(ctx)
		case w.m.Missing == 0 || n == maxPasses:
			return nil
		}
		if err := w.again(ctx); err != nil {
			return err
		}
	}
}

// migration is the row of the rule that the policy names, which the commit that
// put the policy in force made.
func (s *Service) migration(ctx context.Context, p tenant.Policy) (contact.Migration, error) {
	m, ok, err := s.Policies.Migration(ctx, p.Tenant, p.NextVersion())
	if err == nil && !ok {
		err = fmt.Errorf("tenant %s: the migration to identity rule %d has no row", p.Tenant, p.NextVersion())
	}
	return m, err
}

func (s *Service) settled(m contact.Migration) utc.Time { return m.StartedAt.Add(s.Settle) }

// work is one run.
type work struct {
	*Service
	p tenant.Policy
	m contact.Migration
}

func (w *work) key() ledger.Key { return versions.MigrationKey(w.p.Tenant, w.m.Rule) }

// open makes a pass that this run can go on with: one that was left half way,
// or a new one.
func (w *work) open(ctx context.Context) error {
	if w.m.State != contact.MigrationAdding {
		return w.move(ctx, contact.MigrationBegin, fresh(w.m), nil)
	}
	if w.m.Segment < w.m.Segments {
		return nil
	}
	return w.again(ctx)
}

// again begins another pass.
func (w *work) again(ctx context.Context) error { return w.save(ctx, fresh(w.m)) }

func fresh(m contact.Migration) ledger.Item {
	set := contact.Migration{Pass: m.Pass + 1}.PassAttrs()
	set["segments"] = segments
	return set
}

func (w *work) finish(ctx context.Context) error {
	// On the counts as they are: a run beside this one may have found more.
	return w.move(ctx, contact.MigrationFinish, ledger.Item{"ready_at": utc.At(w.Now()), "keys": w.m.Seen},
		map[string]string{"keys": fmt.Sprint(w.m.Seen), "added": fmt.Sprint(w.m.Added)})
}

func (w *work) move(ctx context.Context, event string, set ledger.Item, details map[string]string) error {
	var c ledger.Commit
	_, err := c.Move(ledger.Step{
		Key: w.key(), Machine: contact.MigrationMachine(), From: w.m.State, Transition: w.m.Transition, Event: event,
		If: ledger.AtVersion(w.m.Version), Set: set, Audit: audit.Record{At: utc.At(w.Now()), By: w.By, Details: details},
	})
	if err != nil {
		return err
	}
	return w.commit(ctx, c)
}

// save notes how far the pass is. It is no transition.
func (w *work) save(ctx context.Context, set ledger.Item) error {
	var c ledger.Commit
	cond := ledger.All(ledger.AtVersion(w.m.Version), ledger.Is(machine.StateAttr, contact.MigrationAdding))
	if err := c.Update("migration", w.key(), cond, set); err != nil {
		return err
	}
	return w.commit(ctx, c)
}

// commit writes the migration's row and reads it again. A write whose answer was
// lost shows by what the row says then; the next run goes on from there.
func (w *work) commit(ctx context.Context, c ledger.Commit) error {
	err := w.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return ErrElsewhere
	}
	if err != nil {
		return fmt.Errorf("write the migration of tenant %s to identity rule %d: %w", w.p.Tenant, w.m.Rule, err)
	}
	w.m, err = w.migration(ctx, w.p)
	return err
}
