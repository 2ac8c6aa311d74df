package wish_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
