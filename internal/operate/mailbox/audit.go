// Package mailbox audits a mailbox before anything is deployed (onefold
// audit-inbox): the people in it, duplicates, who would get two replies, missed
// wishes not to be mailed, what waited for more than a day, and what Onefold
// would ask a person about.
//
// Its invariants: it only reads, and nothing but the readers it is given; every
// message is counted in exactly one kind; and what it says of a mail is what the
// product says, by the same parser, rules, keys and decision. The decisions are
// played in the order of the mails' dates on a ledger that is thrown away, with
// each mail's own date for the clock, so the file's order changes nothing.
//
// It refuses to merge, to send and to ask a model that is not on this machine
// unless the caller gives it one.
package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"onefold/internal/digest"
	"onefold/internal/operate/mailbox/mbox"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
)

// Options say how a mailbox is looked through.
type Options struct {
	Policy   tenant.Policy // its own addresses are the owner's
	Own      Own           // where these come from
	Reader   reader.Reader
	Contacts *List // a contact list to compare with; nil for none
	// Now is when the audit is made, zero for not known. A date that is more than
	// a day later is nobody's word on when a mail was written.
	Now     time.Time
	Workers int // mails read at once; at least 1. Each may take MaxMail of memory twice
	// Progress is told now and then how many messages have been read. It may be
	// nil and is called by one goroutine at a time.
	Progress func(messages int)
}

// Run reads a mailbox to its end and reports. An error is one of the reader, of
// the context, or of a policy whose template no longer renders; there is no
// report then. No error holds any text of a mail.
func Run(ctx context.Context, in io.Reader, o Options) (Report, error) {
	ids, err := digest.NewKey(make([]byte, 32)) // its identifiers are thrown away
	if err != nil {
		return Report{}, err
	}
	a := &auditor{policy: o.Policy, reader: o.Reader, ids: ids}
	if !o.Now.IsZero() {
		a.latest = o.Now.Add(Day)
	}
	if err := a.read(ctx, in, max(o.Workers, 1), o.Progress); err != nil {
		return Report{}, err
	}
	slices.SortFunc(a.notes, func(x, y *note) int {
		if c := strings.Compare(x.key(), y.key()); c != 0 {
			return c
		}
		return x.Position - y.Position
	})
	if err := a.rehearse(ctx); err != nil {
		return Report{}, err
	}
	return a.report(o), nil
}

// auditor is one run.
type auditor struct {
	policy tenant.Policy
	reader reader.Reader
	ids    digest.Key
	latest time.Time // the newest date that is believed; zero for any
	notes  []*note
}

// read makes a note of every message, several at a time. What is under way at
// once is bounded: a message each worker, one that waits, one that is read.
func (a *auditor) read(ctx context.Context, in io.Reader, workers int, progress func(int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	mails := make(chan mbox.Message)
	var mu sync.Mutex
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for m := range mails {
				n, err := a.noteOf(ctx, m)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				a.notes = append(a.notes, n)
				if progress != nil && len(a.notes)%100 == 0 {
					progress(len(a.notes))
				}
				mu.Unlock()
			}
		})
	}
	err := feed(ctx, mbox.NewReader(in, MaxMail), mails)
	close(mails)
	group.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// feed gives out the messages of a mailbox until it ends.
func feed(ctx context.Context, from *mbox.Reader, to chan<- mbox.Message) error {
	for last := 0; ; last++ {
		m, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the mailbox behind message %d: %w", last, err)
		}
		select {
		case to <- m:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// report gathers all findings.
func (a *auditor) report(o Options) Report {
	people := a.people()
	r := Report{
		Format: Format, Mailbox: a.mailbox(), Own: o.Own,
		People: people.of(isPerson), OtherSenders: people.of(isOther), Shared: people.of(isShared),
		TwoReplies: a.twoReplies(), OptOuts: a.optOuts(), Unanswered: a.unanswered(), Review: a.review(),
		Stopped: a.stopped(),
	}
	for _, n := range a.notes {
		if n.sent() {
			r.Own.Sent++
		}
	}
	r.Own.Addresses = append([]string{}, r.Own.Addresses...)
	candidates := people.duplicates()
	r.Duplicates = shownDuplicates(candidates)
	if o.Contacts != nil {
		r.Contacts = a.compare(o.Contacts, people, candidates)
	}
	return r
}
