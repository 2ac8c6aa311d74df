package importrule

import (
	"fmt"
	"slices"
	"strings"
)

// Package is what the check knows of one package. Paths are relative to the
// module; the imports are as written in the source.
type Package struct {
	Path        string
	Imports     []string
	TestImports []string
	Symbols     []Symbol
	Files       []File
}

// Symbol is one use of an exported name of an imported package.
type Symbol struct {
	Name string // as "time.Now"
	Pos  string // file:line
}

// File is one Go file, with its length in lines.
type File struct {
	Path  string
	Lines int
}

// top is imported by nobody, in tests neither: what it holds is reached by
// running it.
func top() []string { return []string{"infra/**", "functions/**"} }

// Check judges every package of the module by the rules and places, and
// returns one line for each fault, sorted. None means that the shape holds.
func Check(module string, packages []Package, rules []Rule, places []Place) []string {
	var faults []string
	for _, p := range packages {
		rule, ok := governing(rules, p.Path)
		if !ok {
			faults = append(faults, p.Path+": no rule governs this package")
			continue
		}
		for _, path := range p.Imports {
			if why := judge(module, rule, p.Path, path); why != "" {
				faults = append(faults, fmt.Sprintf("%s imports %s: %s", p.Path, path, why))
			}
		}
		for _, path := range p.TestImports {
			own, inside := within(module, path)
			if inside && matchAny(top(), own) && !sameUnit(p.Path, own, 1) {
				faults = append(faults, fmt.Sprintf("%s imports %s in a test: nobody may", p.Path, path))
			}
		}
		faults = append(faults, misplaced(p, places)...)
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

func governing(rules []Rule, path string) (Rule, bool) {
	for _, rule := range rules {
		if matchAny(rule.Packages, path) {
			return rule, true
		}
	}
	return Rule{}, false
}

// judge says why a package under the rule may not import path; "" that it may.
func judge(module string, rule Rule, from, path string) string {
	own, inside := within(module, path)
	switch {
	case inside:
		if sameUnit(from, own, rule.Unit) || matchAny(rule.Imports, own) {
			return ""
		}
		return "not below layer " + rule.Layer
	case standard(path):
		if matchAny(rule.Refused, path) {
			return "refused in layer " + rule.Layer
		}
		return ""
	case matchAny(rule.Outside, path):
		return ""
	default:
		return "no library for layer " + rule.Layer
	}
}

// within is the path relative to the module, if it is of the module.
func within(module, path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// standard holds for the standard library: its first segment has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func misplaced(p Package, places []Place) []string {
	var faults []string
	for _, place := range places {
		if matchAny(place.Allowed, p.Path) {
			continue
		}
		for _, path := range p.Imports {
			if matchAny(place.Imports, path) {
				faults = append(faults, fmt.Sprintf("%s imports %s: %s has no place here", p.Path, path, place.Name))
			}
		}
		for _, symbol := range p.Symbols {
			if slices.Contains(place.Symbols, symbol.Name) {
				faults = append(faults, fmt.Sprintf("%s: %s: %s has no place here", symbol.Pos, symbol.Name, place.Name))
			}
		}
	}
	return faults
}
