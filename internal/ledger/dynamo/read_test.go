package dynamo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// gives is a successful answer.
func gives(body string) answer {
	return func(w http.ResponseWriter) { reply(w, http.StatusOK, body) }
}

func row(id string) string {
	return fmt.Sprintf(`{"pk":{"S":"acme#intent#i1"},"sk":{"S":"attempt#%s"},"sub":{"S":%q}}`, id, id)
}

func place(id string) string {
	return fmt.Sprintf(`{"pk":{"S":"acme#intent#i1"},"sk":{"S":"attempt#%s"}}`, id)
}

var intent = ledger.Key{Entity: ledger.Attempt, Tenant: "acme", ID: "i1"}

func subs(items []ledger.Item) string {
	var out []string
	for _, it := range items {
		out = append(out, it.Text(schema.Sub))
	}
	return strings.Join(out, " ")
}

// DynamoDB ends an answer at 1 MB, and names a last key after the very last
// item too when the answer is full.
func TestPagesAreFullUntilTheEndAndNextIsExact(t *testing.T) {
	t.Parallel()
	short := gives(`{"Items":[` + row("1") + `],"LastEvaluatedKey":` + place("1") + `}`)
	none := gives(`{"Items":[],"LastEvaluatedKey":` + place("2") + `}`)
	for name, c := range map[string]struct {
		answers  []answer
		limit    int
		want     string
		more     bool
		requests int
	}{
		"short answers":   {[]answer{short, none, gives(`{"Items":[` + row("3") + "," + row("4") + `],"LastEvaluatedKey":` + place("4") + `}`)}, 2, "1 3", true, 3},
		"exactly the end": {[]answer{gives(`{"Items":[` + row("1") + "," + row("2") + `]}`)}, 2, "1 2", false, 1},
		"end after none":  {[]answer{short, gives(`{"Items":[]}`)}, 1, "1", false, 2},
		"nothing":         {[]answer{gives(`{"Items":[]}`)}, 5, "", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, c.answers...)
			page, err := f.store().List(t.Context(), intent, "", c.limit)
			if err != nil {
				t.Fatal(err)
			}
			if got := subs(page.Items); got != c.want || (page.Next != "") != c.more || len(f.seen()) != c.requests {
				t.Errorf("got %q, next %q, %d requests; want %q, %t, %d", got, page.Next, len(f.seen()), c.want, c.more, c.requests)
			}
			if !c.more {
				return
			}
			if _, err := f.store().List(t.Context(), intent, page.Next, c.limit); err != nil {
				t.Fatal(err)
			}
			var asked struct{ ExclusiveStartKey any }
			var third any
			if err := errors.Join(json.Unmarshal([]byte(f.seen()[c.requests].body), &asked), json.Unmarshal([]byte(place("3")), &third)); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(asked.ExclusiveStartKey, third) {
				t.Errorf("the next page starts at %v, want %v", asked.ExclusiveStartKey, third)
			}
		})
	}
}

func TestReadsOfTheTableAreConsistent(t *testing.T) {
	t.Parallel()
	f := newFake(t, gives(`{}`))
	s := f.store()
	_, err1 := s.Get(t.Context(), annID)
	_, err2 := s.GetMany(t.Context(), []ledger.Key{annID, annKey})
	_, err3 := s.List(t.Context(), intent, "", 10)
	_, err4 := s.Scan(t.Context(), ledger.Scan{Table: schema.Ledger, Segments: 1, Limit: 10})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for i, r := range f.seen() {
		if !strings.Contains(r.body, `"ConsistentRead":true`) {
			t.Errorf("%s is not consistent: %s", f.counted[i], r.body)
		}
	}
	if want := []string{"GetItem", "BatchGetItem", "Query", "Scan"}; !slices.Equal(f.counted, want) {
		t.Errorf("counted %v, want %v", f.counted, want)
	}
}

func TestGetManyAsksAgainForWhatWasLeft(t *testing.T) {
	t.Parallel()
	keys := []ledger.Key{intent, intent, intent}
	for i := range keys {
		keys[i].Sub = fmt.Sprint(i)
	}
	left := func(ids ...string) string {
		var ps []string
		for _, id := range ids {
			ps = append(ps, place(id))
		}
		return `"UnprocessedKeys":{"p-ledger":{"ConsistentRead":true,"Keys":[` + strings.Join(ps, ",") + `]}}`
	}
	f := newFake(t,
		gives(`{"Responses":{"p-ledger":[`+row("1")+`]},`+left("0", "2")+`}`),
		gives(`{"Responses":{},`+left("0", "2")+`}`),
		gives(`{"Responses":{"p-ledger":[`+row("2")+`]}}`))
	items, err := f.store().GetMany(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	if items[0] != nil || items[1].Text("sub") != "1" || items[2].Text("sub") != "2" {
		t.Errorf("got %v", items)
	}

	f = newFake(t, gives(`{"Responses":{},`+left("0")+`}`))
	if _, err := f.store().GetMany(t.Context(), keys); !errors.Is(err, ledger.ErrContention) || len(f.seen()) != 3 {
		t.Errorf("never answered: got %v after %d requests, want ErrContention after 3", err, len(f.seen()))
	}
}

func TestWhatReadsSayOfErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer answer
		want   error
	}{
		"lost":      {lost, ledger.ErrUnavailable},
		"5xx":       {fails(500, "InternalServerError"), ledger.ErrUnavailable},
		"throttled": {fails(400, "ThrottlingException"), ledger.ErrContention},
		"no table":  {fails(400, "ResourceNotFoundException"), ledger.ErrUnavailable},
		"invalid":   {fails(400, "ValidationException"), ledger.ErrInvalid},
		"a float":   {gives(`{"Item":{"n":{"N":"1.5"}},"Items":[{"n":{"N":"1.5"}}],"Responses":{"p-ledger":[{"n":{"N":"1.5"}}]}}`), ledger.ErrDamaged},
		"binary":    {gives(`{"Item":{"n":{"B":"AA=="}},"Items":[{"n":{"NULL":true}}],"Responses":{"p-ledger":[{"n":{"SS":["a"]}}]}}`), ledger.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFake(t, c.answer).store()
			_, err1 := s.Get(t.Context(), annKey)
			_, err2 := s.GetMany(t.Context(), []ledger.Key{annKey})
			_, err3 := s.List(t.Context(), annKey, "", 1)
			_, err4 := s.Query(t.Context(), ledger.Query{Table: schema.Ledger, Index: schema.ByContact, Partition: "acme#ann", Limit: 1})
			_, err5 := s.Scan(t.Context(), ledger.Scan{Table: schema.Ledger, Segments: 1, Limit: 1})
			for _, err := range []error{err1, err2, err3, err4, err5} {
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				noWords(t, err)
			}
		})
	}
}

func TestStrangeCursorsAreRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t, gives(`{}`))
	s := f.store()
	for _, cursor := range []string{"x", "=attempt#1", "WyJhIl0", "e30"} { // the last two: ["a"] and {}
		_, err1 := s.List(t.Context(), intent, cursor, 1)
		_, err2 := s.Query(t.Context(), ledger.Query{Table: schema.Ledger, Index: schema.ByContact, Partition: "a", Cursor: cursor, Limit: 1})
		_, err3 := s.Scan(t.Context(), ledger.Scan{Table: schema.Ledger, Segments: 1, Cursor: cursor, Limit: 1})
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, ledger.ErrInvalid) {
				t.Errorf("%q: got %v, want ErrInvalid", cursor, err)
			}
		}
	}
	if len(f.seen()) != 0 {
		t.Errorf("%d requests were sent", len(f.seen()))
	}
}
