package rawmail_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"onefold/internal/rawmail"
)

// check is what holds of every Message, whatever the bytes were.
func check(t *testing.T, m rawmail.Message) {
	t.Helper()
	for _, s := range []string{m.Text, m.Visible, m.Quoted, m.Signature, m.Subject, m.MessageID} {
		if len(s) > rawmail.MaxText || !utf8.ValidString(s) {
			t.Fatalf("a field of %d bytes, valid UTF-8 %v", len(s), utf8.ValidString(s))
		}
	}
	if strings.ContainsAny(m.Subject+m.MessageID, "\r\n\x00") {
		t.Fatalf("a line end in a header field")
	}
	if len(m.ContentHash) != 64 || m.Kind == "" || m.From == nil || m.Warnings == nil || m.Attachments == nil {
		t.Fatalf("unfinished: %+v", m)
	}
	if m.Suppression != nil && m.Kind != rawmail.Bounce && m.Kind != rawmail.Complaint {
		t.Fatalf("%s with a suppression", m.Kind)
	}
	if _, err := json.Marshal(m); err != nil {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "\x00", hashed, dsn("Final-Recipient: rfc822; a@example.com\nAction: failed\nStatus: 5.1.1\n"),
		"From: =?utf-8?B?=?= <a@b>\n\n", "Content-Type: multipart/mixed; boundary=\"\"\n\n--\n",
		"Content-Type: text/html\n\n<a><b style='display:none'>x</c><!--", "From a\n\tb\n: c\nSubject:\n\n> x\nOn 1 wrote:\n-- \ny",
		"Content-Type: multipart/alternative; boundary=b\n\n--b\n--b--\n", "From: {\n\n{\"Message\":\"{}\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := rawmail.Parse(raw, nil)
		check(t, m)
		if again := rawmail.Parse(raw, nil); again.ContentHash != m.ContentHash || again.Kind != m.Kind {
			t.Fatal("two readings differ")
		}
	})
}

func TestTortureFilesOfTheMIMELibrary(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/jhillyerd/enmime/v2").Output()
	if err != nil {
		t.Skip("the source of the MIME library is not at hand")
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "testdata")
	files := 0
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		began := time.Now()
		m := rawmail.Parse(raw, nil)
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s took %v", d.Name(), took)
		}
		check(t, m)
		for _, w := range m.Warnings {
			if w == "parser_fault" {
				t.Errorf("%s: the parser gave up", d.Name())
			}
		}
		if filepath.Base(filepath.Dir(path)) == "mail" && m.Text == "" && len(m.Attachments) == 0 && !strings.HasPrefix(d.Name(), "header-only") {
			t.Errorf("%s: nothing was read; warnings %v", d.Name(), m.Warnings)
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
}
