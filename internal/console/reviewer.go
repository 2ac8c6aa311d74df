package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
)

// Reviewer is a person who has signed in.
type Reviewer struct {
	Name    string   // kept with each answer
	Tenants []string // whose questions she may see and answer
}

type reviewerKey struct{}

// WithReviewer notes who makes a request.
func WithReviewer(ctx context.Context, r Reviewer) context.Context {
	return context.WithValue(ctx, reviewerKey{}, r)
}

func reviewerOf(ctx context.Context) (Reviewer, bool) {
	r, ok := ctx.Value(reviewerKey{}).(Reviewer)
	return r, ok
}

// Site serves the pages of every tenant below /{tenant}/ to people who have
// signed in, each for her own tenants only, and a list of them at /. A request
// without a Reviewer is refused: whoever mounts the site puts the sign-in
// before it. An answer carries the name that was signed in, whatever the form
// says.
func (s *Service) Site() http.Handler {
	t := s.templates()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		who, _ := reviewerOf(r.Context())
		pages{s, "", t}.show(w, http.StatusOK, "tenants", map[string]any{"Who": who})
	})
	mux.HandleFunc("GET /{tenant}", func(w http.ResponseWriter, r *http.Request) {
		goOn(w, "./"+url.PathEscape(r.PathValue("tenant"))+"/")
	})
	mux.HandleFunc("/{tenant}/", func(w http.ResponseWriter, r *http.Request) {
		tenantID := r.PathValue("tenant")
		http.StripPrefix("/"+tenantID, pages{s, tenantID, t}.handler()).ServeHTTP(w, r)
	})
	return headers(http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := reviewerOf(r.Context()); !ok {
			pages{s, "", t}.problem(w, http.StatusForbidden, "You are not signed in", "Nothing was done. Sign in and begin at the list.")
			return
		}
		mux.ServeHTTP(w, r)
	})))
}

// mayNot tells whether a signed-in person has nothing to do with the tenant.
// Of the local page, which has no users, nobody has signed in.
func (p pages) mayNot(r *http.Request) bool {
	who, signedIn := reviewerOf(r.Context())
	return signedIn && !slices.Contains(who.Tenants, p.tenant)
}

// own refuses what is of a tenant that is not the person's.
func (p pages) own(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.mayNot(r) {
			// As of a tenant that does not exist: what there is, is not told.
			p.problem(w, http.StatusNotFound, "No such page", "You see the questions of your own tenants only.")
			return
		}
		next(w, r)
	}
}
