package match_test

import (
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
	"pgregory.net/rapid"

	"onefold/internal/decide/match"
	"onefold/internal/policy/tenant"
)

// TestReading07EqualValuesInOtherSpellings are equal, either way round.
func TestReading07EqualValuesInOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field, a, b, region string
		same                bool
	}{
		{"name", "Robin", "Robin Reed", "", true},
		{"name", "robin  REED", "Robin Reed", "", true},
		{"name", "Reed, Robin", "Robin Reed", "", true},
		{"name", "REED Robin", "Robin Reed", "", true},
		{"name", "R. Reed", "Robin Reed", "", true},
		{"name", "Robin A. Reed", "Robin Reed", "", true},
		{"name", "Ana Garcia", "Ana García López", "", true},
		{"name", "И. Петров", "Иван Петров", "", true},
		{"name", "Anne-Marie O'Neill", "Anne Marie O’Neill", "", true},
		{"name", "Robin Reed", "Robin Rowe", "", false},
		{"name", "Robin Reed", "Rachel Reed", "", false},
		{"name", "Reed", "Robin Reed", "", false},
		{"name", "Rob", "Robin Reed", "", false},
		{"name", "A. Reed", "Robin Reed", "", false},
		{"name", "", "Robin Reed", "", false},
		{"name", "山田太郎", "山田花子", "", false},

		{"company", "Reed Ltd", "Reed Limited", "", true},
		{"company", "Reed Ltd.", "REED, LTD", "", true},
		{"company", "Acme, Inc.", "Acme Incorporated", "", true},
		{"company", "Acme Corp", "Acme Corporation", "", true},
		{"company", "Tea Co.", "Tea Company", "", true},
		{"company", "Reed Co Ltd", "Reed Company Limited", "", true},
		{"company", "Vries B.V.", "Vries BV", "", true},
		{"company", "Vries B. V.", "Vries Besloten Vennootschap", "", true},
		{"company", "Lumière S.A.", "Lumiere SA", "", true},
		{"company", "Reed & Sons plc", "Reed and Sons P.L.C.", "", true},
		{"company", "Weiß GmbH & Co. KG", "WEISS GmbH und Co KG", "", true},
		{"company", "Huber Gesellschaft mit beschränkter Haftung", "Huber GmbH", "", true},
		{"company", "Reed", "Reed Ltd", "", true},
		{"company", "Reed Ltd", "Reed GmbH", "", false},
		{"company", "Reed Ltd", "Reed Co Ltd", "", false},
		{"company", "Reed Ltd", "Rowe Ltd", "", false},
		{"company", "Reed Tools Ltd", "Reed Ltd", "", false},
		{"company", "Limited", "Ltd", "", true},
		{"company", "Limited", "Reed Ltd", "", false},

		{"phone", "+44 20 7946 0000", "+442079460000", "", true},
		{"phone", "+44 (0)20 7946 0000", "0044 20 7946 0000", "", true},
		{"phone", "020 7946 0000", "+442079460000", "GB", true},
		{"phone", "(020) 7946-0000", "020 7946 0000", "GB", true},
		{"phone", "020 7946 0000", "+442079460000", "", true},
		{"phone", "020 7946 0000", "020/79460000", "", true},
		{"phone", "06 1234 5678", "+39 06 1234 5678", "IT", true},
		{"phone", "+49\u202f30\u2009901820", "030 901820", "DE", true},
		{"phone", "020 7946 0000", "+442079460000", "DE", false},
		{"phone", "020 7946 0000", "+31 20 794 6000", "GB", false},
		{"phone", "020 7946 0000", "020 7946 0001", "GB", false},
		{"phone", "+442079460000", "+442079460001", "GB", false},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if same := match.Same(c.field, pair[0], pair[1], c.region); same != c.same {
				t.Errorf("%s %q and %q in %q: same is %v", c.field, pair[0], pair[1], c.region, same)
			}
		}
	}
}

// TestSameIsReflexiveAndSymmetric for whatever a reader may believe.
func TestSameIsReflexiveAndSymmetric(t *testing.T) {
	t.Parallel()
	value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Z][a-z]{0,4}( [A-Z]\.?| Ltd| & Co\.| Limited|, [A-Z][a-z]+){0,3}`), rapid.StringMatching(`(\+44|0|00)[0-9 ()/-]{0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		field, region := rapid.SampledFrom([]string{"name", "company", "phone"}).Draw(t, "field"), rapid.SampledFrom([]string{"", "GB", "US"}).Draw(t, "region")
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		if !match.Same(field, a, a, region) {
			t.Fatalf("%q is not itself", a)
		}
		if match.Same(field, a, b, region) != match.Same(field, b, a, region) {
			t.Fatalf("%q and %q: it depends on which comes first", a, b)
		}
	})
}

// TestReading07ARegionOfAPolicyIsOneThatNumbersHave: of all pairs of letters those
// that the library has, and none such as "UK".
func TestReading07ARegionOfAPolicyIsOneThatNumbersHave(t *testing.T) {
	t.Parallel()
	known := phonenumbers.GetSupportedRegions()
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			region := string([]rune{first, second})
			_, err := tenant.Parse([]byte(strings.Replace(string(tenant.Example()), `"region": "GB"`, `"region": "`+region+`"`, 1)))
			if (err == nil) != known[region] {
				t.Errorf("%s: %v", region, err)
			}
		}
	}
}
