package mutation

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// breakages is the list, a file for each subject. A line "# …" before the first
// entry says which. An entry is
//
//	== name
//	wrong: what would happen to people and mail
//	file: the file, relative to the module
//	caught: the packages below internal/ of which each must fail
//	run: the tests, as go test -run chooses them; left out, all of them
//	schedules: see it
//	-- old
//	text that occurs in the file exactly once
//	-- new
//	what it becomes
//
// Of the two texts the last line end is not part.
//
//go:embed breakages/*.txt
var breakages embed.FS

// All is the whole list. What schedules see is on it twice: with a package's own
// tests, and with the harness of proof/scenario, which must see it by itself,
// with its schedules and its whole-ledger check. (Two conditions that stop the
// same thing, such as guard and consent of one opt-out, are not among those:
// without either alone no schedule breaks a promise.)
func All() ([]Breakage, error) {
	files, err := fs.Glob(breakages, "breakages/*.txt")
	if err != nil {
		return nil, err
	}
	var list, again []Breakage
	for _, name := range files {
		text, err := breakages.ReadFile(name)
		if err != nil {
			return nil, err
		}
		some, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, b := range some {
			list = append(list, b.Breakage)
			if b.schedules {
				b.Name, b.Caught, b.Run = "schedule-sees-"+b.Name, []string{"proof/scenario"}, scheduleTests
				again = append(again, b.Breakage)
			}
		}
	}
	return append(list, again...), nil
}

// scheduleTests are the tests of proof/scenario that play schedules.
const scheduleTests = "Scenarios|Histories|Racing|Evidence|OptOut|Settle|Paused|Twice|Mailboxes|Outage|Prove|FailureModel"

type entry struct {
	Breakage

	schedules bool
}

// parse reads one file. It takes nothing that an entry does not have, nothing
// twice, and no entry without all that it needs.
func parse(text string) ([]entry, error) {
	parts := strings.Split("\n"+strings.TrimSuffix(text, "\n"), "\n== ")
	for line := range strings.Lines(parts[0]) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return nil, fmt.Errorf("%q is before the first entry", line)
		}
	}
	var list []entry
	for _, part := range parts[1:] {
		e, err := parseEntry(part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		if slices.ContainsFunc(list, func(o entry) bool { return o.Name == e.Name }) {
			return nil, fmt.Errorf("%s is there twice", e.Name)
		}
		list = append(list, e)
	}
	return list, nil
}

func parseEntry(part string) (entry, error) {
	head, texts, hasOld := strings.Cut(part, "\n-- old\n")
	before, after, hasNew := strings.Cut(texts, "\n-- new\n")
	name, fields, _ := strings.Cut(head, "\n")
	e := entry{Breakage: Breakage{Name: name, Old: before, New: after}}
	if !hasOld || !hasNew || before == "" {
		return e, errors.New("an entry has the texts old and new, and old is not empty")
	}
	seen := map[string]bool{}
	for line := range strings.Lines(fields) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok || value == "" || seen[key] {
			return e, fmt.Errorf("%q is no field, or is there twice", key)
		}
		seen[key] = true
		switch key {
		case "wrong":
			e.Wrong = value
		case "file":
			e.File = value
		case "caught":
			e.Caught = strings.Fields(value)
		case "run":
			e.Run = value
		case "schedules":
			e.schedules = value == "see it"
		default:
			return e, fmt.Errorf("%q is no field", key)
		}
	}
	if e.Wrong == "" || e.File == "" || len(e.Caught) == 0 {
		return e, errors.New("an entry says wrong, file and caught")
	}
	return e, nil
}
