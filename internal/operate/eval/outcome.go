package eval

import (
	"context"
	"errors"
	"fmt"

	"onefold/internal/decide/content"
	"onefold/internal/reading/ours"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
)

// Outcome is what came of one mail: what is believed after parsing, opt-out
// words, extraction and validation, and what that leads to. An empty field is
// abstention.
type Outcome struct {
	Asked       bool // the extractor was asked; a machine's mail needs none
	Unanswered  bool // it gave no answer: a person reads the mail
	Class       Class
	SenderEmail string
	ContactName string
	Company     string
	Phone       string
	Sure        Sureness
	Intent      reader.Intent
	OptOut      Wish
	Review      bool // a person looks before anything is done
	Effects     Effects
	Usage       reader.Usage
}

// Sureness is the confidence that the extractor stated in each value believed,
// in hundredths.
type Sureness struct{ SenderEmail, ContactName, Company, Phone int64 }

// Reply is what an extractor said to one mail.
type Reply struct {
	Record  reader.Record
	Reasons []string // for a person to look, besides those in the record
	Usage   reader.Usage
	// None: there is no record, and Reasons say why.
	None bool
}

// Classify tells the class of a mail that was read. Nil stands for ByKind.
type Classify func(content.Facts, reader.Record) Class

// ByKind takes the record's class of what a person may have written, and else
// knows what rawmail knows: a machine's mail or a list's.
func ByKind(f content.Facts, r reader.Record) Class {
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

// Question is a mail as far as it is read without an extractor.
type Question struct{ facts content.Facts }

// Open parses a mail under the bench's policy.
func (b *Bench) Open(c Case) Question {
	return Question{content.OfMail(ours.ReadMail(b.policy, c.Mail, nil, ""))}
}

// Source is what the extractor is shown. Processing asks nobody about a plain
// opt-out; here it is asked about too, so that the fields are measured on every
// mail that a person may have written. Of other mail asked is false.
func (q Question) Source() (s reader.Source, asked bool) { return q.facts.Source, q.facts.Human() }

// Outcome is what came of a mail with the extractor's answer, which nobody looks
// at where it was not asked. An error is a fault of the program or the policy.
func (b *Bench) Outcome(q Question, a Reply) (Outcome, error) {
	f := q.facts
	out := Outcome{Intent: reader.Other, OptOut: wishOf(f.OptOut.Verdict), Review: f.Unreadable()}
	var x *reader.Stored
	if f.Human() {
		out.Asked, out.Unanswered, out.Usage = true, a.None, a.Usage
		if !a.None {
			stored := b.stored(f.Source, a)
			x = &stored
		}
		out.read(f, x)
	}
	if x != nil {
		out.Class = b.classify(f, x.Record)
	} else {
		out.Class = b.classify(f, reader.Record{})
	}
	var err error
	out.Effects, err = b.decide(f, x)
	return out, err
}

// read takes over what is believed of an answer; without one a person reads.
func (o *Outcome) read(f content.Facts, x *reader.Stored) {
	if x == nil {
		o.Review = true
		return
	}
	r := x.Record
	if o.OptOut == None && r.PossibleOptOut {
		o.OptOut = Doubtful
	}
	o.SenderEmail, o.ContactName, o.Company, o.Phone = r.SenderEmail.Value, r.ContactName.Value, r.Company.Value, r.Phone.Value
	o.Sure = Sureness{r.SenderEmail.Confidence, r.ContactName.Confidence, r.Company.Confidence, r.Phone.Confidence}
	o.Intent = r.Intent
	o.Review = r.NeedsHumanReview || len(x.Reasons) > 0 || len(f.Doubts) > 0 || o.OptOut == Doubtful
}

// Read asks the extractor about one mail, once. An error is the extractor's.
func (b *Bench) Read(ctx context.Context, x reader.Reader, c Case) (Outcome, error) {
	q := b.Open(c)
	var a Reply
	if s, asked := q.Source(); asked {
		var err error
		if a, err = Ask(ctx, x, s); err != nil {
			return Outcome{}, fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return b.Outcome(q, a)
}

// ReadAll reads every case, in order; the outcomes stand as the cases do.
func (b *Bench) ReadAll(ctx context.Context, x reader.Reader, cases []Case) ([]Outcome, error) {
	out := make([]Outcome, len(cases))
	for i, c := range cases {
		var err error
		if out[i], err = b.Read(ctx, x, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Account is the tenant on whose account an Accounted extractor reads the set.
const Account = "eval"

// ErrAnother means that another than the extractor asked has answered, such as
// the rules when a budget is spent: its words are not the extractor's.
var ErrAnother = errors.New("score: another has answered in the extractor's place")

// Ask asks an extractor about one source, once. Of an error the answer still
// has the usage.
func Ask(ctx context.Context, x reader.Reader, s reader.Source) (Reply, error) {
	switch y := x.(type) {
	case reader.Accounted:
		reading, used, err := y.ReadFor(ctx, Account, s)
		if err == nil && (reading.Model != "" && reading.Model != x.Model() || reading.PromptVersion != "" && reading.PromptVersion != x.PromptVersion()) {
			err = ErrAnother
		}
		return Reply{Record: reading.Record, Reasons: reading.Reasons, Usage: used}, err
	case reader.Metered:
		record, used, err := y.ExtractMetered(ctx, s)
		return Reply{Record: record, Usage: used}, err
	}
	record, err := x.Extract(ctx, s)
	return Reply{Record: record}, err
}

func wishOf(v wish.Verdict) Wish {
	switch v {
	case wish.OptOutExplicit:
		return Plain
	case wish.OptOutDoubtful:
		return Doubtful
	case wish.OptOutNone:
	}
	return None
}
