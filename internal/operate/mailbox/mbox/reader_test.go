package mbox_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/operate/mailbox/mbox"
)

func all(t interface{ Fatal(...any) }, in io.Reader, limit int) []mbox.Message {
	r := mbox.NewReader(in, limit)
	var list []mbox.Message
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
}

const sep = "From ann@example.com Mon Jan  5 10:00:00 2026\n"

// Each case is a file and the messages that it holds. The forms are those of
// mbox(5), RFC 4155 and the exports of Thunderbird and Gmail.
func TestMessagesOfEachDialect(t *testing.T) {
	t.Parallel()
	mail := func(n string) string { return "Subject: " + n + "\n\ntext " + n + "\n" }
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"nothing":                        {"", nil},
		"blank lines":                    {"\n\r\n\n", nil},
		"one":                            {sep + mail("a"), []string{mail("a")}},
		"two":                            {sep + mail("a") + "\n" + sep + mail("b") + "\n", []string{mail("a"), mail("b") + "\n"}},
		"no blank line before":           {sep + mail("a") + sep + mail("b"), []string{mail("a"), mail("b")}},
		"no line end at the end":         {sep + "Subject: a\n\nx", []string{"Subject: a\n\nx"}},
		"CRLF":                           {strings.ReplaceAll(sep+mail("a")+"\n"+sep+mail("b"), "\n", "\r\n"), []string{strings.ReplaceAll(mail("a"), "\n", "\r\n"), strings.ReplaceAll(mail("b"), "\n", "\r\n")}},
		"a separator alone, unended":     {sep[:len(sep)-1], []string{""}},
		"a single mail without From_":    {mail("a"), []string{mail("a")}},
		"junk before the first":          {"junk\n\n" + sep + mail("a"), []string{"junk\n", mail("a")}},
		"Thunderbird":                    {"From - Mon Jan 05 10:00:00 2026\nX-Mozilla-Status: 0001\n" + mail("a") + "\nFrom - Mon Jan 05 11:00:00 2026\n" + mail("b"), []string{"X-Mozilla-Status: 0001\n" + mail("a"), mail("b")}},
		"Gmail":                          {"From 17@xxx Mon Jan 05 10:00:00 +0000 2026\nX-Gmail-Labels: Inbox\n" + mail("a") + "\nFrom 18@xxx Mon Jan 05 10:00:00 +0000 2026\n" + mail("b"), []string{"X-Gmail-Labels: Inbox\n" + mail("a"), mail("b")}},
		"an address alone":               {"From ann@example.com\n" + mail("a") + "\nFrom bob@example.com\n" + mail("b"), []string{mail("a"), mail("b")}},
		"mboxrd quoting":                 {sep + "Subject: a\n\n>From here\n>>From there\n> From us\n", []string{"Subject: a\n\nFrom here\n>From there\n> From us\n"}},
		"quoting in the header is kept":  {sep + ">From x\nSubject: a\n\nt\n", []string{">From x\nSubject: a\n\nt\n"}},
		"text that begins with From":     {sep + "Subject: a\n\nFrom Monday on\nFrom 10:00 to 12:00 on 5 Jan 2026\nPlace: the hall\n\nFrom us all\n", []string{"Subject: a\n\nFrom Monday on\nFrom 10:00 to 12:00 on 5 Jan 2026\nPlace: the hall\n\nFrom us all\n"}},
		"From with a date but no header": {sep + "Subject: a\n\nb\n" + sep + "and so on\n", []string{"Subject: a\n\nb\n" + sep + "and so on\n"}},
		"a message that is no mail":      {sep + "Subject: a\n\nb\n\n" + sep + "and so on\n", []string{"Subject: a\n\nb\n", "and so on\n"}},
		"an empty mail between":          {sep + "\n" + sep + mail("b"), []string{"", mail("b")}},
		"an empty mail at the end":       {sep + mail("a") + "\n" + sep, []string{mail("a"), ""}},
		// A length that a sender wrote hides no other mail.
		"Content-Length beyond": {sep + "Content-Length: 500\n" + mail("a") + "\n" + sep + mail("b"), []string{"Content-Length: 500\n" + mail("a"), mail("b")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for n, m := range all(t, strings.NewReader(c.file), 1<<20) {
				if m.Position != n+1 || m.Cut {
					t.Errorf("message %d has position %d, cut %t", n+1, m.Position, m.Cut)
				}
				got = append(got, string(m.Raw))
			}
			if strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestTheSeparatorTellsWhenAMailWasReceived(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	for line, at := range map[string]time.Time{
		"From a@example.com Mon Jan  5 10:00:00 2026":       want,
		"From a@example.com Mon Jan  5 10:00 2026":          want,
		"From 17@xxx Mon Jan 05 11:00:00 +0100 2026":        want,
		"From a@example.com Mon Jan  5 11:00:00 2026 +0100": want,
		"From a@example.com Mon Jan  5 10:00:00 UTC 2026":   want,
		"From a@example.com 2026-01-05T10:00:00":            {},
		"From a@example.com Mon Jan 35 10:00:00 2026":       {},
	} {
		got := all(t, strings.NewReader(line+"\nSubject: a\n\nb\n"), 1000)
		if len(got) != 1 || !got[0].Received.Equal(at) {
			t.Errorf("%s: %+v, want %v", line, got, at)
		}
	}
}

func TestAMailBeyondTheLimitIsCutAndTheNextIsWhole(t *testing.T) {
	t.Parallel()
	long := "Subject: a\n\n" + strings.Repeat("x", 300_000) + "\n"
	got := all(t, strings.NewReader(sep+long+"\n"+sep+"Subject: b\n\ny\n"), 1000)
	if len(got) != 2 {
		t.Fatalf("%d messages", len(got))
	}
	if a := got[0]; !a.Cut || len(a.Raw) != 1000 || a.Size != int64(len(long)+1) || !strings.HasPrefix(long, string(a.Raw)) {
		t.Errorf("the long one: cut %t, %d bytes kept, size %d", a.Cut, len(a.Raw), a.Size)
	}
	if b := got[1]; b.Cut || string(b.Raw) != "Subject: b\n\ny\n" {
		t.Errorf("the one behind it: %q", b.Raw)
	}
}

func TestAFaultBeneathIsToldAfterWhatWasRead(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	r := mbox.NewReader(io.MultiReader(strings.NewReader(sep+"Subject: a\n\nb"), iotest(broken)), 1000)
	if m, err := r.Next(); err != nil || string(m.Raw) != "Subject: a\n\nb" {
		t.Errorf("%q, %v", m.Raw, err)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type iotestReader struct{ err error }

func iotest(err error) io.Reader                      { return iotestReader{err} }
func (r iotestReader) Read(_ []byte) (n int, e error) { return 0, r.err }

// What a writer of mboxrd wrote is read back, whatever the bodies hold.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"", "text", "From here", ">From there", ">>From", sep[:len(sep)-1], "Subject: x", "From a@example.com", "\x00\xff", strings.Repeat("y", 70_000)})
	rapid.Check(t, func(t *rapid.T) {
		var file bytes.Buffer
		var want []string
		for n := range rapid.IntRange(0, 5).Draw(t, "mails") {
			body := ""
			written := ""
			for _, l := range rapid.SliceOfN(line, 0, 5).Draw(t, "lines") {
				body += l + "\n"
				if strings.HasPrefix(strings.TrimLeft(l, ">"), "From ") {
					l = ">" + l
				}
				written += l + "\n"
			}
			head := "Message-ID: <" + string(rune('a'+n)) + "@example.com>\n\n"
			want = append(want, head+body)
			file.WriteString(sep + head + written + "\n")
		}
		got := all(t, &file, 1<<20)
		if len(got) != len(want) {
			t.Fatalf("%d messages, want %d", len(got), len(want))
		}
		for n, m := range got {
			// The last one keeps the blank line behind it: no separator follows.
			if raw := string(m.Raw); raw != want[n] && (n < len(got)-1 || raw != want[n]+"\n") {
				t.Errorf("message %d is %q, want %q", n, raw, want[n])
			}
		}
	})
}

// Any bytes: every one is in a message or in a separator, in order.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"", sep, sep + "Subject: a\n\nb\n\n" + sep + "Subject: c\n\n>From d\n", "From \n\nFrom x\n", "\r\n" + sep + "\r\n\r\n" + sep + "A: b"} {
		f.Add([]byte(seed), 100)
	}
	f.Fuzz(func(t *testing.T, file []byte, limit int) {
		limit = min(max(limit, 1), 1<<20)
		size, separators := int64(0), 0
		for _, m := range all(t, bytes.NewReader(file), limit) {
			if len(m.Raw) > limit || !m.Cut && int64(len(m.Raw)) > m.Size || m.Cut && len(m.Raw) != limit {
				t.Errorf("message of %d bytes in the file has %d, limit %d, cut %t", m.Size, len(m.Raw), limit, m.Cut)
			}
			size += m.Size
			separators++
		}
		if rest := int64(len(file)) - size; rest < 0 || separators == 0 && len(bytes.TrimSpace(file)) > 0 {
			t.Errorf("%d of %d bytes are in %d messages", size, len(file), separators)
		}
	})
}
