package console

import (
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

//go:embed pages.html
var files embed.FS

// Pages is the bare review page: list, see, approve, reject. It has no users:
// it is for the local process, behind the loopback. The name that is given
// with an answer is written down as it is.
//
// Answers come by POST from this page itself: the Sec-Fetch-Site and Origin of
// the browser are checked (http.CrossOriginProtection), and each form carries
// what the person saw.
func (s *Service) Pages(tenantID string) http.Handler {
	t := template.Must(template.New("").Funcs(template.FuncMap{
		"words":   func(list []string) string { return strings.ReplaceAll(strings.Join(list, ", "), "_", " ") },
		"word":    func(w string) string { return strings.ReplaceAll(w, "_", " ") },
		"percent": func(n int64) string { return strconv.FormatInt(n, 10) + " %" },
	}).ParseFS(files, "pages.html"))
	p := pages{s, tenantID, t}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.list)
	mux.HandleFunc("GET /{task}", p.see)
	mux.HandleFunc("POST /{task}", p.answer)
	return http.NewCrossOriginProtection().Handler(headers(mux))
}

type pages struct {
	s        *Service
	tenant   string
	template *template.Template
}

// headers keep the page from loading anything and from being framed.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func (p pages) list(w http.ResponseWriter, r *http.Request) {
	tasks, next, err := p.s.List(r.Context(), p.tenant, r.URL.Query().Get("after"))
	if err != nil {
		p.fail(w, err)
		return
	}
	p.show(w, http.StatusOK, "list", map[string]any{
		"Tenant": p.tenant, "Tasks": tasks, "Next": next, "Said": r.URL.Query().Get("said"),
	})
}

func (p pages) see(w http.ResponseWriter, r *http.Request) {
	v, err := p.s.See(r.Context(), p.tenant, r.PathValue("task"))
	if err != nil {
		p.fail(w, err)
		return
	}
	p.show(w, http.StatusOK, "task", map[string]any{"Tenant": p.tenant, "V": v, "Said": r.URL.Query().Get("said")})
}

func (p pages) answer(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	transition, err := strconv.ParseInt(r.PostFormValue("transition"), 10, 64)
	by := strings.TrimSpace(r.PostFormValue("by"))
	if err != nil || by == "" || len(by) > 100 {
		p.show(w, http.StatusBadRequest, "problem", map[string]any{"Title": "Say who you are", "Text": "Your name is kept with the answer. Go back and fill it in."})
		return
	}
	id := r.PathValue("task")
	err = p.s.Answer(r.Context(), p.tenant, id, Answer{
		Action: r.PostFormValue("action"), By: by, Transition: transition,
		ContentHash: r.PostFormValue("content_hash"), Address: strings.TrimSpace(r.PostFormValue("address")),
	})
	switch {
	case err == nil:
		http.Redirect(w, r, "./?said="+url.QueryEscape(r.PostFormValue("action")), http.StatusSeeOther)
	case errors.Is(err, ErrMoved), errors.Is(err, ErrNotFound), errors.Is(err, ErrNoSuchAction):
		p.fail(w, err)
	default:
		// The task itself shows why it stays open.
		http.Redirect(w, r, "./"+url.PathEscape(id)+"?said=open", http.StatusSeeOther)
	}
}

func (p pages) fail(w http.ResponseWriter, err error) {
	status, title, text := http.StatusInternalServerError, "That did not work", "Nothing was changed. Try again; the log of the process says more."
	switch {
	case errors.Is(err, ErrNotFound):
		status, title, text = http.StatusNotFound, "No such task", "It may have been of another tenant or day."
	case errors.Is(err, ErrMoved):
		status, title, text = http.StatusConflict, "This has changed since you saw it", "Nothing was done. Look at it again and answer what it shows now."
	case errors.Is(err, ErrNoSuchAction):
		status, title, text = http.StatusBadRequest, "This task has no such answer", "Nothing was done."
	}
	p.show(w, status, "problem", map[string]any{"Title": title, "Text": text})
}

func (p pages) show(w http.ResponseWriter, status int, name string, data any) {
	var b strings.Builder
	if err := p.template.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(b.String()))
}
