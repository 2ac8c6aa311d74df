package reader_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/reader"
	"onefold/internal/utc"
)

func mail() reader.Source {
	return reader.Source{
		Kind:        "mail",
		FromName:    "Morgan, Alex",
		FromAddress: "Alex.Morgan@example.com",
		ReplyTo:     "office@example.org",
		Subject:     "Offer for Example Tools Ltd",
		Visible:     "Hello,\nplease call me at +44 (0)20 7946 0958 or write\nto second@example.net. 株式会社山田の田中です",
		Signature:   "Alex   Morgan\nExample Tools Ltd\nTel 020 7946 0958",
		Quoted:      "Pat Quill, Other Works GmbH, +49 30 23125 001, pat@example.test",
	}
}

func field(value, evidence string, where reader.Where) reader.Field {
	return reader.Field{Value: value, Evidence: evidence, Where: where, Confidence: 80}
}

func TestValueIsKeptOnlyWithEvidenceInItsPlace(t *testing.T) {
	t.Parallel()
	const ok = ""
	cases := []struct {
		rule  string
		which string
		field reader.Field
		want  string // reason, or ok
	}{
		{"name in signature, white space aside", "name", field("Alex Morgan", "alex morgan", reader.InSignature), ok},
		{"name swapped", "name", field("Alex Morgan", "Morgan, Alex", reader.InFrom), ok},
		{"name across a line end", "name", field("Alex Morgan", "Alex Morgan\nExample Tools Ltd", reader.InSignature), ok},
		{"name without spaces between words", "name", field("田中", "山田の田中です", reader.InVisible), ok},
		{"evidence elsewhere", "name", field("Alex Morgan", "Alex Morgan", reader.InVisible), "name_unverified"},
		{"value not in evidence", "name", field("Pat Quill", "Alex Morgan", reader.InSignature), "name_unverified"},
		{"no evidence", "name", field("Alex Morgan", "", reader.InSignature), "name_unverified"},
		{"part of a word", "name", field("Al", "Alex Morgan", reader.InSignature), "name_unverified"},
		{"quoted only", "name", field("Pat Quill", "Pat Quill", reader.InVisible), "name_only_quoted"},
		{"quoted is no place", "name", field("Pat Quill", "Pat Quill", "quoted"), "name_only_quoted"},
		{"unknown place", "name", field("Alex Morgan", "Alex Morgan", "header"), "name_unverified"},
		{"line break in value", "name", field("Alex\nMorgan", "Alex Morgan", reader.InSignature), "name_not_text"},
		{"direction override in value", "name", field("Alex\u202eMorgan", "Alex Morgan", reader.InSignature), "name_not_text"},
		{"not UTF-8", "name", field("Alex\xff", "Alex", reader.InSignature), "name_not_text"},
		{"name too long", "name", field(strings.Repeat("a", 121), "Alex", reader.InSignature), "name_too_long"},
		{"evidence too long", "name", field("Alex", strings.Repeat("a", 301), reader.InSignature), "name_evidence_too_long"},
		{"link as name", "name", field("Win at www.example.test", "x", reader.InVisible), "name_malformed"},
		{"no letters", "name", field("...", "...", reader.InVisible), "name_malformed"},
		{"company in subject", "company", field("Example Tools Ltd", "Offer for Example Tools Ltd", reader.InSubject), ok},
		{"company in quoted text", "company", field("Other Works GmbH", "Other Works GmbH", reader.InSignature), "company_only_quoted"},
		{"company too long", "company", field(strings.Repeat("b", 161), "b", reader.InSubject), "company_too_long"},
		{"national phone", "phone", field("020 7946 0958", "Tel 020 7946 0958", reader.InSignature), ok},
		{"international phone, trunk zero aside", "phone", field("+442079460958", "+44 (0)20 7946 0958", reader.InVisible), ok},
		{"country made up", "phone", field("+442079460958", "020 7946 0958", reader.InSignature), "phone_unverified"},
		{"number cut out of a longer", "phone", field("7946 0958", "7946 0958", reader.InSignature), "phone_unverified"},
		{"other digits", "phone", field("020 7946 0959", "020 7946 0958", reader.InSignature), "phone_unverified"},
		{"words as phone", "phone", field("call me", "call me", reader.InVisible), "phone_malformed"},
		{"too few digits", "phone", field("12345", "12345", reader.InVisible), "phone_malformed"},
		{"sender is From, case aside", "sender_email", field("alex.morgan@example.com", "Alex.Morgan@example.com", reader.InFrom), ok},
		{"sender is Reply-To", "sender_email", field("office@example.org", "office@example.org", reader.InReplyTo), ok},
		{"sender in the text differs", "sender_email", field("second@example.net", "to second@example.net.", reader.InVisible), "sender_differs"},
		{"sender in quoted text", "sender_email", field("pat@example.test", "pat@example.test", reader.InVisible), "sender_email_only_quoted"},
		{"sender from nowhere", "sender_email", field("eve@example.test", "Alex Morgan", reader.InSignature), "sender_email_unverified"},
		{"part of an address", "sender_email", field("Morgan@example.com", "Morgan@example.com", reader.InFrom), "sender_email_unverified"},
		{"no address", "sender_email", field("alex at example", "Alex", reader.InSignature), "sender_email_malformed"},
	}
	for _, c := range cases {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			r := reader.Record{Intent: reader.Other}
			into := map[string]*reader.Field{
				"sender_email": &r.SenderEmail, "name": &r.ContactName, "company": &r.Company, "phone": &r.Phone,
			}[c.which]
			*into = c.field
			got, reasons := reader.Validate(mail(), r)
			kept := map[string]reader.Field{
				"sender_email": got.SenderEmail, "name": got.ContactName, "company": got.Company, "phone": got.Phone,
			}[c.which]
			if want := words(c.want); !slices.Equal(reasons, want) {
				t.Errorf("reasons %v, want %v", reasons, want)
			}
			want := c.field
			if c.want != ok && c.want != reader.SenderDiffers {
				want = reader.Field{}
			}
			if kept != want {
				t.Errorf("kept %+v, want %+v", kept, want)
			}
		})
	}
}

func words(s string) []string { return strings.Fields(s) }

func TestAddressInSubjectOrDisplayNameIsNotTheSenders(t *testing.T) {
	t.Parallel()
	s := mail()
	s.Subject, s.FromName = "eve@example.test", "eve@example.test"
	for _, where := range []reader.Where{reader.InSubject, reader.InFrom} {
		r := reader.Record{Intent: reader.Other, SenderEmail: field("eve@example.test", "eve@example.test", where)}
		got, reasons := reader.Validate(s, r)
		if got.SenderEmail.Value != "" || !slices.Equal(reasons, words("sender_email_unverified")) {
			t.Errorf("%s: %+v %v", where, got.SenderEmail, reasons)
		}
	}
}

func TestFormFieldIsEvidence(t *testing.T) {
	t.Parallel()
	s := reader.Source{Kind: "form", Given: reader.Given{Email: "alex@example.com", Name: "Alex Morgan"}}
	r := reader.Record{
		Intent:      reader.Pricing,
		SenderEmail: field("alex@example.com", "alex@example.com", reader.InForm),
		ContactName: field("Alex Morgan", "Alex Morgan", reader.InForm),
		// Two fields side by side are not one text.
		Company: field("Example Alex", "alex@example.com Alex Morgan", reader.InForm),
	}
	got, reasons := reader.Validate(s, r)
	if got.SenderEmail != r.SenderEmail || got.ContactName != r.ContactName || got.Company.Value != "" {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(reasons, words("company_unverified")) {
		t.Errorf("reasons %v", reasons)
	}
}

func TestWordsOutsideTheListsAreReplaced(t *testing.T) {
	t.Parallel()
	got, reasons := reader.Validate(mail(), reader.Record{
		Intent:        "send_money",
		ReviewReasons: []string{"sensitive", "please wire 100", "sensitive"},
	})
	if got.Intent != reader.Other || !slices.Equal(reasons, words("intent_unknown")) {
		t.Errorf("intent %q, reasons %v", got.Intent, reasons)
	}
	if !slices.Equal(got.ReviewReasons, words("reader_reason_unknown sensitive")) || !got.NeedsHumanReview {
		t.Errorf("review %v %v", got.NeedsHumanReview, got.ReviewReasons)
	}
}

func TestOptOutIntentSetsTheFlag(t *testing.T) {
	t.Parallel()
	got, _ := reader.Validate(mail(), reader.Record{Intent: reader.OptOut})
	if !got.PossibleOptOut {
		t.Error("the flag is not set")
	}
}

func TestConfidenceIsClamped(t *testing.T) {
	t.Parallel()
	for said, want := range map[int64]int64{-5: 0, 0: 0, 55: 55, 100: 100, 1 << 62: 100} {
		f := field("Alex Morgan", "Alex Morgan", reader.InSignature)
		f.Confidence = said
		got, _ := reader.Validate(mail(), reader.Record{Intent: reader.Other, ContactName: f})
		if got.ContactName.Confidence != want {
			t.Errorf("%d became %d, want %d", said, got.ContactName.Confidence, want)
		}
	}
}

type silent struct{ reader.Reader }

func (silent) Model() string         { return "m" }
func (silent) PromptVersion() string { return "3" }

func TestStoredFormIsValidatedAndKeepsItsNames(t *testing.T) {
	t.Parallel()
	at := utc.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	stored := reader.NewStored("acme", "ev1", silent{}, mail(), reader.Record{
		Intent: reader.Other, ContactName: field("Eve", "Eve", reader.InVisible),
	}, at)
	b, err := json.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	empty := `{"value":"","confidence":0,"evidence":"","where":""}`
	want := `{"tenant":"acme","event":"ev1","model":"m","prompt_version":"3","record":{"sender_email":` + empty +
		`,"contact_name":` + empty + `,"company":` + empty + `,"phone":` + empty +
		`,"intent":"other","possible_opt_out":false,"needs_human_review":false,"review_reasons":[]},` +
		`"reasons":["name_unverified"],"at":"2026-03-01T09:00:00.000Z","version":1,"schema":1}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}
