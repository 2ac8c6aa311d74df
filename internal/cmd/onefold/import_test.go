package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/crm/hubspottest"
	"onefold/internal/operate/intake"
)

// listFile is a CSV file of contacts.
func listFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "contacts.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func imported(t *testing.T, got said) (r intake.Report) {
	t.Helper()
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || got.code != exitDone {
		t.Fatalf("%v: %+v", err, got)
	}
	return r
}

// Real: the commands, the local system with its reading, deciding and syncing.
// Fake: the CRM. A list comes first, then a mail of somebody who is on it.
func TestWhoWasTakenInIsKnownWhenAMailComes(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	run := func(stdin string, args ...string) said {
		t.Helper()
		return onefold(t, stdin, append(args, "-data", folder)...)
	}
	file := listFile(t, "Name;E-Mail;Unsubscribed\nAlex Morgan;Alex@customer.example;\nMorgan, Alex;sam@customer.example;YES\nNobody;;\nAlex;alex@customer.example;no\n")
	run("", "import", file).want(t, exitDone, "4 rows: 2 new contacts, 0 known, 2 left out; 0 with an opt-out", "")
	plan := run("", "import", "-opted-out-column", "unsubscribed", file)
	plan.want(t, exitDone, "this is a plan: nothing was written", "")
	plan.want(t, exitDone, "1  no e-mail address: row 4", "")
	plan.want(t, exitDone, "1  an earlier one has the same address: row 5 (row 2)", "")
	run("", "import", "-apply", file).want(t, exitFailed, "2 new contacts", "nobody answered: not done")
	run("n\n", "import", "-apply", file).want(t, exitFailed, "", "error: not done")
	run("", "contact", "show", "sam@customer.example").want(t, exitFailed, "", "no contact has this address")
	done := run("y\n", "import", "-apply", "-opted-out-column", "unsubscribed", file)
	done.want(t, exitDone, "2 new contacts, 0 known, 2 left out; 1 with an opt-out that is new here", "[y/N]")
	if again := imported(t, run(listOf(t, file), "import", "-apply", "-yes", "-json", "-")); again.Made != 0 || again.Known != 2 || !again.Complete {
		t.Errorf("a second run: %+v", again)
	}
	alex := contactIn(t, run("", "contact", "show", "-json", "alex@customer.example")).ID
	run("", "contact", "show", "sam@customer.example").want(t, exitDone, "stopped since", "")
	run("", "explain", "-email", "sam@customer.example").want(t, exitDone, "the contact was taken in from a list", "")

	wrote(t, s, "alex@customer.example", 1)
	wrote(t, s, "sam@customer.example", 2)
	if id := contactIn(t, run("", "contact", "show", "-json", "alex@customer.example")).ID; id != alex {
		t.Errorf("a mail made another contact, %s and not %s", id, alex)
	}
	run("", "explain", "-email", "sam@customer.example").want(t, exitDone, "the person must not be mailed", "")
	run("", "verify").want(t, exitDone, "", "")

	// The same in the folder itself.
	s.Stop(context.Background())
	if again := imported(t, run("", "import", "-apply", "-yes", "-json", file)); again.Made != 0 || again.Known != 2 || again.LeftOut != 2 {
		t.Errorf("in the folder: %+v", again)
	}
	run("", "import", "-tenant", "nobody", file).want(t, exitFailed, "", `tenant "nobody" has no policy`)
	run("", "import", "-crm").want(t, exitFailed, "", "set it first: `onefold secret set crm/demo`")
}

func listOf(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// asHubSpot makes a call to the local CRM as a person of it would.
func asHubSpot(t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer local-crm")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode > 299 {
		t.Fatalf("%s %s: %d %s %v", method, url, resp.StatusCode, b, err)
	}
	return string(b)
}

// The CRM's people are linked, and no sync makes them twice; what changes there
// afterwards is found by a check.
func TestTheCRMsPeopleAreLinkedAndCompared(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	run := func(stdin string, args ...string) said {
		t.Helper()
		return onefold(t, stdin, append(args, "-data", folder)...)
	}
	const path = "/crm/objects/2026-03/contacts"
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(asHubSpot(t, http.MethodPost, s.CRMURL+path, `{"properties":{"email":"alex@customer.example","firstname":"Alex","lastname":"Morgan"}}`)), &made); err != nil {
		t.Fatal(err)
	}
	run("", "crm", "check", "demo").want(t, exitDone, "1 records, 0 contacts with one\nnothing is missing, doubled or changed", "")
	run("y\n", "import", "-crm", "-apply").want(t, exitDone, "1 records: 1 new contacts, 0 known ones linked to their record, 0 known, 0 left out", "[y/N]")
	if again := imported(t, run("", "import", "-crm", "-apply", "-yes", "-json")); again.Known != 1 || again.Made+again.Linked != 0 || again.CRM != "hubspot" {
		t.Errorf("a second run: %+v", again)
	}
	run("", "crm", "check", "demo").want(t, exitDone, "1 imported records get our reference with their first sync", "")

	wrote(t, s, "alex@customer.example", 1)
	var records struct{ Contacts, Notes []hubspottest.Record }
	if err := json.Unmarshal([]byte(asHubSpot(t, http.MethodGet, s.CRMURL+"/records.json", "")), &records); err != nil {
		t.Fatal(err)
	}
	if len(records.Contacts) != 1 || len(records.Notes) != 1 || len(records.Notes[0].Associations) != 1 || records.Notes[0].Associations[0] != "contacts/"+made.ID {
		t.Errorf("the CRM has %+v", records)
	}
	run("", "verify", "-quiet").want(t, exitDone, "", "")

	asHubSpot(t, http.MethodDelete, s.CRMURL+path+"/"+made.ID, "")
	run("", "crm", "check", "demo").want(t, exitFailed, "1  a contact's record is gone: deleted or merged in the CRM: record "+made.ID, "differences between CRM and ledger: 1")
	got := run("", "crm", "check", "-json", "demo")
	var rep intake.CheckReport
	if err := json.Unmarshal([]byte(got.stdout), &rep); err != nil || got.code != exitFailed || rep.Reasons[intake.DiffRecordGone] != 1 || !rep.Complete {
		t.Errorf("%v: %+v", err, got)
	}
}

// A receiver of webhooks has no list of people, and says so to both commands.
func TestACRMWithoutAListIsToldOf(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	s.Stop(context.Background())
	onefold(t, "", "policy", "apply", "-yes", withCRM(t, "2", "webhook"), "-data", folder).want(t, exitDone, "applied: version 2", "")
	onefold(t, "a secret of this test\n", "secret", "set", "crm/demo", "-data", folder).want(t, exitDone, "set: crm/demo", "")
	for _, args := range [][]string{{"import", "-crm"}, {"crm", "check", "demo"}} {
		onefold(t, "", append(args, "-data", folder)...).
			want(t, exitFailed, "", "error: the contacts of a CRM of kind webhook cannot be listed\nonefold: hint: export them there as a CSV file")
	}
}

// Ctrl-C at any moment: what is done is done, it says how far it came, and the
// same command goes on.
func TestAnImportThatIsInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	s.Stop(context.Background())
	fake := hubspottest.New(hubspottest.Options{Token: "a token of this test"})
	ctx, interrupt := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("after") != "" {
			interrupt()
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for n := range 101 {
		if _, err := fake.Seed("contacts", map[string]string{"email": fmt.Sprintf("p%d@customer.example", n)}); err != nil {
			t.Fatal(err)
		}
	}
	onefold(t, "a token of this test\n", "secret", "set", "crm/demo", "-data", folder).want(t, exitDone, "set: crm/demo", "")
	args := []string{"import", "-crm", "-apply", "-yes", "-url", server.URL, "-data", folder}
	var stdout, stderr bytes.Buffer
	code := Main(ctx, args, strings.NewReader(""), &stdout, &stderr)
	said{code, stdout.String(), stderr.String()}.want(t, exitFailed, "100 records: 100 new contacts", "error: interrupted after 100 records\nonefold: hint: run the same command again")
	if rep := imported(t, onefold(t, "", append(args, "-json")...)); rep.Made != 1 || rep.Known != 100 || !rep.Complete {
		t.Errorf("%+v", rep)
	}
}

// Real besides: the ledger's and secrets' services of MiniStack.
func TestAStagesContactsComeFromItsCRM(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "dayone")
	fake := hubspottest.New(hubspottest.Options{Token: "a token of this test"})
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	for _, email := range []string{"ann@customer.example", "bob@customer.example"} {
		if _, err := fake.Seed("contacts", map[string]string{"email": email, "hs_email_optout": "true"}); err != nil {
			t.Fatal(err)
		}
	}
	run("", "policy", "apply", "-yes", withCRM(t, "1", "")).want(t, exitDone, "applied: version 1", "")
	run("", "import", "-crm").want(t, exitFailed, "", "set crm.kind in the tenant's policy")
	run("", "policy", "apply", "-yes", withCRM(t, "2", "hubspot")).want(t, exitDone, "applied: version 2", "")
	run("", "crm", "check", "demo").want(t, exitFailed, "", "secret set -stage dayone crm/demo")
	run("another\n", "secret", "set", "crm/demo").want(t, exitDone, "set: crm/demo", "")
	run("", "import", "-crm", "-url", server.URL).want(t, exitFailed, "", "does the token have the right to read contacts?")
	run("a token of this test\n", "secret", "set", "-yes", "crm/demo").want(t, exitDone, "set: crm/demo", "")
	run("", "import", "-crm", "-apply", "-url", server.URL).want(t, exitFailed, "2 new contacts", "nobody answered: not done")
	got := run("", "import", "-crm", "-apply", "-yes", "-json", "-url", server.URL)
	if rep := imported(t, got); rep.Made != 2 || rep.Stopped != 2 || !rep.Complete {
		t.Errorf("%+v", rep)
	}
	run("", "crm", "check", "-url", server.URL, "demo").want(t, exitDone, "2 records, 2 contacts with one", "stage dayone in account")
	run("", "crm", "check", "-limit", "1", "-url", server.URL, "demo").want(t, exitDone, "", "the CRM has more than 1 records")
	run("", "verify").want(t, exitDone, "", "")
	if fake.Calls()[0].Op != "contacts.list" || len(fake.Contacts()) != 2 || fake.Contacts()[0].Properties["onefold_contact_id"] != "" {
		t.Errorf("the CRM was written to: %+v", fake.Contacts())
	}
}
