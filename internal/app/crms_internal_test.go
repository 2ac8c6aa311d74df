package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/crmsync"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/proof/roles"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// kept are secrets by name; "!" stands for a store that does not answer.
type kept map[string]string

func (k kept) Get(_ context.Context, name string) (secret.Secret, error) {
	switch v := k[name]; v {
	case "":
		return secret.Secret{}, secret.ErrNone
	case "!":
		return secret.Secret{}, secret.ErrUnavailable
	default:
		return secret.Secret{Current: v}, nil
	}
}

// portal is a HubSpot account that knows one token.
func portal(t *testing.T, token string) (*hubspottest.Server, string) {
	t.Helper()
	s := hubspottest.New(hubspottest.Options{Now: time.Now, Token: token})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL
}

// office has a policy for each tenant, which names that kind of CRM, and works
// under the role of crmsync.
type office struct {
	*testing.T
	role  *roles.Role
	store *mem.Store
	now   time.Time
}

func newOffice(t *testing.T, kinds map[string]string) *office {
	t.Helper()
	o := &office{T: t, role: roles.Of(schema.CRMSync), store: mem.New(), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	for of, kind := range kinds {
		o.apply(of, 1, kind)
	}
	t.Cleanup(func() {
		for _, f := range o.role.Faults(false) {
			t.Error(f)
		}
	})
	return o
}

func (o *office) apply(of string, version int, kind string) {
	o.Helper()
	doc := strings.NewReplacer(`"tenant": "demo"`, `"tenant": "`+of+`"`, `"version": 1,
  "name"`, fmt.Sprintf(`"version": %d,
  "name"`, version), `"crm": { "kind": "hubspot", "task": true }`, `"crm": { "kind": "`+kind+`" }`).Replace(string(tenant.Example()))
	if _, err := (&versions.Book{Store: o.store, Now: o.clock}).Apply(o.Context(), []byte(doc), "test"); err != nil {
		o.Fatal(err)
	}
}

func (o *office) clock() time.Time { return o.now }

func (o *office) accounts(secrets kept, url string) crmsync.Accounts {
	book := &versions.Book{Store: o.role.Store(o.store), Now: o.clock, Keep: keepPolicy}
	return accounts(book, o.role.Secrets(secrets), map[string]string{"hubspot": url})
}

func upsert(t *testing.T, accounts crmsync.Accounts, tenantID string) crm.Result {
	t.Helper()
	account, err := accounts(t.Context(), tenantID)
	if err != nil {
		t.Fatal(err)
	}
	c := account.CRM
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := c.(crm.Vendor).SetUp(ctx); err != nil {
		return crm.Result{Outcome: crm.Refused}
	}
	return c.UpsertContact(ctx, crm.Contact{Ref: "ref-" + tenantID, Email: tenantID + "@example.com"}, "")
}

// A token is what tells accounts apart: a tenant's is never used for another.
func TestEachTenantHasTheAccountOfItsOwnToken(t *testing.T) {
	t.Parallel()
	_, url := portal(t, "token-of-one")
	secrets := kept{"crm/one": "token-of-one", "crm/two": "token-of-two"}
	accounts := newOffice(t, map[string]string{"one": "hubspot", "two": "hubspot"}).accounts(secrets, url)
	if res := upsert(t, accounts, "one"); res.Outcome != crm.Done {
		t.Errorf("the tenant of the account: %+v", res)
	}
	if res := upsert(t, accounts, "two"); res.Outcome == crm.Done {
		t.Errorf("a tenant with another token: %+v", res)
	}
	// A token that was replaced is used at once.
	secrets["crm/two"] = "token-of-one"
	if res := upsert(t, accounts, "two"); res.Outcome != crm.Done {
		t.Errorf("after the token was replaced: %+v", res)
	}
}

func TestATenantWithoutATokenHasNoAccount(t *testing.T) {
	t.Parallel()
	secrets := kept{"crm/one": "token", "crm/two": "!"}
	accounts := newOffice(t, map[string]string{"one": "hubspot", "two": "hubspot", "three": "hubspot"}).accounts(secrets, "http://127.0.0.1:1")
	if _, err := accounts(t.Context(), "three"); !errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("no secret: %v", err)
	}
	if _, err := accounts(t.Context(), "two"); err == nil || errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("a store that does not answer: %v", err)
	}
	if _, err := accounts(t.Context(), "one"); err != nil {
		t.Error(err)
	}
	delete(secrets, "crm/one")
	if _, err := accounts(t.Context(), "one"); !errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("a secret that was taken away: %v", err)
	}
}

// A token alone makes no account: the policy says whose it is.
func TestATenantHasTheCRMThatItsPolicyNames(t *testing.T) {
	t.Parallel()
	secrets := kept{"crm/none": "token", "crm/gone": "token", "crm/newer": "token", "crm/nobody": "token"}
	o := newOffice(t, map[string]string{"none": "", "gone": "hubspot", "newer": ""})
	var c ledger.Commit
	newer := strings.NewReplacer(`"tenant": "demo"`, `"tenant": "newer"`, `"kind": "hubspot"`, `"kind": "rolodex"`).Replace(string(tenant.Example()))
	err := c.Update("policy", ledger.PolicyCurrent.At("newer", "policy"), ledger.Cond{}, ledger.Item{"document": newer})
	if err == nil {
		err = o.store.Commit(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	accounts := o.accounts(secrets, "http://127.0.0.1:1")
	for of, want := range map[string]error{"none": crmsync.ErrNoAccount, "nobody": crmsync.ErrNoAccount, "gone": nil} {
		if got, err := accounts(t.Context(), of); !errors.Is(err, want) || (got.CRM != nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", of, err, want)
		}
	}
	// A kind that newer code knows is no tenant without an account.
	if _, err := accounts(t.Context(), "newer"); err == nil || errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("a policy of newer code: %v", err)
	}
	o.apply("gone", 2, "")
	o.now = o.now.Add(keepPolicy)
	if _, err := accounts(t.Context(), "gone"); !errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("after the policy named none: %v", err)
	}
}

// A policy may name the kinds there are and no other, by the word that their
// adapters have in the ledger.
func TestEachKindOfCRMIsThereOnceUnderItsOwnWord(t *testing.T) {
	t.Parallel()
	var document struct {
		Properties struct {
			CRM struct {
				Properties struct{ Kind struct{ Enum []string } }
			} `json:"crm"`
		}
	}
	if err := json.Unmarshal(tenant.Schema(), &document); err != nil {
		t.Fatal(err)
	}
	words := []string{""}
	for _, k := range CRMs() {
		words = append(words, k.Kind)
		c, err := k.Open(Account{Token: func(context.Context) (string, error) { return "token", nil }, HTTP: http.DefaultClient})
		if err != nil || c.Capabilities().Name != k.Kind {
			t.Errorf("%s: %v, and its adapter is called %q", k.Kind, err, c.Capabilities().Name)
		}
		if found, err := FindCRM(k.Kind); err != nil || found.Kind != k.Kind {
			t.Errorf("%s is not found: %v", k.Kind, err)
		}
	}
	got := document.Properties.CRM.Properties.Kind.Enum
	slices.Sort(got)
	slices.Sort(words)
	if !slices.Equal(got, words) {
		t.Errorf("a policy may name %q, there are %q", got, words)
	}
	for _, none := range []string{"", "rolodex"} {
		if _, err := FindCRM(none); !errors.Is(err, ErrUnknownCRM) {
			t.Errorf("%q: %v", none, err)
		}
	}
}
