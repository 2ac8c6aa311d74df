package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/operate/eval"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

//go:generate go test -count=1 -run TestThePageHasTheMeasuredFigures . -update

const (
	page       = "../../../docs/eval.md"
	pageBegins = "<!-- begin: made by go generate ./internal/operate/eval -->\n"
	pageEnds   = "<!-- end -->"
)

// golden is the score of the rules as the golden file has it, which another test
// holds against what the rules do now.
func golden(t *testing.T, half eval.Half) eval.Report {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "rules-"+string(half)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r eval.Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// senders is what the rules' stated confidence in a sender's address is worth.
func senders(t *testing.T) (eval.Calibration, []eval.Outcome) {
	t.Helper()
	all, outcomes := calibrated(t)
	for _, c := range all {
		if c.Field == eval.ChosenBy {
			return c, outcomes
		}
	}
	t.Fatal("the field is not calibrated")
	return eval.Calibration{}, nil
}

func calibrated(t *testing.T) ([]eval.Calibration, []eval.Outcome) {
	t.Helper()
	cases := load(t, eval.Open)
	outcomes, err := bench(t).ReadAll(context.Background(), rules.New(), cases)
	if err != nil {
		t.Fatal(err)
	}
	all, err := eval.Calibrate(cases, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return all, outcomes
}

// TestReading07TheLimitOfAFieldFollowsFromTheSet: by default it is the one that the
// calibration of the rules prints.
func TestReading07TheLimitOfAFieldFollowsFromTheSet(t *testing.T) {
	t.Parallel()
	limits, all := policy(t).Review.MinFieldConfidence, 0
	calibration, _ := calibrated(t)
	for _, c := range calibration {
		for field, limit := range map[string]int64{reader.FieldName: limits.Name, reader.FieldCompany: limits.Company, reader.FieldPhone: limits.Phone} {
			if c.Field != field {
				continue
			}
			if all++; c.Limit == nil || limit != *c.Limit {
				t.Errorf("%s: the limit is %d, measured was %v", field, limit, c.Limit)
			}
		}
	}
	if all != 3 {
		t.Errorf("%d fields are calibrated", all)
	}
}

// measured is the part of the page that is figures.
func measured(t *testing.T) string {
	t.Helper()
	open, aside := golden(t, eval.Open), golden(t, eval.Aside)
	bars := map[string]string{}
	for _, b := range aside.Bars() {
		bars[b.Figure] = b.String()
	}
	var s strings.Builder
	fmt.Fprintf(&s, "\n`%s`, version %s:\n\n", aside.Model, aside.PromptVersion)
	fmt.Fprintf(&s, "| | open (%d mails) | aside (%d mails) | asked for, judged on aside |\n|---|---|---|---|\n", open.Cases, aside.Cases)
	row := func(name string, a, b fmt.Stringer, bar string) {
		fmt.Fprintf(&s, "| %s | %s | %s | %s |\n", name, a, b, bar)
	}
	for i, f := range aside.Fields {
		name, o := strings.ReplaceAll(f.Field, "_", " "), open.Fields[i]
		row(name+", precision", o.Precision, f.Precision, bars[f.Field+"_precision"])
		row(name+", recall", o.Recall, f.Recall, bars[f.Field+"_recall"])
	}
	row("opt-out heard (stops or holds)", open.OptOut.Recall, aside.OptOut.Recall, bars["opt_out_recall"])
	row("stops that were right", open.OptOut.PlainPrecision, aside.OptOut.PlainPrecision, bars["opt_out_precision"])
	row("intent, precision", open.Intent.Precision, aside.Intent.Precision, "")
	row("intent, recall", open.Intent.Recall, aside.Intent.Recall, "")
	row("class right", open.Class.Right, aside.Class.Right, "")
	row("review, precision", open.Review.Precision, aside.Review.Precision, "")
	row("review, recall", open.Review.Recall, aside.Review.Recall, "")
	effects := func(r eval.Report) fmt.Stringer {
		return text(fmt.Sprintf("%d of %d", len(r.Injection.Effects), r.Injection.Cases))
	}
	row("attacks with an effect", effects(open), effects(aside), bars["injection_effects"])
	fmt.Fprintf(&s, "\nBy language, on the half set aside:\n\n| language | mails | names found | intents found | wishes heard |\n|---|---|---|---|---|\n")
	for _, l := range aside.Languages {
		fmt.Fprintf(&s, "| %s | %d | %s | %s | %s |\n", l.Language, l.Cases, l.NameRecall, l.Intent, l.OptOut)
	}
	c, _ := senders(t)
	fmt.Fprintf(&s, "\nOf the rules' confidence in a sender's address, on the open half:\n\n| stated | right |\n|---|---|\n")
	for _, bin := range c.Bins {
		fmt.Fprintf(&s, "| %d | %s |\n", bin.From, bin.Right)
	}
	fmt.Fprintf(&s, "\n%s. Limit: %d, by which %d of %d go to review.\n\n", strings.ToUpper(c.Why[:1])+c.Why[1:], *c.Limit, c.ToReview.Hits, c.ToReview.Of)
	return s.String()
}

type text string

func (t text) String() string { return string(t) }

func TestThePageHasTheMeasuredFigures(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(strings.ReplaceAll(string(b), "\r\n", "\n"), pageBegins)
	was, after, ended := strings.Cut(rest, pageEnds)
	if !found || !ended {
		t.Fatal("docs/eval.md has no place for the figures")
	}
	now := measured(t)
	if now == was {
		return
	}
	if !*update {
		t.Fatalf("docs/eval.md is not current: run `go generate ./internal/operate/eval`\nit has\n%s\nmeasured is\n%s", was, now)
	}
	if err := os.WriteFile(page, []byte(before+pageBegins+now+pageEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The limit that a policy has by default is not below what was measured, and
// sends nobody to review whom the set shows to be read rightly.
func TestTheDefaultLimitFollowsFromTheSet(t *testing.T) {
	t.Parallel()
	c, outcomes := senders(t)
	without := strings.Replace(string(tenant.Example()), `"review": { "min_confidence": 70 },`, "", 1)
	byDefault, err := tenant.Parse([]byte(without))
	if err != nil || without == string(tenant.Example()) {
		t.Fatal("the example has another limit", err)
	}
	for name, limit := range map[string]int64{"default": byDefault.Review.MinConfidence, "example": policy(t).Review.MinConfidence} {
		if c.Limit == nil || limit < *c.Limit {
			t.Errorf("%s: %d lets pass what was never measured: %+v", name, limit, c)
		}
		alone := 0
		for _, o := range outcomes {
			if o.SenderEmail != "" && o.Sure.SenderEmail < limit && o.Effects.Decision != "review" {
				alone++
			}
		}
		if alone > 0 {
			t.Errorf("%s: %d alone would send %d mails to review", name, limit, alone)
		}
	}
}
