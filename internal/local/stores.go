package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/blob"
	"onefold/internal/blob/dir"
	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer/ses"
)

// stores are where a local system keeps what it knows, and how the provider's
// events reach it.
type stores struct {
	ledger ledger.Store
	feed   ledger.Feed
	blob   blob.Store
	// deliver takes an event of the provider: straight to feedback, or into a
	// queue that receive empties.
	deliver func(ctx context.Context, s *System, event []byte) error
	receive func(ctx context.Context, s *System, log *slog.Logger)
	wired   chan struct{} // closed when the use cases are ready
	// err is what has stopped the ledger for good, or nil; nil where a ledger
	// cannot stop so.
	err     func() error
	closers []func() error
}

func (st *stores) close() {
	for i := len(st.closers) - 1; i >= 0; i-- {
		_ = st.closers[i]()
	}
}

func openStores(ctx context.Context, cfg Config) (*stores, error) {
	st := &stores{wired: make(chan struct{}), deliver: direct}
	var err error
	switch cfg.Ledger {
	case LedgerMemory:
		m := mem.New()
		st.ledger, st.feed = m, m
	case LedgerBolt:
		b, err := bolt.Open(cfg.Data.path("ledger.db"), bolt.Options{Consumers: consumers()})
		if err != nil {
			return nil, cfg.Data.explain(err)
		}
		st.ledger, st.feed, st.err = b, b, b.Err
		st.closers = append(st.closers, b.Close)
	case LedgerDynamo:
		return st, openAWS(ctx, cfg, st)
	default:
		return nil, fmt.Errorf("no ledger called %q", cfg.Ledger)
	}
	if st.blob, err = dir.Open(cfg.Data.path("raw")); err != nil {
		st.close()
		return nil, cfg.Data.explain(err)
	}
	return st, nil
}

// direct hands an event to feedback at once.
func direct(ctx context.Context, s *System, event []byte) error {
	e, err := ses.ParseEvent(event)
	if err != nil {
		return err
	}
	return s.Feedback.Handle(ctx, e)
}

// sink is what the provider's fake calls with each event. It returns when the
// event is taken for good, or when the context ends: then the event comes
// again after a restart.
func (st *stores) sink(s *System, log *slog.Logger) func(context.Context, []byte) {
	return func(ctx context.Context, event []byte) {
		select {
		case <-ctx.Done():
			return
		case <-st.wired:
		}
		s.busy.begin()
		defer s.busy.end()
		for wait := 50 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, 2*time.Second) {
			err := st.deliver(ctx, s, event)
			if err == nil {
				return
			}
			log.LogAttrs(ctx, slog.LevelWarn, "a provider event waits", slog.String("error", err.Error()))
			if errors.Is(err, feedback.ErrNotYet) && wait >= 2*time.Second {
				log.LogAttrs(ctx, slog.LevelError, "a provider event names no attempt of ours", slog.String("alarm", "dead_letter"))
				return
			}
			rest(ctx, wait)
		}
	}
}
