// Package phrases looks for sentences in a text.
//
// Its invariant: In finds what the pattern finds, at a fraction of its cost where
// there is nothing.
package phrases

import (
	"regexp"
	"strings"
)

// Phrases looks for any of many sentences in a text of lower case. The pattern
// tells what counts; anchors are pieces of which every match holds one. Most of
// a text holds none, and is passed over at a fraction of the pattern's cost.
type Phrases struct {
	Pattern *regexp.Regexp
	Anchors []string
	pairs   [1 << 16 / 64]uint64 // a bit for the first two bytes of each anchor
}

// Lowered is a text as Phrases take it.
func Lowered(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "\u2019", "'")
}

// New makes them: a match of pattern is at most chunk bytes long, and the pattern
// holds neither ^ nor $.
func New(pattern string, anchors ...string) *Phrases {
	p := &Phrases{Pattern: regexp.MustCompile(pattern), Anchors: anchors}
	for _, a := range anchors {
		n := pairOf(a)
		p.pairs[n/64] |= 1 << (n % 64)
	}
	return p
}

// chunk is how long a match can be, in bytes.
const chunk = 512

func pairOf(s string) uint { return uint(s[0])<<8 | uint(s[1]) }

// In tells whether one of the sentences stands in a text.
func (p *Phrases) In(lower string) bool {
	for at := 0; ; {
		hit := p.Next(lower, at)
		if hit < 0 {
			return false
		}
		begin, end := max(0, hit-chunk), min(len(lower), hit+3*chunk)
		// Cut between words, or the cut would count as one's edge.
		if sp := strings.LastIndexAny(lower[max(0, begin-chunk):begin], " \n"); sp >= 0 {
			begin = max(0, begin-chunk) + sp + 1
		}
		if sp := strings.IndexAny(lower[end:min(len(lower), end+chunk)], " \n"); sp >= 0 {
			end += sp
		}
		if p.Pattern.MatchString(lower[begin:end]) {
			return true
		}
		// Of an anchor nearer to the end a match might not have been seen whole.
		at = end - chunk
		if end == len(lower) {
			return false
		}
	}
}

// Next is where the next anchor stands, -1 for nowhere.
func (p *Phrases) Next(lower string, at int) int {
	for ; at+1 < len(lower); at++ {
		n := pairOf(lower[at:])
		if p.pairs[n/64]&(1<<(n%64)) == 0 {
			continue
		}
		for _, a := range p.Anchors {
			if strings.HasPrefix(lower[at:], a) {
				return at
			}
		}
	}
	return -1
}
