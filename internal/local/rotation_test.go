package local_test

import (
	"net/http"
	"testing"
	"time"

	"onefold/internal/local"
	"onefold/internal/secret"
	"onefold/internal/secret/secrettest"
	"onefold/internal/webhook"
)

// Senders and receiver do not change at one moment: whoever signs with the
// replaced secret is served until it is revoked, without a restart.
func TestBothSecretsOfARotationAreTakenByTheRunningSystem(t *testing.T) {
	t.Parallel()
	s := start(t, local.LedgerBolt, t.TempDir(), "draft")
	name := secret.Webhook(s.Tenant, "form")
	before, err := s.Opened.Secrets.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	send := func(id, value string) int {
		t.Helper()
		key, err := webhook.ParseSecret(value)
		if err != nil {
			t.Fatal(err)
		}
		out := local.Sender{URL: s.URL, Tenant: s.Tenant, Now: time.Now, Client: http.DefaultClient, Secrets: map[string]webhook.Secret{"form": key}}
		answer, err := out.Send(t.Context(), local.Outgoing{Endpoint: "form", ID: id, Body: []byte(`{"type":"enquiry","data":{"email":"ann@customer.example"}}`)})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status
	}
	expect := func(id, value string, want int) {
		t.Helper()
		if got := send(id, value); got/100 != want/100 {
			t.Errorf("%s is answered %d, want %d", id, got, want)
		}
	}
	expect("before-1", before.Current, 200)
	expect("early-1", secrettest.First, 401)
	if err := s.Opened.Secrets.Put(t.Context(), name, secrettest.First); err != nil {
		t.Fatal(err)
	}
	expect("new-1", secrettest.First, 200)
	expect("old-1", before.Current, 200)
	if err := s.Opened.Secrets.Revoke(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	expect("new-2", secrettest.First, 200)
	expect("old-2", before.Current, 401)
}
