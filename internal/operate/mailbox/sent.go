package mailbox

import (
	"math"
	"time"

	"onefold/internal/address"
	"onefold/internal/decide"
)

// outgoing is what the owner wrote, once for each cause, in the order of dates.
type outgoing struct {
	byKey     map[string][]*note                 // identity key of a recipient
	byMailbox map[address.SuppressionKey][]*note // wide key of a recipient
	byThread  map[string][]*note                 // Message-ID that it answers or refers to, where it went to somebody who is not of us
	ids       map[string]bool                    // Message-IDs of ours
}

func (a *auditor) outgoing() outgoing {
	out := outgoing{
		byKey: map[string][]*note{}, byMailbox: map[address.SuppressionKey][]*note{},
		byThread: map[string][]*note{}, ids: map[string]bool{},
	}
	seen := map[string]bool{}
	for _, n := range a.notes {
		if !n.sent() || seen[n.facts.Cause] {
			continue
		}
		seen[n.facts.Cause] = true
		if n.facts.MessageID != "" {
			out.ids[n.facts.MessageID] = true
		}
		outside := len(n.to) == 0 // a copy without recipients may have gone to anybody
		for _, to := range n.to {
			p := decide.Identify(a.ids, a.policy, to)
			outside = outside || !p.Own
			if p.Known() && !p.Own {
				out.byKey[p.KeyID] = append(out.byKey[p.KeyID], n)
				wide := p.Address.SuppressionKey()
				out.byMailbox[wide] = append(out.byMailbox[wide], n)
			}
		}
		for _, id := range thread(n) {
			if outside {
				out.byThread[id] = append(out.byThread[id], n)
			}
		}
	}
	return out
}

// thread lists the mails that one answers or refers to, each once.
func thread(n *note) []string {
	var ids []string
	seen := map[string]bool{}
	for _, list := range [][]string{n.facts.InReplyTo, n.facts.References} {
		for _, id := range list {
			if id != "" && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// hours is a time in hours, to a tenth.
func hours(d time.Duration) float64 { return math.Round(d.Hours()*10) / 10 }
