package tenant_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

// customers is the minimal policy with customer IDs read by an endpoint.
func customers(use, endpoint string) string {
	doc := strings.Replace(minimal, `{"name": "form", "content": "form", "secret": "form", "mailbox": "website"}`, endpoint, 1)
	return strings.Replace(doc, `"rules"`, `"customer_ids": {"use": "`+use+`"}, "rules"`, 1)
}

const signedForm = `{"name": "shop", "content": "form", "secret": "shop", "mailbox": "shop", "fields": {"customer_id": "/data/customer"}}`

func TestCustomerIDsAreIgnoredUnlessThePolicyReadsThem(t *testing.T) {
	t.Parallel()
	if p := parse(t, minimal); p.Customers() != tenant.CustomersIgnore {
		t.Errorf("unsaid is %q", p.Customers())
	}
	for _, use := range []string{tenant.CustomersReview, tenant.CustomersWin} {
		p := parse(t, customers(use, signedForm))
		if p.Customers() != use {
			t.Errorf("%q, want %q", p.Customers(), use)
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if again := parse(t, string(b)); !reflect.DeepEqual(p, again) {
			t.Errorf("encoded and parsed again:\n%+v, want\n%+v", again, p)
		}
	}
}

// Whoever knows the address of a page's form can post to it: he would be let
// name any customer.
func TestAFormThatAnybodyPostsStatesNoCustomerID(t *testing.T) {
	t.Parallel()
	own := `{"name": "page", "content": "form", "scheme": "own-form", "origins": ["https://www.demo.example"], "mailbox": "page", "fields": {"customer_id": "/customer"}}`
	got := found(t, customers("wins", own))
	if len(got) != 1 || !strings.HasPrefix(got[0], "/endpoints/0/fields/customer_id ") ||
		!strings.Contains(got[0], "nobody proves who sends") || !strings.Contains(got[0], "another's customer ID") {
		t.Errorf("got %q", got)
	}
}

func TestACustomerIDIsReadOnlyWhereThePolicySays(t *testing.T) {
	t.Parallel()
	const doc = `{"customer_id": "C-0", "data": {"customer_id": "C-1", "customer": " C-2 ", "number": 77, "list": ["C-3"]}, "": "C-4"}`
	for _, c := range []struct{ pointer, want, warning string }{
		{"", "", ""}, // no default place, and none that an empty pointer could name
		{"/data/customer", "C-2", ""},
		{"/data/number", "77", ""},
		{"/data/absent", "", ""},
		{"/data/list", "", "customer_id: a list, left out"},
	} {
		v, err := tenant.FieldMap{CustomerID: c.pointer}.Read([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if v.CustomerID != c.want || c.warning == "" != (len(v.Warnings) == 0) || c.warning != "" && !slices.Contains(v.Warnings, c.warning) {
			t.Errorf("%q: %q %q, want %q %q", c.pointer, v.CustomerID, v.Warnings, c.want, c.warning)
		}
	}
	// A part of a long one would be another's.
	long := strings.Repeat("9", 5000)
	v, err := tenant.FieldMap{CustomerID: "/id"}.Read([]byte(`{"id": "` + long + `"}`))
	if err != nil || v.CustomerID != long {
		t.Errorf("%d bytes are left of 5000, %v", len(v.CustomerID), err)
	}
}

func TestDiffTellsWhatChangesOfIdentityAndReview(t *testing.T) {
	t.Parallel()
	before := parse(t, minimal)
	after := parse(t, customers("wins", strings.Replace(signedForm, `"shop", "content"`, `"form", "content"`, 1)))
	after.Version, after.Mail.Unauthenticated, after.Review.NewContacts, after.Rules[0].HighImpact = 2, "review", true, true
	got := tenant.Diff(before, after)
	for _, want := range []string{
		`customer_ids use: "ignore" is now "wins"`, `endpoints form fields customer_id: added`, `mail unauthenticated: "no_changes" is now "review"`,
		`review new_contacts: false is now true`, `rules welcome high_impact: false is now true`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
	said := parse(t, strings.Replace(minimal, `"rules"`, `"customer_ids": {"use": "ignore"}, "rules"`, 1))
	if lines := tenant.Diff(before, said); len(lines) != 0 {
		t.Errorf("to say the default changes %q", lines)
	}
}
