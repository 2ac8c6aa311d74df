package wish

import (
	"regexp"
	"strings"
)

var (
	ruledLine = regexp.MustCompile(`^\s*[-_=*~]{4,}\s*$`)
	wayOut    = regexp.MustCompile(`(?i)https?://|\S@\S+\.\S|\|`)
)

// WithoutListFooter leaves out what lists add below: all from the last ruled
// line on, and every later paragraph that holds a link or an address.
func WithoutListFooter(visible string) string {
	lines := strings.Split(visible, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if ruledLine.MatchString(lines[i]) {
			lines = lines[:i]
			break
		}
	}
	paragraphs := strings.Split(strings.Join(lines, "\n"), "\n\n")
	kept := paragraphs[:1]
	for _, p := range paragraphs[1:] {
		if !wayOut.MatchString(p) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}
