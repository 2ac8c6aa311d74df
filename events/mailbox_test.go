package events_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"onefold/internal/operate/mailbox"
	"onefold/internal/operate/mailbox/planted"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader/rules"
)

//go:generate go test -run TestTheSampleMailboxIsCurrent . -update

// The sample mailbox, its contact list and the truth about them are made by
// package planted; `go generate` writes them.
func TestTheSampleMailboxIsCurrent(t *testing.T) {
	t.Parallel()
	box := planted.Sample()
	contacts := box.Contacts()
	truth, err := json.MarshalIndent(box.Truth, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{
		"mailbox/sample.mbox": box.File(nil), "mailbox/contacts.csv": contacts, "mailbox/planted.json": append(truth, '\n'),
	} {
		if *update {
			if err := os.MkdirAll("mailbox", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what package planted makes: %v; run go generate ./events", name, err)
		}
	}
}

// What audit-inbox finds in the sample is what planted.json says, and nothing
// else.
func TestTheAuditFindsWhatTheSampleMailboxHolds(t *testing.T) {
	t.Parallel()
	read := func(name string) []byte {
		b, err := os.ReadFile("mailbox/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var truth planted.Truth
	if err := json.Unmarshal(read("planted.json"), &truth); err != nil {
		t.Fatal(err)
	}
	policy, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	list, err := mailbox.ReadContacts(read("contacts.csv"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := mailbox.Run(t.Context(), bytes.NewReader(read("sample.mbox")), mailbox.Options{
		Policy: policy, Reader: rules.New(), Contacts: list, Workers: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	planted.Same(t, truth, planted.Of(r))
}
