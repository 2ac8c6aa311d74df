package people_test

import (
	"bytes"
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/contact"
)

func put(t *testing.T, s *mem.Store, k ledger.Key, noun any) {
	t.Helper()
	var c ledger.Commit
	err := c.Create("row", k, noun)
	if err == nil {
		err = s.Commit(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// No address of a person is missed: not that of who was merged, nor one of
// which nothing is known; the one in hand is left out.
func TestThePersonsOtherAddressesAreAllRead(t *testing.T) {
	t.Parallel()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	s := mem.New()
	top := contact.Contact{Tenant: "demo", ID: "a", Status: contact.Active, Keys: []string{"email:kim@example.com", "email:kim@example.org"}, Absorbed: []string{"b"}}
	put(t, s, people.Key("demo", "a"), top)
	put(t, s, people.Key("demo", "b"), contact.Contact{Tenant: "demo", ID: "b", Status: contact.Merged, MergedInto: "a", Keys: []string{"email:lou@example.net", "email:k.im+x@example.com"}})
	guardOf := func(key string) string {
		return decide.GuardsOf(ids, "demo", "", contact.Contact{Keys: []string{key}})[0]
	}
	lou := guardOf("email:lou@example.net")
	put(t, s, ledger.Guard.At("demo", lou), ledger.Item{"hold": "2026-03-02T09:00:00.000Z"})
	got, err := people.Elsewhere(t.Context(), s, ids, top, guardOf("email:kim@example.com"))
	if err != nil || len(got) != 2 || got[0].ID != guardOf("email:kim@example.org") || got[0].Item != nil || got[1].ID != lou || got[1].Item.Text("hold") == "" {
		t.Errorf("%v, %v", got, err)
	}
	if last, chain, err := people.Find(t.Context(), s, "demo", "b"); err != nil || last.ID != "a" || !slices.Equal(chain, []string{"b", "a"}) {
		t.Errorf("%v by %v, %v", last, chain, err)
	}

	// On a part of a person nothing is decided.
	top.Absorbed = []string{"b", "nobody"}
	if got, err := people.Elsewhere(t.Context(), s, ids, top, ""); err == nil {
		t.Errorf("%v of a person who is not whole", got)
	}
}
