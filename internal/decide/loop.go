package decide

import (
	"slices"
	"time"

	"onefold/internal/address"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/schema"
)

// ReasonLoop sends an event to review since as many follow-ups were made as
// the policy's limits allow. A person who approves gets that one made.
const ReasonLoop = "loop_suspected"

// capKept is how long the count of a domain's day is kept after it.
const capKept = 7 * 24 * time.Hour

// Cap is one bound on how many follow-ups are made. A machine may write under
// another name each time: then no guard, slot or quiet period knows it again,
// but its thread and its domain do.
type Cap struct {
	ID    string // keyed hash: neither thread nor domain can be read from it
	Limit int64
	Until time.Time // kept so long; zero: for good
}

// CapsOf lists the bounds that a follow-up to this person would count against.
func CapsOf(ids digest.Key, policy tenant.Policy, f content.Facts, p Person, now time.Time) []Cap {
	var caps []Cap
	if root := threadRoot(f); root != "" {
		caps = append(caps, Cap{ID: ids.ID("loop_thread", policy.Tenant, root), Limit: policy.Limits.PerThread})
	}
	if p.Known() && !address.IsFreeMail(p.Address.Domain) {
		day := now.UTC().Truncate(24 * time.Hour)
		caps = append(caps, Cap{
			ID:    ids.ID("loop_domain", policy.Tenant, p.Address.Domain, day.Format(time.DateOnly)),
			Limit: policy.Limits.PerDomainDay, Until: day.Add(24*time.Hour + capKept),
		})
	}
	return caps
}

// capKey is where the count of a bound stands.
func capKey(tenantID string, c Cap) ledger.Key {
	return ledger.LoopCap.At(tenantID, c.ID)
}

// threadRoot is the Message-ID that a mail's thread began with, as far as the
// mail says so (RFC 5322 section 3.6.4); "" of what is no mail.
func threadRoot(f content.Facts) string {
	for _, id := range slices.Concat(f.References, f.InReplyTo) {
		return id
	}
	return f.MessageID
}

func (b *builder) caps() []Cap {
	return CapsOf(b.ids, b.g.Policy, b.g.Facts, b.g.Person, b.g.Now.Std())
}

// seenCap is the count of bound n as it was read.
func (b *builder) seenCap(n int) ledger.Item {
	if n < len(b.g.Seen.Caps) {
		return b.g.Seen.Caps[n]
	}
	return nil
}

// loopSuspected tells whether one more follow-up would be beyond a bound, and
// no person has said that it is to be made all the same.
func (b *builder) loopSuspected() bool {
	for n, c := range b.caps() {
		if b.seenCap(n).Int("count") >= c.Limit {
			return !b.settled(ReasonLoop)
		}
	}
	return false
}

// countFollowUp counts an intent against its bounds, on the counts as they were
// read: of two that are made at once, one is decided again.
func (b *builder) countFollowUp() error {
	for n, c := range b.caps() {
		k, seen := capKey(b.tenant(), c), b.seenCap(n)
		if seen != nil {
			if err := b.c.Update("loop_cap", k, ledger.AtVersion(seen.Version()), ledger.Item{"count": seen.Int("count") + 1}); err != nil {
				return err
			}
			continue
		}
		it := ledger.Item{"tenant": b.tenant(), "count": int64(1)}
		if !c.Until.IsZero() {
			it[schema.ExpiresAt] = c.Until.Unix()
		}
		if err := b.c.Create("loop_cap", k, it); err != nil {
			return err
		}
	}
	return nil
}
