package contacts

import (
	"cmp"
	"fmt"
	"strings"

	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/guard"
	"onefold/internal/utc"
)

// united says what opt-outs and doubts at some addresses mean for a person who
// has them all.
func united(guards []people.Guard, whose string) []string {
	var out []string
	for _, g := range guards {
		switch {
		case isWish(g.Item):
			out = append(out, fmt.Sprintf("the opt-out of %s (since %s) counts for every address: what waits for %s is ended", addressOf(g), since(g.Item), whose))
		case isHeld(g.Item):
			out = append(out, fmt.Sprintf("mail to %s is held, as a possible opt-out: that holds mail to every address", addressOf(g)))
		}
	}
	return out
}

func addressOf(g people.Guard) string {
	return cmp.Or(g.Item.Text(guard.AddressAttr), "guard "+g.ID)
}

// since is the day of the first stop of a guard, "" if there is none.
func since(it ledger.Item) string {
	first := ""
	for attr := range it {
		if v := it.Text(attr); strings.HasPrefix(attr, guard.StopAttr("")) && v != "" && (first == "" || v < first) {
			first = v
		}
	}
	t, err := utc.Parse(first)
	if err != nil || first == "" {
		return first
	}
	return t.Std().Format("2 Jan 2006")
}

// mail says what all guards of a person together forbid.
func mail(guards []people.Guard) string {
	word := ""
	for _, g := range guards {
		switch guard.BlocksElsewhere(g.Item, tenant.ScopeFollowUp) {
		case guard.OptedOutElsewhere:
			return "no follow-up goes to any address: the person wants none"
		case guard.InDoubt:
			word = "follow-ups to every address are held: what may be an opt-out waits for a person"
		}
	}
	return cmp.Or(word, "no wish against mail is known")
}

// guardWords tells what stands in one guard.
func guardWords(it ledger.Item) string {
	var says []string
	switch {
	case isWish(it):
		by := map[string]string{guard.ReasonOptOut: "an opt-out", guard.ReasonComplaint: "a complaint", guard.ReasonPerson: "an operator"}[it.Text(guard.ReasonAttr)]
		says = append(says, fmt.Sprintf("stopped since %s by %s", since(it), cmp.Or(by, "a wish")))
	case since(it) != "":
		says = append(says, fmt.Sprintf("stopped since %s, as mail bounced: this address alone", since(it)))
	}
	if isHeld(it) {
		says = append(says, "held: a possible opt-out waits for a person")
	}
	if it.Text(guard.ErasedAtAttr) != "" {
		says = append(says, "erased")
	}
	return cmp.Or(strings.Join(says, "; "), "clear")
}
