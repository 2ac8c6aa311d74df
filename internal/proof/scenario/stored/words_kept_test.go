package stored_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onefold/internal/address"
	"onefold/internal/app"
	"onefold/internal/decide"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/operate/verify"
	"onefold/internal/operate/whatif"
	"onefold/internal/optout"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// What a kept store says, read by this tree, before anything happens to it.

func (k kept) file(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(k.folder, name))
	must(t, err)
	return b
}

func TestAStoredRowIsReadInTheWordsInWhichItWasWritten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) { sameLines(t, rowsOf(s), k.file(t, "rows.golden")) })
}

func TestExplainSaysOfAStoredRowWhatItSaidThen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		want, err := unzipped(k.file(t, "explain.golden.gz"))
		must(t, err)
		sameLines(t, wordsOf(s), want)
	})
}

func TestAStoredStateIsAStateOfItsMachine(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		for e, m := range map[ledger.Entity]*machine.Table{
			ledger.Event: inbound.Machine(), ledger.Intent: followup.IntentMachine(), ledger.Attempt: followup.AttemptMachine(),
			ledger.Operation: outbox.Machine(), ledger.ReviewTask: review.Machine(), ledger.Migration: contact.MigrationMachine(),
		} {
			rows := s.rows(e)
			if len(rows) == 0 {
				t.Errorf("no row of %s is kept", e)
			}
			for _, it := range rows {
				if !slices.Contains(m.Names(), it.Text("state")) {
					t.Errorf("%s %s is in the state %q, which its machine does not know", e, ledger.KeyOf(it).ID, it.Text("state"))
				}
				if status := it.Text("status"); status != "" && !slices.Contains(claim.Machine().Names(), status) {
					t.Errorf("%s %s has the status %q", e, ledger.KeyOf(it).ID, status)
				}
			}
		}
	})
}

// An identifier that is made again of the same words must be the stored one, or
// a second follow-up is made, an opt-out is forgotten and a link is dead.
func TestAnIdentifierIsMadeAgainAsItIsStored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		same := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s is %s now, and was stored as %s", what, got, want)
			}
		}
		for _, i := range decoded[followup.Intent](s, ledger.Intent) {
			same("an intent's ID", followup.IntentID(s.ids, i.Tenant, i.Cause, i.Rule, i.RuleVersion), i.ID)
			same("a content hash", i.HashContent(), i.ContentHash)
			a, err := address.Parse(i.Recipient)
			must(t, err)
			same("a guard's ID", decide.GuardID(s.ids, i.Tenant, a), i.Guard)
		}
		for _, g := range decoded[guard.Guard](s, ledger.Guard) {
			if !g.ErasedAt.IsZero() {
				continue // the address is gone; the intent above names it
			}
			a, err := address.Parse(g.Address)
			must(t, err)
			same("a guard's ID", decide.GuardID(s.ids, g.Tenant, a), g.ID)
		}
		if len(k.Outside.Mails) == 0 {
			t.Error("no mail is kept")
		}
		for _, m := range k.Outside.Mails {
			of, intent := m.Tags["onefold_tenant"], m.Tags["onefold_intent"]
			same("an opt-out link", publicURL+app.OptOutPath+"/"+optout.Link(s.ids, of, intent), m.Link)
			same("a mail's mark", followup.Mark(s.ids, of, intent), m.Mark)
		}
	})
}

// The story that a store was filled with, told again, makes each row under the
// key that it has in the store, and uses the same words: so an operation, a task or a contact that is made
// a second time meets its first.
func TestTheSameStoryMakesTheStoredKeysAndWords(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		again := &writer{system: open(t, t.TempDir(), began, outside{Records: map[string]*record{}}, map[string]int{})}
		storyOf[filepath.Base(k.folder)](again)
		made := keysOf(again.system)
		// A question about a reused ID is named after the value of the JSON for an
		// event that was recorded with it, and after the bytes for one that was not:
		// a repeat meets its question in both, but the story told again is all new.
		for _, task := range decoded[review.Task](s, ledger.ReviewTask) {
			if task.Kind == review.IDConflict {
				k := ledger.ReviewTask.At(task.Tenant, task.ID)
				made[k], made[ledger.AuditKey(k, 1)] = true, true
			}
		}
		for key := range keysOf(s) {
			if !made[key] {
				t.Errorf("stored, and made under another key or word now: %+v", key)
			}
		}
	})
}

// keysOf are the keys of all rows but those that a random word names, an
// extraction's without the reader's version; the words
// that rows of an entity have in an attribute; and the digests of a contact's
// fields in the audit.
func keysOf(s *system) map[ledger.Key]bool {
	keys := map[ledger.Key]bool{}
	for _, table := range tables {
		for _, it := range s.scan(table) {
			k := ledger.KeyOf(it)
			if k.Entity == ledger.Delivery {
				continue
			}
			// An answer is kept by the reader's version ("rules@2"), which the rules
			// of reading raise: a newer reader's answer is another row on purpose.
			if k.Entity == ledger.Extraction {
				k.Sub, _, _ = strings.Cut(k.Sub, "@")
			}
			keys[k] = true
			for _, attr := range []string{"state", "status", "kind", "outcome", "reason", "mode", "scope", "rule", "noun", "from", "to"} {
				keys[ledger.Key{Entity: k.Entity, ID: attr, Sub: it.Text(attr)}] = true
			}
			if k.Entity == ledger.Audit {
				keys[ledger.Key{Entity: k.Entity, ID: "event", Sub: it.Text("event")}] = true
			}
			details, _ := it["details"].(map[string]any)
			for _, field := range []string{"name", "company"} {
				if v, ok := details[field+"_after"].(string); ok {
					keys[ledger.Key{Entity: k.Entity, ID: field, Sub: v}] = true
				}
			}
		}
	}
	return keys
}

// verified fails where a promise is broken.
func verified(t *testing.T, s *system) {
	t.Helper()
	report, err := verify.Check(t.Context(), s.store, verify.Options{IDs: &s.ids, Blob: s.blobs})
	must(t, err)
	for _, f := range report.Findings {
		t.Errorf("%s %s: %s %v", f.Severity, f.Check, f.What, f.Keys)
	}
	if report.Items == 0 || report.Unsettled > 0 {
		t.Errorf("%d rows were looked at, %d findings not settled", report.Items, report.Unsettled)
	}
}

func TestEveryInvariantHoldsOfAStoredLedger(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		verified(t, s)
		s.rest()
		verified(t, s)
	})
}

// A decision that is made again on its kept ground, under its own policy, comes
// to what was decided then.
func TestAKeptGroundIsDecidedAsItWasThen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		p, err := s.Policies.Fresh(t.Context(), "demo")
		must(t, err)
		again := whatif.Replayer{Store: s.store, Content: s.blobs, Policies: s.Policies, IDs: s.ids, Facts: extract.FactsOf}
		r, err := again.Run(t.Context(), whatif.Options{Policy: p, From: utc.At(began), Until: utc.At(s.now)})
		must(t, err)
		// What was decided by an older version of the policy may change; nothing
		// may differ under its own.
		if r.Faults > 0 || r.Untold > 0 || r.Same < 60 {
			t.Errorf("%d the same, %d cannot be told, at fault: %+v", r.Same, r.Untold, r.FaultList)
		}
	})
}
