package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"onefold/internal/local"
)

const enquiry = "From: Alex Morgan <alex@customer.example>\r\nTo: hello@demo.example\r\nSubject: Snow shoes\r\n" +
	"Date: Mon, 5 Jan 2026 10:00:00 +0000\r\nMessage-ID: <m1@customer.example>\r\n\r\nDo your tours include snow shoes?\r\n"

func TestAPersonsTimelineIsToldByWhoeverHoldsTheLedger(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	sender, err := s.Sender(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r, err := sender.Send(t.Context(), local.Outgoing{
		Endpoint: "mail", EnvelopeFrom: "alex@customer.example", EnvelopeTo: "hello@demo.example", Body: []byte(enquiry),
	}); err != nil || r.Status != 200 {
		t.Fatalf("delivery: %+v, %v", r, err)
	}
	if err := s.WaitQuiet(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) said {
		return onefold(t, "", append([]string{"explain", "-data", folder}, args...)...)
	}

	got := ask("-email", "Alex@Customer.example", "-json")
	got.want(t, exitDone, `"known": true`, "")
	var told struct {
		Events  []struct{ ID string }
		Intents []struct{ ID, State string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Events) != 1 || len(told.Intents) != 1 || told.Intents[0].State != "proposed" {
		t.Fatalf("told %+v", told)
	}
	ask("-event", told.Events[0].ID, "-json").want(t, exitDone, told.Intents[0].ID, "")
	ask("-intent", told.Intents[0].ID, "-json").want(t, exitDone, told.Events[0].ID, "")
	if text := ask("-email", "alex@customer.example"); text.code != exitDone || len(strings.Split(text.stdout, "\n")) < 5 {
		t.Errorf("for people: %+v", text)
	}

	ask("-email", "nobody@customer.example", "-json").want(t, exitDone, `"known": false`, "")
	ask("-email", "nobody").want(t, exitUsage, "", "the address cannot be read")
	ask("-email", "alex@customer.example", "-tenant", "nobody").want(t, exitFailed, "", `there is no tenant "nobody"`)
	ask("-event", "none").want(t, exitFailed, "", "tenant demo has no such event")
	ask("-intent", "none").want(t, exitFailed, "", "no such follow-up")
	ask("-message", "none").want(t, exitFailed, "", "no follow-up is known")
}
