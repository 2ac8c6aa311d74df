package sestest_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/mailer/sestest"
)

// kinds collects the event types; it is read after Flush or Close.
type kinds []string

func (k *kinds) sink(_ context.Context, data []byte) {
	var e struct {
		EventType string
		Mail      struct{ Destination []string }
	}
	if err := json.Unmarshal(data, &e); err != nil {
		e.EventType = err.Error()
	}
	*k = append(*k, e.EventType+" "+e.Mail.Destination[0])
}

func TestEventsComeInOrder(t *testing.T) {
	t.Parallel()
	var got kinds
	s := newServer(t, sestest.Options{Sink: got.sink})
	send(t, s, "a@example.net")
	send(t, s, "bounce@example.net")
	send(t, s, "complain@example.net")
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := kinds{"Send a@example.net", "Delivery a@example.net",
		"Send bounce@example.net", "Bounce bounce@example.net",
		"Send complain@example.net", "Delivery complain@example.net", "Complaint complain@example.net"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, m := range s.Sent() {
		if !m.EventsDone {
			t.Errorf("%s: events not done", m.To)
		}
	}
}

func TestNoEventsWithoutADestination(t *testing.T) {
	t.Parallel()
	for _, set := range []any{nil, "silent"} {
		var got kinds
		s := newServer(t, sestest.Options{Sink: got.sink})
		w := post(s, body(t, "a@example.net", func(r map[string]any) { r["ConfigurationSetName"] = set }))
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w.Code != 200 || len(got) != 0 || !s.Sent()[0].EventsDone {
			t.Errorf("set %v: %d, events %v", set, w.Code, got)
		}
	}
}

func TestHeldEventsComeLateAndLostOnesNever(t *testing.T) {
	t.Parallel()
	var got kinds
	s := newServer(t, sestest.Options{Sink: got.sink})
	s.SetFeed(sestest.FeedLost)
	send(t, s, "lost@example.net")
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.SetFeed(sestest.FeedHeld)
	send(t, s, "late@example.net")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Flush(ended); err == nil {
		t.Error("Flush of a held feed did not wait")
	}
	s.SetFeed(sestest.FeedUp)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := (kinds{"Send late@example.net", "Delivery late@example.net"}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEventsWaitForTheDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got kinds
		s := newServer(t, sestest.Options{Sink: got.sink, Delay: time.Minute})
		start := time.Now()
		send(t, s, "a@example.net")
		time.Sleep(time.Minute - 1)
		synctest.Wait()
		if len(got) != 0 {
			t.Errorf("events %v before the delay was over", got)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || time.Since(start) != time.Minute {
			t.Errorf("events %v after %v", got, time.Since(start))
		}
	})
}

func TestCloseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	s := newServer(t, sestest.Options{Sink: func(ctx context.Context, _ []byte) {
		close(begun)
		<-ctx.Done() // a sink that takes nothing
	}})
	send(t, s, "a@example.net")
	<-begun
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ended); err == nil {
		t.Error("no error although events were left")
	}
	if s.Sent()[0].EventsDone {
		t.Error("events count as handed out that the sink did not take")
	}
}
