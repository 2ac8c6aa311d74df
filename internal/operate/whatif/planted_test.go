package whatif_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/operate/whatif"
	"onefold/internal/record/inbound"
)

// edited is a document after a change.
func edited(t *testing.T, doc string, change func(doc map[string]any)) string {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal([]byte(doc), &tree); err != nil {
		t.Fatal(err)
	}
	tree["version"] = tree["version"].(float64) + 1
	change(tree)
	b, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// at leads to an object inside a document.
func at(doc map[string]any, path ...any) map[string]any {
	var here any = doc
	for _, step := range path {
		switch step := step.(type) {
		case string:
			here = here.(map[string]any)[step]
		case int:
			here = here.([]any)[step]
		}
	}
	return here.(map[string]any)
}

// planted is a world in which it is known of each event why it came to what.
type planted struct {
	*world
	groups map[string][]string
}

func (p *planted) plant(group string, a arrival) string {
	p.now = p.now.Add(25 * time.Hour)
	id := p.comes(a)
	p.groups[group] = append(p.groups[group], id)
	return id
}

func plantedWorld(t *testing.T) *planted {
	p := &planted{newWorld(t, document()), map[string][]string{}}
	for i := range 4 {
		who := func(name string) string { return fmt.Sprintf("%s@firm%d-%s.example", name, i, name) }
		write := func(group, from, text string) string {
			return p.plant(group, arrival{raw: mail(fmt.Sprintf("m%d", p.number), from, "Huts", text)})
		}
		first := write("pricing", who("ann"), "How much?\nName: Ann Bell\nIntent: pricing")
		p.works(p.ids.ID("op", "send_intent", "demo", p.event(first).Intent, "1"))
		write("question", who("ben"), "Huts?\nName: Ben Cole")
		write("meeting", who("cat"), "May we meet?\nIntent: meeting")
		write("other", who("dan"), "Hello.\nIntent: other")
		write("spammer", fmt.Sprintf("eve%d@spam.example", i), "Huts?")
		write("unsure", who("fay"), "Huts?\nSure: 60")
		write("question", who("gus"), "Huts?\nName: Gus Hill")
		write("conflict", who("gus"), "Huts?\nName: Ivy Hill")
		write("question", who("jim"), "Huts?\nPhone: +44 20 7946 0101")
		write("phone", who("jim"), "Huts?\nPhone: +44 20 7946 0102")
		write("pitch", who("kay"), "We sell.\nClass: pitch")
		write("desk", who("desk"), "Huts?")
		write("desk", who("desk"), "More huts?")
		write("control", who("leo"), "unsubscribe")
		write("stopped", who("leo"), "Huts after all?")
		p.plant("control", arrival{raw: bounce(fmt.Sprintf("b%d", i), who("max"))})
		p.plant("control", arrival{raw: mail(fmt.Sprintf("a%d", i), who("ned"), "Away", "Away.", "Auto-Submitted: auto-replied")})
		p.plant("spam", arrival{raw: mail(fmt.Sprintf("s%d", i), who("oda"), "Huts", "Huts?"), verdicts: inbound.Verdicts{Spam: "FAIL"}})
		p.plant("question", arrival{form: true, mailbox: "website", raw: form(who("pia"), "Pia Quinn", "Huts?\nName: Pia Quinn")})
		// A person's answer changes nothing of what was first decided.
		p.answers(write("control", who("ray"), "My colleague asks how she can unsubscribe."), decide.Answer{Approve: i%2 == 0})
		ours := fmt.Sprintf("<sent-%d@email.amazonses.com>", len(p.sent))
		p.plant("reply", arrival{raw: mail(fmt.Sprintf("r%d", i), who("ann"), "Re: Prices", "Thanks.\nIntent: pricing", "In-Reply-To: "+ours)})
	}
	return p
}

// wants compares what a replay changes with the groups that were made for it.
func (p *planted) wants(name string, r whatif.Report, groups ...string) {
	p.t.Helper()
	var want, got []string
	for _, g := range groups {
		want = append(want, p.groups[g]...)
	}
	for _, c := range r.Changes {
		got = append(got, c.Event)
	}
	if !slices.IsSortedFunc(r.Changes, func(a, b whatif.Change) int { return strings.Compare(a.ReceivedAt.String(), b.ReceivedAt.String()) }) {
		p.t.Errorf("%s: the changes are not in the order of receipt", name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || r.Untold != 0 || r.Faults != 0 {
		p.t.Errorf("%s: changed are %d of %v\ngot  %v\nwant %v\n%+v %+v", name, len(got), groups, got, want, r.UntoldOf, r.FaultList)
	}
}

const questionRule, pricingRule = 1, 0

// change is one change of a policy, with the events that were made for it and
// how they are told of: the group's "from → to (reason)", and some differences.
type change struct {
	name    string
	edit    func(doc map[string]any)
	groups  []string
	as      string
	differs []string
}

func changes() []change {
	// Everything that the rule of questions answers.
	asked := []string{"question", "meeting", "spammer", "unsure", "phone", "desk"}
	return []change{
		{"nothing", func(map[string]any) {}, nil, "", nil},
		{"a higher version of a rule", func(d map[string]any) { at(d, "rules", questionRule)["version"] = 2 }, nil, "", nil},
		{
			"draft becomes auto", func(d map[string]any) { at(d, "rules", questionRule)["mode"] = "auto" }, asked,
			"follow_up → follow_up (review, mode, operations)", []string{"mode draft auto"},
		},
		{
			"auto becomes observe", func(d map[string]any) { at(d, "rules", pricingRule)["mode"] = "observe" }, []string{"pricing"},
			"follow_up → observed (outcome, mode, operations)", []string{"mode auto observe", "outcome follow_up observed"},
		},
		{
			"a rule answers less", func(d map[string]any) {
				at(d, "rules", questionRule)["intents"] = []string{"product_question", "support"}
			}, []string{"meeting"},
			"follow_up → no_rule (no_rule)", []string{"rule welcome "},
		},
		{
			"a sender is blocked", func(d map[string]any) { d["mail"] = map[string]any{"blocked": []string{"@spam.example"}} }, []string{"spammer"},
			"follow_up → ignored (sender_blocked)", []string{"contact new "},
		},
		{
			"more confidence is asked for", func(d map[string]any) { at(d, "review")["min_confidence"] = 70 }, []string{"unsure"},
			"follow_up → review (low_confidence)", []string{"review approve_intent decide_event"},
		},
		{
			"a name is never written", func(d map[string]any) { at(d, "contact_fields")["name"] = "never" }, []string{"conflict"},
			"review → follow_up (no longer field_conflict)", []string{"rule  welcome"},
		},
		{
			"a phone is never written", func(d map[string]any) { at(d, "contact_fields")["phone"] = "never" }, []string{"phone"},
			"follow_up → follow_up (contact_fields, operations)", []string{"contact_fields phone "},
		},
		{
			"a template says something else", func(d map[string]any) {
				at(d, "rules", pricingRule, "template")["text"] = "New prices. {{.PostalAddress}}"
			}, []string{"pricing"},
			"follow_up → follow_up (mail)", []string{"mail  "},
		},
		{
			"pitches are taken for enquiries", func(d map[string]any) { d["mail"] = map[string]any{"accept": []string{"pitch"}} }, []string{"pitch"},
			"ignored → follow_up (email_key_new, rule_welcome)", []string{"contact  new"},
		},
		{
			"an address is shared", func(d map[string]any) { d["shared_addresses"] = append(d["shared_addresses"].([]any), "desk@") }, []string{"desk"},
			"follow_up → review (shared_inbox)", []string{"review approve_intent decide_event"},
		},
		{
			"spam is ignored", func(d map[string]any) { d["mail"] = map[string]any{"on_spam": "ignore"} }, []string{"spam"},
			"review → ignored (outcome, review)", []string{"review decide_event "},
		},
		{
			"another scope", func(d map[string]any) { at(d, "rules", pricingRule)["scope"] = "prices" }, []string{"pricing"},
			"follow_up → follow_up (scope)", []string{"scope offers prices"},
		},
		{
			"a longer quiet period", func(d map[string]any) { at(d, "rules", pricingRule)["quiet_period"] = "48h" }, []string{"pricing"},
			"follow_up → follow_up (sending_terms)", []string{"sending_terms  "},
		},
		{
			"no CRM", func(d map[string]any) { d["crm"] = map[string]any{} }, append([]string{"pricing", "other", "reply", "stopped"}, asked...),
			"follow_up → follow_up (operations)", []string{"operations crm_contact, crm_note, crm_task "},
		},
		{
			"another sender", func(d map[string]any) { at(d, "sender")["from"] = "New <new@demo.example>" }, append([]string{"pricing"}, asked...),
			"follow_up → follow_up (mail)", []string{"mail  "},
		},
	}
}

// TestAPlantedChangeIsFoundInExactlyTheEventsMadeForIt is the rule of each kind
// of change: which events it concerns, and in what words it is told.
func TestAPlantedChangeIsFoundInExactlyTheEventsMadeForIt(t *testing.T) {
	t.Parallel()
	p := plantedWorld(t)
	before := p.written()
	for _, c := range changes() {
		r := p.replays(edited(t, document(), c.edit))
		p.wants(c.name, r, c.groups...)
		if c.as != "" && !slices.ContainsFunc(r.Groups, func(g whatif.Group) bool { return g.From+" → "+g.To+" ("+g.Reason+")" == c.as }) {
			t.Errorf("%s: groups %+v, want %s", c.name, r.Groups, c.as)
		}
		for _, want := range c.differs {
			if !slices.ContainsFunc(r.Changes, func(ch whatif.Change) bool {
				return slices.ContainsFunc(ch.Differs, func(d whatif.Difference) bool { return d.What+" "+d.From+" "+d.To == want })
			}) {
				t.Errorf("%s: no change differs in %q: %+v", c.name, want, r.Changes)
			}
		}
	}
	if !slices.Equal(before, p.written()) {
		t.Error("a replay has written")
	}
}
