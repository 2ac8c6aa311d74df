package eval_test

import (
	"errors"
	"strings"
	"testing"

	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader"
)

// said are n values of one field, stated with a confidence, all right or wrong.
type said struct {
	n     int
	sure  int64
	right bool
}

func sayings(field string, groups ...said) ([]eval.Case, []eval.Outcome) {
	var cases []eval.Case
	var outcomes []eval.Outcome
	for _, g := range groups {
		for range g.n {
			l := eval.Labels{Language: "en", Class: eval.Enquiry, Intent: reader.Other, OptOut: eval.None}
			value := "right@example.com"
			if !g.right {
				value = "wrong@example.com"
			}
			o := eval.Outcome{Class: eval.Enquiry, Intent: reader.Other}
			switch field {
			case reader.FieldSender:
				l.SenderEmail, o.SenderEmail, o.Sure.SenderEmail = one("right@example.com"), value, g.sure
			case reader.FieldName:
				l.ContactName, o.ContactName, o.Sure.ContactName = one("right@example.com"), value, g.sure
			case reader.FieldPhone:
				l.Phone, o.Phone, o.Sure.Phone = one("+442079460123"), "+442079460123", g.sure
			}
			cases, outcomes = append(cases, eval.Case{Half: eval.Open, Labels: l}), append(outcomes, o)
		}
	}
	return cases, outcomes
}

func calibrate(t *testing.T, field string, groups ...said) eval.Calibration {
	t.Helper()
	all, err := eval.Calibrate(sayings(field, groups...))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Field == field {
			return c
		}
	}
	t.Fatal("no such field")
	return eval.Calibration{}
}

// Wilson's lower bound of n right ones among n is n/(n+z²) with z² = 3.8415: 95 %
// of 73 and more (73/76.84 = 95.002 %), 99 % of 381 and more (381/384.84 =
// 99.002 %).
func TestALimitIsTheSmallestWhoseLowerBoundReachesTheBar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		field  string
		groups []said
		proven int64 // 0: none
		limit  int64
		review int
		why    string
	}{
		{"all right and enough", reader.FieldName, []said{{40, 60, true}, {40, 90, true}}, 60, 60, 0, "from 60 on the lower bound is at least 95 %"},
		{"just enough", reader.FieldName, []said{{73, 90, true}}, 90, 90, 0, "every value is stated with 90"},
		{"one too few", reader.FieldName, []said{{72, 90, true}}, 0, 90, 0, "cannot be calibrated from 72 values: the lower bound is 94.9 % at best; with every value right, 73 are needed for 95 %"},
		{"wrong ones below", reader.FieldName, []said{{30, 40, false}, {80, 80, true}}, 80, 80, 30, "from 80 on"},
		{"a wrong one above", reader.FieldName, []said{{300, 80, true}, {1, 99, false}}, 80, 80, 0, "from 80 on"},
		{"confidence upside down", reader.FieldName, []said{{80, 40, true}, {40, 90, false}}, 0, 40, 0, "cannot be calibrated from 120 values"},
		{"a sender needs more", reader.FieldSender, []said{{380, 95, true}}, 0, 95, 0, "with every value right, 381 are needed for 99 %"},
		{"a sender has enough", reader.FieldSender, []said{{2, 70, true}, {379, 95, true}}, 70, 70, 0, "from 70 on the lower bound is at least 99 %"},
		{"of a phone nothing is asked", reader.FieldPhone, []said{{5, 60, true}}, 0, 60, 0, "no precision is asked for"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got := calibrate(t, c.field, c.groups...)
			proven := int64(0)
			if got.Proven != nil {
				proven = *got.Proven
			}
			if proven != c.proven || got.Limit == nil || *got.Limit != c.limit || got.ToReview.Hits != c.review || got.ToReview.Of != got.Values {
				t.Errorf("proven %d, %+v", proven, got)
			}
			if !strings.Contains(got.Why, c.why) {
				t.Errorf("%q does not say %q", got.Why, c.why)
			}
		})
	}
}

func TestWithoutAValueThereIsNoLimit(t *testing.T) {
	t.Parallel()
	got := calibrate(t, reader.FieldName)
	if got.Limit != nil || got.Proven != nil || !strings.Contains(got.Why, "cannot be calibrated") {
		t.Errorf("%+v", got)
	}
}

func TestManyConfidencesAreCountedByTens(t *testing.T) {
	t.Parallel()
	var groups []said
	for sure := int64(41); sure <= 100; sure += 3 {
		groups = append(groups, said{1, sure, sure > 60})
	}
	groups = append(groups, said{1, 100, true})
	got := calibrate(t, reader.FieldName, groups...)
	want := []eval.Bin{
		// 41 44 47 | 50 53 56 59 | 62 65 68 | 71 74 77 | 80 83 86 89 | 92 95 98 and 100
		{40, 49, eval.RatioOf(0, 3)}, {50, 59, eval.RatioOf(0, 4)}, {60, 69, eval.RatioOf(3, 3)},
		{70, 79, eval.RatioOf(3, 3)}, {80, 89, eval.RatioOf(4, 4)}, {90, 100, eval.RatioOf(4, 4)},
	}
	if len(got.Bins) != len(want) {
		t.Fatalf("%+v", got.Bins)
	}
	for i := range want {
		if got.Bins[i] != want[i] {
			t.Errorf("%+v, want %+v", got.Bins[i], want[i])
		}
	}
}

func TestTheHalfSetAsideChoosesNoLimit(t *testing.T) {
	t.Parallel()
	cases, outcomes := sayings(reader.FieldName, said{2, 90, true})
	cases[1].Half = eval.Aside
	if _, err := eval.Calibrate(cases, outcomes); !errors.Is(err, eval.ErrAside) {
		t.Error(err)
	}
}

func TestABarIsMetByTheShareAndNotByNothing(t *testing.T) {
	t.Parallel()
	cases, outcomes := table([]row{{name: "A", saidName: "A", wish: plain, saidWish: doubtful}, {name: "B", saidName: "", wish: none, saidWish: none}})
	met := map[string]bool{}
	for _, b := range score(t, cases, outcomes).Bars() {
		met[b.Figure] = b.Met
	}
	want := map[string]bool{
		"sender_email_precision": false,                      // nothing was said
		"name_precision":         true, "name_recall": false, // 1 of 2 is below 70 %
		"opt_out_recall":    true,  // held is heard
		"opt_out_precision": false, // nothing was stopped
		"injection_effects": false, // no attack was tried
	}
	for figure, is := range want {
		if met[figure] != is {
			t.Errorf("%s is met: %t", figure, met[figure])
		}
	}
	if len(met) != len(want) {
		t.Errorf("bars %v", met)
	}
}
