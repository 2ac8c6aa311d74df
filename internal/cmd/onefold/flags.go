package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// longFlags writes -flag as --flag, which is the only form of long flags that
// kong takes. Single letters, "-" (standard input) and all that follows "--"
// are left as they are.
func longFlags(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		name, _, _ := strings.Cut(arg, "=")
		if len(name) > 2 && name[0] == '-' && name[1] != '-' && letter(name[1]) {
			out[i] = "-" + arg
		}
	}
	return out
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// shortFlags turns kong's --flag in a message back to ours.
func shortFlags(message string) string {
	message = regexp.MustCompile(`--([a-z])`).ReplaceAllString(message, "-$1")
	message = regexp.MustCompile(`^expected "<(.*?)>.*`).ReplaceAllString(message, "the argument $1 is missing")
	if rest, ok := strings.CutPrefix(message, "expected one of "); ok {
		message = "a command is missing, one of " + rest
	}
	// Kong names the kind of a value, =STRING; our help names the value.
	return strings.ReplaceAll(message, "=STRING", "")
}

// asksHelp tells whether help is asked for in place of the command.
func asksHelp(words []string) bool {
	for _, w := range words {
		switch w {
		case "--":
			return false
		case "-h", "--help":
			return true
		}
	}
	return false
}

// commandWords are the leading words of a command line that name a command.
func commandWords(model *kong.Application, words []string) []string {
	node, named := model.Node, []string(nil)
	for i, w := range words {
		if strings.HasPrefix(w, "-") || i > 0 && globalFlag(words[i-1]) {
			continue
		}
		next := child(node, w)
		if next == nil {
			continue // a flag's value, or a positional
		}
		node, named = next, append(named, w)
	}
	return named
}

// globalFlag tells the flags before a command that take a value.
func globalFlag(word string) bool {
	switch word {
	case "--data", "--stage", "--region", "--endpoint":
		return true
	}
	return false
}

func child(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name && !c.Hidden {
			return c
		}
	}
	return nil
}
