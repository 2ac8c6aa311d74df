package ses_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"onefold/internal/mailer"
	"onefold/internal/mailer/mailertest"
	"onefold/internal/mailer/ses"
	"onefold/internal/mailer/sestest"
)

// Real: adapter, wire, parser. Fake: SES. What is asserted: the mail whose
// call gave no answer is known by its tags from the events alone.
func TestEventsCarryTheAttemptBack(t *testing.T) {
	t.Parallel()
	for local, want := range map[string][]mailer.EventType{
		sestest.Accept:      {mailer.EventSent, mailer.EventDelivered},
		sestest.TimeoutSent: {mailer.EventSent, mailer.EventDelivered},
		sestest.Bounce:      {mailer.EventSent, mailer.EventBounced},
		sestest.Complain:    {mailer.EventSent, mailer.EventDelivered, mailer.EventComplained},
		"suppressed":        {mailer.EventSent, mailer.EventBounced},
		sestest.Reject:      nil,
	} {
		t.Run(local, func(t *testing.T) {
			t.Parallel()
			at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
			var events []mailer.Event
			server, err := sestest.NewServer(sestest.Options{
				Now:               func() time.Time { return at },
				HoldFor:           10 * time.Millisecond,
				ConfigurationSets: []sestest.ConfigurationSet{{Name: "suite", Events: true}},
				Suppressed:        []string{"Suppressed@example.net"},
				Sink: func(_ context.Context, data []byte) {
					e, err := ses.ParseEvent(data)
					if err != nil {
						t.Error(err)
					}
					events = append(events, e)
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			web := httptest.NewServer(server)
			newMailer(t, config(web.URL)).Submit(t.Context(), mailertest.Mail(local))
			web.Close()
			if err := server.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []mailer.EventType
			keys := map[string]bool{}
			for _, e := range events {
				got = append(got, e.Type)
				keys[e.DedupeKey] = true
				if e.MessageID != server.Sent()[0].MessageID || !e.At.Equal(at) {
					t.Errorf("%s of message %q at %v", e.Type, e.MessageID, e.At)
				}
				if e.Tags[mailer.TagIntent] != "int_1" || e.Tags[mailer.TagAttempt] != "1" || e.Tags["ses:configuration-set"] != "suite" {
					t.Errorf("%s with tags %v", e.Type, e.Tags)
				}
				if !slices.Equal(e.Recipients, []string{local + "@example.net"}) || e.Permanent != (e.Type == mailer.EventBounced) {
					t.Errorf("got %+v", e)
				}
			}
			if !slices.Equal(got, want) || len(keys) != len(want) {
				t.Errorf("events %v with %d keys, want %v", got, len(keys), want)
			}
		})
	}
}
