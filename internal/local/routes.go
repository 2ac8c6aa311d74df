package local

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

// commandLimit is the most that a command with its files may have.
const commandLimit = 10 << 20

func (s *System) routes(cfg Config, token string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/", lambdaio.Gateway(lambdaio.Ingest(s.Ingest.Handle)))
	mux.Handle(app.OptOutPath+"/", http.StripPrefix(app.OptOutPath, s.Optout.Pages()))
	mux.Handle("/review/", http.StripPrefix("/review", s.Console.Pages(s.Tenant)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/review/", http.StatusSeeOther) })
	mux.HandleFunc("GET /-/health", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	if cfg.Commands != nil {
		mux.Handle("POST /-/command", commands(cfg.Commands(s.Opened), token))
	}
	return loopbackOnly(mux)
}

// commands carries out operators' commands for those who can read the data
// folder, and so the token.
func commands(run func(context.Context, Command) CommandResult, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "the token in running.json is needed", http.StatusUnauthorized)
			return
		}
		var c Command
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, commandLimit)).Decode(&c); err != nil {
			http.Error(w, "not a command", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(run(r.Context(), c))
	})
}
