package tenant

// MaxNameBytes is the most that a tenant's, endpoint's or rule's name may
// have.
const MaxNameBytes = 40

// ValidName tells whether a word may name a tenant, an endpoint or a rule:
// a-z, 0-9 and '-', 1 to 40 bytes, beginning with a letter or digit.
func ValidName(s string) bool {
	if s == "" || len(s) > MaxNameBytes || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
