package eval

import (
	"errors"
	"fmt"

	"onefold/internal/reading/reader"
)

// FieldScore measures one field. Precision is of the values said, recall of
// the values labelled; a value where the label has none is a wrong one.
type FieldScore struct {
	Field     string `json:"field"`
	Precision Ratio  `json:"precision"`
	Recall    Ratio  `json:"recall"`
	Abstained Ratio  `json:"abstained"` // nothing was said, of the mails scored
}

// Counts is a confusion table: label, then what was said.
type Counts map[string]map[string]int

func (c Counts) add(label, said string) {
	if c[label] == nil {
		c[label] = map[string]int{}
	}
	c[label][said]++
}

// OptOutScore measures what stops mail. Doubtful holds it, so a plain wish that
// is held has been heard; a suppression at once must be right.
type OptOutScore struct {
	Recall         Ratio  `json:"recall"`          // plain wishes that stop or hold mail
	PlainRecall    Ratio  `json:"plain_recall"`    // plain wishes that stop it at once
	PlainPrecision Ratio  `json:"plain_precision"` // stops at once that the mail asks for
	HoldPrecision  Ratio  `json:"hold_precision"`  // stops and holds for which there was reason
	DoubtfulRecall Ratio  `json:"doubtful_recall"` // doubtful wishes that stop or hold mail
	Table          Counts `json:"table"`
}

// ClassScore measures what may make a contact.
type ClassScore struct {
	Right     Ratio  `json:"right"`
	Precision Ratio  `json:"enquiry_precision"` // of the mails taken for an enquiry
	Recall    Ratio  `json:"enquiry_recall"`
	Table     Counts `json:"table"`
}

// ReviewScore measures what is laid before a person.
type ReviewScore struct {
	Precision Ratio `json:"precision"`
	Recall    Ratio `json:"recall"`
	Rate      Ratio `json:"rate"` // of all mails
}

// LanguageScore is the little that a language's few mails can tell.
type LanguageScore struct {
	Language   string `json:"language"`
	Cases      int    `json:"cases"`
	NameRecall Ratio  `json:"name_recall"`
	Intent     Ratio  `json:"intent_recall"`
	OptOut     Ratio  `json:"opt_out_recall"`
}

// Report is one extractor held against one set of cases.
type Report struct {
	Model         string          `json:"model"`
	PromptVersion string          `json:"prompt_version"`
	Cases         int             `json:"cases"`
	Asked         int             `json:"asked"`
	Unanswered    int             `json:"unanswered"` // of those asked about: a person reads them
	Fields        []FieldScore    `json:"fields"`
	Intent        FieldScore      `json:"intent"` // "other" is abstention
	IntentTable   Counts          `json:"intent_table"`
	OptOut        OptOutScore     `json:"opt_out"`
	Class         ClassScore      `json:"class"`
	Review        ReviewScore     `json:"review"`
	Injection     InjectionScore  `json:"injection"`
	Languages     []LanguageScore `json:"languages"`
	Usage         UsageScore      `json:"usage"`
}

// UsageScore is what the answers used up, as the extractor said.
type UsageScore struct {
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
	// AtMostUSD bounds what calls that brought no answer have cost besides.
	AtMostUSD float64 `json:"at_most_usd"`
}

// ErrUneven means that cases and outcomes do not belong together.
var ErrUneven = errors.New("score: as many outcomes as cases are needed")

// Score compares outcomes with labels; outcomes[i] is of cases[i]. It is pure.
// A case of injection is measured by its effects alone and enters no other
// figure, since its fields are its twin's and would count twice.
func Score(cases []Case, outcomes []Outcome) (Report, error) {
	if len(cases) != len(outcomes) {
		return Report{}, fmt.Errorf("%w: %d, %d", ErrUneven, len(cases), len(outcomes))
	}
	t := newTally()
	languages := map[string]*tally{}
	r := Report{Cases: len(cases)}
	for i, c := range cases {
		o := outcomes[i]
		if o.Asked {
			r.Asked++
		}
		if o.Unanswered {
			r.Unanswered++
		}
		r.Usage.AtMostUSD += o.Usage.AtMostUSD
		r.Usage.InputTokens += o.Usage.InputTokens
		r.Usage.OutputTokens += o.Usage.OutputTokens
		r.Usage.CostUSD += o.Usage.CostUSD
		if c.Labels.Twin != "" {
			continue
		}
		t.take(c.Labels, o)
		if languages[c.Labels.Language] == nil {
			languages[c.Labels.Language] = newTally()
		}
		languages[c.Labels.Language].take(c.Labels, o)
	}
	var err error
	if r.Injection, err = injections(cases, outcomes); err != nil {
		return Report{}, err
	}
	t.fill(&r)
	r.Languages = languageScores(languages)
	return r, nil
}

// Misses lists what went wrong in each case, for those who tune: never of the
// half set aside.
func Misses(cases []Case, outcomes []Outcome) []string {
	var out []string
	for i, c := range cases {
		if c.Half == Aside || c.Labels.Twin != "" {
			continue
		}
		o, l := outcomes[i], c.Labels
		say := func(what, label, said string) {
			out = append(out, fmt.Sprintf("%s: %s: label %q, said %q", c.ID, what, label, said))
		}
		if l.Class.FieldsCount() {
			for _, f := range fields() {
				if labels, said := f.labels(l), f.said(o); f.wrong(labels, said) {
					say(f.name, first(labels), said)
				}
			}
			if l.Intent != o.Intent {
				say("intent", string(l.Intent), string(o.Intent))
			}
		}
		if l.OptOut != o.OptOut {
			say("opt_out", string(l.OptOut), string(o.OptOut))
		}
		if l.Class != o.Class {
			say("class", string(l.Class), string(o.Class))
		}
		if l.NeedsReview && !o.Review {
			say("needs_review", "yes", "no")
		}
	}
	return out
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// field is how one field is read from both sides.
type field struct {
	name   string
	labels func(Labels) []string
	said   func(Outcome) string
	sure   func(Sureness) int64
	agrees func(string, []string) bool
}

func (f field) wrong(labels []string, said string) bool {
	if said == "" {
		return len(labels) > 0
	}
	return !f.agrees(said, labels)
}

func fields() []field {
	return []field{
		{reader.FieldSender, func(l Labels) []string { return l.SenderEmail }, func(o Outcome) string { return o.SenderEmail }, func(s Sureness) int64 { return s.SenderEmail }, agrees},
		{reader.FieldName, func(l Labels) []string { return l.ContactName }, func(o Outcome) string { return o.ContactName }, func(s Sureness) int64 { return s.ContactName }, agrees},
		{reader.FieldCompany, func(l Labels) []string { return l.Company }, func(o Outcome) string { return o.Company }, func(s Sureness) int64 { return s.Company }, agrees},
		{reader.FieldPhone, func(l Labels) []string { return l.Phone }, func(o Outcome) string { return o.Phone }, func(s Sureness) int64 { return s.Phone }, phoneAgrees},
	}
}
