package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// Options of a store. The zero value serves.
type Options struct {
	// Prefix stands before each table's name.
	Prefix string
	// Tries is how often a commit is sent, besides the SDK's own repeats, when
	// others are in its way; and how often a read asks for what is left. 0 is 8.
	Tries int
	// Wait is the longest first wait between tries; it doubles up to a second,
	// and each wait is a random part of it. 0 is 25 ms.
	Wait time.Duration
}

// Store is a ledger.Store.
type Store struct {
	client *dynamodb.Client
	o      Options
}

// New makes a store of a client. The client's own retries are welcome: reads
// are harmless and a commit carries a token.
func New(client *dynamodb.Client, o Options) *Store {
	if o.Tries <= 0 {
		o.Tries = 8
	}
	if o.Wait <= 0 {
		o.Wait = 25 * time.Millisecond
	}
	return &Store{client: client, o: o}
}

func (s *Store) table(t schema.Table) string { return s.o.Prefix + string(t) }

// Commit implements ledger.Store.
//
// The token stays the same for as long as a request of this call may have been
// written: then it is what tells our own write from a stranger's. It is
// renewed only when nothing was written, since DynamoDB may remember the old
// one's end. A refusal counts even after an unanswered request: had that one
// been written, its token would have brought "done", and while it was at work,
// TransactionInProgress.
func (s *Store) Commit(ctx context.Context, c ledger.Commit) error {
	if err := c.Validate(); err != nil {
		return err
	}
	first := c.Writes[0].Key
	subject := fmt.Sprintf("commit of %s and %d more for tenant %s", first.Entity, len(c.Writes)-1, first.Tenant)
	if ctx.Err() != nil {
		return fault(ctx, subject, ledger.ErrUnavailable, "not sent")
	}
	in := &dynamodb.TransactWriteItemsInput{}
	for _, w := range c.Writes {
		a, err := action(s.table(w.Key.Entity.Table()), w)
		if err != nil {
			return fmt.Errorf("%s: write of %s: %w", subject, w.Key.Entity, err)
		}
		in.TransactItems = append(in.TransactItems, a)
	}
	token := rand.Text()
	var seen witness
	for try := 1; ; try++ {
		in.ClientRequestToken = &token
		_, err := s.client.TransactWriteItems(ctx, in, seen.watch)
		if err == nil {
			return nil
		}
		if refused := refusal(err, c.Writes); refused != nil {
			return refused
		}
		v := judge(err)
		if !v.repeat || try == s.o.Tries || !s.pause(ctx, try) {
			v = settled(v, seen.open)
			return fault(ctx, subject, v.means, v.detail)
		}
		if !seen.open {
			token = rand.Text()
		}
	}
}

// settled corrects the last answer's meaning by what the witness saw. An
// invalid commit stays invalid: no request of it can have been written.
func settled(v verdict, open bool) verdict {
	switch {
	case errors.Is(v.means, ledger.ErrInvalid):
	case open:
		v.means = ledger.ErrUnknown
	case errors.Is(v.means, ledger.ErrUnknown):
		// What went out was answered, or nothing did.
		v.means, v.detail = ledger.ErrUnavailable, "not sent"
	}
	return v
}

// pause waits before another try; false if the context ends first.
func (s *Store) pause(ctx context.Context, try int) bool {
	longest := min(s.o.Wait<<min(try-1, 10), max(time.Second, s.o.Wait))
	t := time.NewTimer(mathrand.N(longest) + 1)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
