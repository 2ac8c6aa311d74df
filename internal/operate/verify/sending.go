package verify

import (
	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
)

func oneSubmission(f *finder) {
	for r, list := range f.v.attempts {
		var open, taken []*attemptRow // which may have been sent, which were
		for _, a := range list {
			if len(open) > 0 && a.resend == "" && mayBeSent(a) {
				last := open[len(open)-1]
				f.wrong(on(a.key, last.key), "attempt %d of intent %s may have been sent although attempt %d was %s and nobody accepted a possible duplicate", a.number, r.id, last.number, last.state)
			}
			if mayBeSent(a) {
				open = append(open, a)
			}
			if a.took() {
				taken = append(taken, a)
			}
		}
		if len(taken) > 1 {
			rows := on(intentKey(r.tenant, r.id))
			for _, a := range taken {
				rows = append(rows, a.key)
			}
			f.wrong(rows, "the provider took %d attempts of intent %s", len(taken), r.id)
		}
	}
}

func mayBeSent(a *attemptRow) bool {
	return a.took() || a.state == followup.AttemptUnknown || a.state == followup.AttemptBegun
}

// noneAfterAcceptance compares when an attempt was claimed with when the first
// evidence of an earlier one was written down.
func noneAfterAcceptance(f *finder) {
	for r, list := range f.v.attempts {
		for n, a := range list {
			at := acceptedAt(f.v.trail(a.key))
			if at == "" {
				continue
			}
			for _, later := range list[n+1:] {
				if order := f.order(at, later.claimedAt); order != inTime {
					f.late(order, on(later.key, a.key), "attempt %d of intent %s was claimed after it was known that the provider took attempt %d", later.number, r.id, a.number)
				}
			}
		}
	}
}

func acceptedAt(trail []step) string {
	for _, s := range trail {
		switch {
		case s.to == followup.AttemptAccepted:
			return s.at
		case s.to == "" && s.n > 1: // evidence against a stored refusal
			return s.at
		}
	}
	return ""
}

func intentsAgree(f *finder) {
	for r, i := range f.v.intents {
		list := f.v.attempts[r]
		rows := on(i.key)
		for _, a := range list {
			rows = append(rows, a.key)
		}
		for n := range i.attempt {
			rows = append(rows, ledger.AttemptKey(r.tenant, r.id, n+1))
		}
		if what := disagreement(i, list, f.v.trail(i.key)); what != "" {
			f.wrong(rows, "intent %s is %s and %s", r.id, i.state, what)
		}
	}
	for r, list := range f.v.attempts {
		if f.v.intents[r] == nil {
			f.wrong(on(list[0].key, intentKey(r.tenant, r.id)), "an attempt is of intent %s, which does not exist", r.id)
		}
	}
}

func disagreement(i *intentRow, list []*attemptRow, trail []step) string {
	var taken, unknown, begun int
	for n, a := range list {
		if a.number != int64(n)+1 {
			return "its attempts are not numbered from 1 without a gap"
		}
		switch {
		case a.took():
			taken++
		case a.state == followup.AttemptUnknown:
			unknown++
		case a.state == followup.AttemptBegun:
			begun++
		}
	}
	if int64(len(list)) != i.attempt {
		return "does not count the attempts that there are"
	}
	switch i.state {
	case followup.Observed, followup.Proposed:
		if len(list) > 0 {
			return "has attempts"
		}
	case followup.Ready:
		switch {
		case taken > 0:
			return "the provider took an attempt of it"
		case begun > 0:
			return "an attempt of it has begun"
		case unknown > 0 && i.resends == 0:
			return "an attempt of it is unknown without anybody having accepted a possible duplicate"
		}
	case followup.Sending:
		if len(list) == 0 || list[len(list)-1].state != followup.AttemptBegun {
			return "its latest attempt has not begun"
		}
		if list[len(list)-1].owner != i.owner {
			return "its latest attempt has another owner"
		}
	case followup.Unknown:
		if len(list) == 0 {
			return "has no attempt"
		}
	case followup.Accepted:
		if taken == 0 && !has(trail, followup.Settle) {
			return "no attempt of it was accepted and nobody settled it"
		}
	}
	return ""
}

func has(trail []step, event string) bool {
	for _, s := range trail {
		if s.event == event {
			return true
		}
	}
	return false
}

func attemptsOwned(f *finder) {
	for r, list := range f.v.attempts {
		i := f.v.intents[r]
		for _, a := range list {
			if a.state == followup.AttemptBegun && i != nil && (i.state != followup.Sending || i.attempt != a.number) {
				f.wrong(on(a.key, i.key), "attempt %d of intent %s has begun while the intent is %s: nothing moves it on", a.number, r.id, i.state)
			}
		}
	}
}

func approvedContent(f *finder) {
	for r, i := range f.v.intents {
		if i.made == "" {
			continue // erased
		}
		if i.stored != i.made {
			f.wrong(on(i.key), "the content of intent %s has not the hash that is stored with it", r.id)
		}
		if i.attempt > 0 && i.approved != i.made {
			f.wrong(on(i.key), "intent %s was submitted with content that was not approved", r.id)
		}
	}
	for _, t := range f.v.tasks {
		if t.kind != review.ApproveIntent || t.state != review.Approved {
			continue
		}
		i := f.v.intents[ref{t.key.Tenant, t.intent}]
		if i != nil && i.made != "" && t.contentHash != i.stored {
			f.wrong(on(t.key, i.key), "task %s approved other content than intent %s has", t.key.ID, t.intent)
		}
	}
}

func messageIndex(f *finder) {
	type link struct {
		attempt ledger.Key
		message string
	}
	named := map[link]bool{}
	for _, m := range f.v.messages {
		named[link{m.attempt, m.messageID}] = true
		a := f.v.attempt(m.attempt)
		switch {
		case a == nil:
			f.wrong(on(m.attempt, m.key), "message %s is indexed for an attempt of intent %s that does not exist", m.messageID, m.attempt.ID)
		case a.messageID != m.messageID:
			f.wrong(on(m.attempt, m.key), "message %s is indexed for attempt %d of intent %s, which has another message", m.messageID, a.number, m.attempt.ID)
		}
	}
	for r, list := range f.v.attempts {
		for _, a := range list {
			if a.messageID == "" || !a.took() || named[link{a.key, a.messageID}] {
				continue
			}
			rows := on(a.key)
			for p := range f.v.providers {
				rows = append(rows, ledger.ProviderMessage.At(ledger.NoTenant, p+":"+a.messageID))
			}
			f.warn(rows, "message %s of attempt %d of intent %s is not found by the message index, or is another's there", a.messageID, a.number, r.id)
		}
	}
}
