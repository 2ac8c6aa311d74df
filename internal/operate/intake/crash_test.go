package intake_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/operate/intake"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/utc"
)

// mixed is a list with each thing that is written: a contact, one with a stop, a
// link, a stop of somebody known, and what is left.
func mixed(t *testing.T) (*world, []intake.Entry) {
	w := newWorld(t)
	w.person("kim", "", "email:kim@example.com")
	w.person("lee", "", "email:lee@example.com")
	ann := record("51", "ann@example.com", "ann@example.org")
	ann.Name, ann.Phone = "Ann Ambler", "+44 20 7946 0000"
	return w, []intake.Entry{
		ann, optedOut(record("52", "bob@example.com")), record("53", "kim@example.com"), optedOut(record("54", "lee@example.com")),
		record("55", "ann@example.com"), record("56"),
	}
}

// TestAnImportThatEndsAnywhereIsCompletedByTheNext: at each call of the ledger, in
// each flavour, the run ends, and the next one comes to the same ledger.
func TestAnImportThatEndsAnywhereIsCompletedByTheNext(t *testing.T) {
	t.Parallel()
	clean, entries := mixed(t)
	counting := &broken{Store: clean.store}
	rep, err := clean.service(counting).Run(t.Context(), of(true, entries...))
	if err != nil || rep.Made != 2 || rep.Linked != 2 || rep.Stopped != 2 || rep.LeftOut != 2 {
		t.Fatalf("%s, %v", counts(rep), err)
	}
	want, calls := clean.dump(), counting.calls
	if calls < 14 {
		t.Fatalf("%d calls", calls)
	}
	for at := 1; at <= calls; at++ {
		for name, b := range map[string]broken{
			"unavailable": {err: ledger.ErrUnavailable}, "contention": {err: ledger.ErrContention}, "lost before": {err: ledger.ErrUnknown},
			"lost after": {err: ledger.ErrUnknown, applied: true}, "dies before": {err: errDead, dies: true}, "dies after": {err: errDead, dies: true, applied: true},
		} {
			w, entries := mixed(t)
			b.Store, b.at = w.store, at
			first, err := w.service(&b).Run(t.Context(), of(true, entries...))
			if err == nil && counts(first) != counts(rep) {
				t.Errorf("%s at call %d: %s, want %s", name, at, counts(first), counts(rep))
			}
			if err != nil && (first.Complete || strings.Contains(err.Error(), "@")) {
				t.Errorf("%s at call %d: complete %v, %v", name, at, first.Complete, err)
			}
			w.sound()
			again, err := w.service(w.store).Run(t.Context(), of(true, entries...))
			if got := w.dump(); err != nil || got != want || !again.Complete {
				t.Fatalf("%s at call %d: %v\n%s\nwant\n%s", name, at, err, got, want)
			}
		}
	}
}

// The row under way is finished, no other is begun, and the report is of those
// until then.
func TestAnInterruptedRunFinishesItsRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := w.service(&stopping{Store: w.store, at: 1, do: cancel})
	rep, err := s.Run(ctx, of(true, row(2, "ann@example.com"), row(3, "bob@example.com")))
	if !errors.Is(err, context.Canceled) || rep.Complete || rep.Made != 1 || rep.Entries != 1 || len(w.contacts()) != 1 {
		t.Errorf("%s, %v", counts(rep), err)
	}
	if rep := w.imports(row(2, "ann@example.com"), row(3, "bob@example.com")); rep.Made != 1 || rep.Known != 1 {
		t.Errorf("%s", counts(rep))
	}
}

// stopping does something just before a commit.
type stopping struct {
	ledger.Store
	at int
	do func()
}

func (s *stopping) Commit(ctx context.Context, c ledger.Commit) error {
	if s.at--; s.at == 0 {
		s.do()
	}
	return s.Store.Commit(ctx, c)
}

// What happens between the reading of a row and its commit is read again.
func TestWhatComesBetweenIsSeen(t *testing.T) {
	t.Parallel()
	e := optedOut(record("51", "ann@example.com"))
	for name, c := range map[string]struct {
		e     intake.Entry
		do    func(*world)
		check func(*world, intake.Report) bool
	}{
		"an event makes the contact": {
			e,
			func(w *world) { w.person("c-event", "", "email:ann@example.com") },
			func(w *world, r intake.Report) bool {
				return r.Linked == 1 && w.mappings()["51"].Contact == "c-event" && w.contact("c-event").ConsentVersion == 2
			},
		},
		"the person is erased": {
			record("51", "ann@example.com"),
			func(w *world) { w.ok(w.erased("ann@example.com")) },
			func(w *world, r intake.Report) bool { return r.LeftOut == 1 && len(w.contacts()) == 2 },
		},
		"the contact is merged": {
			record("51", "kim@example.com"),
			func(w *world) {
				w.person("top", "", "email:top@example.com")
				var c ledger.Commit
				_, err := c.Move(ledger.Step{
					Key: people.Key("demo", "kim"), Transition: 1, Event: "merge", Set: ledger.Item{"status": contact.Merged, "merged_into": "top"},
					Audit: audit.Record{At: utc.At(noon), By: "test"},
				})
				w.ok(err)
				w.ok(w.store.Commit(w.Context(), c))
				w.set(people.Key("demo", "top"), ledger.Item{"absorbed": []any{"kim"}})
			},
			func(w *world, r intake.Report) bool { return r.Linked == 1 && w.mappings()["51"].Contact == "top" },
		},
		"a worker maps the contact": {
			record("51", "kim@example.com"),
			func(w *world) { w.maps("kim", "52") },
			func(w *world, r intake.Report) bool { return r.LeftOut == 1 && len(w.mappings()) == 1 },
		},
		"somebody gets an address that is stopped only": {
			optedOut(row(2, "kim@example.com", "two@example.com", "new@example.com")),
			func(w *world) { w.person("c-new", "", "email:new@example.com") },
			func(w *world, r intake.Report) bool { return r.LeftOut == 1 && w.contact("c-new").ConsentVersion == 2 },
		},
		"the person is erased, and has opted out": {
			e,
			func(w *world) { w.ok(w.erased("ann@example.com")) },
			func(w *world, r intake.Report) bool {
				return r.LeftOut == 1 && len(w.contacts()) == 2 && w.guard("ann@example.com").Text("address") == "" && w.stopped("ann@example.com", guard.ReasonOptOut)
			},
		},
		"another import makes it": {
			e,
			func(w *world) {
				_, err := w.service(w.store).Run(w.Context(), of(true, e))
				w.ok(err)
			},
			func(w *world, r intake.Report) bool { return r.Known == 1 && len(w.contacts()) == 3 },
		},
	} {
		w := newWorld(t)
		w.person("kim", "", "email:kim@example.com")
		w.person("two", "", "email:two@example.com")
		rep, err := w.service(&stopping{Store: w.store, at: 1, do: func() { c.do(w) }}).Run(t.Context(), of(true, c.e))
		if err != nil || !c.check(w, rep) {
			t.Errorf("%s: %s, %v, %+v", name, counts(rep), err, w.contacts())
		}
		w.sound()
	}
}

// A wish that is heard for an address nobody has is not lost on who gets it by a
// list at the same moment, in either order.
func TestAStopAndAnImportMeet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := decide.Identify(w.ids, must(w.book.Current(t.Context(), "demo")), "ann@example.com")
	stop := func() {
		var c ledger.Commit
		w.ok(decide.ChangeGuard(&c, decide.GuardChange{
			Tenant: "demo", ID: p.GuardID, Event: "stop", Set: ledger.Item{guard.StopAttr(guard.ScopeAll): utc.At(noon), guard.ReasonAttr: guard.ReasonOptOut},
			Audit: audit.Record{At: utc.At(noon), By: "test", Reasons: []string{guard.ReasonOptOut}},
		}))
		c.Check("contact_key", ledger.ContactKey.At("demo", p.KeyID), ledger.Missing())
		w.ok(w.store.Commit(t.Context(), c))
	}
	rep, err := w.service(&stopping{Store: w.store, at: 1, do: stop}).Run(t.Context(), of(true, row(2, "ann@example.com")))
	if err != nil || rep.Made != 1 || !w.stopped("ann@example.com", guard.ReasonOptOut) {
		t.Errorf("%s, %v", counts(rep), err)
	}
	w.sound()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// However many operators take the same list in at once, it is there once.
func TestTwoImportsAtOnceMakeOneContact(t *testing.T) {
	t.Parallel()
	for range 8 {
		w, entries := mixed(t)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() { _, errs[i] = w.service(w.store).Run(t.Context(), of(true, entries...)) })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil && !errors.Is(err, intake.ErrMoved) {
				t.Fatal(err)
			}
		}
		if n := len(w.contacts()); n != 4 || len(w.mappings()) != 4 {
			t.Fatalf("%d contacts, mappings %v", n, w.mappings())
		}
		w.sound()
	}
}

// A list that ends in an error ends the run with what was read before.
func TestAListThatBreaksOffIsNotComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := errors.New("the list has gone")
	l := of(true, row(2, "ann@example.com"))
	one := l.Entries
	l.Entries = iter.Seq2[intake.Entry, error](func(yield func(intake.Entry, error) bool) {
		for e := range one {
			if !yield(e, nil) {
				return
			}
		}
		yield(intake.Entry{}, gone)
	})
	told := 0
	l.Told = func(intake.Report) { told++ }
	rep, err := w.service(w.store).Run(t.Context(), l)
	if !errors.Is(err, gone) || rep.Complete || rep.Made != 1 || told != 1 {
		t.Errorf("%s, %v, told %d", counts(rep), err, told)
	}
	if c := w.contacts()[0]; c.Status != contact.Active || people.Key("demo", c.ID).Validate() != nil {
		t.Errorf("%+v", c)
	}
}
