package inspect

import (
	"onefold/internal/decide/content"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
)

// Inspection is what inspect -json prints. Names and meanings are stable;
// properties may be added.
type Inspection struct {
	From        string     `json:"from"` // the address alone
	ReplyTo     string     `json:"reply_to"`
	Subject     string     `json:"subject"`
	MessageID   string     `json:"message_id"` // without angle brackets
	Kind        string     `json:"kind"`
	VisibleText string     `json:"visible_text"`
	Warnings    []string   `json:"warnings"`
	Extraction  extraction `json:"extraction"`
	Suppression *stopped   `json:"suppression"`
	Decision    decided    `json:"decision"`

	Route     rawmail.Route `json:"route"`
	Forwarded *passedOn     `json:"forwarded"`
}

// passedOn is the mail inside a mail that passes it on.
type passedOn struct {
	From     string `json:"from"` // the address alone
	Name     string `json:"name"`
	Subject  string `json:"subject"`
	Text     string `json:"text"` // what that sender wrote
	Attached bool   `json:"attached"`
}

// extraction is the reader's record as it was believed.
type extraction struct {
	SenderEmail      field    `json:"sender_email"`
	ContactName      field    `json:"contact_name"`
	Company          field    `json:"company"`
	Phone            field    `json:"phone"`
	Intent           string   `json:"intent"`
	PossibleOptOut   bool     `json:"possible_opt_out"`
	NeedsHumanReview bool     `json:"needs_human_review"`
	ReviewReasons    []string `json:"review_reasons"`
}

// field is one value, null where the mail does not state it.
type field struct {
	Value      *string `json:"value"`
	Confidence float64 `json:"confidence"` // 0 to 1
	Evidence   *string `json:"evidence"`
}

type stopped struct {
	Address string `json:"address"`
	Reason  string `json:"reason"`
	Hard    bool   `json:"hard"`
}

type decided struct {
	Outcome string   `json:"outcome"`
	Reasons []string `json:"reasons"`
}

// extractionOf shows a stored record. Opt-out words that the rules met count
// as the reader's own doubt; a part that was not believed, doubtful words and
// bytes that nothing could be read of are reasons for a person to look.
func extractionOf(x *reader.Stored, f content.Facts) extraction {
	out := extraction{Intent: string(reader.Other), NeedsHumanReview: f.Unreadable(), ReviewReasons: []string{}}
	if x == nil {
		return out
	}
	r := x.Record
	out.SenderEmail, out.ContactName = fieldOf(r.SenderEmail), fieldOf(r.ContactName)
	out.Company, out.Phone = fieldOf(r.Company), fieldOf(r.Phone)
	out.Intent = string(r.Intent)
	words := f.OptOut.Verdict != wish.OptOutNone && f.OptOut.Verdict != ""
	out.PossibleOptOut = r.PossibleOptOut || words
	out.ReviewReasons = append(list(r.ReviewReasons), x.Reasons...)
	out.NeedsHumanReview = r.NeedsHumanReview || len(out.ReviewReasons) > 0 || f.OptOut.Verdict == wish.OptOutDoubtful
	return out
}

func fieldOf(f reader.Field) field {
	if f.Value == "" {
		return field{}
	}
	return field{Value: &f.Value, Confidence: float64(f.Confidence) / 100, Evidence: &f.Evidence}
}

// list is never nil, so that JSON has [] and not null.
func list(words []string) []string { return append([]string{}, words...) }
