package whatif_test

import (
	"fmt"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
)

// TestReading04AWishInAnswerToOurMailIsReplayed: whom our mail went to is kept
// without its address, and tells what the wish came to; one that was kept before
// it was held is not judged by rules that it was not decided by.
func TestReading04AWishInAnswerToOurMailIsReplayed(t *testing.T) {
	t.Parallel()
	doc := document()
	p := &planted{newWorld(t, doc), map[string][]string{}}
	first := p.plant("asks", question(1, "ann@firm.example", "How much?\nIntent: pricing"))
	p.works(p.ids.ID("op", "send_intent", "demo", p.event(first).Intent, "1"))
	if len(p.sent) != 1 {
		t.Fatalf("%d mails", len(p.sent))
	}
	for n, text := range []string{"Please unsubscribe me.", "Please do not unsubscribe me yet."} {
		id := p.plant("wish", arrival{raw: mail(fmt.Sprintf("w%d", n), "ann@private.example", "Re: Huts", text, "In-Reply-To: <sent-1@email.amazonses.com>")})
		if e := p.event(id); e.State != "in_review" || strings.Contains(p.item(eventKey(id)).Text(decide.GroundAttr), "@") {
			t.Errorf("%q: %s, kept %s", text, e.State, p.item(eventKey(id)).Text(decide.GroundAttr))
		}
	}
	p.wants("nothing", p.replays(doc))
	// The same under another rule: nothing of it hangs on the rules.
	p.tells(p.replays(edited(t, doc, func(d map[string]any) { at(d, "rules", questionRule)["version"] = 2 })), map[string][]string{})

	plain := p.groups["wish"][0]
	var c ledger.Commit
	p.must(c.Update("event", eventKey(plain), ledger.Cond{}, ledger.Item{
		decide.GroundAttr: strings.Replace(p.item(eventKey(plain)).Text(decide.GroundAttr), `{"v":3,`, `{"v":2,`, 1)}))
	p.must(p.store.Commit(t.Context(), c))
	p.tells(p.replays(doc), map[string][]string{"ground_unreadable": {plain}})
}
