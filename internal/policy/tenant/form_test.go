package tenant_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

func TestFormValuesAreReadFromTheirPlaces(t *testing.T) {
	t.Parallel()
	email := func(s string) string { return `{"email": "` + s + `"}` }
	at320 := strings.Repeat("a", 64) + "@" + strings.Repeat("b", 255)
	kilo2, kilo64 := strings.Repeat("n", 2<<10), strings.Repeat("m", 64<<10)
	for _, c := range []struct {
		name string
		from tenant.FieldMap
		doc  string
		want tenant.FormValues
	}{
		{
			"data object", tenant.FieldMap{},
			`{"type": "enquiry.created", "data": {"email": "r@example.org", "name": "Robin", "company": "Sample GmbH", "phone": "+44 20 7946 0000", "subject": "Boots", "message": "Hi\nthere"}}`,
			tenant.FormValues{Email: "r@example.org", Name: "Robin", Company: "Sample GmbH", Phone: "+44 20 7946 0000", Subject: "Boots", Message: "Hi\nthere"},
		},
		{"top level", tenant.FieldMap{}, `{"email": "r@example.org", "message": "Hi"}`, tenant.FormValues{Email: "r@example.org", Message: "Hi"}},
		{"data before top level, each field alone", tenant.FieldMap{}, `{"email": "a@example.org", "name": "A", "data": {"email": "b@example.org"}}`, tenant.FormValues{Email: "b@example.org", Name: "A"}},
		{"blank in data", tenant.FieldMap{}, `{"email": "a@example.org", "data": {"email": " "}}`, tenant.FormValues{Email: "a@example.org"}},
		{"null in data", tenant.FieldMap{}, `{"email": "a@example.org", "data": {"email": null}}`, tenant.FormValues{Email: "a@example.org"}},
		{"a named place is looked at alone", tenant.FieldMap{Email: "/from"}, `{"email": "a@example.org", "data": {"email": "b@example.org"}}`, tenant.FormValues{}},
		{"deep, in a list, with escapes", tenant.FieldMap{Email: "/a~1b/1/c~0d/"}, `{"a/b": [0, {"c~d": {"": "r@example.org"}}]}`, tenant.FormValues{Email: "r@example.org"}},
		{"escapes in order", tenant.FieldMap{Name: "/~01"}, `{"~1": "right", "/": "wrong"}`, tenant.FormValues{Name: "right"}},
		{"index with a leading zero", tenant.FieldMap{Name: "/a/01"}, `{"a": ["x", "y"]}`, tenant.FormValues{}},
		{"index past the end", tenant.FieldMap{Name: "/a/2", Company: "/a/-", Subject: "/a/-1"}, `{"a": ["x", "y"]}`, tenant.FormValues{}},
		{"through a text", tenant.FieldMap{Name: "/a/b"}, `{"a": "x"}`, tenant.FormValues{}},
		{"numbers and booleans", tenant.FieldMap{}, `{"phone": 442079460000, "name": true, "company": 1.50, "subject": 12345678901234567890}`, tenant.FormValues{Phone: "442079460000", Name: "true", Company: "1.50", Subject: "12345678901234567890"}},
		{"white space around", tenant.FieldMap{}, email(` r@example.org\r\n`), tenant.FormValues{Email: "r@example.org"}},
		{"case of members", tenant.FieldMap{}, `{"Email": "r@example.org"}`, tenant.FormValues{}},
		{"object", tenant.FieldMap{}, `{"name": {"first": "R"}}`, tenant.FormValues{Warnings: []string{"name: an object, left out"}}},
		{"list", tenant.FieldMap{}, `{"name": ["R"]}`, tenant.FormValues{Warnings: []string{"name: a list, left out"}}},
		{"object, then the next place", tenant.FieldMap{}, `{"data": {"name": {}}, "name": "R"}`, tenant.FormValues{Name: "R", Warnings: []string{"name: an object, left out"}}},
		{"email of 320 bytes", tenant.FieldMap{}, email(at320), tenant.FormValues{Email: at320}},
		{"email of 321 bytes is never cut", tenant.FieldMap{}, email(at320 + "c"), tenant.FormValues{Warnings: []string{"email: longer than 320 bytes, left out"}}},
		{"phone is never cut", tenant.FieldMap{}, `{"phone": "` + kilo2 + `1"}`, tenant.FormValues{Warnings: []string{"phone: longer than 2048 bytes, left out"}}},
		{"name of 2 KiB", tenant.FieldMap{}, `{"name": "` + kilo2 + `"}`, tenant.FormValues{Name: kilo2}},
		{"name is cut at a character", tenant.FieldMap{}, `{"name": "` + kilo2[1:] + `é"}`, tenant.FormValues{Name: kilo2[1:], Warnings: []string{"name: cut at 2048 bytes"}}},
		{"message is cut", tenant.FieldMap{}, `{"message": "` + kilo64 + `x"}`, tenant.FormValues{Message: kilo64, Warnings: []string{"message: cut at 65536 bytes"}}},
		{"member twice", tenant.FieldMap{}, `{"email": "a@example.org", "email": "b@example.org"}`, tenant.FormValues{Email: "b@example.org", Warnings: []string{"form: a member stands twice in one object, the last was taken"}}},
		{"empty object", tenant.FieldMap{}, `{}`, tenant.FormValues{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.from.Read([]byte(c.doc))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("Read = %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestWhatIsNoFormIsRefused(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{"", "null", `"x"`, "[]", "1", "{", `{"a": 1} {}`, "{\"a\": \"\xff\"}", "email=r%40example.org"} {
		if got, err := (tenant.FieldMap{}).Read([]byte(doc)); !errors.Is(err, tenant.ErrNotAForm) || !reflect.DeepEqual(got, tenant.FormValues{}) {
			t.Errorf("%q: Read = %+v, %v, want ErrNotAForm", doc, got, err)
		}
	}
}

func TestDeepNestingIsBounded(t *testing.T) {
	t.Parallel()
	deep := func(n int) []byte {
		return []byte(strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n))
	}
	if _, err := (tenant.FieldMap{}).Read(deep(5_000)); err != nil {
		t.Errorf("5,000 levels: %v", err)
	}
	if _, err := (tenant.FieldMap{}).Read(deep(1_000_000)); !errors.Is(err, tenant.ErrNotAForm) {
		t.Errorf("1,000,000 levels: %v, want ErrNotAForm", err)
	}
}

func TestDefaultPlacesAreDataThenTopLevel(t *testing.T) {
	t.Parallel()
	d := tenant.DefaultFieldMap()
	if len(d) != 2 || d[0].Email != "/data/email" || d[1].Email != "/email" || d[0].Message != "/data/message" || d[1].Message != "/message" {
		t.Errorf("DefaultFieldMap = %+v", d)
	}
}
