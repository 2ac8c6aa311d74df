package console_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onefold/internal/console"
	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// visit asks the site as somebody; nil is somebody who has not signed in.
func (w *world) visit(who *console.Reviewer, method, path, body string) (int, string) {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if who != nil {
		r = r.WithContext(console.WithReviewer(r.Context(), *who))
	}
	rec := httptest.NewRecorder()
	w.service.Site().ServeHTTP(rec, r)
	return rec.Code, rec.Body.String()
}

func TestAPersonSeesAndAnswersHerOwnTenantsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.intent(review.ApproveIntent, followup.Proposed)
	grace := &console.Reviewer{Name: "grace@example.com", Tenants: []string{"acme"}}
	other := &console.Reviewer{Name: "eve@example.com", Tenants: []string{"other"}}
	yes := form(console.Approve, i.ContentHash)
	yes.Set("by", "somebody else")
	before := w.everything()
	for name, c := range map[string]struct {
		who    *console.Reviewer
		method string
		path   string
		want   int
	}{
		"list, not signed in":        {nil, http.MethodGet, "/acme/", http.StatusForbidden},
		"answer, not signed in":      {nil, http.MethodPost, "/acme/t1", http.StatusForbidden},
		"list of another's tenant":   {other, http.MethodGet, "/acme/", http.StatusNotFound},
		"task of another's tenant":   {other, http.MethodGet, "/acme/t1", http.StatusNotFound},
		"answer to another's tenant": {other, http.MethodPost, "/acme/t1", http.StatusNotFound},
		"of no tenant":               {&console.Reviewer{Name: "x"}, http.MethodPost, "/acme/t1", http.StatusNotFound},
		"a tenant by another path":   {other, http.MethodGet, "/other/../acme/t1", http.StatusMovedPermanently},
		"her own":                    {grace, http.MethodGet, "/acme/t1", http.StatusOK},
	} {
		status, body := w.visit(c.who, c.method, c.path, yes.Encode())
		if status != c.want && !(c.want == http.StatusMovedPermanently && status >= 300 && status < 400) {
			t.Errorf("%s: %d, want %d", name, status, c.want)
		}
		if c.want != http.StatusOK && strings.Contains(body, "ada@example.com") {
			t.Errorf("%s: the page tells of the task", name)
		}
	}
	if w.everything() != before {
		t.Fatal("something was changed")
	}
	if status, body := w.visit(grace, http.MethodPost, "/acme/t1", yes.Encode()); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	if by := w.row(key(ledger.ReviewTask, "t1")).Text("answered_by"); by != "person:grace@example.com" {
		t.Errorf("answered by %s", by)
	}
}

func TestTheSiteListsTheTenantsOfAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if status, body := w.visit(&console.Reviewer{Name: "<b>grace", Tenants: []string{"acme", "shop"}}, http.MethodGet, "/", ""); status != http.StatusOK ||
		!strings.Contains(body, `href="./acme/"`) || !strings.Contains(body, `href="./shop/"`) || strings.Contains(body, "<b>grace") {
		t.Errorf("%d %s", status, body)
	}
	if _, body := w.visit(&console.Reviewer{Name: "grace"}, http.MethodGet, "/", ""); !strings.Contains(body, "belong to no tenant") {
		t.Error(body)
	}
}

func TestATenantsNameInAPathStaysOnePathSegment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]string{"/acme": "./acme/", "/a%0d%0aSet-Cookie:%20x": "./a%0D%0ASet-Cookie:%20x/", "/a%2Fb%3Fc": "./a%2Fb%3Fc/"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		rec := httptest.NewRecorder()
		w.service.Site().ServeHTTP(rec, r.WithContext(console.WithReviewer(r.Context(), console.Reviewer{Name: "grace"})))
		if to := rec.Header().Get("Location"); to != want {
			t.Errorf("%s leads to %q, want %q", path, to, want)
		}
	}
}

// failing is a ledger that does not answer.
type failing struct {
	ledger.Store
	fault error
}

func (f failing) Get(context.Context, ledger.Key) (ledger.Item, error) { return nil, f.fault }

func (f failing) Query(context.Context, ledger.Query) (ledger.Page, error) {
	return ledger.Page{}, f.fault
}

// The pages send people to the log, so it has to say something; what a person
// mistyped is no fault of ours and fills no log.
func TestAFaultOfOursIsInTheLogAndAPersonsIsNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.intent(review.ApproveIntent, followup.Proposed)
	var logs bytes.Buffer
	w.service.Log = slog.New(slog.NewTextHandler(&logs, nil))
	grace := &console.Reviewer{Name: "grace@example.com", Tenants: []string{"acme"}}
	yes := form(console.Approve, i.ContentHash).Encode()

	for path, want := range map[string]int{"/acme/gone": http.StatusNotFound, "/acme/%00": http.StatusNotFound, "/other/t1": http.StatusNotFound} {
		if status, _ := w.visit(grace, http.MethodGet, path, ""); status != want || logs.Len() > 0 {
			t.Errorf("%s: %d, log %s", path, status, &logs)
		}
	}
	w.commit = func(ledger.Commit) error { return ledger.ErrUnknown }
	if status, _ := w.visit(grace, http.MethodPost, "/acme/t1", yes); status != http.StatusInternalServerError || !strings.Contains(logs.String(), "task=t1") {
		t.Errorf("an answer without an answer: %d, log %s", status, &logs)
	}
	w.service.Store = role.Store(failing{w, ledger.ErrUnavailable})
	for _, path := range []string{"/acme/", "/acme/t1"} {
		logs.Reset()
		if status, _ := w.visit(grace, http.MethodGet, path, ""); status != http.StatusInternalServerError || !strings.Contains(logs.String(), "alarm=console_failed") {
			t.Errorf("%s: %d, log %s", path, status, &logs)
		}
		if strings.Contains(logs.String(), "grace") || strings.Contains(logs.String(), "ada@") {
			t.Errorf("the log names a person: %s", &logs)
		}
	}
}

func TestTheListSaysThatACRMIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	grace := &console.Reviewer{Name: "grace@example.com", Tenants: []string{"acme", "other"}}
	w.service.CRM = func(_ context.Context, tenant string) (string, error) { return "crm-of-" + tenant, nil }
	for tenant, state := range map[string]string{"acme": outbox.Down, "other": outbox.Up} {
		var c ledger.Commit
		row := outbox.Connection{Tenant: tenant, CRM: "crm-of-" + tenant, State: state, Transition: 1, Reason: "auth", Since: utc.At(now)}
		if err := c.Create("connection", ledger.CRMConnection.Under(tenant, "crm", row.CRM), row); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if status, body := w.visit(grace, http.MethodGet, "/acme/", ""); status != http.StatusOK || !strings.Contains(body, "crm-of-acme") || !strings.Contains(body, "refused the token") {
		t.Errorf("%d, and the page says %s", status, body)
	}
	if status, body := w.visit(grace, http.MethodGet, "/other/", ""); status != http.StatusOK || strings.Contains(body, "crm-of-") {
		t.Errorf("%d, and the page of a CRM that is up says %s", status, body)
	}
}
