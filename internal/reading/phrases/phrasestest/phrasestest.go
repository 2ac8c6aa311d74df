// Package phrasestest checks that no match of Phrases is passed over.
package phrasestest

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"onefold/internal/reading/phrases"
)

// Anchored fails the test, with an example, if the pattern matches a text that
// holds none of the anchors: In would not see it. It walks the whole automaton of
// the pattern beside that of the anchors, and so leaves nothing to luck. Word
// edges are taken to hold everywhere; an example may therefore be one that only
// looks like a match.
func Anchored(t *testing.T, name string, p *phrases.Phrases) {
	t.Helper()
	if text, found := unanchored(t, p); found {
		t.Errorf("%s: %q matches and holds none of the anchors", name, text)
	}
}

// place is one of the pattern's instructions with the end of what was read, as
// far as an anchor can begin with it.
type place struct {
	pc   uint32
	tail string
}

func unanchored(t *testing.T, p *phrases.Phrases) (string, bool) {
	t.Helper()
	parsed, err := syntax.Parse(p.Pattern.String(), syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		t.Fatal(err)
	}
	var alphabet []rune
	tails := map[string]bool{}
	for _, a := range p.Anchors {
		alphabet = append(alphabet, []rune(a)...)
		for i := range a {
			tails[a[:i]] = true
		}
	}
	slices.Sort(alphabet)
	alphabet = slices.Compact(alphabet)

	type step struct {
		place
		text string
	}
	type reading struct {
		tail string
		r    rune
	}
	type read struct {
		tail     string
		anchored bool
	}
	known := map[reading]read{}
	seen := map[place]bool{}
	next := []step{{place{uint32(prog.Start), ""}, ""}}
	for len(next) > 0 {
		s := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[s.place] {
			continue
		}
		seen[s.place] = true
		in := &prog.Inst[s.pc]
		switch in.Op {
		case syntax.InstMatch:
			return s.text, true
		case syntax.InstFail:
		case syntax.InstAlt, syntax.InstAltMatch:
			next = append(next, step{place{in.Out, s.tail}, s.text}, step{place{in.Arg, s.tail}, s.text})
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			next = append(next, step{place{in.Out, s.tail}, s.text})
		default:
			for _, r := range append(outside(in, alphabet), alphabet...) {
				if !in.MatchRune(r) {
					continue
				}
				to, has := known[reading{s.tail, r}]
				if !has {
					to.tail, to.anchored = endOf(s.tail+string(r), p.Anchors, tails)
					known[reading{s.tail, r}] = to
				}
				if at := (place{in.Out, to.tail}); !to.anchored && !seen[at] {
					next = append(next, step{at, s.text + string(r)})
				}
			}
		}
	}
	return "", false
}

// outside is a rune that the instruction reads and no anchor has: one stands for
// all of them, since the anchors cannot tell them apart.
func outside(in *syntax.Inst, alphabet []rune) []rune {
	if in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL {
		return []rune{'\u2603'}
	}
	for i := 0; i < len(in.Rune); i += 2 {
		last := in.Rune[min(i+1, len(in.Rune)-1)]
		for r := in.Rune[i]; r <= last; r++ {
			if _, has := slices.BinarySearch(alphabet, r); !has {
				return []rune{r}
			}
		}
	}
	return nil
}

// endOf tells whether an anchor ends here, and else which beginning of one does.
func endOf(text string, anchors []string, tails map[string]bool) (tail string, anchored bool) {
	for _, a := range anchors {
		if strings.HasSuffix(text, a) {
			return "", true
		}
	}
	for i := range text {
		if tails[text[i:]] {
			return text[i:], false
		}
	}
	return "", false
}
