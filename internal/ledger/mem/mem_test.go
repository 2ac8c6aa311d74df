package mem_test

import (
	"testing"

	"onefold/internal/ledger/ledgertest"
	"onefold/internal/ledger/mem"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Suite(t, func(*testing.T) ledgertest.Opened { return opened(mem.New()) })
}

// TestConformanceOfASharedStore proves that the suite can share one store, as
// it has to on DynamoDB.
func TestConformanceOfASharedStore(t *testing.T) {
	t.Parallel()
	s := mem.New()
	ledgertest.Suite(t, func(*testing.T) ledgertest.Opened { return ledgertest.Opened{Store: s, Feed: s} })
}

func opened(s *mem.Store) ledgertest.Opened {
	return ledgertest.Opened{Store: s, Feed: s, Reopen: func(*testing.T) ledgertest.Opened {
		s.Rewind()
		return opened(s)
	}}
}
