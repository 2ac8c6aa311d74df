package crmsync_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
)

// meeting lets its worker's first commit begin only when the others' are ready
// to begin too, so that each has read the same rows; and lets nobody go on from
// it before all are judged, so that none finds the work done.
type meeting struct {
	*faulty
	ready, judged *sync.WaitGroup
	once          sync.Once
}

func (m *meeting) Commit(ctx context.Context, c ledger.Commit) error {
	first := false
	m.once.Do(func() { first = true })
	if !first {
		return m.faulty.Commit(ctx, c)
	}
	m.ready.Done()
	m.ready.Wait()
	err := m.faulty.Commit(ctx, c)
	m.judged.Done()
	m.judged.Wait()
	return err
}

// meet hands each operation to a worker of its own, all at once.
func (w *world) meet(ops ...string) {
	w.Helper()
	var ready, judged, end sync.WaitGroup
	ready.Add(len(ops))
	judged.Add(len(ops))
	for _, op := range ops {
		s := w.worker()
		s.Store = &meeting{faulty: w.store, ready: &ready, judged: &judged}
		ch := ledger.Change{Key: opKey(op), Item: w.get(opKey(op))}
		end.Go(func() {
			if err := s.Handle(context.Background(), ch); err != nil {
				w.Error(err)
			}
		})
	}
	end.Wait()
}

// TestOfTwoWorkersOnOneOperationOneCalls: both have read it unclaimed.
func TestOfTwoWorkersOnOneOperationOneCalls(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{outbox.CRMContact, outbox.CRMNote, outbox.CRMTask} {
		v := newVendor()
		c := &scripted{CRM: v}
		w := newWorld(t, c)
		w.enquiry("ada", contactFirst...)
		before := 0
		if kind != outbox.CRMContact {
			w.handle("crm_contactada") // what it waits for
			before = c.calls
		}
		w.meet(kind+"ada", kind+"ada")
		if op := w.op(kind + "ada"); c.calls != before+1 || op.State != outbox.Done || op.Attempt != 1 {
			t.Errorf("%s: %d calls, the operation is %s after attempt %d", kind, c.calls-before, op.State, op.Attempt)
		}
		w.sound()
	}
}

// TestOfTwoRevisionsAtOnceOneIsInFlight: two operations of one contact, both
// read while nothing was in flight. The mapping lets one of them through; the
// other comes later and sends nothing older.
func TestOfTwoRevisionsAtOnceOneIsInFlight(t *testing.T) {
	t.Parallel()
	v := newVendor()
	c := &scripted{CRM: v}
	w := newWorld(t, c)
	w.enquiry("ada", outbox.CRMContact)
	w.handle("crm_contactada")
	w.revise("ada", 2)
	w.revise("ada", 3)
	var mu sync.Mutex
	inside, most := 0, 0
	c.before = func() {
		mu.Lock()
		inside++
		most = max(most, inside)
		mu.Unlock()
		time.Sleep(5 * time.Millisecond) // room for the other, were it let in
		mu.Lock()
		inside--
		mu.Unlock()
	}
	before := c.calls
	w.meet("sync2ada", "sync3ada")
	if most != 1 || c.calls != before+1 {
		t.Errorf("%d upserts of one contact at once, %d in all", most, c.calls-before)
	}
	w.settle()
	if m := w.mapping("ada"); m.SentVersion != 3 || v.content("contact/ada") != "Revision 3" {
		t.Errorf("revision %d is recorded as sent, the CRM has %q", m.SentVersion, v.content("contact/ada"))
	}
	w.sound()
}

// nudged raises the version of a row, as the sweeper's nudge and further
// attributes of newer code do.
func (w *world) nudged(k ledger.Key) {
	w.Helper()
	w.set(k, ledger.Item{"nudges": w.get(k).Int("nudges") + 1})
}

// TestAnOutcomeDoesNotAskForTheVersion: rows that were touched during the call
// take it all the same, whatever it is, and the call is not repeated for it.
func TestAnOutcomeDoesNotAskForTheVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer *crm.Result
		state  string
		reason string
	}{
		"done":    {nil, outbox.Done, ""},
		"refused": {&crm.Result{Outcome: crm.Refused, Reason: "invalid"}, outbox.Refused, "invalid"},
		"busy":    {&crm.Result{Outcome: crm.Busy, Reason: "rate_limit"}, outbox.Open, "rate_limit"},
		"unknown": {&crm.Result{Outcome: crm.Unknown, Reason: "no_answer"}, outbox.Open, "no_answer"},
	} {
		s := &scripted{CRM: newVendor(), answer: func(int) *crm.Result { return c.answer }}
		w := newWorld(t, s)
		w.enquiry("ada", outbox.CRMContact)
		s.before = func() {
			w.nudged(opKey("crm_contactada"))
			w.nudged(ledger.CRMMapping.Under(tenantID, "ada", "vendor"))
		}
		w.handle("crm_contactada")
		if op := w.op("crm_contactada"); s.calls != 1 || op.State != c.state || op.Reason != c.reason || op.Status == "in_progress" {
			t.Errorf("%s: %d calls, the operation is %s (%s), %s", name, s.calls, op.State, op.Reason, op.Status)
		}
		w.sound()
	}
}

// justBefore does something just before its first commit, when all has been
// read.
type justBefore struct {
	*faulty
	do func()
}

func (s *justBefore) Commit(ctx context.Context, c ledger.Commit) error {
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return s.faulty.Commit(ctx, c)
}

// TestAContactThatIsErasedWhileItIsReadIsNotSent: the claim asks for it.
func TestAContactThatIsErasedWhileItIsReadIsNotSent(t *testing.T) {
	t.Parallel()
	for status, kinds := range map[string][]string{
		contact.Erased: {outbox.CRMContact, outbox.CRMNote, outbox.CRMTask}, contact.Merged: {outbox.CRMContact},
	} {
		for _, kind := range kinds {
			c := &scripted{CRM: newVendor()}
			w := newWorld(t, c)
			w.person("bea")
			w.enquiry("ada", contactFirst...)
			if kind != outbox.CRMContact {
				w.handle("crm_contactada") // what it waits for
			}
			before := c.calls
			s := w.worker()
			s.Store = &justBefore{faulty: w.store, do: func() {
				w.set(personKey("ada"), ledger.Item{"status": status, "merged_into": "bea"})
			}}
			w.handleBy(s, kind+"ada")
			if c.calls != before || w.op(kind+"ada").Attempt != 0 {
				t.Errorf("%s of a contact that is %s was sent", kind, status)
			}
		}
	}
}
