package localaws

import "testing"

func TestRingKeepsTheNewestOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		writes []string
		want   string
	}{
		{"nothing", nil, ""},
		{"fits", []string{"ab", "cd\n"}, "abcd"},
		{"exactly full", []string{"abcdefgh"}, "abcdefgh"},
		{"older output goes", []string{"abcdef", "ghij"}, "…cdefghij"},
		{"one write larger than the ring", []string{"abcdefghijkl"}, "…efghijkl"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRing(8)
			for _, w := range test.writes {
				if n, err := r.Write([]byte(w)); n != len(w) || err != nil {
					t.Errorf("Write(%q) = %d, %v", w, n, err)
				}
			}
			if got := r.String(); got != test.want {
				t.Errorf("kept %q, want %q", got, test.want)
			}
		})
	}
}
