package decide_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// kept is the ground that a decision's commit keeps, "" for none.
func kept(t tb, res decide.Result) string {
	t.Helper()
	text := ""
	for _, w := range on(res, ledger.Event) {
		text = w.Set.Text(decide.GroundAttr)
	}
	return text
}

// again decides on what a ground's text keeps, as who replays it does.
func again(t tb, g decide.Ground, text string) decide.Result {
	t.Helper()
	k, err := decide.Thaw(text)
	if err != nil {
		t.Fatal(err)
	}
	// The row has moved on since.
	e := g.Event
	e.State, e.Transition, e.Review, e.Outcome = inbound.Decided, 9, "a task", "decided"
	thawed, err := k.Ground(key(t), e, g.Policy, g.Facts, g.Extraction)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := decide.ReadingDigest(key(t), g), decide.ReadingDigest(key(t), thawed); a != b || a != k.Facts || len(a) != 16 {
		t.Errorf("the digest of the reading is %s, %s and %s", a, b, k.Facts)
	}
	return decideOn(t, thawed)
}

// TestAKeptGroundIsDecidedWordForWord: whatever a decision stood on, what is
// kept of it gives the same result and the same commit.
func TestAKeptGroundIsDecidedWordForWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := randomGround(t)
		if g.Answer != nil {
			if text := kept(t, decideOn(t, g)); text != "" {
				t.Fatalf("the ground of an answer is kept: %s", text)
			}
			// The same without the answer is a first decision.
			g.Answer, g.By = nil, "extract"
			g.Event.State, g.Event.Transition, g.Event.Review = inbound.Recorded, rapid.SampledFrom([]int64{1, 3}).Draw(t, "replayed"), ""
			g = identified(t, g)
			g.Seen = decide.Seen{}
			randomSeen(t, &g)
		}
		thread(t, &g)
		secondForms(t, &g)
		res := decideOn(t, g)
		text := kept(t, res)
		if text == "" || len(text) > decide.MaxGround {
			t.Fatalf("a ground of %d bytes", len(text))
		}
		got := again(t, g, text)
		if !reflect.DeepEqual(comparably(g, res), comparably(g, got)) {
			t.Fatalf("decided again, the commit differs:\n%+v\n%+v\nkept %s", res, got, text)
		}
	})
}

// comparably is a result but for the keys that a contact had, and for the address
// of a guard that a mail of ours went to, which are not kept.
func comparably(g decide.Ground, res decide.Result) decide.Result {
	for _, w := range res.Commit.Writes {
		if slices.ContainsFunc(decide.Mailed(g), func(p decide.Party) bool { return p.Person.GuardID == w.Key.ID }) {
			delete(w.Item, "address")
			delete(w.Set, "address")
		}
		if w.Op == ledger.OpUpdate {
			delete(w.Set, "keys")
		}
	}
	return inOrder(res)
}

// thread draws the thread's part of a ground.
func thread(t *rapid.T, g *decide.Ground) {
	for range decide.CapsOf(key(t), g.Policy, g.Facts, g.Person, g.Now.Std()) {
		it := ledger.Item{schema.Version: int64(2), "tenant": "demo", "count": rapid.Int64Range(1, 30).Draw(t, "count")}
		if rapid.Bool().Draw(t, "first") {
			it = nil
		}
		g.Seen.Caps = append(g.Seen.Caps, it)
	}
	for _, p := range append([]decide.Party{{Person: g.Person}}, g.Also...) {
		if g.Facts.Report() && g.Seen.Mailed == nil && rapid.Bool().Draw(t, "returned") {
			g.Facts.Returned = append(g.Facts.Returned, "intent-"+p.Person.GuardID)
			g.Seen.Returned = append(g.Seen.Returned, followup.Intent{Tenant: "demo", ID: "intent-" + p.Person.GuardID, Guard: p.Person.GuardID})
		}
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "other addresses") {
		if it := randomGuard(t, fmt.Sprint("elsewhere ", i), fmt.Sprint("guard-", i), "another"); it != nil && g.Seen.Contact != nil {
			g.Seen.Elsewhere = append(g.Seen.Elsewhere, it)
			g.Seen.Contact.Reach = rapid.Int64Range(0, 3).Draw(t, "reach")
		}
	}
}

// secondForms draws the second form of the addresses, under a rule that is
// migrated to.
func secondForms(t *rapid.T, g *decide.Ground) {
	if rapid.IntRange(0, 2).Draw(t, "migration") != 0 {
		return
	}
	g.Policy.IdentityNext = &tenant.Identity{Version: g.Policy.Identity.Version + 1, FoldPlus: true}
	seen, also := g.Seen, g.Also
	*g = identified(t, *g)
	g.Seen = seen
	for i := range also {
		also[i].Person = g.Also[i].Person
	}
	g.Also = also
	if !g.Person.Known() || g.Person.NextKeyID == "" {
		return
	}
	switch other := pick(t, "next form", "", "contact-1", "contact-8", "shared"); other {
	case "":
	case "shared":
		g.Seen.Next = &contact.Key{Tenant: "demo", ID: g.Person.NextKeyID, Contact: "contact-8", Shared: true}
	default:
		g.Seen.Next = &contact.Key{Tenant: "demo", ID: g.Person.NextKeyID, Contact: other}
		g.Seen.NextContact = &contact.Contact{Tenant: "demo", ID: other, Status: contact.Active, Name: "Kim Lee", ConsentVersion: 2, Revision: 3, Transition: 4}
		if c := g.Seen.Contact; c != nil && c.ID == other {
			g.Seen.NextContact = c
		}
	}
	// The other one of From and Reply-To is read now too, where it was not: of one
	// row there is one answer.
	if p := decide.SecondOf(key(t), g.Policy, g.Facts, g.Person); p.KeyID != "" && g.Seen.Next != nil {
		for _, o := range g.Also {
			if o.Person.KeyID == p.KeyID {
				g.Seen.SecondKey, g.Seen.Second = o.Key, o.Contact
			}
		}
	}
	held(g)
}

// held adds the contact that the address's key names, where it was merged into
// the one that it leads to: it lists a form that is put.
func held(g *decide.Ground) {
	from := ""
	switch {
	case g.Person.Shared || g.Seen.Key != nil && g.Seen.Key.Shared:
	case g.Seen.Key != nil:
		from = g.Seen.Key.Contact
	case g.Seen.NextContact != nil:
		g.Seen.Contact, from = g.Seen.NextContact, g.Seen.Next.Contact
	}
	if c := g.Seen.Contact; c != nil && from != "" && from != c.ID {
		g.Seen.Holder = &contact.Contact{Tenant: "demo", ID: from, Status: contact.Merged, MergedInto: c.ID, Transition: 2, ConsentVersion: 1}
	}
}

// TestEveryFieldOfAGroundIsKeptOrLeftOut: who adds a field to what a decision
// depends on says here what becomes of it. Kept: by its part in reads.go and its
// form in package kept, and the property above draws it; "read again": it comes
// from the event's row, the raw content, the policy or the stored answer, and
// ReadingDigest has it where a decision reads it.
func TestEveryFieldOfAGroundIsKeptOrLeftOut(t *testing.T) {
	t.Parallel()
	const again, unread = "read again", "left out: no first decision reads it"
	for _, c := range []struct {
		of     any
		fields map[string]string
	}{
		{decide.Ground{}, map[string]string{"Input": "in parts", "Person": again, "Also": "kept", "Seen": "kept"}},
		{decide.Input{}, map[string]string{
			"Event": again, "Policy": "kept by version", "Facts": again, "Extraction": "kept by digest",
			"Answer": "left out: with one, no ground is kept", "Now": "kept", "By": "kept",
		}},
		{decide.Seen{}, map[string]string{
			"Key": "kept", "Contact": "kept", "Guard": "kept", "Enquiry": "kept", "Cadence": "kept", "Slot": "kept", "Unapproved": "kept", "Intent": "kept",
			"Task": "left out: read for an answer alone", "Replied": "kept", "Mailed": "kept", "Ours": "kept", "Caps": "kept",
			"Elsewhere": "kept", "Returned": "kept", "Next": "kept", "NextContact": "kept", "Holder": "kept",
			"CustomerKey": "kept", "Customer": "kept", "SecondKey": "kept", "Second": "kept", "PhoneKey": "kept",
		}},
		{decide.Party{}, map[string]string{"Person": again, "Key": "kept", "Contact": "kept", "Guard": "kept", "Next": "kept", "NextContact": "kept"}},
		{decide.Person{}, map[string]string{
			"Address": again, "KeyID": again, "NextKeyID": again, "GuardID": again, "Shared": again, "Own": again, "Role": again, "Fault": again,
		}},
		{content.Facts{}, map[string]string{
			"Content": "left out: of the event", "Kind": again, "Heard": again, "Cause": again, "Source": again, "OptOut": again, "MessageID": again,
			"InReplyTo": again, "References": again, "Suppression": again, "Failed": "read again, as people", "Warnings": again, "Doubts": again, "Returned": again,
			"Thanks": again, "Asks": again, "Warned": again, "Dropped": again, "CustomerID": again, "Ours": again,
		}},
		{contact.Key{}, map[string]string{
			"Tenant": unread, "ID": unread, "Contact": "kept", "Shared": "kept", "Disputed": "kept", "RuleVersion": unread, "CreatedAt": unread, "InboundEvent": unread, "Version": unread,
		}},
		{contact.Contact{}, map[string]string{
			"Tenant": unread, "ID": "kept", "Status": "kept", "MergedInto": unread, "Email": unread, "Name": "kept where it differs", "Company": "kept where it differs",
			"Phone": "kept where it differs", "Keys": "kept of customer IDs; the others hold addresses, and only the list that is written reads them",
			"MergedAt": unread, "Absorbed": unread, "Reach": "kept", "ConsentVersion": "kept", "Revision": "kept", "FromEvent": unread, "CreatedAt": unread,
			"LikelySame": unread, "Transition": "kept", "Version": unread,
		}},
		{contact.Enquiry{}, map[string]string{
			"Tenant": unread, "Contact": unread, "Event": unread, "Intent": unread, "FollowUp": "kept", "Subject": unread, "At": unread, "Version": unread,
		}},
		{followup.Cadence{}, map[string]string{
			"Tenant": unread, "Contact": unread, "Rule": unread, "Intent": "kept", "FoldUntil": "kept", "SendingIntent": unread, "QuietUntil": unread, "Version": "kept",
		}},
	} {
		of := reflect.TypeOf(c.of)
		for i := range of.NumField() {
			name := of.Field(i).Name
			if c.fields[name] == "" {
				t.Errorf("%s.%s: is it kept with the ground, read again, or left out, and why?", of, name)
			}
			delete(c.fields, name)
		}
		for name := range c.fields {
			t.Errorf("%s has no %s", of, name)
		}
	}
}

// TestAGroundKeepsNoMoreOfAPersonThanDiffers: of a contact no address, and of
// its fields only those that the event states otherwise.
func TestAGroundKeepsNoMoreOfAPersonThanDiffers(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeDraft))
	g = guarded(g, ledger.Item{"address": ada, "opted_out_contacts": "contact-8"})
	g.Seen.Contact.Name, g.Seen.Contact.Company, g.Seen.Contact.Phone = "ada  LOVELACE", "Engines Ltd", "+44 20 7946 0000"
	g.Extraction.Record.Company = reader.Field{Value: "Analytic Ltd", Confidence: 90}
	text := kept(t, decideOn(t, g))
	for _, word := range []string{"ada", "ovelace", "7946", "@", "uts", "Analytic", "contact-8", question} {
		if strings.Contains(text, word) {
			t.Errorf("the ground says %q: %s", word, text)
		}
	}
	if !strings.Contains(text, `"company":"Engines Ltd"`) {
		t.Errorf("what was in conflict is not kept: %s", text)
	}
}

func TestAGroundThatIsTooLargeKeepsItsOutcomeAlone(t *testing.T) {
	t.Parallel()
	g := guarded(ground(t, mail(ada, question), tenant.ModeDraft), ledger.Item{"hold_review": strings.Repeat("x", decide.MaxGround)})
	text := kept(t, decideOn(t, g))
	k, err := decide.Thaw(text)
	if err != nil || !k.TooLarge || k.Verdict.Outcome != inbound.FollowUp || len(text) > 1000 {
		t.Fatalf("kept %.200s, %v", text, err)
	}
	if _, err := k.Ground(key(t), g.Event, g.Policy, g.Facts, g.Extraction); !errors.Is(err, decide.ErrGround) {
		t.Errorf("it is put together: %v", err)
	}
}

func TestAVerdictSaysWhatWasMade(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	res := decideOn(t, g)
	i := created[followup.Intent](t, res, ledger.Intent)[0]
	k, err := decide.Thaw(kept(t, res))
	want := decide.Verdict{Outcome: inbound.FollowUp, Reasons: res.Reasons, Contact: match.New, Made: &decide.Made{Rule: "welcome", Version: 1, Mode: "auto", Content: i.ContentHash[:16]}}
	if err != nil || !reflect.DeepEqual(k.Verdict, want) {
		t.Errorf("kept %+v, want %+v, %v", k.Verdict, want, err)
	}
	if found := decide.VerdictOf(decideOn(t, known(g))); found.Contact != match.Matched {
		t.Errorf("a contact that is known is %q", found.Contact)
	}
}

// TestWhatLaterCodeKeepsIsPassedOver: an attribute that this program does not
// know is no fault; a form that it does not know is.
func TestWhatLaterCodeKeepsIsPassedOver(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeDraft))
	res := decideOn(t, g)
	var m map[string]any
	if err := json.Unmarshal([]byte(kept(t, res)), &m); err != nil {
		t.Fatal(err)
	}
	m["later"], m["s"].(map[string]any)["customer"] = map[string]any{"a": 1}, []string{"x"}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if got := again(t, g, string(b)); !reflect.DeepEqual(res, got) {
		t.Error("an attribute that is not known changes the decision")
	}
	m["v"] = decide.GroundForm + 1
	b, _ = json.Marshal(m)
	for _, text := range []string{string(b), "", "{", "[]", `{"v":0}`, `{"v":"1"}`} {
		if _, err := decide.Thaw(text); !errors.Is(err, decide.ErrGround) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}

func TestAnAnswerIsToldFromTheOthersOfItsEvent(t *testing.T) {
	t.Parallel()
	at := utc.At(start.Std())
	seen := map[string]bool{}
	for _, x := range []reader.Stored{
		{Model: "rules", PromptVersion: "1", At: at}, {Model: "rules", PromptVersion: "2", At: at}, {Model: "m", PromptVersion: "1", At: at},
		{Model: "rules", PromptVersion: "1", At: at.Add(1e6)},
	} {
		seen[decide.AnswerDigest(x)] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d digests of 4 answers", len(seen))
	}
}

// TestAReadingIsKnownAgainWithTheKeyAlone: each part that a decision reads
// changes the digest, and so does the key.
func TestAReadingIsKnownAgainWithTheKeyAlone(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeDraft)
	first := decide.ReadingDigest(key(t), g)
	other, err := digest.NewKey([]byte("another key of this test, 32 bytes"))
	if err != nil {
		t.Fatal(err)
	}
	if decide.ReadingDigest(other, g) == first {
		t.Error("the digest needs no key")
	}
	for name, change := range map[string]func(*decide.Ground){
		"subject": func(g *decide.Ground) { g.Facts.Source.Subject += "!" }, "cause": func(g *decide.Ground) { g.Facts.Cause = "c" },
		"heard": func(g *decide.Ground) { g.Facts.Heard = true }, "doubts": func(g *decide.Ground) { g.Facts.Doubts = []string{"x"} },
		"verdict": func(g *decide.Ground) { g.Facts.OptOut.Verdict = "doubtful" }, "thread": func(g *decide.Ground) { g.Facts.References = []string{"r"} },
		"dropped": func(g *decide.Ground) { g.Facts.Dropped = true }, "person": func(g *decide.Ground) { g.Person.Shared = true },
		"other": func(g *decide.Ground) { g.Also = []decide.Party{{Person: g.Person}} },
	} {
		changed := g
		if change(&changed); decide.ReadingDigest(key(t), changed) == first {
			t.Errorf("%s is not in the digest", name)
		}
	}
}

// TestWhatIsReadOfAGuardIsKept: each attribute of a guard that this package
// asks for by name is kept. Those that only the opt-out link reads are not.
func TestWhatIsReadOfAGuardIsKept(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	asked := regexp.MustCompile(`\.(?:Text|Int)\((?:"([a-z_]+)"|(\w+\.\w+Attr))\)`)
	words := map[string]string{
		"guard.HoldAttr": guard.HoldAttr, "guard.HoldReviewAttr": guard.HoldReviewAttr, "guard.ReasonAttr": guard.ReasonAttr, "guard.ErasedAtAttr": guard.ErasedAtAttr,
		"guard.BouncesAttr": guard.BouncesAttr, "guard.ComplaintsAttr": guard.ComplaintsAttr, "machine.TransitionAttr": machine.TransitionAttr,
	}
	item := ledger.Item{"stop_all": "9999", "stop_follow_up": "9999"}
	for _, file := range files {
		if file == "link.go" || strings.HasPrefix(file, "ground") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked.FindAllStringSubmatch(string(b), -1) {
			attr, known := words[m[2]]
			if m[2] != "" && !known {
				t.Errorf("%s asks for %s, of which this test does not know the word", file, m[2])
			}
			item[m[1]+attr] = "9999"
		}
	}
	delete(item, "count") // of a bound
	item["transition"] = int64(3)
	text := kept(t, decideOn(t, guarded(ground(t, mail(ada, question), tenant.ModeDraft), item)))
	for attr := range item {
		if !strings.Contains(text, `"`+attr+`":`) {
			t.Errorf("%s is read and not kept: %s", attr, text)
		}
	}
	if len(item) < 8 {
		t.Errorf("only %v were found", item)
	}
}
