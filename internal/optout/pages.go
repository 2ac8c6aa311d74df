package optout

import (
	_ "embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"

	"onefold/internal/ledger"
)

//go:embed page.html
var source string

// Pages serves GET and POST of /{tenant}/{intent}/{token}. GET shows a page
// with one button and changes nothing. POST stops, whoever sends it and with
// whatever body: RFC 8058 section 3.2 has mail clients post List-Unsubscribe=One-Click
// without cookies, and asks that no further step be wanted of them. The
// answer to a POST is 200 when the stop stands, 404 for a link that is none of
// ours, 503 when it could not be carried out now.
//
// No page says whose address it is: a link may have been forwarded.
func (s *Service) Pages() http.Handler {
	p := pages{s, template.Must(template.New("page").Parse(source))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{tenant}/{intent}/{token}", p.ask)
	mux.HandleFunc("POST /{tenant}/{intent}/{token}", p.stop)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { p.show(w, r, http.StatusNotFound, "none") })
	return mux
}

type pages struct {
	s        *Service
	template *template.Template
}

func (p pages) ask(w http.ResponseWriter, r *http.Request) {
	_, err := p.s.See(r.Context(), r.PathValue("tenant"), r.PathValue("intent"), r.PathValue("token"))
	p.answer(w, r, err, "ask")
}

func (p pages) stop(w http.ResponseWriter, r *http.Request) {
	err := p.s.Stop(r.Context(), r.PathValue("tenant"), r.PathValue("intent"), r.PathValue("token"))
	p.answer(w, r, err, "done")
}

func (p pages) answer(w http.ResponseWriter, r *http.Request, err error, view string) {
	switch {
	case errors.Is(err, ErrNoLink), errors.Is(err, ledger.ErrInvalid):
		p.show(w, r, http.StatusNotFound, "none")
	case err != nil:
		p.s.Log.LogAttrs(r.Context(), slog.LevelError, "opt-out not carried out", slog.String("tenant", r.PathValue("tenant")),
			slog.String("intent", r.PathValue("intent")), slog.String("alarm", "opt_out_failed"), slog.String("error", err.Error()))
		w.Header().Set("Retry-After", "60")
		p.show(w, r, http.StatusServiceUnavailable, "later")
	default:
		p.show(w, r, http.StatusOK, view)
	}
}

func (p pages) show(w http.ResponseWriter, _ *http.Request, status int, view string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address of the page is the right to stop
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_ = p.template.Execute(w, view) // a reader that has gone away
}
