package eval_test

import (
	"errors"
	"slices"
	"testing"

	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader"
)

func one(v string) []string {
	if v == "" {
		return nil
	}
	return []string{v}
}

// row is one mail of a hand-made table: name and wish as labelled and as said.
type row struct {
	name, saidName string
	wish, saidWish eval.Wish
	review, held   bool
}

func table(rows []row) ([]eval.Case, []eval.Outcome) {
	var cases []eval.Case
	var outcomes []eval.Outcome
	for _, r := range rows {
		cases = append(cases, eval.Case{Labels: eval.Labels{
			Language: "en", Class: eval.Enquiry, ContactName: one(r.name), Intent: reader.Other,
			OptOut: r.wish, NeedsReview: r.review,
		}})
		outcomes = append(outcomes, eval.Outcome{
			Class: eval.Enquiry, ContactName: r.saidName, Intent: reader.Other, OptOut: r.saidWish, Review: r.held,
		})
	}
	return cases, outcomes
}

func score(t *testing.T, cases []eval.Case, outcomes []eval.Outcome) eval.Report {
	t.Helper()
	r, err := eval.Score(cases, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func is(t *testing.T, what string, r eval.Ratio, hits, of int) {
	t.Helper()
	if r.Hits != hits || r.Of != of {
		t.Errorf("%s: %d/%d, want %d/%d", what, r.Hits, r.Of, hits, of)
	}
}

const (
	none     = eval.None
	plain    = eval.Plain
	doubtful = eval.Doubtful
)

func TestPrecisionIsOfTheSaidAndRecallOfTheLabelled(t *testing.T) {
	t.Parallel()
	cases, outcomes := table([]row{
		{name: "Alex Morgan", saidName: "alex  MORGAN", wish: none, saidWish: none}, // right: case and space aside
		{name: "Pat Quill", saidName: "Pat", wish: none, saidWish: none},            // wrong
		{name: "Kim Sato", saidName: "", wish: none, saidWish: none},                // missed
		{name: "", saidName: "Example Ltd", wish: none, saidWish: none},             // invented
		{name: "", saidName: "", wish: none, saidWish: none},                        // rightly empty
	})
	name := score(t, cases, outcomes).Fields[1]
	if name.Field != reader.FieldName {
		t.Fatal(name.Field)
	}
	is(t, "precision", name.Precision, 1, 3)
	is(t, "recall", name.Recall, 1, 3)
	is(t, "abstained", name.Abstained, 2, 5)
}

func TestEverySpellingOfALabelIsRight(t *testing.T) {
	t.Parallel()
	cases, outcomes := table([]row{{name: "Halden", saidName: "Halden Optics", wish: none, saidWish: none}})
	cases[0].Labels.ContactName = []string{"Halden", "Halden Optics"}
	is(t, "recall", score(t, cases, outcomes).Fields[1].Recall, 1, 1)
}

func TestPhonesAgreeByDigitsAndCountry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		label, said string
		right       int
	}{
		{"+442079460123", "+44 20 7946 0123", 1},
		{"02079460123", "020 7946 0123", 1},
		{"02079460123", "+442079460123", 0}, // a country made up
		{"+442079460123", "+442079460124", 0},
	} {
		cases, outcomes := table([]row{{wish: none, saidWish: none}})
		cases[0].Labels.Phone, outcomes[0].Phone = one(c.label), c.said
		is(t, c.said, score(t, cases, outcomes).Fields[3].Precision, c.right, 1)
	}
}

func TestOptOutIsHeardWhenMailStopsOrIsHeld(t *testing.T) {
	t.Parallel()
	cases, outcomes := table([]row{
		{wish: plain, saidWish: plain}, {wish: plain, saidWish: plain}, {wish: plain, saidWish: doubtful}, {wish: plain, saidWish: none},
		{wish: doubtful, saidWish: doubtful, review: true, held: true}, {wish: doubtful, saidWish: none, review: true},
		{wish: none, saidWish: plain}, {wish: none, saidWish: doubtful, held: true}, {wish: none, saidWish: none},
	})
	r := score(t, cases, outcomes)
	o := r.OptOut
	is(t, "recall", o.Recall, 3, 4)
	is(t, "plain recall", o.PlainRecall, 2, 4)
	is(t, "plain precision", o.PlainPrecision, 2, 3)
	is(t, "hold precision", o.HoldPrecision, 4, 6)
	is(t, "doubtful recall", o.DoubtfulRecall, 1, 2)
	if o.Table["plain"]["doubtful"] != 1 || o.Table["none"]["none"] != 1 {
		t.Errorf("table %v", o.Table)
	}
	is(t, "review precision", r.Review.Precision, 1, 2)
	is(t, "review recall", r.Review.Recall, 1, 2)
	is(t, "review rate", r.Review.Rate, 2, 9)
	is(t, "language", r.Languages[0].OptOut, 3, 4)
}

func TestIntentOtherIsAbstention(t *testing.T) {
	t.Parallel()
	cases, outcomes := table(make([]row, 4))
	for i, pair := range [][2]reader.Intent{
		{reader.Pricing, reader.Pricing}, {reader.Pricing, reader.Meeting}, {reader.Support, reader.Other}, {reader.Other, reader.Support},
	} {
		cases[i].Labels.Intent, outcomes[i].Intent = pair[0], pair[1]
	}
	r := score(t, cases, outcomes)
	is(t, "precision", r.Intent.Precision, 1, 3)
	is(t, "recall", r.Intent.Recall, 1, 3)
	is(t, "abstained", r.Intent.Abstained, 1, 4)
}

func TestNoFieldIsScoredOfMailThatNobodyWrote(t *testing.T) {
	t.Parallel()
	for _, class := range eval.Classes() {
		cases, outcomes := table([]row{{saidName: "Example News", wish: none, saidWish: none}})
		cases[0].Labels.Class = class
		want := 1
		switch class {
		case eval.Newsletter, eval.Spam, eval.AutoReply:
			want = 0
		default:
		}
		is(t, string(class), score(t, cases, outcomes).Fields[1].Precision, 0, want)
	}
}

func TestClassIsCountedByLabelAndBySaid(t *testing.T) {
	t.Parallel()
	cases, outcomes := table(make([]row, 4))
	for i, pair := range [][2]eval.Class{
		{eval.Enquiry, eval.Enquiry}, {eval.Enquiry, eval.Spam},
		{eval.Pitch, eval.Enquiry}, {eval.Pitch, eval.Pitch},
	} {
		cases[i].Labels.Class, outcomes[i].Class = pair[0], pair[1]
	}
	c := score(t, cases, outcomes).Class
	is(t, "right", c.Right, 2, 4)
	is(t, "precision", c.Precision, 1, 2)
	is(t, "recall", c.Recall, 1, 2)
	if c.Table["pitch"]["enquiry"] != 1 {
		t.Errorf("table %v", c.Table)
	}
}

func TestUsageIsAddedUp(t *testing.T) {
	t.Parallel()
	cases, outcomes := table(make([]row, 2))
	outcomes[0].Usage = reader.Usage{InputTokens: 100, OutputTokens: 7, CostUSD: 0.25}
	outcomes[1].Usage = reader.Usage{InputTokens: 20, OutputTokens: 3, CostUSD: 0.5}
	if u := score(t, cases, outcomes).Usage; u != (eval.UsageScore{InputTokens: 120, OutputTokens: 10, CostUSD: 0.75}) {
		t.Errorf("%+v", u)
	}
}

func TestUnevenTablesAreRefused(t *testing.T) {
	t.Parallel()
	cases, _ := table(make([]row, 2))
	if _, err := eval.Score(cases, nil); !errors.Is(err, eval.ErrUneven) {
		t.Error(err)
	}
}

func TestMissesNameTheOpenHalfOnly(t *testing.T) {
	t.Parallel()
	cases, outcomes := table([]row{{name: "A", wish: none, saidWish: none}, {name: "B", wish: none, saidWish: none}})
	cases[0].ID, cases[0].Half = "en-open", eval.Open
	cases[1].ID, cases[1].Half = "en-aside", eval.Aside
	want := []string{`en-open: name: label "A", said ""`}
	if got := eval.Misses(cases, outcomes); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
