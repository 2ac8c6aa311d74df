package preflight

import (
	"context"
	"fmt"
	"slices"

	"onefold/internal/crm"
	"onefold/internal/record/words"
)

// connections tells of the CRMs of a stage that is there. A deployment neither
// mends nor harms them; whoever looks wants to know.
func (q *inquiry) connections(ctx context.Context) {
	const id = "crm"
	o, err := q.cloud.Open(ctx)
	if err != nil {
		q.unknown(id, err, "reading it needs the stage's identifier key (secretsmanager:GetSecretValue) and its tables (dynamodb:GetItem)")
		return
	}
	defer func() { _ = o.Close() }()
	all, err := o.CRMs(ctx)
	if err != nil {
		q.unknown(id, err, "reading it needs secretsmanager:ListSecrets and dynamodb:GetItem")
		return
	}
	for _, s := range all {
		switch {
		case s.Kind == "":
			q.add(id, Attention, fmt.Sprintf("tenant %s has a token, and its policy names no CRM", s.Tenant), "name one by crm.kind in the policy, or take the token away")
		case s.Down != nil:
			do := "nothing: it is asked again by itself, and what waits is brought in when it answers"
			if slices.Contains([]string{crm.ReasonAuth, crm.ReasonNoToken}, s.Down.Reason) {
				do = fmt.Sprintf("set a token that is good: `onefold secret set -stage %s crm/%s`; what waits is brought in by itself", q.Stage, s.Tenant)
			}
			q.add(id, Attention, fmt.Sprintf("%s of tenant %s has not been available since %s: %s", s.Kind, s.Tenant, s.Down.Since, words.Plain(s.Down.Reason)), do)
		default:
			q.add(id, OK, fmt.Sprintf("%s of tenant %s is available", s.Kind, s.Tenant), "")
		}
	}
}
