package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
)

func mailNumber(n int, done bool) sestest.SentMail {
	return sestest.SentMail{
		MessageID: fmt.Sprintf("0100%012x-mail", n), From: "hello@demo.example", To: []string{"ann@customer.example"},
		Subject: "Your question", Text: "Thank you for your question.", EventsDone: done,
	}
}

func journalOf(t *testing.T, mails ...sestest.SentMail) string {
	t.Helper()
	var b bytes.Buffer
	for _, m := range mails {
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(t.TempDir(), "mail.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheMailLogKeepsTheLatestLineOfEachMail(t *testing.T) {
	t.Parallel()
	probe := mailNumber(9, true)
	probe.Tags = []mailer.Tag{{Name: mailer.TagProbe, Value: "p1"}}
	path := journalOf(t, mailNumber(1, false), probe, mailNumber(2, false), mailNumber(1, true))
	for range 2 { // as found, and as compacted
		log, mails, err := openMailLog(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(mails) != 2 || mails[0].MessageID != mailNumber(1, false).MessageID || !mails[0].EventsDone || mails[1].EventsDone {
			t.Errorf("mails %+v", mails)
		}
		if b, err := os.ReadFile(path); err != nil || bytes.Count(b, []byte("\n")) != 2 {
			t.Errorf("the file has %d lines, want 2", bytes.Count(b, []byte("\n")))
		}
		if err := log.persist(probe); err != nil {
			t.Fatal(err)
		}
		if err := log.close(); err != nil {
			t.Fatal(err)
		}
	}
	log, _, err := openMailLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.persist(mailNumber(3, false)); err != nil {
		t.Fatal(err)
	}
	if err := log.close(); err != nil {
		t.Fatal(err)
	}
	if _, mails, err := openMailLog(path); err != nil || len(mails) != 3 {
		t.Errorf("after one more mail: %d mails, %v", len(mails), err)
	}
}

// A month of one mail a minute. Work that grows with the square of the number
// would take many times as long as reading the lines alone, which is what it
// is measured by: the clock of a busy machine says little.
func TestAMonthOfMailLoadsAtOnce(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * 60
	mails := make([]sestest.SentMail, 0, 2*month)
	for n := range month {
		mails = append(mails, mailNumber(n, false), mailNumber(n, true))
	}
	path := journalOf(t, mails...)
	alone := timed(func() {
		if _, err := readJournal(path, func(line []byte) error { return json.Unmarshal(line, &sestest.SentMail{}) }); err != nil {
			t.Fatal(err)
		}
	})
	s, err := sestest.NewServer(sestest.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	var loaded []sestest.SentMail
	took := timed(func() {
		log, kept, err := openMailLog(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = log.close() }()
		s.Restore(kept)
		loaded = kept
	})
	t.Logf("%d mails in %v; reading alone %v", len(loaded), took, alone)
	if len(loaded) != month || took > 6*alone {
		t.Errorf("%d mails in %v; reading alone %v", len(loaded), took, alone)
	}
}

func timed(work func()) time.Duration {
	began := time.Now()
	work()
	return time.Since(began)
}
