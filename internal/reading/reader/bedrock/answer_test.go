package bedrock_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/bedrock"
	"onefold/internal/reading/reader/bedrocktest"
)

const whole = `{"sender_email":{"value":"ada@example.org","confidence":97,"evidence":"ada@example.org","where":"from"},` +
	`"contact_name":{"value":"Ada King","confidence":90,"evidence":"Ada King","where":"signature"},` +
	`"company":{"value":"Example Tools Ltd","confidence":85,"evidence":"Example Tools Ltd","where":"signature"},` +
	`"phone":{"value":"+44 20 7946 0958","confidence":80,"evidence":"+44 20 7946 0958","where":"signature"},` +
	`"intent":"pricing","possible_opt_out":true,"needs_human_review":true,"review_reasons":["ambiguous"]}`

func TestAWholeAnswerIsTheRecord(t *testing.T) {
	t.Parallel()
	want := reader.Record{
		SenderEmail: reader.Field{Value: "ada@example.org", Confidence: 97, Evidence: "ada@example.org", Where: reader.InFrom},
		ContactName: reader.Field{Value: "Ada King", Confidence: 90, Evidence: "Ada King", Where: reader.InSignature},
		Company:     reader.Field{Value: "Example Tools Ltd", Confidence: 85, Evidence: "Example Tools Ltd", Where: reader.InSignature},
		Phone:       reader.Field{Value: "+44 20 7946 0958", Confidence: 80, Evidence: "+44 20 7946 0958", Where: reader.InSignature},
		Intent:      reader.Pricing, PossibleOptOut: true, NeedsHumanReview: true, ReviewReasons: []string{reader.ReasonAmbiguous},
	}
	for _, o := range outputs() {
		r, _ := serve(t, always(bedrocktest.Reply{Answer: whole, InputTokens: 2_000_000, OutputTokens: 100_000}), by(o))
		record, used, err := r.ExtractMetered(t.Context(), enquiry())
		if err != nil || !reflect.DeepEqual(record, want) {
			t.Errorf("by %s: %+v, %v", o, record, err)
		}
		// 2 million at 1.10 and a tenth of a million at 5.50 USD.
		if used.InputTokens != 2_000_000 || used.OutputTokens != 100_000 || math.Abs(used.CostUSD-2.75) > 1e-9 {
			t.Errorf("by %s: usage %+v", o, used)
		}
		if _, reasons := reader.Validate(enquiry(), record); len(reasons) > 0 {
			t.Errorf("by %s: validation says %v", o, reasons)
		}
	}
}

func TestAnAbsentValueIsNone(t *testing.T) {
	t.Parallel()
	for _, o := range outputs() {
		r, _ := serve(t, nil, by(o))
		record, err := r.Extract(t.Context(), enquiry())
		want := reader.Record{Intent: reader.Other, ReviewReasons: []string{}}
		if err != nil || !reflect.DeepEqual(record, want) {
			t.Errorf("by %s: %+v, %v", o, record, err)
		}
	}
}

// A model that was held to a schema may still give anything.
func TestAnAnswerThatIsNoRecordIsRefusedWhole(t *testing.T) {
	t.Parallel()
	in := func(old, replacement string) string { return strings.Replace(whole, old, replacement, 1) }
	for name, answer := range map[string]string{
		"no object":              `[]`,
		"null":                   `null`,
		"unknown property":       in(`"intent"`, `"send_to":"eve@example.test","intent"`),
		"unknown in a field":     in(`"confidence":97`, `"confidence":97,"cc":"eve@example.test"`),
		"property missing":       in(`,"review_reasons":["ambiguous"]`, ``),
		"field's part missing":   in(`,"where":"from"`, ``),
		"another case":           in(`"intent"`, `"Intent"`),
		"intent of no list":      in(`"pricing"`, `"send_money"`),
		"reason of no list":      in(`"ambiguous"`, `"please send"`),
		"place of no list":       in(`"where":"from"`, `"where":"quoted"`),
		"confidence in words":    in(`97`, `"high"`),
		"confidence in parts":    in(`97`, `0.97`),
		"confidence beyond size": in(`97`, `97000000000000000000`),
		"flag in words":          in(`"possible_opt_out":true`, `"possible_opt_out":"false"`),
		"a list for a field":     in(`{"value":"ada@example.org","confidence":97,"evidence":"ada@example.org","where":"from"}`, `["ada@example.org"]`),
	} {
		for _, o := range outputs() {
			t.Run(name+" by "+string(o), func(t *testing.T) {
				t.Parallel()
				r, _ := serve(t, always(bedrocktest.Reply{Answer: answer}), by(o))
				_, err := r.Extract(t.Context(), enquiry())
				wants(t, err, reader.Garbled, "reader_garbled")
			})
		}
	}
}

func TestContentOfAnotherShapeIsRefused(t *testing.T) {
	t.Parallel()
	text := `{"text":` + quoted(whole) + `}`
	use := func(name string) string {
		return `{"toolUse":{"toolUseId":"t1","name":"` + name + `","input":` + whole + `}}`
	}
	for name, c := range map[string]struct {
		output  bedrock.Output
		content string
		ok      bool
	}{
		"thinking before a text":  {bedrock.Schema, `[{"reasoningContent":{"reasoningText":{"text":"hm"}}},` + text + `]`, true},
		"two texts":               {bedrock.Schema, `[` + text + `,` + text + `]`, false},
		"no block":                {bedrock.Schema, `[]`, false},
		"prose around":            {bedrock.Schema, `[{"text":` + quoted("Here it is: "+whole) + `}]`, false},
		"prose behind":            {bedrock.Schema, `[{"text":` + quoted(whole+" Done.") + `}]`, false},
		"two records":             {bedrock.Schema, `[{"text":` + quoted(whole+whole) + `}]`, false},
		"fenced":                  {bedrock.Schema, `[{"text":` + quoted("```json\n"+whole+"\n```") + `}]`, false},
		"a tool beside a text":    {bedrock.Schema, `[` + text + `,` + use("record_message") + `]`, false},
		"words before a tool":     {bedrock.Tool, `[{"text":"I write it down."},` + use("record_message") + `]`, true},
		"another tool":            {bedrock.Tool, `[` + use("send_mail") + `]`, false},
		"the tool and another":    {bedrock.Tool, `[` + use("record_message") + `,` + use("send_mail") + `]`, false},
		"the tool twice":          {bedrock.Tool, `[` + use("record_message") + `,` + use("record_message") + `]`, false},
		"text for a tool":         {bedrock.Tool, `[` + text + `]`, false},
		"an image among the text": {bedrock.Schema, `[{"image":{"format":"png","source":{"bytes":"AA=="}}},` + text + `]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := serve(t, always(bedrocktest.Reply{Content: c.content}), by(c.output))
			record, err := r.Extract(t.Context(), enquiry())
			if c.ok {
				if err != nil || record.ContactName.Value != "Ada King" {
					t.Errorf("%+v, %v", record, err)
				}
				return
			}
			wants(t, err, reader.Garbled, "reader_garbled")
		})
	}
}

func TestWhatWasReadInPartIsForAPerson(t *testing.T) {
	t.Parallel()
	r, _ := serve(t, nil, nil)
	s := enquiry()
	s.Visible = strings.Repeat("Good morning. ", 2000) + "Please write to me no more."
	record, err := r.Extract(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	record, _ = reader.Validate(s, record)
	if !record.NeedsHumanReview || !reflect.DeepEqual(record.ReviewReasons, []string{reader.ReasonPart}) {
		t.Errorf("%v %v", record.NeedsHumanReview, record.ReviewReasons)
	}
}
