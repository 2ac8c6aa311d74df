package hubspottest

import (
	"encoding/json"
	"html/template"
	"net/http"
)

var pageTemplate = template.Must(template.New("records").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Local CRM</title></head><body>
<h1>Local CRM</h1>
<p>A stand-in for HubSpot. The same as data: <a href="/records.json">records.json</a></p>
{{range .}}<h2>{{.Name}} ({{len .Records}})</h2>
<table border="1"><tr><th>ID</th><th>Properties</th><th>Associated with</th></tr>
{{range .Records}}<tr id="{{.Type}}-{{.ID}}"><td>{{.ID}}</td>
<td><dl>{{range $name, $value := .Properties}}<dt>{{$name}}</dt><dd>{{$value}}</dd>{{end}}</dl></td>
<td>{{range .Associations}}{{.}} {{end}}</td></tr>
{{end}}</table>
{{end}}</body></html>
`))

// page shows every record to a developer. Values are escaped by the template:
// they come from strangers' mail.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	type section struct {
		Name    string
		Records []Record
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = pageTemplate.Execute(w, []section{
		{"Contacts", s.Contacts()}, {"Notes", s.Notes()}, {"Tasks", s.Tasks()},
	})
}

func (s *Server) recordsJSON(w http.ResponseWriter, _ *http.Request) {
	out := map[string][]Record{"contacts": s.Contacts(), "notes": s.Notes(), "tasks": s.Tasks()}
	for kind, records := range out {
		if records == nil {
			out[kind] = []Record{}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = json.NewEncoder(w).Encode(out)
}
