package importrule

import "testing"

func TestAPatternFitsWholeSegmentsOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"internal/utc", "internal/utc", true},
		{"internal/utc", "internal/utc/deep", false},
		{"internal/utc", "internal/utcx", false},
		{"internal/utc", "internal", false},
		{"internal/*", "internal/utc", true},
		{"internal/*", "internal", false},
		{"internal/*", "internal/a/b", false},
		{"internal/*/x", "internal/a/x", true},
		{"internal/*/x", "internal/a/y", false},
		{"internal/**", "internal", true},
		{"internal/**", "internal/a", true},
		{"internal/**", "internal/a/b/c", true},
		{"internal/**", "internals/a", false},
		{"internal/*/**", "internal", false},
		{"internal/*/**", "internal/a", true},
		{"internal/*/**", "internal/a/b", true},
		{"os/**", "os", true},
		{"os/**", "os/exec", true},
		{"os", "os/exec", false},
		{"**", "anything/at/all", true},
		{"**", "", true},
		{"*", "", false},
		{"", "", true},
		{"", "internal", false},
	}
	for _, test := range tests {
		if got := match(test.pattern, test.path); got != test.want {
			t.Errorf("match(%q, %q) = %v, want %v", test.pattern, test.path, got, test.want)
		}
	}
}

func TestAUnitIsTheSameLeadingSegments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		n    int
		want bool
	}{
		{"internal/crm/hubspot", "internal/crm/hubspot/wire", 3, true},
		{"internal/crm/hubspot/wire", "internal/crm/hubspot", 3, true},
		{"internal/crm/hubspot", "internal/crm/other", 3, false},
		{"internal/crm/hubspot", "internal/crm", 3, false},
		{"internal/crm", "internal/crm", 0, false},
		{"infra", "infra/deep", 1, true},
	}
	for _, test := range tests {
		if got := sameUnit(test.a, test.b, test.n); got != test.want {
			t.Errorf("sameUnit(%q, %q, %d) = %v, want %v", test.a, test.b, test.n, got, test.want)
		}
	}
}
