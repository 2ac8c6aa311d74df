package whatif_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/operate/whatif"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// tells compares which events cannot be told, and why.
func (p *planted) tells(r whatif.Report, want map[string][]string) {
	p.t.Helper()
	got := map[string][]string{}
	for _, u := range r.UntoldOf {
		got[u.Reason] = append(got[u.Reason], u.Event)
	}
	for reason := range want {
		slices.Sort(want[reason])
		slices.Sort(got[reason])
	}
	if !reflect.DeepEqual(got, want) {
		p.t.Errorf("cannot tell %v, want %v", got, want)
	}
}

func question(n int, from, text string) arrival {
	return arrival{raw: mail(fmt.Sprintf("q%d", n), from, "Huts", text)}
}

func TestWhatWasNeverReadIsNotGuessed(t *testing.T) {
	t.Parallel()
	blocking := edited(t, document(), func(d map[string]any) { d["mail"] = map[string]any{"blocked": []string{"@spam.example"}} })
	p := &planted{newWorld(t, blocking), map[string][]string{}}
	p.plant("blocked", question(1, "eve@spam.example", "Huts?"))
	p.plant("tagged", question(2, "ann+a@firm.example", "Huts?"))
	p.plant("plain", question(3, "ben@firm.example", "Huts?"))
	// Whoever was given a price has a place under that rule.
	p.plant("priced", question(4, "cat@firm.example", "How much?\nIntent: pricing"))
	p.plant("after a price", question(5, "cat@firm.example", "Huts?"))
	p.plant("form", arrival{form: true, mailbox: "website", raw: form("dan@firm.example", "Dan Ellis", "Huts?")})
	// Of a shared inbox a person makes a contact; its key is nobody's.
	p.answers(p.plant("shared", question(6, "info@firm.example", "Huts?")), decide.Answer{Approve: true})

	p.wants("nothing", p.replays(blocking))
	unblocked := p.replays(edited(t, blocking, func(d map[string]any) { delete(d, "mail") }))
	p.tells(unblocked, map[string][]string{whatif.ReadingMissing: p.groups["blocked"]})
	folding := p.replays(edited(t, blocking, func(d map[string]any) {
		at(d, "identity")["fold_plus"], at(d, "identity")["version"] = true, 2
	}))
	p.tells(folding, map[string][]string{whatif.IdentityDiffers: p.groups["tagged"]})
	if folding.Changed != 0 {
		t.Errorf("an identity rule changes %+v", folding.Changes)
	}
	widened := p.replays(edited(t, blocking, func(d map[string]any) {
		at(d, "rules", pricingRule)["intents"] = []string{"pricing", "product_question"}
		at(d, "rules", questionRule)["intents"] = []string{"meeting", "support"}
	}))
	p.tells(widened, map[string][]string{whatif.OtherRule: p.groups["after a price"]})
	if widened.Changed != 3 || widened.Groups[0].Reason != "rule_pricing" {
		t.Errorf("a wider rule changes %+v", widened.Groups)
	}
	moved := p.replays(edited(t, blocking, func(d map[string]any) {
		at(d, "endpoints", 0, "fields")["subject"] = "/data/topic"
	}))
	p.tells(moved, map[string][]string{whatif.ReadingMissing: p.groups["form"]})
	// The inbox is told to be one person's: nothing of it was read but a key, and
	// there was none.
	own := p.replays(edited(t, blocking, func(d map[string]any) { d["shared_addresses"] = []string{"office@"} }))
	p.wants("not shared", own, "shared")
	if c := own.Changes[0]; c.From.Outcome != decide.Referred || c.To.Outcome != inbound.FollowUp || c.To.Contact != "new" {
		t.Errorf("changed %+v", c)
	}
}

// What the contact of a customer ID forbids at its other addresses was never read
// of an event that its address led elsewhere.
func TestWhatAnotherContactHadIsNotGuessed(t *testing.T) {
	t.Parallel()
	asks := numbered(t, "review_conflicts", nil)
	p := &planted{newWorld(t, asks), map[string][]string{}}
	shop := func(group, from, customer string) {
		p.plant(group, arrival{form: true, mailbox: "website", raw: numberedForm(from, customer, "Huts?")})
	}
	shop("customer", "cat@firm.example", "K1")
	shop("ann", "ann@firm.example", "")
	p.plant("leaves", arrival{raw: mail("u1", "cat@firm.example", "Huts", "unsubscribe")})
	shop("both", "ann@firm.example", "K1")

	p.wants("nothing", p.replays(asks))
	p.tells(p.replays(numbered(t, "wins", nil)), map[string][]string{whatif.OtherContact: p.groups["both"]})
}

func TestWhatIsLostIsCountedByItsReason(t *testing.T) {
	t.Parallel()
	p := &planted{newWorld(t, document()), map[string][]string{}}
	ids := make([]string, 10)
	for i := range ids {
		ids[i] = p.plant("all", question(i, fmt.Sprintf("p%d@firm.example", i), "Huts?"))
	}
	set := func(id string, change func(ground string) string) {
		t.Helper()
		var c ledger.Commit
		p.must(c.Update("event", eventKey(id), ledger.Cond{}, ledger.Item{decide.GroundAttr: change(p.item(eventKey(id)).Text(decide.GroundAttr))}))
		p.must(p.store.Commit(t.Context(), c))
	}
	swap := func(old, fresh string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("%s is not in %s", old, s)
			}
			return strings.Replace(s, old, fresh, 1)
		}
	}
	set(ids[0], func(string) string { return "" })
	set(ids[1], func(string) string { return "{" })
	set(ids[2], swap(`"f":`, `"too_large":true,"f":`))
	set(ids[3], swap(`"p":1`, `"p":7`))
	set(ids[4], swap(`"x":"`, `"x":"another`))
	p.blob.lose(p.event(ids[5]).Raw)
	set(ids[6], swap(`"o":"follow_up"`, `"o":"no_rule"`))
	// Decided by an older program, which had other rules.
	set(ids[9], swap(`"o":"follow_up"`, `"o":"no_rule"`))
	set(ids[9], swap(fmt.Sprintf(`"v":%d`, decide.GroundForm), fmt.Sprintf(`"v":%d`, decide.GroundForm-1)))

	r := p.replays(document())
	p.tells(r, map[string][]string{
		whatif.NoGround: {ids[0]}, whatif.GroundDamaged: {ids[1]}, whatif.GroundTooLarge: {ids[2]}, whatif.PolicyGone: {ids[3]},
		whatif.ReadingGone: {ids[4]}, whatif.ContentGone: {ids[5]}, whatif.ParserChanged: {ids[9]},
	})
	if r.Same != 2 || r.Faults != 1 || r.FaultList[0].Event != ids[6] || r.FaultList[0].Then.Outcome != "no_rule" || r.FaultList[0].Now.Outcome != "follow_up" {
		t.Errorf("same %d, faults %+v", r.Same, r.FaultList)
	}
	// A parser that reads another subject.
	replayer := p.replayer()
	replayer.Facts = func(ids digest.Key, e inbound.Event, raw []byte, policy tenant.Policy) content.Facts {
		f := extract.FactsOf(ids, e, raw, policy)
		f.Source.Subject += "!"
		return f
	}
	policy, err := tenant.Parse([]byte(document()))
	p.must(err)
	r, err = replayer.Run(t.Context(), whatif.Options{Policy: policy, From: utc.At(start), Until: utc.At(p.now)})
	p.must(err)
	if r.Reasons[whatif.ParserChanged] != 4 || r.Same != 0 || r.Changed != 0 {
		t.Errorf("another parser: %+v", r.Reasons)
	}
}

// Content that was gone when the event was decided is decided as that again.
func TestContentThatWasGoneAlreadyIsNoLoss(t *testing.T) {
	t.Parallel()
	p := &planted{newWorld(t, document()), map[string][]string{}}
	p.process.Blob = &blobs{} // the decider finds nothing
	id := p.plant("all", question(1, "ann@firm.example", "Huts?"))
	if e := p.event(id); e.State != inbound.InReview || !slices.Contains(e.Reasons, "raw_missing") {
		t.Fatalf("decided %+v", e)
	}
	p.blob.lose(p.event(id).Raw)
	if r := p.replays(document()); r.Same != 1 {
		t.Errorf("%+v", r)
	}
}
