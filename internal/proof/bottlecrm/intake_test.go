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

// The server's own limit, of 120 posts a minute: nothing was written, and the
// account goes on.
func intakeBeyondItsRateIsBusy(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	v.takesIn()
	c := w.ready(t, v)
	for range 1000 {
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
