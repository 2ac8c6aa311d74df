package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"onefold/internal/ledger"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

// Listed is one line of the list.
type Listed struct {
	review.Task
	About string // whom a mail goes to, or where an event came in; "" if neither is known
}

// List gives the open tasks of a tenant, oldest first.
func (s *Service) List(ctx context.Context, tenantID, cursor string) ([]Listed, string, error) {
	page, err := s.Store.Query(ctx, ledger.Query{
		Table: schema.Ledger, Index: schema.ByOpenReview, Partition: tenantID, Cursor: cursor, Limit: 100,
	})
	if err != nil {
		return nil, "", fmt.Errorf("list tasks: %w", err)
	}
	tasks := make([]Listed, len(page.Items))
	var keys []ledger.Key
	for n, it := range page.Items {
		if err := it.Decode(&tasks[n].Task); err != nil {
			return nil, "", err
		}
		if k := subject(tasks[n].Task); k.ID != "" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return tasks, page.Next, nil
	}
	items, err := s.Store.GetMany(ctx, keys) // one for each task at most, and so within its limit
	if err != nil {
		return nil, "", fmt.Errorf("read what the tasks are about: %w", err)
	}
	for n := range tasks {
		if at := slices.Index(keys, subject(tasks[n].Task)); at >= 0 {
			tasks[n].About = cmp.Or(items[at].Text("recipient"), items[at].Text("mailbox"), items[at].Text("source"))
		}
	}
	return tasks, page.Next, nil
}

// Down gives the connection to the tenant's CRM if it is down, else nil: what is
// for it waits, and no task says so.
func (s *Service) Down(ctx context.Context, tenantID string) (*outbox.Connection, error) {
	if s.CRM == nil {
		return nil, nil
	}
	kind, err := s.CRM(ctx, tenantID)
	if err != nil || kind == "" {
		return nil, err
	}
	c, err := ledger.Read[outbox.Connection](ctx, s.Store, ledger.CRMConnection.Under(tenantID, "crm", kind))
	if err != nil {
		return nil, fmt.Errorf("read the crm connection: %w", err)
	}
	if c == nil || c.State != outbox.Down {
		return nil, nil
	}
	return c, nil
}

// subject is the row that a task is about.
func subject(t review.Task) ledger.Key {
	if t.Intent != "" {
		return ledger.Intent.At(t.Tenant, t.Intent)
	}
	return ledger.Event.At(t.Tenant, t.Event)
}
