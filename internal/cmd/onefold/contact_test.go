package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/operate/stage"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

// wrote has somebody write to the demo tenant.
func wrote(t *testing.T, s *local.System, from string, n int) {
	t.Helper()
	sender, err := s.Sender(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	body := strings.NewReplacer("alex@customer.example", from, "<m1@", fmt.Sprintf("<m%d@", n)).Replace(enquiry)
	if r, err := sender.Send(t.Context(), local.Outgoing{Endpoint: "mail", EnvelopeFrom: from, EnvelopeTo: "hello@demo.example", Body: []byte(body)}); err != nil || r.Status != 200 {
		t.Fatalf("delivery: %+v, %v", r, err)
	}
	if err := s.WaitQuiet(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
}

func contactIn(t *testing.T, got said) (out struct {
	Done                  bool
	ID, Status, Into      string
	Contact, Token, Email string
	Already               string
	Does, Keeps, Absorbed []any
	Addresses             []struct{ Address, Guard string }
	Waiting               []struct{ ID, Recipient, State string }
}) {
	t.Helper()
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || got.code != exitDone {
		t.Fatalf("%v: %+v", err, got)
	}
	return out
}

// story is one person's, told by whoever holds the ledger: alex and sam are
// known. It ends as it began.
func story(t *testing.T, run func(stdin string, args ...string) said) {
	t.Helper()
	const alex, sam, third = "alex@customer.example", "sam@customer.example", "alex.third@customer.example"
	id := contactIn(t, run("", "contact", "show", "-json", alex)).ID
	run("", "contact", "show", "Alex@Customer.example").want(t, exitDone, "contact "+id+": active", "")
	run("", "contact", "show", "nobody@customer.example").want(t, exitFailed, "", "no contact has this address\nonefold: hint: ")
	run("", "contact", "show", "-tenant", "nobody", alex).want(t, exitFailed, "", "no policy")

	// Nothing happens unless somebody says yes to what he was shown.
	run("", "contact", "merge", sam, alex).want(t, exitFailed, "is merged into contact "+id, "nobody answered: not done")
	run("n\n", "contact", "merge", sam, alex).want(t, exitFailed, "takes it back", "error: not done")
	plan := contactIn(t, run("", "contact", "merge", "-plan", "-json", sam, alex))
	if plan.Done || plan.Into != id || len(plan.Does) < 2 || plan.Token == "" {
		t.Errorf("plan %+v", plan)
	}
	run("", "contact", "merge", "-plan", sam, alex).want(t, exitDone, "token: "+plan.Token, "")
	run("", "contact", "merge", "-yes", "-token", strings.Repeat("0", 64), sam, alex).want(t, exitFailed, "", "this has changed since it was shown: not done")
	if got := contactIn(t, run("", "contact", "show", "-json", sam)); got.ID == id {
		t.Fatal("merged without a yes")
	}
	done := run("y\n", "contact", "merge", sam, alex)
	done.want(t, exitDone, "done: ", "merge contact "+plan.Contact+" into contact "+id+" in ")
	if strings.Count(done.stdout, "takes it back") != 1 {
		t.Errorf("the plan is not shown once:\n%s", done.stdout)
	}
	for _, args := range [][]string{{}, {"-yes"}} {
		again := run("", append(append([]string{"contact", "merge", "-json"}, args...), sam, alex)...)
		if got := contactIn(t, again); got.Done || !strings.HasPrefix(got.Already, "already merged") || strings.Contains(again.stderr, "[y/N]") {
			t.Errorf("again %v: %+v", args, again)
		}
	}
	if got := contactIn(t, run("", "contact", "show", "-json", sam)); got.ID != id || len(got.Absorbed) != 1 || len(got.Addresses) != 2 {
		t.Errorf("%+v", got)
	}

	run("", "contact", "alias", "-yes", sam, third).want(t, exitDone, "done: "+third+" leads to contact "+id, "")
	run("", "contact", "alias", "-yes", alex, "hello@demo.example").want(t, exitFailed, "", "one of the business itself\nonefold: hint: ")
	asked := run("y\n", "contact", "address", "-json", third, third)
	if got := contactIn(t, asked); !got.Done || got.Contact != id || !strings.Contains(asked.stderr, "this main address in ") {
		t.Errorf("%+v", asked)
	}
	run("", "contact", "show", alex).want(t, exitDone, "main address: "+third, "")
	run("", "contact", "split", "-yes", "-json", sam).want(t, exitDone, `"done": true`, "")
	run("", "contact", "split", "-yes", sam).want(t, exitDone, "there is no merge to take back", "")
	run("", "contact", "address", "-yes", alex, alex).want(t, exitDone, "done: ", "")
	run("", "verify").want(t, exitDone, "", "")
}

func TestWhoIsWhoIsSaidToWhoeverHoldsTheLedger(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	wrote(t, s, "alex@customer.example", 1)
	wrote(t, s, "sam@customer.example", 2)
	run := func(stdin string, args ...string) said { return onefold(t, stdin, append(args, "-data", folder)...) }
	story(t, run)
	s.Stop(context.Background())
	// The same again in the folder itself; what alex has a third time stays.
	run("", "contact", "merge", "-yes", "sam@customer.example", "alex@customer.example").want(t, exitDone, "done: ", "")
	run("y\n", "contact", "split", "sam@customer.example").want(t, exitDone, "done: ", "data folder "+folder)
	run("", "contact", "show", "alex@customer.example").want(t, exitDone, "address alex.third@customer.example: clear", "")
	run("", "contact", "merge", "sam@customer.example").want(t, exitUsage, "", "the argument INTO is missing")
}

func TestWhoIsWhoIsSaidToAStage(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "people")
	run("", "policy", "apply", "-yes", policyFile(t, "1", "draft")).want(t, exitDone, "", "")
	c, err := stage.Connect(t.Context(), stage.Place{Stage: "people", Endpoint: localawstest.ForTest(t).Endpoint()})
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, address := range map[string]string{"c-alex": "alex@customer.example", "c-sam": "sam@customer.example"} {
		key := contact.KeyID(contact.KindEmail, address)
		var commit ledger.Commit
		err := commit.Create("contact_key", ledger.ContactKey.At("demo", key), contact.Key{Tenant: "demo", ID: key, Contact: id})
		if err == nil {
			err = commit.Insert(ledger.Step{Key: people.Key("demo", id), Event: "create", Audit: audit.Record{At: utc.At(time.Unix(1, 0)), By: "test", Contact: id}},
				contact.Contact{Tenant: "demo", ID: id, Status: contact.Active, Email: address, Keys: []string{key}, ConsentVersion: 1, Revision: 1, Transition: 1}, "")
		}
		if err == nil {
			err = o.Store.Commit(t.Context(), commit)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	story(t, run)
}
