package main

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestEveryCommandExplainsEachFlagAndHasAnExample(t *testing.T) {
	t.Parallel()
	var g grammar
	parser, err := kong.New(&g, kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	leaves := parser.Model.Leaves(false)
	if len(leaves) < 10 {
		t.Fatalf("only %d commands", len(leaves))
	}
	files := map[string]bool{"help/contact_flags.txt": true}
	for _, leaf := range leaves {
		path := leaf.Path()
		files[helpFile(leaf)] = true
		help := helpOf(leaf, path)
		for _, flag := range leaf.Flags {
			if !flag.Hidden && !regexp.MustCompile(`[ [(]-`+flag.Name+`\b`).MatchString(help) {
				t.Errorf("the help of %q does not tell of -%s", path, flag.Name)
			}
		}
		if !regexp.MustCompile(`(?i)examples?:\n  onefold `).MatchString(help) {
			t.Errorf("the help of %q has no example", path)
		}
		for _, line := range strings.Split(help, "\n") {
			if len(line) > 80 {
				t.Errorf("the help of %q has a line of %d bytes", path, len(line))
			}
		}
	}
	all, err := fs.Glob(texts, "help/*")
	if err != nil || len(all) < len(files) {
		t.Fatalf("%d texts, %v", len(all), err)
	}
	for _, name := range all {
		if !files[name] {
			t.Errorf("%s explains no command", name)
		}
	}
}
