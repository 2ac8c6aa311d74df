package ingest_test

import (
	"fmt"
	"slices"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/queue"
)

// TestEachCallForReceivedMailMayFailInEachWay enumerates the calls of a mail to
// two tenants, the read of the mail bucket among them. Whatever happened, an
// event has its content, nothing is said to be done that is not, and the
// message again ends as if nothing had failed.
func TestEachCallForReceivedMailMayFailInEachWay(t *testing.T) {
	t.Parallel()
	m := noticeOf("s1", "hello@demo.example", "sales@demo.example").message()
	calls := []string{
		"get many mail_route", "get many mail_route", "get many event", "object",
		"put", "commit", "put", "commit",
	}
	clean := newInbox(t, onMem(t))
	clean.holds("s1", rawMail)
	clean.store.reset(nil, nil)
	clean.takes(m)
	if got := clean.store.seen(); !slices.Equal(got, calls) {
		t.Fatalf("calls %q, want %q", got, calls)
	}
	clean.store.reset(nil, nil)
	clean.takes(m)
	if got, want := clean.store.seen(), []string{"get many mail_route", "get many mail_route", "get many event", "commit", "commit"}; !slices.Equal(got, want) {
		t.Errorf("again: calls %q, want %q", got, want)
	}
	for at, call := range calls {
		for _, f := range []flavour{FailNotPersist, FailButPersist, CrashBefore, CrashAfter} {
			t.Run(fmt.Sprintf("%d %s/%s", at, call, f), func(t *testing.T) {
				t.Parallel()
				b := newInbox(t, onMem(t))
				b.holds("s1", rawMail)
				before := b.everything()
				b.arm(at, f)
				died, err := b.takesAndMayDie(m)
				b.store.reset(nil, nil)
				if crash := f == CrashBefore || f == CrashAfter; died != crash || !died && err == nil {
					t.Fatalf("the process died: %v; %v", died, err)
				}
				b.whole()
				b.onlyAdds(before, ledger.Event, ledger.Delivery, ledger.Audit)
				b.again()
				b.takes(m)
				b.whole()
				if n := len(b.of(ledger.Event)); n != 2 {
					t.Errorf("%d events, want 2", n)
				}
				b.silent()
			})
		}
	}
}

// takesAndMayDie handles a message in a goroutine that stands for the process.
func (b *inbox) takesAndMayDie(m queue.Message) (died bool, err error) {
	ended := make(chan struct{})
	died = true
	go func() {
		defer close(ended)
		err = b.mail.Handle(b.Context(), m)
		died = false
	}()
	<-ended
	return died, err
}
