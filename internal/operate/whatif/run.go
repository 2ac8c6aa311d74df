package whatif

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
)

const (
	// pageSize is how many rows are asked for at once.
	pageSize = 1000
	// pageTries is how often one page is asked for: a replay goes on from the page
	// at which it failed, never from the start.
	pageTries = 4
)

// run is one replay under way.
type run struct {
	*Replayer
	o      Options
	report Report
	groups map[Group]int
	seen   map[[16]byte]struct{} // events, since a scan may give a row twice

	mu       sync.Mutex
	policies map[int64]*tenant.Policy // nil: not there
	readers  []string                 // the ends of keys of stored answers, as they were met
}

// Run decides the events of the window again. An error means that something
// could not be read, or that the context ended: the report then says how far it
// came, and is complete for what it counts.
//
// It keeps some 16 bytes of each event in memory, and each entry of the lists.
func (r *Replayer) Run(ctx context.Context, o Options) (Report, error) {
	o.Segments, o.Workers = max(o.Segments, 1), max(o.Workers, 1)
	n := &run{
		Replayer: r, o: o, groups: map[Group]int{}, seen: map[[16]byte]struct{}{}, policies: map[int64]*tenant.Policy{},
		report: Report{
			Tenant: o.Policy.Tenant, Version: o.Policy.Version, From: o.From, Until: o.Until, Segments: o.Segments,
			Reasons: map[string]int{}, Changes: []Change{}, UntoldOf: []Untold{}, FaultList: []Baseline{},
		},
	}
	var err error
	for n.report.Segment = range o.Segments {
		if err = n.segment(ctx, ledger.Scan{Table: schema.Events, Segment: n.report.Segment, Segments: o.Segments, Limit: pageSize}); err != nil {
			break
		}
	}
	n.report.Complete = err == nil
	n.trim(0)
	return n.tell(), err
}

func (n *run) segment(ctx context.Context, s ledger.Scan) error {
	for {
		page, err := n.page(ctx, s)
		if err != nil {
			return fmt.Errorf("scan %s: %w", s.Table, err)
		}
		if err := n.events(ctx, page.Items); err != nil {
			return err
		}
		n.report.Rows += len(page.Items)
		n.trim(2)
		if n.o.Progress != nil {
			n.o.Progress(n.tell())
		}
		if page.Next == "" {
			return nil
		}
		s.Cursor = page.Next
	}
}

func (n *run) page(ctx context.Context, s ledger.Scan) (ledger.Page, error) {
	for try := 1; ; try++ {
		page, err := n.Store.Scan(ctx, s)
		if err == nil || try == pageTries || ctx.Err() != nil || errors.Is(err, ledger.ErrInvalid) || errors.Is(err, ledger.ErrDamaged) {
			return page, err
		}
	}
}

// events decides the events of one page. A page counts whole or not at all, so
// that what is counted is complete.
func (n *run) events(ctx context.Context, items []ledger.Item) error {
	var rows []ledger.Item
	for _, it := range items {
		if k := ledger.KeyOf(it); k.Entity == ledger.Event && k.Tenant == n.o.Policy.Tenant && n.within(it) {
			rows = append(rows, it)
		}
	}
	found := make([]finding, len(rows))
	errs := make([]error, n.o.Workers)
	var workers sync.WaitGroup
	for w := range n.o.Workers {
		workers.Go(func() {
			for i := w; i < len(rows) && errs[w] == nil; i += n.o.Workers {
				found[i], errs[w] = n.event(ctx, rows[i])
			}
		})
	}
	workers.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, f := range found {
		n.count(f)
	}
	return nil
}

func (n *run) within(it ledger.Item) bool {
	at := it.Text("received_at")
	return at >= n.o.From.String() && at <= n.o.Until.String()
}

// finding is what became of one event: exactly one of its parts is set.
type finding struct {
	event     inbound.Event
	undecided bool
	same      bool
	untold    string
	fault     *Baseline
	change    *Change
}

func (n *run) count(f finding) {
	sum := sha256.Sum256([]byte(f.event.ID))
	id := [16]byte(sum[:16])
	if _, again := n.seen[id]; again {
		return
	}
	n.seen[id] = struct{}{}
	r := &n.report
	r.Seen++
	switch {
	case f.undecided:
		r.Undecided++
	case f.same:
		r.Same++
	case f.fault != nil:
		r.Faults++
		r.FaultList = append(r.FaultList, *f.fault)
	case f.change != nil:
		r.Changed++
		r.Changes = append(r.Changes, *f.change)
		n.groups[GroupOf(*f.change)]++
	default:
		r.Untold++
		r.Reasons[f.untold]++
		r.UntoldOf = append(r.UntoldOf, Untold{f.event.ID, f.event.ReceivedAt, f.untold})
	}
}

// trim brings the lists into order, and cuts those that are longer than slack
// times what is kept; 0 orders all.
func (n *run) trim(slack int) {
	r := &n.report
	r.Changes = trimmed(r.Changes, n.o.Keep, slack, func(c Change) string { return c.ReceivedAt.String() + c.Event })
	r.UntoldOf = trimmed(r.UntoldOf, n.o.Keep, slack, func(u Untold) string { return u.ReceivedAt.String() + u.Event })
	r.FaultList = trimmed(r.FaultList, n.o.Keep, slack, func(b Baseline) string { return b.ReceivedAt.String() + b.Event })
}

func trimmed[T any](list []T, keep, slack int, order func(T) string) []T {
	if slack > 0 && (keep == 0 || len(list) <= slack*keep) {
		return list
	}
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(order(a), order(b)) })
	if keep > 0 {
		list = list[:min(keep, len(list))]
	}
	return list
}

// tell is the report as it stands.
func (n *run) tell() Report {
	r := n.report
	r.Groups = []Group{}
	for g, count := range n.groups {
		g.Count = count
		r.Groups = append(r.Groups, g)
	}
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}
