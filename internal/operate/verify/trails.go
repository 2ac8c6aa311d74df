package verify

import (
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

func auditComplete(f *finder) {
	for r, n := range f.v.nouns {
		trail := f.v.trails[r]
		for want := int64(1); want <= n.transition; want++ {
			if !slices.ContainsFunc(trail, func(s step) bool { return s.n == want }) {
				f.wrong(on(n.key, ledger.AuditKey(n.key, want)), "%s is at transition %d and has no record of transition %d", nameOf(n.key), n.transition, want)
			}
		}
		for _, s := range trail {
			if s.n < 1 || s.n > n.transition {
				f.wrong(on(n.key, ledger.AuditKey(n.key, s.n)), "%s is at transition %d and has a record of transition %d", nameOf(n.key), n.transition, s.n)
			}
		}
	}
	for r, trail := range f.v.trails {
		if f.v.nouns[r] == nil {
			k := nounKey(r)
			f.wrong(on(k, ledger.AuditKey(k, trail[0].n)), "records tell of %s, which does not exist", nameOf(k))
		}
	}
}

// nounKey reads the key of a noun from the ID of its audit records.
func nounKey(r ref) ledger.Key {
	entity, id, _ := strings.Cut(r.id, "/")
	k := ledger.Entity(entity).At(r.tenant, id)
	if k.Entity == ledger.Attempt || k.Entity == ledger.CRMMapping || k.Entity == ledger.CRMConnection || k.Entity == ledger.Migration {
		if at := strings.LastIndexByte(id, '/'); at >= 0 {
			k.ID, k.Sub = id[:at], id[at+1:]
		}
	}
	return k
}

func machineOf(e ledger.Entity) *machine.Table {
	switch e {
	case ledger.Event:
		return inbound.Machine()
	case ledger.Intent:
		return followup.IntentMachine()
	case ledger.Attempt:
		return followup.AttemptMachine()
	case ledger.ReviewTask:
		return review.Machine()
	case ledger.Operation:
		return outbox.Machine()
	case ledger.CRMConnection:
		return outbox.ConnectionMachine()
	case ledger.Migration:
		return contact.MigrationMachine()
	default:
		return nil
	}
}

func auditMoves(f *finder) {
	tables := map[ledger.Entity]*machine.Table{}
	for r, n := range f.v.nouns {
		m, known := tables[n.key.Entity]
		if !known {
			m = machineOf(n.key.Entity)
			tables[n.key.Entity] = m
		}
		if m != nil {
			f.moves(m, n, f.v.trails[r])
		}
	}
}

// moves walks one noun's records. A record without a state to end in tells
// of a change that is no transition, such as evidence that came again.
func (f *finder) moves(m *machine.Table, n *nounRow, trail []step) {
	state := ""
	for _, s := range trail {
		rows := on(n.key, ledger.AuditKey(n.key, s.n))
		if s.n == 1 {
			if !slices.Contains(m.Start, s.to) {
				f.wrong(rows, "%s was born in state %q", nameOf(n.key), s.to)
			}
			state = s.to
			continue
		}
		if s.to == "" && (s.from == "" || s.from == state) {
			continue
		}
		if s.from != state {
			f.wrong(rows, "record %d of %s begins in %q where the one before ended in %q", s.n, nameOf(n.key), s.from, state)
		}
		if to, err := m.Next(s.from, s.event); err != nil || to != s.to {
			f.wrong(rows, "record %d of %s tells of %q from %q to %q, which is no move of it", s.n, nameOf(n.key), s.event, s.from, s.to)
		}
		state = s.to
	}
	if len(trail) > 0 && state != n.state {
		f.wrong(on(n.key), "the records of %s end in %q and it is %q", nameOf(n.key), state, n.state)
	}
}
