package stored_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var (
	writeTo = flag.String("write", "", "write a new store, of this name below testdata")
	commit  = flag.String("commit", "", "the commit of the tree that writes it")
)

// TestWrite writes a store with this tree, and what this tree says of it. It
// never writes over a kept one.
func TestWrite(t *testing.T) {
	if *writeTo == "" {
		t.Skip("writes a store: -write NAME -commit HASH")
	}
	if *commit == "" {
		t.Fatal("name the commit that writes the store: -commit $(git rev-parse HEAD)")
	}
	to := filepath.Join("testdata", *writeTo)
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is kept and is not written again: choose another name", to)
	}
	fill, ok := storyOf[*writeTo]
	if !ok {
		t.Fatalf("%s has no story: name one in storyOf", *writeTo)
	}
	must(t, os.MkdirAll(to, 0o750))
	write(t, to, "store", fill)
	write(t, to, "stopped", (*writer).fillStopped)
	s, _ := reopen(t, to, "store")
	rows, words := rowsOf(s), wordsOf(s)
	zip, err := zipped(words)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(to, "rows.golden"), rows, 0o600))
	must(t, os.WriteFile(filepath.Join(to, "explain.golden.gz"), zip, 0o600))
}

// write fills a store and puts it and its manifest into a folder.
func write(t *testing.T, to, name string, fill func(*writer)) {
	t.Helper()
	folder := t.TempDir()
	w := &writer{system: open(t, folder, began, outside{Records: map[string]*record{}}, map[string]int{})}
	fill(w)
	if len(w.reports) > 0 {
		t.Fatal("reports of the provider are left, which no store keeps")
	}
	w.close()
	w.closed = true
	archive, err := pack(folder)
	must(t, err)
	manifest, err := json.MarshalIndent(kept{
		About: "A ledger and its raw content, invented. README.md says what it holds.", Commit: *commit,
		Key: keyText, Secret: secretText, Public: publicURL, Now: w.now, Unread: w.unread, Outside: w.outside, Requests: w.requests,
	}, "", " ")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(to, name+".tar.gz"), archive, 0o600))
	must(t, os.WriteFile(filepath.Join(to, name+".json"), append(manifest, '\n'), 0o600))
}

// sameLines fails with the first lines that differ from what is kept.
func sameLines(t *testing.T, got, want []byte) {
	t.Helper()
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	shown := 0
	show := func(sign string, lines, others [][]byte) {
		for _, line := range lines {
			if !slices.ContainsFunc(others, func(o []byte) bool { return bytes.Equal(o, line) }) && shown < 8 {
				shown++
				t.Errorf("%s %.1200s", sign, line)
			}
		}
	}
	if !bytes.Equal(got, want) {
		show("kept:", w, g)
		show(fmt.Sprintf("%-5s", "now:"), g, w)
		if shown == 0 {
			t.Error("the same lines in another order, or another number of them")
		}
	}
}
