package tenant

import "fmt"

// SameAs tells whether two rules take the same addresses for one person,
// whatever their versions are.
func (i Identity) SameAs(other Identity) bool {
	i.Version = other.Version
	return i == other
}

// NextVersion is the version of the identity rule that is being migrated to; 0
// when none is.
func (p Policy) NextVersion() int64 {
	if p.IdentityNext == nil {
		return 0
	}
	return p.IdentityNext.Version
}

// Activates tells whether after is what ends the migration of before: the rule
// that it migrated to is in force, and there is no further one.
func Activates(before, after Policy) bool {
	return before.IdentityNext != nil && after.Identity == *before.IdentityNext && after.IdentityNext == nil
}

// sameNext tells whether both migrate to the same rule, or both to none.
func sameNext(before, after Policy) bool {
	if before.IdentityNext == nil || after.IdentityNext == nil {
		return before.IdentityNext == after.IdentityNext
	}
	return *before.IdentityNext == *after.IdentityNext
}

func checkNext(p Policy, found *problems) {
	next := p.IdentityNext
	if next == nil || next.Version == 0 {
		return
	}
	if next.Version <= p.Identity.Version {
		found.add(fmt.Sprintf("must be above the version of identity, which is %d: a rule that was in force is not come back to, its settings may be", p.Identity.Version), "identity_next", "version")
	}
	if next.SameAs(p.Identity) {
		found.add("has the settings of identity: change keep_local_case, fold_dots or fold_plus, or leave it out", "identity_next")
	}
}

// ruleWarnings says what a change of the identity rule leads to, or why it is
// refused.
func ruleWarnings(before, after Policy) []string {
	var lines []string
	was, now := before.NextVersion(), after.NextVersion()
	switch {
	case Activates(before, after):
		return []string{fmt.Sprintf("warning: identity rule %d comes into force: applied only when its migration is ready (`onefold policy migrate`)", was)}
	case before.Identity != after.Identity:
		lines = append(lines, fmt.Sprintf("warning: the identity rule changes, so this cannot be applied: keep identity as it is and put the new rule into identity_next, with a version above %d: that begins its migration", before.Identity.Version))
	}
	if sameNext(before, after) {
		return lines
	}
	if was != 0 {
		lines = append(lines, fmt.Sprintf("warning: the migration to identity rule %d ends without it: the keys that it added stay and mean nothing", was))
	}
	if now != 0 {
		lines = append(lines, fmt.Sprintf("warning: a migration to identity rule %d begins: from now on both forms of each key are read and put; `onefold policy migrate` adds those that are missing", now))
	}
	return lines
}
