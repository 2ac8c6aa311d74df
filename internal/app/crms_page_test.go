package app_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"onefold/internal/app"
	"onefold/internal/crm"
)

//go:generate go test -count=1 -run TestThePageIsWhatTheAdaptersDeclare . -update

var update = flag.Bool("update", false, "write docs/crm.md instead of comparing it")

// TestThePageIsWhatTheAdaptersDeclare: docs/crm.md is made from what the adapters
// say of their vendors; `go generate ./internal/app` makes it anew.
func TestThePageIsWhatTheAdaptersDeclare(t *testing.T) {
	const page = "../../docs/crm.md"
	want := crmPage(t)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the adapters declare: go generate ./internal/app", page)
	}
}

func crmPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString(`# CRMs

What can be named by ` + "`crm.kind`" + ` in the policy, and what each vendor makes possible. Made by ` + "`go generate ./internal/app`" + `
from what the adapters declare; the worker acts on that alone. How to add one: [add-a-crm.md](add-a-crm.md).

| kind | a contact is found again by | a note | a task | in flight | search is late by | keys live | an edit can be lost for | its contacts are listed |
|---|---|---|---|---|---|---|---|---|
`)
	var facts, calls strings.Builder
	calls.WriteString(`
HTTP calls of each operation, as the suite counts them, at a record that is known by its ID. More than the least are looks: before a record is
made, so that one that is there is adopted, and before one is filed, so that a repeat undoes nothing that a person did.

| kind | new contact | adopted | changed | nothing to write | note | task |
|---|---|---|---|---|---|---|
| *the least possible* | 1 | 2 | 2 | 1 | 1 | 1 |
`)
	for _, k := range app.CRMs() {
		c, err := k.Open(app.Account{
			Token: func(context.Context) (string, error) { return "", nil }, HTTP: http.DefaultClient,
		})
		if err != nil {
			t.Fatal(err)
		}
		is := c.Capabilities()
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", is.Name, again(is.Contacts), again(is.Notes), again(is.Tasks),
			span(is.InFlight), span(is.IndexLag), span(is.KeyLife), span(is.EditLost), lists(c))
		if is.Calls == (crm.Calls{}) || is.Secret == "" || len(is.Facts) == 0 {
			t.Errorf("%s declares no calls, no secret or no facts", is.Name)
		}
		n := is.Calls
		fmt.Fprintf(&calls, "| `%s` | %d | %d | %d | %d | %d | %d |\n", is.Name, n.New, n.Adopted, n.Changed, n.Unchanged, n.Note, n.Task)
		fmt.Fprintf(&facts, "\n## %s\n\nThe secret `crm/TENANT` is %s.\n\n", is.Name, is.Secret)
		for _, f := range is.Facts {
			source := f.Source
			if source == "" {
				source = "*an assumption of ours, on the safe side*"
			}
			fmt.Fprintf(&facts, "- %s: %s\n", f.Says, source)
		}
	}
	b.WriteString(`
*its reference*: the vendor keeps it unique, so an unknown outcome is answered by the same call. *a look*: the adapter looks for the reference before
it makes a record; the worker waits until nothing can be in flight and the search shows it. *an idempotency key*: the receiver answers
a repeat as it did the first call, while it keeps the key. *nothing*: a person is asked, since a repeat might make a second record.

What somebody changes in the CRM stays: Onefold writes a field only while it has what Onefold wrote there last. Between a look and
the write after it an edit can be lost, for the time in the last column but one. ` + "`crm.edited`" + ` in the [policy](policy.md) says otherwise, field by field.

Where contacts can be listed, ` + "`onefold import -crm`" + ` takes in who is there already, and ` + "`onefold crm check`" + ` compares. Of the others a CSV file
is taken in: [identity.md](identity.md#day-one).
`)
	b.WriteString(calls.String())
	b.WriteString(facts.String())
	return b.String()
}

// lists tells whether `onefold import -crm` and `onefold crm check` work with it.
func lists(c crm.CRM) string {
	if _, can := c.(crm.Lister); can {
		return "yes"
	}
	return "no"
}

func again(r crm.Repeat) string {
	return map[crm.Repeat]string{crm.ByReference: "its reference", crm.ByLooking: "a look", crm.ByIdempotencyKey: "an idempotency key", crm.Never: "nothing"}[r]
}

func span(d time.Duration) string {
	switch {
	case d == crm.CannotLook:
		return "always: it cannot be read"
	case d == 0:
		return "–"
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
