package extracttest_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"onefold/internal/extract/extracttest"
)

// dealt are the cases that take part in the making of the halves: those that
// were there then.
func dealt(t *testing.T) []extracttest.Case {
	t.Helper()
	set := files(t)
	return slices.DeleteFunc(load(t), func(c extracttest.Case) bool {
		text, err := fs.ReadFile(set, path.Join(string(c.Half), c.Meaning, c.ID+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "-- mail --")
		later := strings.Contains(head, "\nadded: ")
		if later && c.Half == extracttest.Aside {
			t.Errorf("%s was added to the half set aside", c.ID)
		}
		return later
	})
}

func TestHalvesAreDealtByTheStatedRule(t *testing.T) {
	t.Parallel()
	cases := dealt(t)
	often, attacks := map[string]int{}, map[string][]string{}
	for _, c := range cases {
		for _, tag := range c.Labels.Tags {
			often[tag]++
		}
		if c.Labels.Twin != "" {
			attacks[c.Labels.Twin] = append(attacks[c.Labels.Twin], c.Labels.Tags...)
		}
	}
	lead := func(c extracttest.Case) string {
		tags := attacks[c.ID]
		if len(tags) == 0 {
			tags = c.Labels.Tags
		}
		return slices.MinFunc(tags, func(a, b string) int { return cmp.Or(cmp.Compare(often[a], often[b]), strings.Compare(a, b)) })
	}
	groups := slices.DeleteFunc(cases, func(c extracttest.Case) bool { return c.Labels.Twin != "" })
	slices.SortFunc(groups, func(a, b extracttest.Case) int {
		x, y := sha256.Sum256([]byte(a.ID)), sha256.Sum256([]byte(b.ID))
		return cmp.Or(strings.Compare(lead(a), lead(b)), slices.Compare(x[:], y[:]))
	})
	has := map[extracttest.Half]map[string]int{extracttest.Open: {}, extracttest.Aside: {}}
	for _, c := range groups {
		keys := []string{"lead " + lead(c), "language " + c.Labels.Language, "all"}
		want := extracttest.Open
		for _, k := range keys {
			if has[extracttest.Open][k] != has[extracttest.Aside][k] {
				if has[extracttest.Aside][k] < has[extracttest.Open][k] {
					want = extracttest.Aside
				}
				break
			}
		}
		for _, k := range keys {
			has[want][k]++
		}
		if c.Half != want {
			t.Errorf("%s is in %s, dealt to %s", c.ID, c.Half, want)
		}
	}
}

// lock is the SHA-256 of the list itself, as it was when the halves were made.
const lock = "30b64a72197a20dfc86a23fdfb6f42791f775d18ce4ea4576b2dcea334f99167"

func TestAsideHalfIsWhatWasLocked(t *testing.T) {
	t.Parallel()
	set := files(t)
	list, err := fs.ReadFile(set, "aside.sha256")
	if err != nil {
		t.Fatal(err)
	}
	whole := sha256.Sum256([]byte(strings.ReplaceAll(string(list), "\r\n", "\n")))
	if hex.EncodeToString(whole[:]) != lock {
		t.Error("the list of the half set aside was changed")
	}
	locked := map[string]string{}
	for line := range strings.Lines(string(list)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		locked[name] = hash
	}
	names, err := fs.Glob(set, "aside/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(set, name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(strings.ReplaceAll(string(text), "\r\n", "\n")))
		if hex.EncodeToString(sum[:]) != locked[name] {
			t.Errorf("%s was changed or added", name)
		}
		delete(locked, name)
	}
	for _, name := range slices.Sorted(maps.Keys(locked)) {
		t.Errorf("%s is gone", name)
	}
}
