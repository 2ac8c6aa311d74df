package sestest

import (
	"bytes"
	"html/template"
	"net/http"
	"slices"
)

const pageText = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sent mail</title>
<h1>Sent mail: {{len .}}</h1>
<p>Accepted by the stand-in for SES; nothing left this machine. As data: <a href="sent.json">sent.json</a></p>
{{range .}}
<article>
<h2>{{.Subject}}</h2>
<dl>
<dt>To</dt><dd>{{range .To}}{{.}} {{end}}</dd>
<dt>From</dt><dd>{{.From}}</dd>
<dt>Accepted</dt><dd>{{.At}}</dd>
<dt>Message ID</dt><dd>{{.MessageID}}</dd>
{{with .ConfigurationSet}}<dt>Configuration set</dt><dd>{{.}}</dd>{{end}}
{{range .ReplyTo}}<dt>Reply-To</dt><dd>{{.}}</dd>{{end}}
{{range .Headers}}<dt>{{.Name}}</dt><dd>{{.Value}}</dd>{{end}}
{{range .Tags}}<dt>Tag {{.Name}}</dt><dd>{{.Value}}</dd>{{end}}
</dl>
<pre>{{.Text}}</pre>
</article>
{{else}}<p>None yet.</p>{{end}}
</html>
`

// page lists the sent mail for a developer, newest first. Mail is hostile
// text: html/template escapes it, and the policy lets nothing in it run.
func (s *Server) page(w http.ResponseWriter) {
	mails := s.Sent()
	slices.Reverse(mails)
	var out bytes.Buffer
	t, err := template.New("sent").Parse(pageText)
	if err == nil {
		err = t.Execute(&out, mails)
	}
	if err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	_, _ = out.WriteTo(w) // the reader may be gone
}
