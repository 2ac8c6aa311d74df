package bottlecrm_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// The one way in that is safe to repeat, as the package comment says: for leads
// alone, by the sender's ID.
func intakeMakesOneLead(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	intake := v.do(http.MethodPost, "/api/leads/intakes/", map[string]string{"name": "onefold", "preset": "generic"})
	const n = 20
	results := make([]struct{ Result, Lead string }, n)
	var over sync.WaitGroup
	for i := range results {
		over.Go(func() {
			req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, v.URL()+"/api/public/leads/"+intake.text("id")+"/",
				strings.NewReader(`{"external_id":"contact-ann","first_name":"Ann","last_name":"Smith"}`))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+intake.text("key"))
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if err := json.NewDecoder(resp.Body).Decode(&results[i]); err != nil {
				t.Error(err)
			}
		})
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
