// Package rules reads mail and forms without a model: by fixed words and
// forms, in English, German, French and Spanish. It serves where no model is
// wanted or reachable, and it is the measure that a model has to better.
//
// Its invariants: the same source always gives the same record, with no
// clock, network or chance in it; and every value it gives has its evidence in
// the source, so validation never finds one unverified (it may find one that a
// form states malformed or too long). When unsure it leaves a value empty. It
// refuses to guess: no name out of an address, no company out of a domain, no
// country for a national number.
package rules

import (
	"context"
	"strings"

	"onefold/internal/extract"
	"onefold/internal/guard"
)

// Rules is the deterministic reader.
type Rules struct{}

var _ extract.Extractor = (*Rules)(nil)

// New makes one. It holds nothing and may be shared.
func New() *Rules { return &Rules{} }

// Model is "rules".
func (*Rules) Model() string { return "rules" }

// PromptVersion is the version of the rules. It rises whenever the same
// source could give another record.
func (*Rules) PromptVersion() string { return "1" }

// Stated confidences, in hundredths. They order the kinds of evidence; they
// are not measured frequencies.
const (
	stated  = 95 // a header or field that says so
	strong  = 85 // two signs agree
	fair    = 70 // one clear sign
	hinting = 60 // a sign that is often right
)

// Extract reads one source. It calls nothing outside; the only error is that
// of a context already done.
func (*Rules) Extract(ctx context.Context, s extract.Source) (extract.Record, error) {
	if err := ctx.Err(); err != nil {
		return extract.Record{}, err
	}
	words, err := loadVocabulary()
	if err != nil {
		return extract.Record{}, err // unreachable: the list is embedded and read by the tests
	}
	r := reader{words: words, source: s}
	record := extract.Record{
		SenderEmail:   r.sender(),
		ContactName:   r.name(),
		Company:       r.company(),
		Phone:         r.phone(),
		Intent:        r.intent(),
		ReviewReasons: r.reviewReasons(),
	}
	switch guard.OptOut(s.Subject, s.Visible).Verdict {
	case guard.OptOutExplicit:
		record.Intent, record.PossibleOptOut = extract.OptOut, true
	case guard.OptOutDoubtful:
		record.PossibleOptOut = true
	case guard.OptOutNone:
	}
	record.NeedsHumanReview = len(record.ReviewReasons) > 0
	return record, nil
}

// reader is one source being read.
type reader struct {
	words  vocabulary
	source extract.Source
}

// given is a form's own field: its value is its evidence.
func given(value string) extract.Field {
	value = strings.Join(strings.Fields(value), " ")
	if value == "" {
		return extract.Field{}
	}
	return extract.Field{Value: value, Confidence: stated, Evidence: value, Where: extract.InForm}
}

func (r reader) sender() extract.Field {
	s := r.source
	if f := given(s.Given.Email); f.Value != "" {
		return f
	}
	if s.FromAddress != "" {
		return extract.Field{Value: s.FromAddress, Confidence: stated, Evidence: s.FromAddress, Where: extract.InFrom}
	}
	if s.ReplyTo != "" {
		return extract.Field{Value: s.ReplyTo, Confidence: fair, Evidence: s.ReplyTo, Where: extract.InReplyTo}
	}
	return extract.Field{}
}
