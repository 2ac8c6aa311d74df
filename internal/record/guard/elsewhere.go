package guard

// Of another address of the same person.
const (
	OptedOutElsewhere = "opted_out_elsewhere" // the person wants no mail, and said so at that address
	InDoubt           = "opt_out_in_doubt"
)

// BlocksElsewhere says what in the guard of one address forbids mail of a scope
// to the person's other addresses: the person's own wish, or a doubt whether it
// is one. A bounce forbids nothing there, nor does an erasure.
func BlocksElsewhere(attrs map[string]any, scope string) string {
	if IsWish(attrs, scope) {
		return OptedOutElsewhere
	}
	if v, _ := attrs[HoldAttr].(string); v != "" {
		return InDoubt
	}
	return ""
}

// IsWish tells whether a stop of the scope stands by anything but a bounce. A
// stop whose reason is not known counts: when in doubt it blocks.
func IsWish(attrs map[string]any, scope string) bool {
	if reason, _ := attrs[ReasonAttr].(string); reason == ReasonBounce {
		return false
	}
	all, _ := attrs[StopAttr(ScopeAll)].(string)
	own, _ := attrs[StopAttr(scope)].(string)
	return all+own != ""
}
