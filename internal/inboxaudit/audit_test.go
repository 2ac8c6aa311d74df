package inboxaudit_test

import (
	"bytes"
	"testing"

	"onefold/internal/extract/rules"
	"onefold/internal/inboxaudit"
	"onefold/internal/inboxaudit/planted"
	"onefold/internal/tenant"
)

func options(t testing.TB) inboxaudit.Options {
	t.Helper()
	p, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	return inboxaudit.Options{Policy: p, Own: inboxaudit.Own{Addresses: p.OwnAddresses, How: inboxaudit.ByPolicy}, Reader: rules.New(), Workers: 2}
}

func audited(t testing.TB, file []byte, o inboxaudit.Options) inboxaudit.Report {
	t.Helper()
	r, err := inboxaudit.Run(t.Context(), bytes.NewReader(file), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The audit finds what was planted, no more and no less.
func TestExactlyWhatWasPlantedIsFound(t *testing.T) {
	t.Parallel()
	for name, box := range map[string]*planted.Mailbox{"the sample": planted.Sample(), "all": planted.Whole()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			var err error
			if o.Contacts, err = inboxaudit.ReadContacts(box.Contacts()); err != nil {
				t.Fatal(err)
			}
			got := planted.Of(audited(t, box.File(nil), o))
			planted.Same(t, box.Truth, got)
		})
	}
}
