package app

import (
	"context"
	"net/http"
	"strings"

	"onefold/internal/console/signin"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// consolePath is where the pages are, below the API's base URL.
const consolePath = "/console"

// signIn is what stands before the console's pages and lets through those who
// have signed in; nil where the address is not known under which people come,
// to which the issuer would send them back.
func (b *builder) signIn(secrets secret.Store) (func(http.Handler) http.Handler, error) {
	base := strings.TrimSuffix(b.vars.get(schema.EnvPublicURL), "/")
	issuer, client := b.vars.get(schema.EnvOIDCIssuer), b.vars.get(schema.EnvOIDCClient)
	if base == "" {
		return nil, nil
	}
	gate, err := signin.New(signin.Config{
		Issuer: issuer, ClientID: client, Base: base + consolePath, Now: b.host.Now, Log: b.log,
		Keys: func(ctx context.Context) ([]string, error) {
			kept, err := secrets.Get(ctx, schema.SecretConsole)
			if err != nil {
				return nil, err
			}
			return kept.Values(), nil
		},
	})
	if err != nil {
		return nil, err
	}
	return gate.Guard, nil
}

// consoleSite serves the pages to people who have signed in. Without a sign-in
// nobody has, and every request is refused.
func consoleSite(pages http.Handler, signIn func(http.Handler) http.Handler) http.Handler {
	if signIn == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "The review pages are closed: nobody can sign in while "+schema.EnvPublicURL+" is not set. `make deploy` sets it.",
				http.StatusServiceUnavailable)
		})
	}
	mux := http.NewServeMux()
	mux.Handle(consolePath+"/", signIn(pages)) // which strips the path
	return mux
}
