// Package rules reads mail and forms without a model: by lists of words and by
// the forms that names, firms and numbers are written in. It reads English,
// German, French and Spanish whole; of Italian, Portuguese, Dutch, Polish,
// Swedish, Danish, Norwegian and Finnish what their lists hold. It serves where
// no model is wanted or reachable, and it is the measure that a model has to
// better.
//
// Its invariants: the same source always gives the same record, with no
// clock, network or chance in it; and every value it gives has its evidence in
// the source, so validation never finds one unverified (it may find one that a
// form states malformed or too long). When unsure it leaves a value empty and a
// message an enquiry. It refuses to guess: no name out of an address, no company
// out of a domain, no country for a national number.
package rules

import (
	"context"
	"strings"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
)

// Rules is the deterministic reader.
type Rules struct{}

var _ reader.Reader = (*Rules)(nil)

// New makes one. It holds nothing and may be shared.
func New() *Rules { return &Rules{} }

// Model is "rules".
func (*Rules) Model() string { return "rules" }

// PromptVersion is the version of the rules. It rises whenever the same
// source could give another record.
func (*Rules) PromptVersion() string { return "4" }

// Stated confidences, in hundredths. They order the kinds of evidence; they
// are not measured frequencies.
const (
	stated  = 95 // a header or field that says so
	strong  = 85 // two signs agree
	fair    = 70 // one clear sign
	hinting = 60 // a sign that is often right
)

// What is read of one part and of one header, in bytes. What stands beyond is no
// signature and no wish that an answer could hang on, and reading stays in
// bounded time. Opt-out words are looked for in all of it.
const (
	maxText   = 64 << 10
	maxHeader = 2 << 10
)

// Extract reads one source. It calls nothing outside; the only error is that
// of a context already done.
func (*Rules) Extract(ctx context.Context, s reader.Source) (reader.Record, error) {
	if err := ctx.Err(); err != nil {
		return reader.Record{}, err
	}
	lists, err := loadVocabulary()
	if err != nil {
		return reader.Record{}, err // unreachable: the lists are embedded and read by the tests
	}
	optOut := wish.OptOut(s.Subject, s.Visible).Verdict // of the whole text
	r := newSourceRead(lists[0], lists[1], s)
	name, unclear := r.name()
	record := reader.Record{
		SenderEmail: r.sender(),
		ContactName: name,
		Company:     r.company(name.Value),
		Phone:       r.phone(),
		Class:       reader.Enquiry,
	}
	if optOut == wish.OptOutNone {
		// Who asks not to be mailed is heard, whatever the rest may be.
		var both bool
		record.Class, both = r.class()
		unclear = unclear || both
	}
	record.ReviewReasons = r.reviewReasons(unclear)
	record.Intent = reader.Other
	if record.Class.IsEnquiry() {
		record.Intent = r.intent(optOut == wish.OptOutNone)
	}
	switch optOut {
	case wish.OptOutExplicit:
		record.Intent, record.PossibleOptOut = reader.OptOut, true
	case wish.OptOutDoubtful:
		record.PossibleOptOut = true
	case wish.OptOutNone:
	}
	record.NeedsHumanReview = len(record.ReviewReasons) > 0
	return record, nil
}

// sourceRead is one source being read.
type sourceRead struct {
	words   *vocabulary
	guarded *vocabulary
	source  reader.Source
	off     signOff
	all     found // of the subject, where it is the sender's, and the new text
	domain  string
	spoken  func(language string) bool // of that text
	// The words of the names in From and under the text.
	fromWords, signWords []string
}

func newSourceRead(words, guarded *vocabulary, s reader.Source) *sourceRead {
	for part, most := range map[*string]int{&s.FromName: maxHeader, &s.Subject: maxHeader, &s.Visible: maxText, &s.Signature: maxText, &s.Quoted: maxText} {
		*part = strings.ToValidUTF8((*part)[:min(len(*part), most)], "\uFFFD")
	}
	r := &sourceRead{words: words, guarded: guarded, source: s}
	r.domain = r.domainName()
	text := plain(s.Visible)
	if subject, isReply := wish.CutReplyPrefix(s.Subject); !isReply || text == "" {
		text = plain(subject) + " " + text
	}
	all := strings.Fields(text)
	r.spoken = words.languages(all)
	r.all = words.findIn(all, r.spoken)
	r.off = r.signOff()
	r.fromWords = nameWords(s.FromName)
	if len(r.off.lines) > 0 {
		r.signWords = nameWords(r.off.lines[0].text)
	}
	return r
}

// given is a form's own field: its value is its evidence.
func given(value string) reader.Field {
	value = strings.Join(strings.Fields(value), " ")
	if value == "" {
		return reader.Field{}
	}
	return reader.Field{Value: value, Confidence: stated, Evidence: value, Where: reader.InForm}
}

// sender is the form's address, else From. Where From is a machine's, such as a
// form service's, it is the person's in Reply-To, else the only address that
// the text gives; validation lets a person look at both.
func (r *sourceRead) sender() reader.Field {
	s := r.source
	if f := given(s.Given.Email); f.Value != "" {
		return f
	}
	replyTo := reader.Field{Value: s.ReplyTo, Confidence: fair, Evidence: s.ReplyTo, Where: reader.InReplyTo}
	if s.FromAddress == "" {
		if s.ReplyTo == "" {
			return reader.Field{}
		}
		return replyTo
	}
	if reader.IsMachineAddress(s.FromAddress) {
		if s.ReplyTo != "" && !reader.IsMachineAddress(s.ReplyTo) {
			return replyTo
		}
		if f := r.addressInText(); s.ReplyTo == "" && f.Value != "" {
			return f
		}
	}
	return reader.Field{Value: s.FromAddress, Confidence: stated, Evidence: s.FromAddress, Where: reader.InFrom}
}

// addressInText is the one address that the sender's text holds; of two it is
// not for rules to say which.
func (r *sourceRead) addressInText() reader.Field {
	only := reader.Field{}
	for _, part := range []struct {
		text  string
		where reader.Where
	}{{r.source.Visible, reader.InVisible}, {r.source.Signature, reader.InSignature}} {
		for _, w := range strings.FieldsFunc(part.text, func(c rune) bool { return strings.ContainsRune(" \t\r\n\u00a0<>()[]{},;:\"|", c) }) {
			w = strings.TrimRight(w, ".!?'")
			if !strings.Contains(w, "@") || reader.IsMachineAddress(w) {
				continue
			}
			if only.Value != "" && !strings.EqualFold(only.Value, w) {
				return reader.Field{}
			}
			only = reader.Field{Value: w, Confidence: hinting, Evidence: w, Where: part.where}
		}
	}
	if !isAddress(only.Value) {
		return reader.Field{}
	}
	return only
}
