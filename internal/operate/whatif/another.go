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

// The reasons for which it cannot be told, the first that applies: whatever the
// decision comes to, and where it comes to a contact or a follow-up.
var (
	always = []string{IdentityDiffers, PersonNotRead, ContactNotRead, ThreadNotRead}
	maybe  = []string{OtherContact, OtherRule, ThreadNotRead}
)

// lost is what cannot be told without a read that is neither kept nor to be had.
func lost(of decide.Lost) (reason string, kind *[]string) {
	switch of {
	case decide.LostPerson:
		return PersonNotRead, &always
	case decide.LostContact:
		return ContactNotRead, &always
	case decide.LostThread:
		return ThreadNotRead, &always
	case decide.LostRule:
		return OtherRule, &maybe
	case decide.LostCount:
		return ThreadNotRead, &maybe
	default:
		return OtherContact, &maybe
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
		// Nobody has read it, or not these words.
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
				reason, kind, err := j.find(ctx, in, m, seen)
				switch {
				case err != nil:
					return res, "", err
				case kind == &always:
					sure = append(sure, reason)
				case kind == &maybe:
					unsure = append(unsure, reason)
				}
			}
			continue
		}
		reason := first(maybe, unsure)
		switch untold := first(always, sure); {
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

func first(order, reasons []string) string {
	for _, r := range order {
		if slices.Contains(reasons, r) {
			return r
		}
	}
	return ""
}

// find answers what the kept ground lacks, or says what is lost with it; then it
// is decided as if nothing had been there.
func (j *job) find(ctx context.Context, in decide.Input, m decide.Missing, seen decide.Snapshot) (reason string, kind *[]string, err error) {
	if m.Role == decide.RoleKey {
		key, reason, err := j.form(ctx, in, m)
		if err != nil || reason == "" {
			seen.Kept[m.Ask] = key
			return "", nil, err
		}
		if reason == IdentityDiffers {
			seen.Kept[m.Ask] = nil
			return reason, &always, nil
		}
	}
	if m.Key.Entity != "" {
		it, err := j.then(ctx, m.Key)
		if err != nil || it == nil || m.Lost == decide.LostNothing {
			seen.Rows[m.Key] = it
			return "", nil, err
		}
	}
	seen.Kept[m.Ask] = nil
	// Of an event that nothing is to follow from, only a hold is looked at.
	if in.Facts.Dropped && m.Role != decide.RoleGuard {
		return "", nil, nil
	}
	reason, kind = lost(m.Lost)
	return reason, kind, nil
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
