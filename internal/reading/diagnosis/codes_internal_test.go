package diagnosis

import (
	"slices"
	"testing"
)

func TestCodesAreReadWhereTheyAreCodes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		enhanced []string
		reply    string
	}{
		"550 5.1.1 User unknown":         {[]string{"5.1.1"}, "550"},
		"smtp; 550-5.7.26 blocked":       {[]string{"5.7.26"}, "550"},
		"(#5.1.0)":                       {[]string{"5.1.0"}, ""},
		"4.2.2 and 5.2.2.":               {[]string{"4.2.2", "5.2.2"}, ""},
		"192.5.1.1 and 5.1.1.9 5.1.1234": {nil, ""},
		"15.1.1 3.1.1 5.1 5..1":          {nil, ""},
		"said: 421, later":               {nil, "421"},
		"1550 5500 x550 550":             {nil, "550"},
		"port 465":                       {nil, "465"},
		"":                               {nil, ""},
	} {
		if got := enhancedCodes(text, 9); !slices.Equal(got, want.enhanced) {
			t.Errorf("%q: %v, want %v", text, got, want.enhanced)
		}
		if got := replyCode(text); got != want.reply {
			t.Errorf("%q: %q, want %q", text, got, want.reply)
		}
	}
}
