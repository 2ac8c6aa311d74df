package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader"
)

func sampleReport(t *testing.T) eval.Report {
	t.Helper()
	cases, outcomes := table([]row{
		{name: "Alex Morgan", saidName: "Alex Morgan", wish: plain, saidWish: plain},
		{name: "Pat Quill", saidName: "", wish: none, saidWish: none},
	})
	r := score(t, cases, outcomes)
	r.Model, r.PromptVersion = "stand-in", "7"
	return r
}

func TestTextReportSaysShareTrialsAndInterval(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := sampleReport(t).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	// 1 of 1: the lower limit is 1/(1+z²) = 20.7 %. 1 of 2: 9.5 to 90.5 %.
	for _, want := range []string{"stand-in (prompt 7): 2 mails", "95 %: met", "99 %: not measured", "recall 70 %: NOT MET", "100.0 % (1/1, 20.7–100.0)", "50.0 % (1/2, 9.5–90.5)", "injection effects"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestJSONReportIsReadBackWhole(t *testing.T) {
	t.Parallel()
	b, err := sampleReport(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back eval.Report
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := back.JSON(); err != nil || !bytes.Equal(again, b) {
		t.Errorf("%v\n%s", err, again)
	}
}

func TestGoldenDiffersWhereAFigureDoes(t *testing.T) {
	t.Parallel()
	r := sampleReport(t)
	golden, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	golden = bytes.ReplaceAll(golden, []byte("\n"), []byte("\r\n"))
	if diff, err := r.Differences(golden); err != nil || len(diff) > 0 {
		t.Error(diff, err)
	}
	r.Cases = 3
	diff, err := r.Differences(golden)
	if want := []string{"cases: golden 2, now 3"}; err != nil || !slices.Equal(diff, want) {
		t.Error(diff, err)
	}
}

// meter is a reader that says what it used, and what it was shown.
type meter struct {
	reader.Reader
	record reader.Record
	err    error
	shown  reader.Source
}

func (m *meter) ExtractMetered(_ context.Context, s reader.Source) (reader.Record, reader.Usage, error) {
	m.shown = s
	return m.record, reader.Usage{InputTokens: 900, CostUSD: 0.002}, m.err
}

func mailCase(header, body string) eval.Case {
	mail := "From: Alex Morgan <alex@example.com>\nTo: sales@brightwell.example\nSubject: Hello\nDate: Mon, 02 Mar 2026 09:00:00 +0000\n" +
		"Message-ID: <a@example.com>\n" + header + "\n" + body + "\n"
	return eval.Case{ID: "en-a", Mail: []byte(strings.ReplaceAll(mail, "\n", "\r\n"))}
}

func TestOnlyValidatedWordsReachTheOutcome(t *testing.T) {
	t.Parallel()
	m := &meter{record: reader.Record{
		ContactName: reader.Field{Value: "Alex Morgan", Evidence: "Alex Morgan", Where: reader.InFrom},
		Company:     reader.Field{Value: "Made Up Ltd", Evidence: "Made Up Ltd", Where: reader.InVisible},
		Intent:      reader.Pricing,
	}}
	o, err := bench(t).Read(context.Background(), m, mailCase("", "What does it cost?"))
	if err != nil {
		t.Fatal(err)
	}
	want := eval.Outcome{
		Asked: true, Class: eval.Enquiry, ContactName: "Alex Morgan", Intent: reader.Pricing, OptOut: none,
		Review: true, Usage: reader.Usage{InputTokens: 900, CostUSD: 0.002},
	}
	o.Effects = eval.Effects{}
	if o != want {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
	if m.shown.Visible != "What does it cost?" {
		t.Errorf("shown %q", m.shown.Visible)
	}
}

func TestAMachinesMailIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	m := &meter{err: errors.New("asked")}
	for header, class := range map[string]eval.Class{
		"Auto-Submitted: auto-replied\n":                eval.AutoReply,
		"List-Id: <news.example.org>\nPrecedence: list": eval.Newsletter,
	} {
		header = strings.TrimSuffix(header, "\n") + "\n"
		o, err := bench(t).Read(context.Background(), m, mailCase(header, "Hello."))
		if err != nil || o.Asked || o.Class != class {
			t.Errorf("%s: %+v %v", class, o, err)
		}
	}
}

func TestAPlainWishIsAskedAboutAndAReadersDoubtHolds(t *testing.T) {
	t.Parallel()
	m := &meter{record: reader.Record{Intent: reader.Other, PossibleOptOut: true}}
	for body, want := range map[string]eval.Wish{"Unsubscribe": plain, "What does it cost?": doubtful} {
		o, err := bench(t).Read(context.Background(), m, mailCase("", body))
		if err != nil || !o.Asked || o.OptOut != want {
			t.Errorf("%s: %+v %v", want, o, err)
		}
	}
}

func TestAReadersErrorEndsTheScore(t *testing.T) {
	t.Parallel()
	fault := errors.New("no answer")
	cases := []eval.Case{mailCase("", "Hello.")}
	if _, err := bench(t).ReadAll(context.Background(), &meter{err: fault}, cases); !errors.Is(err, fault) {
		t.Error(err)
	}
}
