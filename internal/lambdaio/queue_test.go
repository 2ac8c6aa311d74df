package lambdaio_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/lambdaio"
	"onefold/internal/queue"
)

func TestAMessageArrivesAsItWasSent(t *testing.T) {
	t.Parallel()
	log, _ := logged()
	var got []queue.Message
	h := lambdaio.Queue(func(_ context.Context, m queue.Message) error { got = append(got, m); return nil }, options(log))
	if failed, err := h(t.Context(), raws(message("m1", "grüße\n\"{}\""))); err != nil || len(failed) > 0 {
		t.Fatalf("reported %v, %v", failed, err)
	}
	want := []queue.Message{{ID: "m1", Body: []byte("grüße\n\"{}\""), Receipt: "handle of m1", Received: 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestFailedMessagesAreReportedOneByOne(t *testing.T) {
	t.Parallel()
	damaged := errors.New("no event")
	for name, x := range map[string]struct {
		fails  map[string]func() error
		works  string
		report string
	}{
		"none":       {nil, "a b c", ""},
		"two":        {map[string]func() error{"a": failsWith(damaged), "c": failsWith(damaged)}, "a b c", "a c"},
		"a panic":    {map[string]func() error{"b": panicking}, "a b c", "b"},
		"the ledger": {map[string]func() error{"a": failsWith(damaged), "b": failsWith(errUnreachable)}, "a b", "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, lines := logged()
			s := &seen{fails: x.fails}
			failed, err := lambdaio.Queue(s.message, options(log))(t.Context(), raws(message("a", "1"), message("b", "2"), message("c", "3")))
			if err != nil || strings.Join(failed, " ") != x.report || strings.Join(s.got, " ") != x.works {
				t.Errorf("worked on %v, reported %v, %v", s.got, failed, err)
			}
			mustNotShow(t, lines.String(), "ann@example.org")
		})
	}
}

func TestMessagesThereIsNoTimeForAreReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		log, _ := logged()
		h := lambdaio.Queue(func(context.Context, queue.Message) error { time.Sleep(11 * time.Second); return nil }, options(log))
		failed, err := h(ctx, raws(message("a", "1"), message("b", "2"), message("c", "3")))
		if err != nil || !slices.Equal(failed, []string{"b", "c"}) {
			t.Errorf("reported %v, %v", failed, err)
		}
	})
}

// It could not be reported alone.
func TestAMessageWithoutAnIDIsTheWholeBatch(t *testing.T) {
	t.Parallel()
	log, _ := logged()
	s := &seen{}
	if failed, err := lambdaio.Queue(s.message, options(log))(t.Context(), raws(message("a", "1"), message("", "2"))); err == nil || len(failed)+len(s.got) > 0 {
		t.Errorf("worked on %v, reported %v, %v", s.got, failed, err)
	}
}
