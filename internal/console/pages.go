package console

import (
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
	"onefold/internal/utc"
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
	return headers(http.NewCrossOriginProtection().Handler(pages{s, tenantID, s.templates()}.handler()))
}

func (s *Service) templates() *template.Template {
	return template.Must(template.New("").Funcs(sayings()).Funcs(template.FuncMap{
		"words":  func(list []string) string { return strings.ReplaceAll(strings.Join(list, ", "), "_", " ") },
		"word":   func(w string) string { return strings.ReplaceAll(w, "_", " ") },
		"minute": func(t utc.Time) string { return t.Std().Format("2 Jan 2006, 15:04") + " UTC" },
		"fields": fieldsOf,
	}).ParseFS(files, "pages.html"))
}

func (p pages) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.own(p.list))
	mux.HandleFunc("GET /{task}", p.own(p.see))
	mux.HandleFunc("GET /{task}/raw", p.own(p.raw))
	mux.HandleFunc("POST /{task}", p.own(p.answer))
	return mux
}

// field is one value that was read from the text, for the page.
type field struct {
	Name string
	reader.Field
}

func fieldsOf(r reader.Record) []field {
	all := []field{{"Sender", r.SenderEmail}, {"Name", r.ContactName}, {"Company", r.Company}, {"Phone", r.Phone}}
	return slices.DeleteFunc(all, func(f field) bool { return f.Value == "" })
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
		p.fail(w, r, err)
		return
	}
	down, err := p.s.Down(r.Context(), p.tenant)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.show(w, http.StatusOK, "list", map[string]any{"Tenant": p.tenant, "Down": down, "Tasks": tasks, "Next": next, "Said": said(r)})
}

func (p pages) see(w http.ResponseWriter, r *http.Request) {
	v, err := p.s.See(r.Context(), p.tenant, r.PathValue("task"))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	who, _ := reviewerOf(r.Context())
	p.show(w, http.StatusOK, "task", map[string]any{"Tenant": p.tenant, "V": v, "Said": said(r), "Who": who.Name})
}

// said is what the page before did. Only its own words: anybody can write a
// link, and what it says would look like the page's.
func said(r *http.Request) string {
	switch word := r.URL.Query().Get("said"); word {
	case Approve, Reject, CountAsSent, "open":
		return word
	}
	return ""
}

func (p pages) answer(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	transition, err := strconv.ParseInt(r.PostFormValue("transition"), 10, 64)
	if err != nil {
		p.problem(w, http.StatusBadRequest, "That answer was not complete", "Nothing was done. Look at the question again and answer there.")
		return
	}
	by := strings.TrimSpace(r.PostFormValue("by"))
	if who, signedIn := reviewerOf(r.Context()); signedIn {
		by = who.Name
	}
	if !IsName(by) {
		p.problem(w, http.StatusBadRequest, "Say who you are", "Nothing was done. Your name is kept with the answer: go back and fill it in, in at most 100 characters.")
		return
	}
	id := r.PathValue("task")
	err = p.s.Answer(r.Context(), p.tenant, id, Form{
		Action: r.PostFormValue("action"), By: by, Transition: transition,
		ContentHash: r.PostFormValue("content_hash"), Address: strings.TrimSpace(r.PostFormValue("address")),
	})
	switch {
	case err == nil:
		goOn(w, "./?said="+url.QueryEscape(r.PostFormValue("action")))
	case errors.Is(err, ErrStillOpen):
		// The task itself shows why.
		goOn(w, "./"+url.PathEscape(id)+"?said=open")
	case errors.Is(err, ErrMoved), errors.Is(err, ErrNotFound), errors.Is(err, ErrNoSuchAction):
		p.fail(w, r, err)
	default:
		// The ledger may have taken it without saying so.
		p.log(r, "answer", err)
		p.problem(w, http.StatusInternalServerError, "It is not known whether your answer was stored",
			"Look at the question again: it shows whether it is answered. Answering it again is safe. The log of the process says more.")
	}
}

// goOn sends the browser to a page of this handler. The reference stays
// relative, as RFC 9110 section 10.2.2 allows: http.Redirect would make it
// absolute by the path that a StripPrefix around this handler has shortened.
func goOn(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// IsName takes any name of 1 to 100 characters that a person may have.
func IsName(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 100 && !strings.ContainsFunc(s, unicode.IsControl)
}

func (p pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrNotFound):
		p.problem(w, http.StatusNotFound, "No such question", "It may have been of another tenant or day.")
	case errors.Is(err, ErrMoved):
		p.problem(w, http.StatusConflict, "This has changed since you saw it", "Your answer did nothing. Look at the question again and answer what it shows now.")
	case errors.Is(err, ErrNoSuchAction):
		p.problem(w, http.StatusBadRequest, "This question has no such answer", "Nothing was done.")
	case errors.Is(err, ledger.ErrInvalid):
		p.problem(w, http.StatusBadRequest, "There is no such page", "The link is damaged. Begin at the list.")
	default:
		p.log(r, "show", err)
		p.problem(w, http.StatusInternalServerError, "That did not work", "Nothing was changed. Try again; the log of the process says more.")
	}
}

// log says of a fault of ours what the page does not. Who asked is not said.
func (p pages) log(r *http.Request, step string, err error) {
	p.s.Log.LogAttrs(r.Context(), slog.LevelError, "console request failed", slog.String("step", step), slog.String("tenant", p.tenant), slog.String("task", r.PathValue("task")),
		slog.String("error", err.Error()), slog.String("alarm", "console_failed"))
}

func (p pages) problem(w http.ResponseWriter, status int, title, text string) {
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
