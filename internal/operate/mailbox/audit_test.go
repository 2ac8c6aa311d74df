package mailbox_test

import (
	"bytes"
	"testing"

	"onefold/internal/operate/mailbox"
	"onefold/internal/operate/mailbox/planted"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader/rules"
)

func options(t testing.TB) mailbox.Options {
	t.Helper()
	p, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	return mailbox.Options{Policy: p, Own: mailbox.Own{Addresses: p.OwnAddresses, How: mailbox.ByPolicy}, Reader: rules.New(), Workers: 2}
}

func audited(t testing.TB, file []byte, o mailbox.Options) mailbox.Report {
	t.Helper()
	r, err := mailbox.Run(t.Context(), bytes.NewReader(file), o)
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
			if o.Contacts, err = mailbox.ReadContacts(box.Contacts()); err != nil {
				t.Fatal(err)
			}
			got := planted.Of(audited(t, box.File(nil), o))
			planted.Same(t, box.Truth, got)
		})
	}
}
