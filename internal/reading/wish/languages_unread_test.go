package wish_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"onefold/internal/reading/wish"
)

// sentences calls yield with each line of a folder of testdata and its language.
func sentences(t *testing.T, folder string, yield func(language, said string)) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, said, _ := strings.Cut(strings.TrimSpace(line), " ")
			yield(strings.TrimSuffix(filepath.Base(name), ".txt"), said)
		}
	}
}

// Of no language that is read is a sentence taken for another's.
func TestReading05WhatIsReadIsKnown(t *testing.T) {
	t.Parallel()
	languages := map[string]int{}
	sentences(t, "wishes", func(language, said string) {
		languages[language]++
		if wish.Unread(said) {
			t.Errorf("%s: not read: %q", language, said)
		}
	})
	text, err := os.ReadFile("testdata/terse.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		language, said, _ := strings.Cut(strings.TrimSpace(line), " ")
		languages[language]++
		if wish.Unread(said) {
			t.Errorf("%s: not read: %q", language, said)
		}
	}
	if len(languages) != 12 {
		t.Errorf("%v", languages)
	}
}

// Enquiries and wishes in Latin letters, some without their marks, are told from
// what is read.
func TestReading05OtherLanguagesAreHeld(t *testing.T) {
	t.Parallel()
	held, of := map[string]int{}, map[string]int{}
	all, missed := 0, 0
	sentences(t, "unread", func(language, said string) {
		of[language]++
		all++
		if wish.Unread(said) || wish.OptOut("", said).Verdict != wish.OptOutNone {
			held[language]++
			return
		}
		missed++
		t.Logf("%s: taken as read: %q", language, said)
	})
	for language, n := range of {
		if n < 12 || held[language]*10 < n*8 {
			t.Errorf("%s: held %d of %d", language, held[language], n)
		}
	}
	if len(of) < 20 || missed*100 > all*4 {
		t.Errorf("%d languages, %d of %d missed", len(of), missed, all)
	}
}

// The page says of each language whether it is read.
func TestReading05PageNamesEveryLanguage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/eval.md")
	if err != nil {
		t.Fatal(err)
	}
	unread, err := os.ReadFile("words/unread")
	if err != nil {
		t.Fatal(err)
	}
	read, others, found := strings.Cut(string(page), "| known by their words: ")
	_, read, begun := strings.Cut(read, "## What is read of each language")
	others, _, ended := strings.Cut(others, " | ")
	if !found || !begun || !ended {
		t.Fatal("docs/eval.md has no table of languages")
	}
	says := func(row, code string) {
		if name := display.English.Languages().Name(language.Make(code)); !strings.Contains(row, name) {
			t.Errorf("docs/eval.md does not say what is read of %s", name)
		}
	}
	lists, err := filepath.Glob("words/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		says(read, strings.TrimSuffix(filepath.Base(list), ".txt"))
	}
	for line := range strings.Lines(string(unread)) {
		code, _, _ := strings.Cut(line, " ")
		says(others, code)
	}
	if names := strings.Split(others, ", "); len(names) != strings.Count(string(unread), "\n") {
		t.Errorf("docs/eval.md names %d languages that are known by their words", len(names))
	}
}
