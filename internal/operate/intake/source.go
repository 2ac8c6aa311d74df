package intake

import (
	"context"
	"iter"

	"onefold/internal/crm"
)

// Records are the contacts of a CRM as entries. Errors are those of crm.Records.
func Records(ctx context.Context, l crm.Lister) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for r, err := range crm.Records(ctx, l) {
			e := Entry{
				Record: r.ID, Ref: r.Ref, Emails: r.Emails(), Name: r.Values[crm.FieldName], Company: r.Values[crm.FieldCompany],
				Phone: r.Values[crm.FieldPhone], OptedOut: r.OptedOut,
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
