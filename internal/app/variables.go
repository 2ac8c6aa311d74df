package app

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"

	"onefold/internal/schema"
)

// variables are the environment variables of one function: those that schema
// lists for it, and no others.
type variables struct {
	of   map[string]string
	read map[string]bool // by the function's assembly
}

// readVariables looks a function's variables up. One error names everything
// that is missing or cannot be right; it shows no value.
func readVariables(f schema.Function, lookup func(name string) (string, bool)) (*variables, error) {
	v := &variables{of: map[string]string{}, read: map[string]bool{}}
	var faults []error
	for _, e := range schema.Environment() {
		if !slices.Contains(e.For, f) {
			continue
		}
		value, _ := lookup(e.Name)
		switch {
		case value == "" && e.Needed:
			faults = append(faults, fmt.Errorf("%s is missing: %s", e.Name, e.Meaning))
		case value != "" && !fits(e.Name, value):
			faults = append(faults, fmt.Errorf("%s is not of its form: %s", e.Name, e.Meaning))
		}
		v.of[e.Name] = value
	}
	if len(v.of) == 0 {
		faults = append(faults, fmt.Errorf("no function is called %q", string(f)))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("the environment of %s: %w", f, err)
	}
	return v, nil
}

// fits tells whether a value can be right, as far as that can be seen.
func fits(name, value string) bool {
	switch name {
	case schema.EnvStage:
		return regexp.MustCompile(schema.StagePattern).MatchString(value)
	case schema.EnvLogLevel:
		_, ok := levelOf(value)
		return ok
	}
	return fitsModel(name, value)
}

// get is a variable's value, "" of one that is not set.
func (v *variables) get(name string) string {
	v.read[name] = true
	return v.of[name]
}

// levelOf reads the words of EnvLogLevel.
func levelOf(word string) (slog.Level, bool) {
	switch word {
	case "debug":
		return slog.LevelDebug, true
	case "", "info":
		return slog.LevelInfo, true
	case "warn":
		return slog.LevelWarn, true
	case "error":
		return slog.LevelError, true
	}
	return slog.LevelInfo, false
}
