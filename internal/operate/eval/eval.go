// Package eval holds the labelled set, invented mails in twelve languages with
// what a careful person reads in each, and scores any reader against it (onefold
// eval).
//
// Its invariant: a label follows cases/README.md and nothing else, so that two
// people who read a mail agree; and the half under cases/aside is locked by
// the hashes in cases/aside.sha256, so that no rule is tuned on it unseen. The
// scorer refuses to know an extractor: it compares outcomes with labels.
package eval

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// caseFiles is the set itself. Their form is described in cases/README.md.
//
//go:embed cases
var caseFiles embed.FS

// Half is which part of the set a case belongs to.
type Half string

// The halves. Rules and prompts are tuned on Open alone; Aside measures them.
const (
	Open  Half = "open"
	Aside Half = "aside"
)

// ErrCase is a case file that does not follow the form.
var ErrCase = errors.New("labelled case not understood")

// Files is the set as it is built in, rooted where the halves are folders.
func Files() (fs.FS, error) {
	files, err := fs.Sub(caseFiles, "cases")
	if err != nil {
		return nil, fmt.Errorf("open labelled set: %w", err)
	}
	return files, nil
}

// Load reads the given halves of a set, all of it for none given, ordered by
// ID. A file that is not understood is an error that wraps ErrCase and names it,
// with the line where it has one: a set is whole or it is none. A set without
// the folders open and aside is all open: its files stand at the top or in
// folders of one level. A set without a case is none, and ErrCase too.
func Load(files fs.FS, halves ...Half) ([]Case, error) {
	if len(halves) == 0 {
		halves = []Half{Open, Aside}
	}
	var cases []Case
	for _, half := range halves {
		names, err := caseNames(files, half)
		if err != nil {
			return nil, fmt.Errorf("list labelled cases: %w", err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, fmt.Errorf("read labelled case: %w", err)
			}
			c, err := parseCase(text)
			if err != nil {
				return nil, fmt.Errorf("%s:%w", name, err)
			}
			c.Half, c.Meaning = half, path.Base(path.Dir(name))
			c.ID = strings.TrimSuffix(path.Base(name), ".txt")
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%w: there is no file of a case, such as open/enquiry/ID.txt", ErrCase)
	}
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(cases); i++ {
		if cases[i].ID == cases[i-1].ID {
			return nil, fmt.Errorf("%s: %w: the ID is given twice", cases[i].ID, ErrCase)
		}
	}
	return cases, nil
}

// caseNames are the files of one half.
func caseNames(files fs.FS, half Half) ([]string, error) {
	halved := false
	for _, h := range []Half{Open, Aside} {
		if info, err := fs.Stat(files, string(h)); err == nil && info.IsDir() {
			halved = true
		}
	}
	if halved {
		return fs.Glob(files, string(half)+"/*/*.txt")
	}
	if half == Aside {
		return nil, nil
	}
	top, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	below, err := fs.Glob(files, "*/*.txt")
	return append(top, below...), err
}
