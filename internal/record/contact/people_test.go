package contact_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"onefold/internal/record/contact"
)

func TestMergesAreFollowedToTheirEnd(t *testing.T) {
	t.Parallel()
	rows := map[string]*contact.Contact{}
	line := func(prefix string, n int) {
		for i := range n {
			rows[fmt.Sprint(prefix, i)] = &contact.Contact{ID: fmt.Sprint(prefix, i), Status: contact.Merged, MergedInto: fmt.Sprint(prefix, i+1)}
		}
		last := fmt.Sprint(prefix, n)
		rows[last] = &contact.Contact{ID: last, Status: contact.Active}
	}
	line("longest", contact.MaxAbsorbed)
	line("longer", contact.MaxAbsorbed+1)
	rows["erased"] = &contact.Contact{ID: "erased", Status: contact.Erased, MergedInto: "longest0"}
	rows["to-erased"] = &contact.Contact{ID: "to-erased", Status: contact.Merged, MergedInto: " erased "}
	rows["to-nobody"] = &contact.Contact{ID: "to-nobody", Status: contact.Merged, MergedInto: "nobody"}
	rows["nowhere"] = &contact.Contact{ID: "nowhere", Status: contact.Merged}
	rows["ring"] = &contact.Contact{ID: "ring", Status: contact.Merged, MergedInto: "ring"}
	fault := errors.New("no answer")
	for id, want := range map[string]struct {
		last  string
		chain int
		err   error
	}{
		"longest0": {fmt.Sprint("longest", contact.MaxAbsorbed), contact.MaxAbsorbed + 1, nil}, "longer0": {"", contact.MaxAbsorbed + 1, contact.ErrMergesDoNotEnd},
		"erased": {"erased", 1, nil}, "to-erased": {"erased", 2, nil}, "to-nobody": {"", 2, nil}, "nowhere": {"", 1, nil}, "nobody": {"", 1, nil}, "": {"", 0, nil},
		"ring": {"", contact.MaxAbsorbed + 1, contact.ErrMergesDoNotEnd}, "silent": {"", 0, fault},
	} {
		c, chain, err := contact.Follow(id, func(id string) (*contact.Contact, error) {
			if id == "silent" {
				return nil, fault
			}
			return rows[id], nil
		})
		last := ""
		if c != nil {
			last = c.ID
		}
		if last != want.last || len(chain) != want.chain || !errors.Is(err, want.err) {
			t.Errorf("%q: %q by %d contacts, %v, want %q by %d, %v", id, last, len(chain), err, want.last, want.chain, want.err)
		}
	}
}

func TestTheAddressesOfAContactAreThoseOfItsEmailKeys(t *testing.T) {
	t.Parallel()
	c := contact.Contact{Keys: []string{"email:kim@example.com", "customer:kim@example.net", "email:kim@example.org", "email:kim@example.com", "email:broken", "kim@example.net"}}
	var got []string
	for _, a := range c.Addresses() {
		got = append(got, a.String())
	}
	if want := []string{"kim@example.com", "kim@example.org"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
