package decide_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/wish"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
)

// TestEveryGroundIsDecidedSoundly: whatever the ground, the decision is pure,
// its commit is one that the ledger takes on just this ground, and it keeps
// what the design promises.
func TestEveryGroundIsDecidedSoundly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := randomGround(t)
		res := decideOn(t, g)
		if again := decideOn(t, g); !reflect.DeepEqual(inOrder(res), inOrder(again)) {
			t.Fatalf("the same ground gave another commit:\n%+v\n%+v", res, again)
		}
		if n := len(res.Commit.Writes); n > 40 {
			t.Errorf("%d writes", n)
		}
		checkEnd(t, g, res)
		checkIntents(t, g, res)
		checkContacts(t, g, res)
		checkStops(t, g, res)
		checkAudit(t, res)
		if err := ledgerOf(t, g).Commit(context.Background(), res.Commit); err != nil {
			t.Fatalf("outcome %s %v: the ledger that the ground shows refuses: %v", res.Outcome, res.Reasons, err)
		}
	})
}

// inOrder sorts the attributes that an update removes: the ledger port takes
// them from a map.
func inOrder(res decide.Result) decide.Result {
	for _, w := range res.Commit.Writes {
		slices.Sort(w.Remove)
	}
	return res
}

// checkEnd: exactly one of decided, referred, and referred again.
func checkEnd(t *rapid.T, g decide.Ground, res decide.Result) {
	events, tasks := on(res, ledger.Event), on(res, ledger.ReviewTask)
	var opened, ended, refreshed int
	for _, w := range tasks {
		switch {
		case w.Op == ledger.OpCreate && w.Item["kind"] == "decide_event":
			opened++
		case w.Op == ledger.OpUpdate && w.Set["state"] == "open":
			refreshed++
		case w.Op == ledger.OpUpdate:
			ended++
		}
	}
	state := any("")
	if len(events) == 1 {
		state = events[0].Set["state"]
	}
	answered := g.Answer != nil
	switch {
	case len(events) == 1 && state == inbound.Decided && res.Outcome != decide.Referred && opened+refreshed == 0 && (ended == 1) == answered:
	case len(events) == 1 && state == inbound.InReview && res.Outcome == decide.Referred && opened == 1 && ended+refreshed == 0 && !answered:
	case len(events) == 0 && res.Outcome == decide.Referred && refreshed == 1 && opened+ended == 0 && answered:
	default:
		t.Errorf("outcome %s: event %v, %d tasks opened, %d ended, %d refreshed", res.Outcome, state, opened, ended, refreshed)
	}
	if answered && !g.Answer.Approve && res.Outcome != inbound.Dismissed {
		t.Errorf("a person said no and it is %s", res.Outcome)
	}
}

func checkIntents(t *rapid.T, g decide.Ground, res decide.Result) {
	sends := 0
	for _, k := range opKinds(t, res) {
		if k == outbox.SendIntent {
			sends++
		}
	}
	is := intents(t, res)
	mode := g.Policy.Rules[0].Mode
	if len(is) > 0 && mode == tenant.ModeAuto && mustAsk(t, g, res, is[0]) {
		mode = tenant.ModeDraft
	}
	if want := len(is); mode == tenant.ModeAuto && sends != want || mode != tenant.ModeAuto && sends != 0 {
		t.Errorf("%d send operations for %d intents in mode %s", sends, want, mode)
	}
	if len(is) == 0 {
		if res.Outcome == inbound.FollowUp || res.Outcome == inbound.Observed {
			t.Errorf("outcome %s without an intent", res.Outcome)
		}
		return
	}
	i := is[0]
	switch {
	case len(is) > 1:
		t.Errorf("%d intents", len(is))
	case g.Facts.Machine() || g.Facts.OptOutPlain():
		t.Error("an intent for what no person asked")
	case !g.Facts.Human() && g.Answer == nil:
		t.Error("an intent for what nobody could read")
	case res.Outcome != inbound.FollowUp && res.Outcome != inbound.Observed:
		t.Errorf("an intent with outcome %s", res.Outcome)
	case i.State != map[string]string{tenant.ModeAuto: followup.Ready, tenant.ModeDraft: followup.Proposed, tenant.ModeObserve: followup.Observed}[mode]:
		t.Errorf("state %s in mode %s", i.State, mode)
	case i.Recipient != g.Person.Address.String() || i.Guard != g.Person.GuardID || i.ContentHash != i.HashContent():
		t.Error("the intent is not of the person, or its hash not of its content")
	case g.Seen.Intent != nil || g.Seen.Enquiry != nil:
		t.Error("a second intent for a cause")
	}
	// Nothing may be decided for whom the guard blocks, as it will be after
	// this very commit.
	after := g.Seen.Guard
	for _, w := range on(res, ledger.Guard) {
		if w.Key.ID == g.Person.GuardID {
			after = w.Apply(after)
		}
	}
	if word := guard.Blocks(after, i.Scope); word != "" {
		t.Errorf("an intent for somebody who is %s", word)
	}
	if (g.Facts.OptOut.Verdict == wish.OptOutDoubtful || g.Extraction != nil && g.Extraction.Record.PossibleOptOut) &&
		(g.Answer == nil || !slices.Contains(g.Seen.Task.Reasons, "possible_opt_out")) {
		t.Error("a possible opt-out is answered without a person's word")
	}
}

func checkContacts(t *rapid.T, g decide.Ground, res decide.Result) {
	var byAddress, byID int
	for _, k := range created[contact.Key](t, res, ledger.ContactKey) {
		if contact.IsCustomerKey(k.ID) {
			byID++
		} else {
			byAddress++
		}
		if k.Contact != res.Contact || k.ID != g.Person.KeyID && k.ID != decide.CustomerOf(g.Policy, g.Facts).KeyID {
			t.Errorf("key %+v of contact %s", k, res.Contact)
		}
	}
	shared := g.Person.Shared || g.Seen.Key != nil && g.Seen.Key.Shared
	switch made := created[contact.Contact](t, res, ledger.Contact); {
	case len(made) > 1, byAddress > 1, byID > 1:
		t.Errorf("%d contacts, %d and %d keys", len(made), byAddress, byID)
	case byAddress > 0 && (g.Seen.Key != nil || shared), byID > 0 && g.Seen.CustomerKey != nil:
		t.Error("a key is put that is taken, or of a shared inbox")
	case len(made) == 0:
		checkKeysAdded(t, g, res, byAddress, byID)
	case g.Person.Own || g.Facts.Machine():
		t.Error("a contact of ourselves or of a machine")
	case shared && byID == 0 && (g.Answer == nil || !g.Answer.Approve):
		t.Error("a shared inbox became one person")
	case !shared && byAddress != 1, len(made[0].Keys) != byAddress+byID:
		t.Error("a contact without its key, or that lists another")
	}
}

func checkStops(t *rapid.T, g decide.Ground, res decide.Result) {
	plain := g.Facts.OptOutPlain() && g.Person.Known() && (g.Answer == nil || g.Answer.Approve)
	guards := map[string]ledger.Item{}
	others := slices.Concat(g.Also, g.Seen.Mailed)
	for _, p := range append([]decide.Party{{Person: g.Person, Guard: g.Seen.Guard}}, others...) {
		guards[p.Person.GuardID] = p.Guard
	}
	if held := checkWish(t, g, res, others); plain && held == (res.Outcome == inbound.OptedOut) || !g.Facts.OptOutPlain() && res.Outcome == inbound.OptedOut {
		t.Errorf("plain opt-out %t, another address held %t, outcome %s", plain, held, res.Outcome)
	}
	asksWhose := g.Facts.Report() || g.Seen.Task != nil && slices.Contains(g.Seen.Task.Reasons, "opt_out_words")
	for _, w := range on(res, ledger.Guard) {
		if w.Op == ledger.OpCheck {
			continue
		}
		before := guards[w.Key.ID]
		after := w.Apply(before)
		if before.Text("stop_all") != "" && after.Text("stop_all") != before.Text("stop_all") {
			t.Error("a stop is lifted or moved")
		}
		// Only an answer lifts a hold, the one that says that there is nothing in
		// it, and only one that waits for nobody else.
		if before.Text("hold") != "" && after.Text("hold") == "" &&
			(g.Answer == nil || g.Answer.Approve == asksWhose || strings.Contains(before.Text("hold_review"), "another") || before.Text("hold_review") == "") {
			t.Error("a hold is lifted that is not this answer's")
		}
		proved := slices.ContainsFunc(g.Seen.Returned, func(i followup.Intent) bool { return i.Guard == w.Key.ID })
		if g.Facts.Report() && before.Text("stop_all") == "" && after.Text("stop_all") != "" && g.Answer == nil && !proved {
			t.Error("a report that anybody may have written stops an address")
		}
		if g.Facts.Report() && before.Text("hold") == "" && after.Text("hold") != "" && (res.Outcome != decide.Referred || proved) {
			t.Errorf("a report holds an address, outcome %s, proved %t", res.Outcome, proved)
		}
		if before.Text("erased_at") == start.String() && after.Text("address") != "" {
			t.Error("an erased address is written down again")
		}
	}
	if !plain {
		return
	}
	for _, c := range []*contact.Contact{g.Seen.Contact, g.Seen.Customer} {
		if c == g.Seen.Contact && g.Answer != nil && g.Seen.Guard.Text("stop_all") != "" && g.Seen.Guard.Text("reason") != "bounce" {
			continue // told when it was stopped
		}
		if c != nil && (c != g.Seen.Contact || !g.Person.Shared) && !slices.ContainsFunc(on(res, ledger.Contact), func(w ledger.Write) bool {
			return w.Key.ID == c.ID && w.Set["consent_version"] == c.ConsentVersion+1
		}) {
			t.Errorf("the opt-out leaves the consent of contact %s", c.ID)
		}
	}
}

// checkWish: a plain wish leaves no address that it may be about open to mail.
// Without a person's word it stops its own, and another only where the mark of
// our mail to that one came back or both are one contact's; the others it holds.
func checkWish(t *rapid.T, g decide.Ground, res decide.Result, others []decide.Party) (held bool) {
	if !g.Facts.OptOutPlain() || g.Answer != nil && !g.Answer.Approve {
		return false
	}
	for _, p := range others {
		before, after := p.Guard, p.Guard
		for _, w := range on(res, ledger.Guard) {
			if w.Key.ID == p.Person.GuardID && w.Op != ledger.OpCheck {
				if after == nil {
					after = ledger.Item{}
				}
				after = w.Apply(after)
			}
		}
		word := guard.Blocks(after, "any")
		mark := slices.ContainsFunc(g.Seen.Returned, func(i followup.Intent) bool { return i.Guard == p.Person.GuardID })
		same := p.Contact != nil && g.Seen.Contact != nil && p.Contact.ID == g.Seen.Contact.ID
		stopped := before.Text("stop_all") == "" && after.Text("stop_all") != ""
		// A bounce may be lifted, and the question would be lost with it.
		held = held || g.Answer == nil && !mark && !same && (before.Text("stop_all") == "" || before.Text("reason") == "bounce")
		switch {
		case word == "":
			t.Error("an address that the wish may be about is neither stopped nor held")
		case stopped && g.Answer == nil && !mark && !same:
			t.Error("a wish that anybody may have written stops another's address")
		case word == "opt_out_in_doubt" && (mark || g.Answer != nil):
			t.Error("an address is only held that the wish is proven for")
		}
	}
	return held
}

// checkAudit: each change has its record in the same commit, and no record
// holds a word of the person.
func checkAudit(t *rapid.T, res decide.Result) {
	want := map[ledger.Key]bool{}
	for _, w := range res.Commit.Writes {
		switch w.Key.Entity {
		case ledger.Event, ledger.Contact, ledger.Guard, ledger.Intent, ledger.ReviewTask, ledger.Operation:
			switch w.Op {
			case ledger.OpCreate:
				want[ledger.AuditKey(w.Key, w.Item.Int("transition"))] = true
			case ledger.OpUpdate:
				want[ledger.AuditKey(w.Key, w.Set.Int("transition"))] = true
			case ledger.OpCheck:
			}
		default:
		}
	}
	for _, w := range on(res, ledger.Audit) {
		if !want[w.Key] {
			t.Errorf("an audit record of nothing: %s", w.Key.ID)
		}
		delete(want, w.Key)
		text, err := json.Marshal(w.Item)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"@", "lovelace", "king", "analytic", "7946"} {
			if strings.Contains(strings.ToLower(string(text)), word) {
				t.Errorf("an audit record says %q: %s", word, text)
			}
		}
	}
	for k := range want {
		t.Errorf("no audit record for %s", k.ID)
	}
}

// ledgerOf is a ledger that holds what the ground shows, and no more.
func ledgerOf(t *rapid.T, g decide.Ground) *mem.Store {
	s := mem.New()
	var c ledger.Commit
	have := map[ledger.Key]bool{}
	put := func(e ledger.Entity, id, sub string, noun any) {
		k := e.Under("demo", id, sub)
		if !have[k] {
			have[k] = true
			if err := c.Create("seed", k, noun); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(ledger.Event, g.Event.ID, "", g.Event)
	for _, p := range slices.Concat([]decide.Party{{Person: g.Person, Key: g.Seen.Key, Contact: g.Seen.Contact, Guard: g.Seen.Guard}}, g.Also, g.Seen.Mailed) {
		if p.Key != nil {
			put(ledger.ContactKey, p.Key.ID, "", p.Key)
		}
		if p.Contact != nil {
			put(ledger.Contact, p.Contact.ID, "", p.Contact)
		}
		if p.Guard != nil {
			put(ledger.Guard, p.Person.GuardID, "", p.Guard)
		}
	}
	if k := g.Seen.CustomerKey; k != nil {
		put(ledger.ContactKey, k.ID, "", k)
	}
	if c := g.Seen.Customer; c != nil {
		put(ledger.Contact, c.ID, "", c)
	}
	if e := g.Seen.Enquiry; e != nil {
		put(ledger.Enquiry, e.Contact, g.Facts.Cause, e)
	}
	if x := g.Seen.Cadence; x != nil {
		put(ledger.Cadence, x.Contact, x.Rule, x)
	}
	if i := g.Seen.Intent; i != nil {
		put(ledger.Intent, i.ID, "", i)
	}
	if x := g.Seen.Task; x != nil {
		put(ledger.ReviewTask, x.ID, "", x)
	}
	if err := s.Commit(context.Background(), c); err != nil {
		t.Fatalf("seed: %v", err)
	}
	return s
}
