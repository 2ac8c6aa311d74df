package extracttest

import (
	"context"
	"fmt"

	"onefold/internal/extract"
	"onefold/internal/flow"
	"onefold/internal/guard"
	"onefold/internal/rawmail"
)

// Outcome is what came of one mail: what is believed after parsing, opt-out
// words, extraction and validation. An empty field is abstention.
type Outcome struct {
	Asked       bool // the extractor was asked; a machine's mail needs none
	Class       Class
	SenderEmail string
	ContactName string
	Company     string
	Phone       string
	Intent      extract.Intent
	OptOut      Wish
	Review      bool // a person looks before anything is done
	Usage       extract.Usage
}

// Classify tells the class of a mail that was read. Nil stands for ByKind.
type Classify func(flow.Facts, extract.Record) Class

// ByKind takes the record's class of what a person may have written, and else
// knows what rawmail knows: a machine's mail or a list's.
func ByKind(f flow.Facts, r extract.Record) Class {
	switch {
	case f.Kind == rawmail.List && f.Machine():
		return Newsletter
	case f.Machine():
		return AutoReply
	case r.Class != "":
		return Class(r.Class)
	}
	return Enquiry
}

// Read runs a mail through parsing, opt-out words, the extractor and
// validation, as processing does, except that it asks the extractor about a
// plain opt-out too, so that the fields are measured on every mail that a
// person may have written. own tells the business's addresses. An error is the
// extractor's.
func Read(ctx context.Context, x extract.Extractor, c Case, own rawmail.IsOwn, classify Classify) (Outcome, error) {
	if classify == nil {
		classify = ByKind
	}
	f := flow.FactsOfMail(rawmail.Parse(c.Mail, own))
	out := Outcome{Intent: extract.Other, OptOut: wishOf(f.OptOut.Verdict), Review: f.Unreadable()}
	if !f.Human() {
		out.Class = classify(f, extract.Record{})
		return out, nil
	}
	record, usage, err := ask(ctx, x, f.Source)
	if err != nil {
		return Outcome{}, fmt.Errorf("case %s: %w", c.ID, err)
	}
	record, reasons := extract.Validate(f.Source, record)
	if out.OptOut == None && record.PossibleOptOut {
		out.OptOut = Doubtful
	}
	out.Asked, out.Usage = true, usage
	out.Class = classify(f, record)
	out.SenderEmail, out.ContactName = record.SenderEmail.Value, record.ContactName.Value
	out.Company, out.Phone = record.Company.Value, record.Phone.Value
	out.Intent = record.Intent
	out.Review = record.NeedsHumanReview || len(reasons) > 0 || len(f.Doubts) > 0 || out.OptOut == Doubtful
	return out, nil
}

// ReadAll reads every case, in order; the outcomes stand as the cases do.
func ReadAll(ctx context.Context, x extract.Extractor, cases []Case, own rawmail.IsOwn, classify Classify) ([]Outcome, error) {
	out := make([]Outcome, len(cases))
	for i, c := range cases {
		var err error
		if out[i], err = Read(ctx, x, c, own, classify); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func ask(ctx context.Context, x extract.Extractor, s extract.Source) (extract.Record, extract.Usage, error) {
	if metered, ok := x.(extract.Metered); ok {
		return metered.ExtractMetered(ctx, s)
	}
	record, err := x.Extract(ctx, s)
	return record, extract.Usage{}, err
}

func wishOf(v guard.Verdict) Wish {
	switch v {
	case guard.OptOutExplicit:
		return Plain
	case guard.OptOutDoubtful:
		return Doubtful
	case guard.OptOutNone:
	}
	return None
}

// IsOwn tells the addresses of the business that the set's mails are sent to.
func IsOwn(address string) bool { return hasDomain(address, "brightwell.example") }
