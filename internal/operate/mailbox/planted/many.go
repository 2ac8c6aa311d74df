package planted

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"
)

// Many writes a mailbox of n mails, for measuring: the whole scenes over and
// over, each time with other people, an hour later. Every other mail has its text
// in HTML as well and every tenth an attachment, so that they weigh about what
// mails do (some 10 KB on average).
func Many(w io.Writer, n int) error {
	out := bufio.NewWriter(w)
	box := Whole()
	plain := strings.Repeat("We look forward to the walk, to the weather and to all that is to be seen on the way there and back.\n", 12)
	page := strings.Repeat("<p style=\"margin:0;font-family:sans-serif\">We look forward to the walk, to the weather and to all that is to be seen.</p>\n", 25)
	photo := wrapped(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a picture of a hill ", 2000))))
	for i := range n {
		m := box.mails[i%len(box.mails)]
		round := i / len(box.mails)
		rename := strings.NewReplacer("@demo.example", "@demo.example", ".example", fmt.Sprintf("-%d.example", round))
		m.at = m.at.Add(time.Duration(round) * time.Hour)
		m.id, m.from, m.to = rename.Replace(strings.Replace(m.id, "@demo", fmt.Sprintf("-%d@demo", round), 1)), rename.Replace(m.from), rename.Replace(m.to)
		var headers []string
		for _, h := range m.headers {
			headers = append(headers, rename.Replace(h))
		}
		m.headers = headers
		if m.raw == "" && !strings.Contains(strings.Join(m.headers, ""), "multipart") {
			m.headers = append(m.headers, "MIME-Version: 1.0", `Content-Type: multipart/mixed; boundary="=m"`)
			text := m.text + "\n\n> " + strings.ReplaceAll(strings.TrimSpace(plain), "\n", "\n> ")
			m.text = "--=m\nContent-Type: text/plain; charset=utf-8\n\n" + text + "\n"
			if i%2 == 0 {
				m.text = "--=m\nContent-Type: multipart/alternative; boundary=\"=a\"\n\n--=a\nContent-Type: text/plain; charset=utf-8\n\n" + text +
					"\n--=a\nContent-Type: text/html; charset=utf-8\n\n<html><body>" + page + "</body></html>\n--=a--\n"
			}
			if i%10 == 0 {
				m.text += "--=m\nContent-Type: image/jpeg; name=hill.jpg\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=hill.jpg\n\n" + photo
			}
			m.text += "--=m--\n"
		}
		one := Mailbox{mails: []mail{m}}
		if _, err := out.Write(one.File(nil)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// wrapped breaks base64 into lines of 76 (RFC 2045 section 6.8).
func wrapped(s string) string {
	var b strings.Builder
	for len(s) > 76 {
		b.WriteString(s[:76] + "\n")
		s = s[76:]
	}
	return b.String() + s + "\n"
}
