package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// pageSize is how many rows are asked for at once.
const pageSize = 1000

// pageTries is how often one page is asked for. A scan goes on from the page
// at which it failed, never from the start.
const pageTries = 4

// scan reads the tables in an order that lets a reference be read before what
// it refers to: events name intents, intents need operations, and all of them
// their audit records. So what was written while the scan ran shows as a row
// that has changed since, not as one that is missing.
func scan(ctx context.Context, store ledger.Store, o Options) (*view, error) {
	v, segments := newView(o.IDs), max(o.Segments, 1)
	for _, t := range []schema.Table{schema.Events, schema.Ledger, schema.Outbox, schema.Audit} {
		for n := range segments {
			if err := v.segment(ctx, store, ledger.Scan{Table: t, Segment: n, Segments: segments, Limit: pageSize}); err != nil {
				return nil, fmt.Errorf("scan %s: %w", t, err)
			}
		}
	}
	for _, attempts := range v.attempts {
		slices.SortFunc(attempts, func(a, b *attemptRow) int { return cmp.Compare(a.number, b.number) })
	}
	for _, trail := range v.trails {
		slices.SortFunc(trail, func(a, b step) int { return cmp.Compare(a.n, b.n) })
	}
	return v, nil
}

func (v *view) segment(ctx context.Context, store ledger.Store, s ledger.Scan) error {
	for {
		page, err := readPage(ctx, store, s)
		if err != nil {
			return err
		}
		for _, it := range page.Items {
			v.take(it)
		}
		if page.Next == "" {
			return nil
		}
		s.Cursor = page.Next
	}
}

func readPage(ctx context.Context, store ledger.Store, s ledger.Scan) (ledger.Page, error) {
	for try := 1; ; try++ {
		page, err := store.Scan(ctx, s)
		if err == nil || try == pageTries || ctx.Err() != nil || errors.Is(err, ledger.ErrInvalid) || errors.Is(err, ledger.ErrDamaged) {
			return page, err
		}
	}
}

// take keeps what the checks need of a row. A scan may give a row twice; the
// first one read stands, and if it was not the last, it will not stand again.
func (v *view) take(it ledger.Item) {
	k := ledger.KeyOf(it)
	if k.Entity == ledger.Audit {
		v.takeStep(k, it)
		return
	}
	if v.versions[k] > 0 {
		return
	}
	v.versions[k] = it.Version()
	v.count(k, it)
	// A policy version is a document; the policy in force is the noun.
	if n := it.Int("transition"); n > 0 && k.Entity != ledger.Policy {
		v.nouns[ref{k.Tenant, ledger.AuditKey(k, 1).ID}] = &nounRow{key: k, state: v.word(it.Text("state")), transition: n}
	}
	switch k.Entity {
	case ledger.Event, ledger.Delivery:
		v.takeInbound(k, it)
	case ledger.ContactKey, ledger.Contact, ledger.Enquiry, ledger.Cadence, ledger.CRMMapping, ledger.MatchDecision:
		v.takePerson(k, it)
	case ledger.Intent, ledger.Attempt, ledger.ProviderMessage, ledger.Operation:
		v.takeSending(k, it)
	case ledger.ReviewTask:
		v.tasks[refOf(k)] = &taskRow{
			key: k, kind: v.word(it.Text("kind")), state: v.word(it.Text("state")), event: it.Text("event"), intent: it.Text("intent"),
			openFor: v.word(it.Text("open_for")), contentHash: it.Text("content_hash"),
			about: it.Text("key"),
		}
	case ledger.Guard:
		v.takeGuard(k, it)
	case ledger.Migration:
		v.migrations[k] = v.word(it.Text("state"))
	case ledger.PolicyCurrent, ledger.MailRoute:
		v.takeRoute(k, it)
	case ledger.Extraction, ledger.LoopCap, ledger.CRMConnection, ledger.Feedback, ledger.FeedProbe, ledger.Deployment, ledger.Idempotency, ledger.Policy, ledger.Stop, ledger.Spending, ledger.IdentityRule, ledger.Audit:
		// Known by their version alone.
	}
}

func (v *view) takeStep(k ledger.Key, it ledger.Item) {
	v.counts["audit"]++
	r := ref{k.Tenant, k.ID}
	s := step{
		n: it.Int("transition"), version: it.Version(), event: v.word(it.Text("event")), from: v.word(it.Text("from")), to: v.word(it.Text("to")), at: it.Text("at"),
	}
	if d, ok := it["details"].(map[string]any); ok {
		detail := func(name string) string { text, _ := d[name].(string); return text }
		s.scope, s.other, s.guard, s.movedFrom = v.word(detail("scope")), detail("with"), detail("guard"), detail("moved_from")
		s.raised = detail("consent") != ""
	}
	if reasons := texts(it["reasons"]); len(reasons) > 0 {
		s.reason = v.word(reasons[0])
	}
	for _, have := range v.trails[r] {
		if have.n == s.n {
			return
		}
	}
	v.trails[r] = append(v.trails[r], s)
}

// count counts a row under its entity, kind, state and outcome.
func (v *view) count(k ledger.Key, it ledger.Item) {
	name := string(k.Entity)
	v.counts[name]++
	for _, attr := range countBy(k.Entity) {
		if s := it.Text(attr); s != "" {
			name += "." + s
			v.counts[name]++
		}
	}
}

func countBy(e ledger.Entity) []string {
	switch e {
	case ledger.Event:
		return []string{"state", "outcome"}
	case ledger.Delivery:
		return []string{"answer"}
	case ledger.Contact:
		return []string{"status"}
	case ledger.MatchDecision:
		return []string{"outcome"}
	case ledger.Intent, ledger.Attempt:
		return []string{"state"}
	case ledger.ReviewTask, ledger.Operation:
		return []string{"kind", "state"}
	case ledger.Feedback:
		return []string{"type"}
	default:
		return nil
	}
}
