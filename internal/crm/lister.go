package crm

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Lister is a CRM whose contacts can be read one after the other. An adapter
// whose vendor has no such list does not implement it.
//
// List reads one page, in one HTTP call that changes nothing; the first page has
// the cursor "", each other one the Next of the page before. A page may be empty
// and have a Next. Archived and deleted records are left out. The order is the
// vendor's, and a record keeps its place in it as long as it is not deleted.
//
// The pages are not of one moment. A record that is there from the first call to
// the last is listed once, as it is when its page is read; one that is made or
// deleted meanwhile may be missing. What a page says of a record may be older by
// Capabilities.IndexLag where the vendor lists from an index.
//
// The Result is Done with a page. With any other outcome there is no page, and
// the same cursor may be used again: nothing was written.
type Lister interface {
	List(ctx context.Context, cursor string) (Page, Result)
}

// Page is a part of the list; Next is "" at the end.
type Page struct {
	Records []Record
	Next    string
}

// Record is one contact as the CRM has it.
type Record struct {
	ID     string
	Ref    string // Onefold's reference, "" where it carries none
	Values Values
	Also   []string // its further e-mail addresses
	// OptedOut: the CRM says that the person wants no mail. False says nothing:
	// not every CRM knows.
	OptedOut bool
}

// Emails are all addresses of the record, the main one first.
func (r Record) Emails() []string {
	if r.Values[FieldEmail] == "" {
		return r.Also
	}
	return append([]string{r.Values[FieldEmail]}, r.Also...)
}

// How often a page is asked for that did not come, and the longest wait before
// each further time.
const (
	listTries    = 5
	listWaitMost = 2 * time.Minute
	listWait     = 2 * time.Second
)

// ListError is why a list could not be read to its end.
type ListError struct{ Result Result }

func (e *ListError) Error() string {
	return fmt.Sprintf("the CRM's contacts could not be listed: %s %s", e.Result.Outcome, e.Result.Reason)
}

// Records reads the list from its beginning. A page that was refused for a
// while, or brought no answer, is asked for again after as long as the CRM
// says. The error, which comes last, is a *ListError or the context's.
func Records(ctx context.Context, l Lister) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for cursor := ""; ; {
			page, err := readPage(ctx, l, cursor)
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range page.Records {
				if !yield(r, nil) {
					return
				}
			}
			if cursor = page.Next; cursor == "" {
				return
			}
		}
	}
}

func readPage(ctx context.Context, l Lister, cursor string) (Page, error) {
	for try := 1; ; try++ {
		page, res := l.List(ctx, cursor)
		switch {
		case ctx.Err() != nil:
			return Page{}, ctx.Err()
		case res.Outcome == Done:
			return page, nil
		case res.Outcome == Refused, res.Outcome == Conflict, try == listTries, res.RetryAfter > listWaitMost:
			return Page{}, &ListError{res}
		}
		t := time.NewTimer(max(res.RetryAfter, listWait))
		select {
		case <-ctx.Done():
			t.Stop()
			return Page{}, ctx.Err()
		case <-t.C:
		}
	}
}
