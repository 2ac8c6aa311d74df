package rekey

import (
	"context"

	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

// Report is how far a tenant's migration is. Names and meanings of its JSON are
// stable; properties may be added.
type Report struct {
	Tenant  string `json:"tenant"`
	InForce int64  `json:"rule_in_force"`
	Rule    int64  `json:"rule_next"` // 0: no migration
	State   string `json:"state"`     // StateNone, or of contact.Migration
	Ready   bool   `json:"ready"`     // policy apply may put the next rule in force

	StartedAt utc.Time `json:"started_at,omitzero"`
	// SettledAt is from when on no process works under an older policy.
	SettledAt utc.Time `json:"settled_at,omitzero"`
	Settled   bool     `json:"settled"`

	Pass       int64    `json:"pass"`
	Keys       int64    `json:"keys"`       // of the rule in force, as the last pass has counted
	Added      int64    `json:"keys_added"` // of the next one
	Collisions []string `json:"collisions"` // tasks that wait for a person, those of a migration that was broken off too

	// Narrower tells that the next rule keeps apart what the one in force takes
	// for one person.
	Narrower bool `json:"narrower"`
}

// StateNone is the state of a tenant that migrates to no rule.
const StateNone = "none"

// State reports, and changes nothing. Errors are versions.ErrNone and those
// of the ledger.
func (s *Service) State(ctx context.Context, tenantID string) (Report, error) {
	p, err := s.Policies.Fresh(ctx, tenantID)
	if err != nil {
		return Report{}, err
	}
	rep := Report{Tenant: tenantID, InForce: p.Identity.Version, State: StateNone, Collisions: []string{}}
	tasks, err := s.collisions(ctx, tenantID)
	if err != nil {
		return rep, err
	}
	for _, t := range tasks {
		rep.Collisions = append(rep.Collisions, t.ID)
	}
	if p.IdentityNext == nil {
		return rep, nil
	}
	m, err := s.migration(ctx, p)
	if err != nil {
		return rep, err
	}
	rep.Rule, rep.State, rep.Ready = m.Rule, m.State, m.State == contact.MigrationReady
	rep.StartedAt, rep.SettledAt = m.StartedAt, s.settled(m)
	rep.Settled = !rep.SettledAt.After(utc.At(s.Now()))
	rep.Pass, rep.Keys, rep.Added = m.Pass, m.Seen, m.Added
	rep.Narrower = narrower(p.Identity, *p.IdentityNext)
	return rep, nil
}

// narrower tells whether there are addresses that are one person under the rule
// in force and two under the next.
func narrower(now, next tenant.Identity) bool {
	return !now.KeepLocalCase && next.KeepLocalCase || now.FoldDots && !next.FoldDots || now.FoldPlus && !next.FoldPlus
}
