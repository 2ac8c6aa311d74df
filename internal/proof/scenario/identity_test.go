package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/operate/rekey"
	"onefold/internal/policy/versions"
)

// ruleChange applies a line about the identity rule to a policy document:
// "next 2 fold_plus" names the rule that comes next, "rule 2 fold_plus" puts it
// in force, "next none" ends its migration.
func ruleChange(doc map[string]any, key, value string) {
	words := strings.Fields(value)
	delete(doc, "identity_next")
	if words[0] == "none" {
		return
	}
	var version int
	_, _ = fmt.Sscan(words[0], &version)
	rule := map[string]any{"version": version}
	for _, w := range words[1:] {
		rule[w] = true
	}
	if key == "rule" {
		doc["identity"] = rule
		return
	}
	doc["identity_next"] = rule
}

// rule begins a migration, ends one, or puts its rule in force, if the policy
// book takes that now.
func (w *world) rule(s step) {
	p, err := w.sys.Policies.Fresh(context.Background(), tenantID)
	w.must(err)
	settings := strings.Join(s.words[1:], " ")
	change := fmt.Sprintf("next %d %s", w.file.version+100, settings)
	switch {
	case s.words[0] == "begin":
		if now := p.Identity; p.IdentityNext != nil || now.FoldPlus == strings.Contains(settings, "fold_plus") && now.KeepLocalCase == strings.Contains(settings, "keep_local_case") {
			return
		}
	case p.IdentityNext == nil:
		return
	case s.words[0] == "end":
		change = "next none"
	default:
		change = fmt.Sprintf("rule %d", p.IdentityNext.Version)
		if p.IdentityNext.FoldPlus {
			change += " fold_plus"
		}
		if p.IdentityNext.KeepLocalCase {
			change += " keep_local_case"
		}
	}
	changes := append(slices.Clone(w.file.policy), change)
	_, err = w.sys.Policies.Apply(context.Background(), policyOf(w.file.version, changes), "person:admin")
	if errors.Is(err, versions.ErrNotReady) {
		return
	}
	w.must(err)
	w.file.version++
	w.file.policy = changes
}

// migrate runs the command, as an operator does who runs it again until it says
// that it is ready, or that a person is asked.
func (w *world) migrate() {
	w.jobs = append(w.jobs, &job{role: "migrate", key: "migrate", tries: 60, wait: time.Minute, work: func(ctx context.Context) error {
		ledger := store{w.base, w}
		s := rekey.Service{
			Store: ledger, Policies: &versions.Book{Store: ledger, Now: time.Now}, IDs: w.ids, Now: time.Now, By: "person:admin",
			Settle: timeout + time.Minute,
		}
		rep, err := s.Run(ctx, tenantID)
		if errors.Is(err, rekey.ErrNone) {
			return nil
		}
		if err == nil && !rep.Ready && len(rep.Collisions) == 0 {
			err = errNoAnswer
		}
		return err
	}})
}

// happeningToRules draws, four times out of five, what an operator does about
// the identity rule, or a form from another spelling of a known address.
func happeningToRules(t *rapid.T, who string) string {
	switch rapid.IntRange(0, 4).Draw(t, "rule") {
	case 0:
		return "rule begin " + rapid.SampledFrom([]string{"fold_plus", "keep_local_case", "fold_plus keep_local_case", ""}).Draw(t, "settings")
	case 1:
		return "migrate now"
	case 2:
		return "rule " + rapid.SampledFrom([]string{"activate", "activate", "end"}).Draw(t, "then")
	case 3:
		local, domain, _ := strings.Cut(who, "@")
		return fmt.Sprintf(`form id=tag-%d email=%s+%s@%s name="Kim Lee" message="With a tag."`, rapid.IntRange(0, 3).Draw(t, "id"), local, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "tag"), domain)
	}
	return ""
}
