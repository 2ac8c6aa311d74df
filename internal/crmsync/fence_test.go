package crmsync_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/record/outbox"
)

// gate holds a worker up in its first call.
type gate struct{ entered, open chan struct{} }

func newGate() gate { return gate{make(chan struct{}), make(chan struct{})} }

func (g gate) once() func() {
	first := true
	var mu sync.Mutex
	return func() {
		mu.Lock()
		hold := first
		first = false
		mu.Unlock()
		if hold {
			close(g.entered)
			<-g.open
		}
	}
}

func TestAHeldUpWorkerThatSettlesLateChangesNothing(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	g := newGate()
	w := newWorld(t, &scripted{CRM: client, before: g.once()})
	w.enquiry("ada", contactFirst...)
	w.store.drop()
	done := make(chan error)
	go func() {
		done <- w.worker().Handle(context.Background(), ledger.Change{Key: opKey("crm_contactada"), Item: w.get(opKey("crm_contactada"))})
	}()
	<-g.entered
	first := w.op("crm_contactada")

	// The claim lapses; the next worker takes over and finishes.
	w.advance(first.InProgressUntil.Std().Sub(w.clock()) + time.Second)
	w.handle("crm_contactada")
	w.allDone("crm_contactada")
	before := w.get(opKey("crm_contactada")).Version()
	close(g.open)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if op := w.op("crm_contactada"); op.Attempt != 2 || op.Version != before {
		t.Errorf("the late worker wrote: attempt %d, version %d after %d", op.Attempt, op.Version, before)
	}
	if people := server.Contacts(); len(people) != 1 || w.mapping("ada").CRMID != people[0].ID {
		t.Errorf("the CRM has %v, the mapping %q", people, w.mapping("ada").CRMID)
	}
	w.sound()
}

// The worker is held up between its claim and its call, and by the time it
// goes on a newer revision is in the CRM.
func TestAClaimThatIsOverMakesNoCall(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	w.enquiry("ada", outbox.CRMContact)
	s := w.worker()
	s.Store = &slowStore{faulty: w.store, after: func() {
		w.advance(time.Hour)
		w.revise("ada", 2)
		w.handle("sync2ada")
	}}
	w.handleBy(s, "crm_contactada")
	if got := v.content("contact/ada"); got != "Revision 2" {
		t.Fatalf("the CRM has %q: an older contact was written over a newer one", got)
	}
	w.settle()
	if m := w.mapping("ada"); m.SentVersion != 2 {
		t.Errorf("revision %d is recorded as sent", m.SentVersion)
	}
	w.sound()
}

// slowStore runs something after its first commit, before the committer hears
// of it.
type slowStore struct {
	*faulty
	after func()
}

func (s *slowStore) Commit(ctx context.Context, c ledger.Commit) error {
	err := s.faulty.Commit(ctx, c)
	if do := s.after; do != nil {
		s.after = nil
		do()
	}
	return err
}

// A killed worker's request may still take effect inside the vendor. Nobody
// sends a newer contact before that is over, or the older one would win.
func TestARequestStillInsideTheVendorIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{true, false} {
		t.Run(fmt.Sprintf("killed=%v", killed), func(t *testing.T) {
			t.Parallel()
			v := newVendor()
			v.late = true
			c := &scripted{CRM: v}
			w := newWorld(t, c)
			w.enquiry("ada", outbox.CRMContact)
			w.store.drop()
			// The call goes out as late as a worker may make it, and the vendor
			// takes as long as it declares.
			if killed {
				c.answer = func(int) *crm.Result {
					w.advance(timeout)
					v.UpsertContact(context.Background(), crm.Contact{Ref: "ada", Name: "Revision 1"}, "")
					panic(died{})
				}
				_ = alive(func() error { w.handle("crm_contactada"); return nil })
			} else {
				w.handle("crm_contactada")
			}
			sent := w.clock()
			c.answer, v.late = nil, false
			w.revise("ada", 2)
			for w.moving() || w.clock().Sub(sent) <= inFlight {
				w.pump()
				w.sweep()
				w.advance(10 * time.Second)
				if w.clock().Sub(sent) >= inFlight {
					v.land() // at the last moment that the vendor declares
				}
			}
			if got := v.content("contact/ada"); got != "Revision 2" {
				t.Errorf("the CRM has %q", got)
			}
			if v.made["contact"] != 1 {
				t.Errorf("%d contacts were made", v.made["contact"])
			}
			w.sound()
		})
	}
}

func TestAnOlderRevisionEndsSuperseded(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := newWorld(t, client)
	w.enquiry("ada", outbox.CRMContact)
	w.revise("ada", 2)
	w.handle("sync2ada")
	w.settle()
	if op := w.op("crm_contactada"); op.State != outbox.Superseded || op.Reason != "newer_version_sent" {
		t.Errorf("revision 1 is %s (%s)", op.State, op.Reason)
	}
	w.allDone("sync2ada")
	if got := server.Contacts()[0].Properties["lastname"]; got != "2" {
		t.Errorf("the CRM has %v", server.Contacts()[0].Properties)
	}
	w.sound()
}

func TestManyWorkersOnOneContactMakeOneRecordWithTheNewestContent(t *testing.T) {
	t.Parallel()
	for round := range 30 {
		v := newVendor()
		w := newWorld(t, v)
		w.enquiry("ada", contactFirst...)
		w.revise("ada", 2)
		w.revise("ada", 3)
		w.store.drop()
		ids := []string{"crm_contactada", "sync2ada", "sync3ada", "crm_noteada"}
		var wg sync.WaitGroup
		for n := range 12 {
			ch := ledger.Change{Key: opKey(ids[n%len(ids)]), Item: w.get(opKey(ids[n%len(ids)]))}
			wg.Go(func() {
				if err := w.worker().Handle(context.Background(), ch); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		w.settle()
		if got := v.content("contact/ada"); got != "Revision 3" || v.made["contact"] != 1 || v.made["note"] != 1 || v.made["task"] != 1 {
			t.Fatalf("round %d: the CRM has %q, made %v", round, got, v.made)
		}
		for _, op := range w.operations() {
			if op.State != outbox.Done && op.State != outbox.Superseded {
				t.Errorf("round %d: %s is %s (%s)", round, op.ID, op.State, op.Reason)
			}
		}
		if m := w.mapping("ada"); m.SentVersion != 3 || m.CRMID != "r-ada" {
			t.Errorf("round %d: mapping is %+v", round, m)
		}
		w.sound()
	}
}
