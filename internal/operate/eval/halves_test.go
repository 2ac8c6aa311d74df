package eval_test

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

	"onefold/internal/operate/eval"
)

// added is the date at which a case was added, or "" of those that were there
// when the halves were made.
func added(t *testing.T, set fs.FS, c eval.Case) string {
	t.Helper()
	text, err := fs.ReadFile(set, path.Join(string(c.Half), c.Meaning, c.ID+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "-- mail --")
	_, after, _ := strings.Cut(head, "\nadded: ")
	date, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(date)
}

// dealt are the cases that take part in the making of the halves: those that
// were there then.
func dealt(t *testing.T) []eval.Case {
	t.Helper()
	set := files(t)
	return slices.DeleteFunc(load(t), func(c eval.Case) bool { return added(t, set, c) != "" })
}

// A lot that is added later is dealt by the IDs alone, a single case is open.
func TestLaterLotsAreDealtByTheStatedRule(t *testing.T) {
	t.Parallel()
	set := files(t)
	for _, c := range load(t) {
		date, want := added(t, set, c), eval.Open
		if date == "" {
			continue
		}
		if sum := sha256.Sum256([]byte(c.ID)); locks[lotList(date)] != "" && sum[0] >= 0x80 {
			want = eval.Aside
		}
		if c.Half != want {
			t.Errorf("%s is in %s, dealt to %s", c.ID, c.Half, want)
		}
	}
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
	lead := func(c eval.Case) string {
		tags := attacks[c.ID]
		if len(tags) == 0 {
			tags = c.Labels.Tags
		}
		return slices.MinFunc(tags, func(a, b string) int { return cmp.Or(cmp.Compare(often[a], often[b]), strings.Compare(a, b)) })
	}
	groups := slices.DeleteFunc(cases, func(c eval.Case) bool { return c.Labels.Twin != "" })
	slices.SortFunc(groups, func(a, b eval.Case) int {
		x, y := sha256.Sum256([]byte(a.ID)), sha256.Sum256([]byte(b.ID))
		return cmp.Or(strings.Compare(lead(a), lead(b)), slices.Compare(x[:], y[:]))
	})
	has := map[eval.Half]map[string]int{eval.Open: {}, eval.Aside: {}}
	for _, c := range groups {
		keys := []string{"lead " + lead(c), "language " + c.Labels.Language, "all"}
		want := eval.Open
		for _, k := range keys {
			if has[eval.Open][k] != has[eval.Aside][k] {
				if has[eval.Aside][k] < has[eval.Open][k] {
					want = eval.Aside
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

// locks are the SHA-256 of the lists themselves, as they were when the halves
// were made and when each later lot was dealt.
var locks = map[string]string{
	"aside.sha256":            "30b64a72197a20dfc86a23fdfb6f42791f775d18ce4ea4576b2dcea334f99167",
	"aside-2026-11-29.sha256": "e286767abc633220249bbc095b621fa269033a252936d730e54c1cbc37d444e4",
}

// lotList names the list of a later lot's half set aside.
func lotList(date string) string { return "aside-" + date + ".sha256" }

func TestAsideHalfIsWhatWasLocked(t *testing.T) {
	t.Parallel()
	set := files(t)
	locked := map[string]string{}
	for file, lock := range locks {
		list, err := fs.ReadFile(set, file)
		if err != nil {
			t.Fatal(err)
		}
		whole := sha256.Sum256([]byte(strings.ReplaceAll(string(list), "\r\n", "\n")))
		if hex.EncodeToString(whole[:]) != lock {
			t.Errorf("%s, a list of the half set aside, was changed", file)
		}
		for line := range strings.Lines(string(list)) {
			hash, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			locked[name] = hash
		}
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
