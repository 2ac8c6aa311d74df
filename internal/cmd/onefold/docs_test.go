package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"onefold/internal/address"
	"onefold/internal/mailer/sestest"
)

const root = "../../.."

// documents are what people read of this checkout.
func documents(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	names := []string{"README.md", "events/README.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			name, _ := filepath.Rel(root, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 5 {
		t.Fatalf("documents %v, %v", names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		docs[name] = string(b)
	}
	return docs
}

// commandsIn are the command lines of a document: those in `such quotes`, and
// those that a line of a block holds.
func commandsIn(doc string) []string {
	var found []string
	for n, part := range strings.Split(doc, "```") {
		pattern := "`(?:bin/)?((?:make|onefold) [^`]+)`"
		if n%2 == 1 {
			pattern = `(?m)(?:^|[:;&|$] *)(?:bin/)?((?:make|onefold) [^#\n]+)`
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(part, -1) {
			found = append(found, strings.TrimSpace(m[1]))
		}
	}
	return found
}

// targets are the names that make knows.
func targets(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):(?:[^=]|$)`).FindAllStringSubmatch(string(b), -1) {
		names = append(names, m[1])
	}
	return names
}

func grammarModel(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := kong.New(new(grammar), kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

// lacks says what a command line names that does not exist, or "".
func lacks(model *kong.Application, targets []string, line string) string {
	words := strings.Fields(line)
	if words[0] == "make" {
		for _, w := range words[1:] {
			if !strings.Contains(w, "=") {
				if slices.Contains(targets, w) {
					return ""
				}
				return "target " + w
			}
		}
		return ""
	}
	node, flags := model.Node, slices.Clone(model.Flags)
	for _, w := range words[1:] {
		switch next := child(node, w); {
		case strings.HasPrefix(w, "-") && w != "-" && w != "-h":
			name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if !slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Name == name }) {
				return "flag -" + name
			}
		case next != nil:
			node, flags = next, append(flags, next.Flags...)
		case !node.Leaf() && strings.ToLower(w) == w:
			return "command " + w
		case node.Name == "help":
			return lacks(model, targets, "onefold "+strings.Join(words[2:], " "))
		}
	}
	return ""
}

func TestWhatACommandLineLacksIsFound(t *testing.T) {
	t.Parallel()
	model, known := grammarModel(t), targets(t)
	for line, want := range map[string]string{
		"make test": "", "make run ARGS='-quiet'": "", "make teleport": "target teleport", "make ARGS=x teleport": "target teleport",
		"onefold verify -json": "", "onefold explain -email a@b.example": "", "onefold policy apply p.json": "", "onefold COMMAND": "",
		"onefold stop": "command stop", "onefold policy adopt p.json": "command adopt", "onefold verify -deep": "flag -deep",
		"onefold help policy apply": "", "onefold help stop": "command stop",
	} {
		if got := lacks(model, known, line); got != want {
			t.Errorf("%s lacks %q, want %q", line, got, want)
		}
	}
}

func TestEveryCommandThatADocumentNamesExists(t *testing.T) {
	t.Parallel()
	model, known := grammarModel(t), targets(t)
	seen := 0
	for name, doc := range documents(t) {
		for _, line := range commandsIn(doc) {
			seen++
			if what := lacks(model, known, line); what != "" {
				t.Errorf("%s names `%s`: there is no %s", name, line, what)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d command lines were found", seen)
	}
}

// Hints tell people what to type.
func TestEveryCommandThatTheProgramNamesExists(t *testing.T) {
	t.Parallel()
	model, known := grammarModel(t), targets(t)
	seen := 0
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile("`((?:make|onefold) [a-z][^`\"\n]*)[`\"]").FindAllStringSubmatch(string(b), -1) {
			seen++
			if what := lacks(model, known, m[1]); what != "" {
				t.Errorf("%s names `%s`: there is no %s", path, m[1], what)
			}
		}
		return nil
	})
	if err != nil || seen < 10 {
		t.Errorf("%d command lines were found: %v", seen, err)
	}
}

func TestEveryLinkWithinTheCheckoutLeadsToAFile(t *testing.T) {
	t.Parallel()
	seen := 0
	for name, doc := range documents(t) {
		for _, m := range regexp.MustCompile(`\]\(<?([^)\s>]+)`).FindAllStringSubmatch(doc, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || regexp.MustCompile(`^[a-z]+:`).MatchString(target) {
				continue
			}
			seen++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d links were found", seen)
	}
}

func readme(t *testing.T, section string) string {
	t.Helper()
	_, rest, found := strings.Cut(documents(t)["README.md"], section)
	if !found {
		t.Fatalf("README.md has no %q", section)
	}
	return rest
}

func TestTheCommandsOfTheREADMEHaveJSON(t *testing.T) {
	t.Parallel()
	block := strings.Split(readme(t, "## Operating it"), "```")[1]
	lines := commandsIn("```" + block + "```")
	if len(lines) < 5 {
		t.Fatalf("commands %q", lines)
	}
	for _, line := range lines {
		if what := lacks(grammarModel(t), nil, line+" -json"); what != "" {
			t.Errorf("%s: there is no %s", line, what)
		}
	}
}

// A role address goes to a person whatever the policy says.
func TestTheREADMETellsWhichMagicRecipientsNeedAPerson(t *testing.T) {
	t.Parallel()
	text, _, _ := strings.Cut(readme(t, "some recipients do what they are called:"), "##")
	atOnce, afterReview, found := strings.Cut(text, "at any domain")
	if !found {
		t.Fatal("the sentence does not end with its domain")
	}
	for _, local := range []string{
		sestest.Accept, sestest.Reject, sestest.Throttle, sestest.Bounce, sestest.Complain,
		sestest.TimeoutSent, sestest.TimeoutUnsent,
	} {
		a, err := address.Parse(local + "@customer.example")
		if err != nil {
			t.Fatal(err)
		}
		where, other := atOnce, afterReview
		if address.IsRole(a) {
			where, other = afterReview, atOnce
		}
		if name := "`" + local + "@`"; !strings.Contains(where, name) || strings.Contains(other, name) {
			t.Errorf("README.md has %s in the wrong place, role address: %v", name, address.IsRole(a))
		}
	}
}
