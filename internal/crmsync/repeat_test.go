package crmsync_test

import (
	"context"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/record/outbox"
)

// lossy is a CRM whose adapter declares something else, and which answers no
// note while it has a fault.
type lossy struct {
	*vendor
	is  crm.Capabilities
	has fault
}

func (l *lossy) Capabilities() crm.Capabilities { return l.is }

func (l *lossy) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	var res crm.Result
	if l.has == failNotWrite {
		l.calls++
	} else {
		res = l.vendor.UpsertNote(ctx, n)
	}
	if l.has == fine {
		return res
	}
	if l.has == dieAfter {
		panic(died{})
	}
	return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
}

// lostNotes is a world in which a note is to be filed on a contact that is there.
func lostNotes(t *testing.T, notes crm.Repeat, has fault) (*world, *lossy) {
	t.Helper()
	v := newVendor()
	is := v.Capabilities()
	is.Notes, is.IndexLag, is.KeyLife = notes, time.Hour, 24*time.Hour
	l := &lossy{v, is, has}
	w := newWorld(t, l)
	w.enquiry("ada", outbox.CRMContact)
	w.settle()
	w.operation(outbox.Operation{ID: "note", Kind: outbox.CRMNote, Contact: "ada"})
	return w, l
}

// What may have been made and cannot be found is made once, and a person looks.
func TestWhatCannotBeFoundAgainIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{failButWrite, dieAfter} {
		w, v := lostNotes(t, crm.Never, f)
		w.settle()
		if op := w.op("note"); op.State != outbox.Parked || op.Reason != "unknown_outcome" {
			t.Errorf("the note is %s (%s)", op.State, op.Reason)
		}
		if v.made["note"] != 1 || v.calls != 2 {
			t.Errorf("%d notes, %d calls", v.made["note"], v.calls)
		}
		w.sound()
	}
}

// An adapter that looks first finds what a call before made only when the vendor
// shows it.
func TestALookWaitsForTheIndex(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{failButWrite, dieAfter} {
		w, v := lostNotes(t, crm.ByLooking, f)
		begun := w.clock()
		for v.calls < 3 && w.clock().Sub(begun) < 6*time.Hour {
			w.pump()
			w.advance(time.Minute)
			w.sweep()
		}
		if d := w.clock().Sub(begun); d < time.Hour+inFlight || d > 3*time.Hour {
			t.Errorf("called again after %v", d)
		}
	}
}

func TestAKeyThatTheReceiverHasForgottenIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w, v := lostNotes(t, crm.ByIdempotencyKey, failNotWrite)
	w.pump()
	v.has = fine
	w.advance(25 * time.Hour)
	w.sweep()
	w.pump()
	if op := w.op("note"); op.State != outbox.Parked || op.Reason != "unknown_outcome" || v.calls != 2 {
		t.Errorf("the note is %s (%s) after %d calls", op.State, op.Reason, v.calls)
	}
	w, v = lostNotes(t, crm.ByIdempotencyKey, failNotWrite)
	w.pump()
	v.has = fine
	w.settle()
	if op := w.op("note"); op.State != outbox.Done || v.made["note"] != 1 {
		t.Errorf("within its life: the note is %s (%s)", op.State, op.Reason)
	}
}
