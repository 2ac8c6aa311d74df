package rawmail_test

import (
	"bytes"
	"io"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jhillyerd/enmime/v2"

	"onefold/internal/reading/rawmail"
)

// inputs are sets of mails: made here, the samples, and what is at hand of the
// corpora and of the MIME library's own files.
func inputs(b *testing.B) (names []string, sets map[string][][]byte) {
	b.Helper()
	sets = map[string][][]byte{}
	add := func(name string, mails ...[]byte) {
		if len(mails) > 0 {
			names = append(names, name)
			sets[name] = mails
		}
	}
	text := strings.Repeat("We are a small firm and look for ten chairs, in oak if you have them.\n", 12)
	quoted := "\nOn Tue, 3 Mar 2026 at 10:00, Bob <bob@example.net> wrote:\n" + strings.Repeat("> What may we do for you? Our list is below, with all that we have.\n", 40)
	html := "<html><head><style>p{margin:0}</style></head><body><p>" + strings.ReplaceAll(text, "\n", "</p>\n<p>") + "</p></body></html>"
	alternative := "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n" + text + "\n--b\nContent-Type: text/html; charset=utf-8\n\n" + html + "\n--b--\n"
	add("plain", []byte(plainMail+text+quoted))
	add("html", []byte(head+alternative))
	add("attachment", []byte(head+"Content-Type: multipart/mixed; boundary=a\n\n--a\n"+alternative+
		"--a\nContent-Type: application/pdf; name=list.pdf\nContent-Transfer-Encoding: base64\n\n"+strings.Repeat(strings.Repeat("QUJD", 19)+"\n", 14_000)+"--a--\n"))
	add("samples", files("../../../events/mail/*/*.eml")...)
	add("bounces", files("../../../../shared/corpora/bounces/*.eml")...)
	if out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/jhillyerd/enmime/v2").Output(); err == nil {
		add("mime library", files(filepath.Join(strings.TrimSpace(string(out)), "testdata", "*", "*"))...)
	}
	return names, sets
}

func files(pattern string) (out [][]byte) {
	paths, _ := filepath.Glob(filepath.FromSlash(pattern))
	for _, p := range paths {
		if raw, err := os.ReadFile(p); err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// BenchmarkBesideOthers reads each set by this package, by the MIME library
// alone and by net/mail, in turn in one run. The library decodes parts and
// charsets; net/mail reads header and addresses, and the body as it is. Neither
// classifies, parts a text or finds failed recipients.
//
// It fails where this package takes more than 1.3 times the library's time.
func BenchmarkBesideOthers(b *testing.B) {
	const rounds = 15
	names, sets := inputs(b)
	readers := []struct {
		name string
		read func([]byte)
	}{
		{"rawmail", func(raw []byte) { rawmail.Parse(raw, nil) }},
		{"enmime", func(raw []byte) { _, _ = enmime.ReadEnvelope(bytes.NewReader(raw)) }}, // some are broken on purpose
		// Guessing charsets is half of its time; without that it is held against nothing here.
		{"enmime-no-guess", func(raw []byte) {
			_, _ = enmime.NewParser(enmime.DisableCharacterDetection(true)).ReadEnvelope(bytes.NewReader(raw))
		}},
		{"net/mail", readByNetMail},
	}
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			size := 0
			for _, raw := range sets[name] {
				size += len(raw)
			}
			again := max(1, 200_000/size) // so that no round is too short to time
			took := make([][]float64, len(readers))
			for b.Loop() {
				for range rounds {
					for i, r := range readers {
						began := time.Now()
						for range again {
							for _, raw := range sets[name] {
								r.read(raw)
							}
						}
						took[i] = append(took[i], time.Since(began).Seconds())
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			for i, r := range readers {
				slices.Sort(took[i])
				b.ReportMetric(float64(size*again)/1e6/took[i][0], r.name+"-MB/s")
			}
			least, median := took[0][0]/took[1][0], took[0][len(took[0])/2]/took[1][len(took[1])/2]
			b.ReportMetric(least, "ratio-min")
			b.ReportMetric(median, "ratio-median")
			if least > 1.3 {
				b.Errorf("%s: %.2f times the library's time", name, least)
			}
		})
	}
}

func readByNetMail(raw []byte) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return
	}
	for _, name := range []string{"From", "To", "Cc", "Reply-To"} {
		_, _ = m.Header.AddressList(name)
	}
	_, _ = m.Header.Date()
	_, _ = io.Copy(io.Discard, m.Body)
}

func TestTheBenchmarkFindsTheSamples(t *testing.T) {
	t.Parallel()
	if n := len(files("../../../events/mail/*/*.eml")); n < 10 {
		t.Errorf("%d samples", n)
	}
}
