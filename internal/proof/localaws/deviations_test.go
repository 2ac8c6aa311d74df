package localaws_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The tests of this file hold what the emulator does otherwise than AWS, and
// that no other test may therefore lean on. One that fails after a new version
// is good news: move what it says to the trusted side.

// On AWS, two transactions that touch one item at the same time may both be
// refused with TransactionConflict, and the caller repeats. The emulator runs
// one at a time, so a retry path is never taken here: it is tested on
// ledger/mem and behind the fault proxy.
func TestDeviationNoTransactionConflict(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	tb.put(t, item{"pk": "hot", "sk": "-", "state": "x"})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			err := tb.transact(t, "", tb.move("hot", "-", "x", "x"))
			var cancelled *types.TransactionCanceledException
			if errors.As(err, &cancelled) {
				t.Errorf("cancelled: %v", cancelled)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// On AWS an index is written after the table, so a query may miss a fresh row.
// The emulator shows it at once; nothing may rely on that.
func TestDeviationAnIndexIsNeverLate(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	for range 50 {
		tb.put(t, item{"pk": "a", "sk": "-", "shard": "s", "due_at": "1"})
		if got := tb.due(t, "s", "9", 10); len(got) != 1 {
			t.Fatalf("due %v, want the row just written", got)
		}
		if _, err := tb.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: tb.name, Key: item{"pk": "a", "sk": "-"}.values(),
		}); err != nil {
			t.Fatal(err)
		}
	}
}
