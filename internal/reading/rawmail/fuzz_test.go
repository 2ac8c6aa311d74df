package rawmail_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"onefold/internal/reading/rawmail"
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
	if n := len(m.ReturnedMarks); m.ReturnedMarks == nil || n > 5 || n > 0 && m.Kind != rawmail.Bounce && m.Kind != rawmail.Complaint {
		t.Fatalf("%s with %d marks given back", m.Kind, n)
	}
	for _, mark := range m.ReturnedMarks {
		if mark == "" || len(mark) > 200 || strings.ContainsAny(mark, "\r\n\x00") || !utf8.ValidString(mark) {
			t.Fatalf("a mark of %d bytes", len(mark))
		}
	}
	if _, err := json.Marshal(m); err != nil {
		t.Fatal(err)
	}
}

// checkArrival is what holds of whom a mail is said to be of.
func checkArrival(t *testing.T, m rawmail.Message, own rawmail.IsOwn) {
	t.Helper()
	if (m.Relayed != nil) != (m.RelayedBy != "") || m.Relayed != nil && (m.Kind != rawmail.Own || own(m.Relayed.Address) || m.NullReturn) {
		t.Fatalf("relayed %+v by %q of %s", m.Relayed, m.RelayedBy, m.Kind)
	}
	if f := m.Forwarded; f != nil {
		if m.Kind != rawmail.Human && m.Kind != rawmail.Own || m.Kind == rawmail.Own && own(f.From.Address) {
			t.Fatalf("forwarded %+v of %s", f, m.Kind)
		}
		if len(f.Visible)+len(f.Quoted) > 2*rawmail.MaxText || !utf8.ValidString(f.Visible+f.From.Name+f.From.Address+f.Subject) {
			t.Fatal("a forwarded mail beyond the bounds")
		}
	}
	if len(m.Doubts) > 0 && m.Kind != rawmail.Human {
		t.Fatalf("doubts %v of %s", m.Doubts, m.Kind)
	}
	for _, r := range m.Recipients {
		if r.Hard && (m.Suppression == nil || !m.Suppression.Hard) {
			t.Fatal("a hard recipient, and no hard suppression")
		}
	}
}

// timed parses and says how long that took.
func timed(raw []byte) (rawmail.Message, time.Duration) {
	began := time.Now()
	m := rawmail.Parse(raw, ours)
	return m, time.Since(began)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "\x00", hashed, dsn("Final-Recipient: rfc822; a@example.com\nAction: failed\nStatus: 5.1.1\n"),
		"From: =?utf-8?B?=?= <a@b>\n\n", "Content-Type: multipart/mixed; boundary=\"\"\n\n--\n",
		"Content-Type: text/html\n\n<a><b style='display:none'>x</c><!--", "From a\n\tb\n: c\nSubject:\n\n> x\nOn 1 wrote:\n-- \ny",
		"Content-Type: multipart/alternative; boundary=b\n\n--b\n--b--\n", "From: {\n\n{\"Message\":\"{}\"}",
		colleague + "Subject: Fwd: Chairs\n\n" + gmailFwd,
		colleague + "Subject: x\n\nName: Ann\nEmail: ann@example.com\n",
		colleague + "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nFrom: a@b.example\n\nx\n--b\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\n--b--\n",
		"Return-Path: <>\nFrom: mailer-daemon@example.org\nSubject: failure notice\n\n<a@b.example>: 550 5.1.1 user unknown\n<c@d.example>: mailbox full\n",
		"From: a@b.example\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nOriginal-Rcpt-To: c@d.example\n--b--\n",
		returning("message/rfc822", "", rawmail.MarkHeader+":\n i.h\nTo: a@b.example\n\n> "+rawmail.MarkHeader+": j.h\n"),
		"X-MS-Exchange-Inbox-Rules-Loop: a@b.example\nX-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent\nAuto-Submitted: auto-generated\nX-Forwarded-For: c@d.example e@f.example\n" + plainMail,
		"Content-Type: a/b; name*0*=utf-8''%e2; name*1=\"x\"; name=\"=?utf-8?q?y?=\"\nContent-Transfer-Encoding: base64\n\nQQ==QUI=\n",
	} {
		f.Add([]byte(s))
	}
	// What costs most, small: the fuzzer makes more of it.
	for _, mail := range hostile() {
		f.Add([]byte(mail[:min(len(mail), 600)]))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, took := timed(raw)
		for try := 0; took > time.Second && try < 3; try++ {
			// On a busy machine the process may have stood still: what is slow by
			// itself is slow each time.
			_, again := timed(raw)
			took = min(took, again)
		}
		if took > time.Second {
			t.Fatalf("%d bytes took %v", len(raw), took)
		}
		check(t, m)
		checkArrival(t, m, ours)
		if slices.Contains(m.Warnings, "parser_fault") {
			t.Fatal("the parser gave up")
		}
		again := rawmail.ParseEnveloped(raw, ours, "")
		if !reflect.DeepEqual(m, again) {
			t.Fatal("two readings differ")
		}
		if null := rawmail.ParseEnveloped(raw, ours, rawmail.NullSender); null.Kind == rawmail.Human || !null.NullReturn && null.Kind != rawmail.Unparseable {
			if !slices.Contains(null.Doubts, rawmail.DoubtRedirected) {
				t.Fatalf("a null sender is %s", null.Kind)
			}
		}
	})
}

// FuzzAddressHeader: whatever a header holds, an address that it gives stands
// in it, and no line of another header can be made by it.
func FuzzAddressHeader(f *testing.F) {
	for _, s := range []string{
		"ann@example.com", `"Lee, Ann" <ann@example.com>, bob@example.org (Bob)`, "Lee, Ann <ann@example.com>", "Team: a@b.example, c@d.example;",
		"=?utf-8?q?a=40b?= <c@d.example>", "<@r.example:a@b.example>", "a@b@c", "<mailto:a@b.example>", `"a\"b" <c@d.example>`, "((a@b)) c@d", "a@b;c@d", "<a@b", "a@\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "\r\n") {
			t.Skip("another header")
		}
		m := rawmail.Parse([]byte("From: "+s+"\nSubject: x\n\nx\n"), nil)
		check(t, m)
		for _, box := range m.From {
			if strings.ContainsAny(box.Address+box.Name, "\r\n\x00") || !utf8.ValidString(box.Address+box.Name) || strings.Count(box.Address, "@") < 1 {
				t.Fatalf("%q", box)
			}
		}
	})
}

// fixedCost is what a mail of no length may cost besides.
const fixedCost = 16 << 10

// Not parallel: it measures memory.
func TestTortureFilesOfTheMIMELibrary(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/jhillyerd/enmime/v2").Output()
	if err != nil {
		t.Skip("the source of the MIME library is not at hand")
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "testdata")
	files, most := 0, 0.0
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		m, took, memory := cost(raw)
		if took > time.Second || memory > 8*len(raw)+fixedCost {
			t.Errorf("%s: %v, %d bytes of memory for %d", d.Name(), took, memory, len(raw))
		}
		most = max(most, float64(memory)/float64(len(raw)+fixedCost/8))
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
	t.Logf("%d files; memory at most %.1f times the file and the fixed part", files, most)
}
