package bottlecrm_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
)

// post is one post to the intake, as anybody who has its key makes it.
func post(t *testing.T, v *vendor) (status int, out struct{ Result, Lead string }) {
	t.Helper()
	req, err := http.NewRequestWithContext(v.ctx, http.MethodPost, v.URL()+"/api/public/leads/"+v.intake.ID+"/",
		strings.NewReader(`{"external_id":"contact-ann","onefold_ref":"contact-ann"}`))
	if err != nil {
		t.Error(err)
		return 0, out
	}
	req.Header.Set("Authorization", "Bearer "+v.intake.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0, out
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Error(err)
	}
	return resp.StatusCode, out
}

// Why leads are declared to be made by their reference.
func intakeMakesOneLead(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	v.takesIn()
	const n = 20
	results := make([]struct{ Result, Lead string }, n)
	var over sync.WaitGroup
	for i := range results {
		over.Go(func() { _, results[i] = post(t, v) })
	}
	over.Wait()
	made := 0
	for _, r := range results {
		if r.Result == "created" {
			made++
		}
		if r.Lead == "" || r.Lead != results[0].Lead {
			t.Errorf("one post led to lead %q, another to %q", r.Lead, results[0].Lead)
		}
	}
	if made != 1 {
		t.Errorf("%d of %d posts made a lead", made, n)
	}
}

// The server's own limit (localcrm.IntakeRate): nothing was written, and the
// account goes on.
func intakeBeyondItsRateIsBusy(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	v.takesIn()
	c := w.ready(t, v)
	for range 200 {
		if status, _ := post(t, v); status == http.StatusTooManyRequests {
			break
		}
	}
	r := must(t, "contact", c.UpsertContact(w.ctx, crm.Contact{Ref: "contact-bob", Name: "Bob Smith"}, ""), crm.Busy, crm.ReasonRateLimit)
	if r.RetryAfter <= 0 || r.RetryAfter > 2*time.Minute || r.Account {
		t.Errorf("got %+v", r)
	}
	must(t, "look", c.Look(w.ctx), crm.Done, "")
	count(t, v, crmtest.Contacts, 1)
}

// The intake would take the second for the first.
func leadsWithOnePhoneNumberStayTwo(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	v.takesIn()
	c := w.ready(t, v)
	for _, ref := range []string{"contact-ann", "contact-bob"} {
		r := must(t, ref, c.UpsertContact(w.ctx, crm.Contact{Ref: ref, Name: "A. Smith", Phone: "+441632960001"}, ""), crm.Done, "")
		if !r.Created {
			t.Errorf("%s: %+v", ref, r)
		}
	}
	for _, r := range v.Records(crmtest.Contacts) {
		if r.Values[crmtest.Phone] != "+441632960001" {
			t.Errorf("a lead is %v", r.Values)
		}
	}
	count(t, v, crmtest.Contacts, 2)
}

// The look found nobody, and then a person there made a lead with the address: the
// intake takes that one for it, and what became of the two is known by the repeat.
func leadThatCameMeanwhileIsAdopted(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	v.takesIn()
	c := w.ready(t, v)
	ct := ann()
	ct.Email = "ann@example.com"
	must(t, "contact", meanwhile(t, v, c, ct), crm.Unknown, crm.ReasonPartial)
	r := must(t, "repeat", c.UpsertContact(w.ctx, ct, ""), crm.Done, "")
	if all := v.Records(crmtest.Contacts); len(all) != 1 || all[0].ID != r.ID || all[0].Values[crmtest.Phone] != ct.Phone {
		t.Errorf("got %+v, the CRM has %+v", r, all)
	}
}

// The same of contacts: the server refuses the second with one address.
func contactThatCameMeanwhileIsAdopted(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	c := w.ready(t, v)
	ct := ann()
	ct.Email = "ann@example.com"
	r := must(t, "contact", meanwhile(t, v, c, ct), crm.Done, "")
	if all := v.Records(crmtest.Contacts); len(all) != 1 || all[0].ID != r.ID || !r.Adopted || r.Created || all[0].Values[crmtest.Phone] != ct.Phone {
		t.Errorf("got %+v, the CRM has %+v", r, all)
	}
}

// meanwhile upserts a contact whose address a person takes between look and write.
func meanwhile(t *testing.T, v *vendor, c crm.CRM, ct crm.Contact) crm.Result {
	t.Helper()
	goOn := held(t, v, func() crm.Result { return c.UpsertContact(v.ctx, ct, "") })
	v.Put(t, map[string]string{crmtest.Email: ct.Email})
	return goOn()
}

// held makes a call as far as to its first write, and gives what lets it go on.
func held(t *testing.T, v *vendor, call func() crm.Result) (goOn func() crm.Result) {
	t.Helper()
	until, inside, result := make(chan struct{}), make(chan struct{}), make(chan crm.Result, 1)
	v.Hold(until, func() { close(inside) })
	go func() { result <- call() }()
	select {
	case <-inside:
	case r := <-result:
		t.Fatalf("ended without a write: %+v", r)
	}
	return func() crm.Result { close(until); return <-result }
}
