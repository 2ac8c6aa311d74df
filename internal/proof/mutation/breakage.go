// Package mutation keeps a list of small breakages of the protocol, and makes
// each of them, one at a time, to see that the tests notice.
//
// Its invariant: every condition, fence and order that a promise of Onefold
// rests on is on the list, as the one place in the code where it could be lost;
// and a breakage that no test notices is a failure. It refuses to change the
// source: a broken file lies in a folder of its own, and the compiler is told to
// read it in the other's place.
package mutation

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
)

// Breakage is one change of one place that would break a promise.
type Breakage struct {
	Name  string // words with hyphens, unique
	Wrong string // what would happen to people and mail
	File  string // relative to the module
	Old   string // occurs in the file exactly once
	New   string // what it becomes; the package must still compile
	// Caught are the packages below internal/ of which each must fail.
	Caught []string
	// Run chooses the tests, as go test -run does; "" is all of them.
	Run string
}

// Apply makes the breakage in the text of its file. It fails when the old text
// is not there, or more than once: the code has changed, and the entry with it.
func (b Breakage) Apply(source string) (string, error) {
	if n := strings.Count(source, b.Old); n != 1 || b.Old == "" {
		return "", fmt.Errorf("%s: the old text occurs %d times in %s, not once", b.Name, n, b.File)
	}
	broken := strings.Replace(source, b.Old, b.New, 1)
	if broken == source {
		return "", fmt.Errorf("%s: changes nothing", b.Name)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), b.File, broken, parser.SkipObjectResolution); err != nil {
		return "", fmt.Errorf("%s: the broken file is no Go: %w", b.Name, err)
	}
	return broken, nil
}
