package whatif

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader"
)

// policy is a version as it was in force, or nil.
func (n *run) policy(ctx context.Context, version int64) (*tenant.Policy, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p, known := n.policies[version]; known {
		return p, nil
	}
	p, err := n.Policies.Version(ctx, n.o.Policy.Tenant, version)
	if err != nil && !errors.Is(err, versions.ErrNone) && !errors.Is(err, versions.ErrUnreadable) {
		return nil, err
	}
	var found *tenant.Policy
	if err == nil {
		found = &p
	}
	n.policies[version] = found
	return found, nil
}

// answer is the stored answer that the decision stood on; nil, true where it
// stood on none. The ends of keys that were met before are tried first: there is
// one for each reader and prompt, and they are few.
func (j *job) answer(ctx context.Context) (x *reader.Stored, found bool, err error) {
	if j.kept.Answer == "" {
		return nil, true, nil
	}
	if subs := j.known(); len(subs) > 0 {
		keys := make([]ledger.Key, len(subs))
		for i, sub := range subs {
			keys[i] = ledger.Extraction.Under(j.e.Tenant, j.e.ID, sub)
		}
		items, err := j.Store.GetMany(ctx, keys)
		if err != nil {
			return nil, false, fmt.Errorf("read the answers to event %s: %w", decide.LogID(j.e.Tenant, j.e.ID), err)
		}
		if x := j.among(items); x != nil {
			return x, true, nil
		}
	}
	for cursor := ""; ; {
		page, err := j.Store.List(ctx, ledger.Extraction.At(j.e.Tenant, j.e.ID), cursor, pageSize)
		if err != nil {
			return nil, false, fmt.Errorf("read the answers to event %s: %w", decide.LogID(j.e.Tenant, j.e.ID), err)
		}
		for _, it := range page.Items {
			j.learn(ledger.KeyOf(it).Sub)
		}
		if x := j.among(page.Items); x != nil || page.Next == "" {
			return x, x != nil, nil
		}
		cursor = page.Next
	}
}

func (j *job) among(items []ledger.Item) *reader.Stored {
	for _, it := range items {
		x := new(reader.Stored)
		if it != nil && it.Decode(x) == nil && decide.AnswerDigest(*x) == j.kept.Answer {
			return x
		}
	}
	return nil
}

// maxReaders bounds how many keys are tried at once.
const maxReaders = 20

func (n *run) known() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.readers)
}

func (n *run) learn(sub string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.readers) < maxReaders && !slices.Contains(n.readers, sub) {
		n.readers = append(n.readers, sub)
	}
}
