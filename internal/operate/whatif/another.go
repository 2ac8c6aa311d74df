package whatif

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// lost is why it cannot be told what would become of an event, where a read is
// neither kept nor to be had: sure of whatever it comes to, or else only of what
// comes to a contact or a follow-up.
func lost(of decide.Lost) (reason string, sure bool) {
	switch of {
	case decide.LostPerson:
		return PersonNotRead, true
	case decide.LostContact:
		return ContactNotRead, true
	case decide.LostThread:
		return ThreadNotRead, true
	case decide.LostRule:
		return OtherRule, false
	case decide.LostCount:
		return ThreadNotRead, false
	default:
		return OtherContact, false
	}
}

// another decides the event under the other policy, on the answers that its own
// decision was made from. What the other one would have read besides is looked
// for now: the ledger deletes nothing that is looked for here, so what is not
// there now was not there then. untold says why it cannot be told.
func (j *job) another(ctx context.Context) (res decide.Result, untold string, err error) {
	p := j.o.Policy
	in := decide.Input{Event: j.in.Event, Policy: p, Facts: j.facts(p), Now: j.in.Now, By: j.in.By}
	if decide.Reader(in.Facts) {
		// Nobody has read it, or not these words. That the names of ours were others
		// is left out: it decides of two fields at most.
		in.Facts.Source.OurNames = j.in.Facts.Source.OurNames
		if j.in.Extraction == nil || !reflect.DeepEqual(in.Facts.Source, j.in.Facts.Source) {
			return res, ReadingMissing, nil
		}
		in.Extraction = j.in.Extraction
	}
	seen := decide.Snapshot{Rows: map[ledger.Key]ledger.Item{}, Kept: maps.Clone(j.seen.Kept)}
	var sure, unsure []string // reasons
	for {
		res, missing, err := decide.Decide(in, seen, j.IDs)
		if err == nil && len(missing) > 0 {
			for _, m := range missing {
				switch reason, always, err := j.find(ctx, in, m, seen); {
				case err != nil:
					return res, "", err
				case always:
					sure = append(sure, reason)
				default:
					unsure = append(unsure, reason)
				}
			}
			continue
		}
		reason := first(unsure, OtherContact, OtherRule, ThreadNotRead)
		switch untold := first(sure, IdentityDiffers, PersonNotRead, ContactNotRead, ThreadNotRead); {
		case untold != "":
			return res, untold, nil
		case err != nil:
			return res, NotDecidable, nil
		case hangsOn(reason, res):
			return res, reason, nil
		}
		return res, "", nil
	}
}

// first is the first of an order that is among the reasons, or "".
func first(reasons []string, order ...string) string {
	for _, r := range order {
		if slices.Contains(reasons, r) {
			return r
		}
	}
	return ""
}

// find answers what the kept ground lacks, or says why it cannot be told; then it
// is decided as if nothing had been there.
func (j *job) find(ctx context.Context, in decide.Input, m decide.Missing, seen decide.Snapshot) (reason string, sure bool, err error) {
	if m.Role == decide.RoleKey {
		key, reason, err := j.form(ctx, in, m)
		if seen.Kept[m.Ask] = key; err != nil || reason != PersonNotRead {
			return reason, reason != "", err
		}
	}
	if m.Key.Entity != "" {
		it, err := j.then(ctx, m.Key)
		if err != nil || it == nil || m.Lost == decide.LostNothing {
			seen.Rows[m.Key] = it
			delete(seen.Kept, m.Ask)
			return "", false, err
		}
	}
	seen.Kept[m.Ask] = nil
	// Of an event that nothing is to follow from, only a hold is looked at.
	if in.Facts.Dropped && m.Role != decide.RoleGuard {
		return "", false, nil
	}
	reason, sure = lost(m.Lost)
	return reason, sure, nil
}

// hangsOn tells whether what is not known matters to a decision.
func hangsOn(unsure string, r decide.Result) bool {
	if unsure == OtherContact {
		return r.Outcome != decide.Referred && decide.VerdictOf(r).Contact != "" || hangsOnThePlan(r)
	}
	return unsure != "" && hangsOnThePlan(r)
}

// hangsOnThePlan tells whether a decision made a follow-up, or would have but for
// a bound or a template.
func hangsOnThePlan(r decide.Result) bool {
	return decide.VerdictOf(r).Made != nil || r.Outcome == inbound.FollowUp || slices.Contains(r.Reasons, decide.ReasonLoop) ||
		slices.Contains(r.Reasons, "mail_not_rendered")
}

// then is a row that was there already when the event was decided, or nil.
func (j *job) then(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	items, err := j.Store.GetMany(ctx, []ledger.Key{k})
	if err != nil {
		return nil, fmt.Errorf("look for what event %s had not read: %w", decide.LogID(j.e.Tenant, j.e.ID), err)
	}
	if items[0] == nil {
		return nil, nil
	}
	if made, err := utc.Parse(items[0].Text("created_at")); err == nil && made.After(j.in.Now) {
		return nil, nil
	}
	return items[0], nil
}
