package reader_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"onefold/internal/reading/reader"
)

// drawText mixes pieces that sources and hostile readers share, so that both
// kept and refused values are common.
func drawText(t *rapid.T, label string) string {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"Alex Morgan", "Morgan, Alex", "alex@example.com", "x-alex@example.com", "Example Ltd", "+44 20 7946 0958",
			"020 7946 0958", "ALEX", "\n", "\r\n", " ", "\u200b", "\u202e", "\x00", "\xff", "ß", "SS", "İ", "ﬁ", "山田",
			"https://example.test/", "<b>", ",", ".", "0", "a", "\u0301",
		}),
		rapid.StringN(0, 5, 12),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, label), rapid.SampledFrom([]string{"", " "}).Draw(t, label+"_sep"))
}

func drawSource(t *rapid.T) reader.Source {
	if rapid.Bool().Draw(t, "a_mail") {
		return mail()
	}
	return reader.Source{
		FromName: drawText(t, "from_name"), FromAddress: drawText(t, "from"), ReplyTo: drawText(t, "reply_to"),
		Subject: drawText(t, "subject"), Visible: drawText(t, "visible"), Signature: drawText(t, "signature"),
		Quoted: drawText(t, "quoted"),
		Given: reader.Given{
			Email: drawText(t, "g_email"), Name: drawText(t, "g_name"), Company: drawText(t, "g_company"), Phone: drawText(t, "g_phone"),
		},
	}
}

// drawField is sometimes cut from the source, as an honest reader would.
func drawField(t *rapid.T, s reader.Source, label string) reader.Field {
	f := reader.Field{
		Value: drawText(t, label), Evidence: drawText(t, label+"_evidence"),
		Confidence: rapid.Int64().Draw(t, label+"_confidence"),
		Where:      reader.Where(rapid.SampledFrom([]string{"visible", "signature", "subject", "from", "reply_to", "form", "quoted", "", "x"}).Draw(t, label+"_where")),
	}
	if rapid.Bool().Draw(t, label+"_honest") {
		f.Evidence = rapid.SampledFrom(append(placeTexts(s, f.Where), s.Quoted)).Draw(t, label+"_text")
		if rapid.Bool().Draw(t, label+"_line") {
			f.Evidence = rapid.SampledFrom(strings.Split(f.Evidence, "\n")).Draw(t, label+"_text_line")
		}
		if rapid.Bool().Draw(t, label+"_whole") {
			f.Value = f.Evidence
		}
	}
	return f
}

func drawRecord(t *rapid.T, s reader.Source) reader.Record {
	return reader.Record{
		SenderEmail: drawField(t, s, "sender"), ContactName: drawField(t, s, "name"),
		Company: drawField(t, s, "company"), Phone: drawField(t, s, "phone"),
		Intent:           reader.Intent(rapid.SampledFrom([]string{"pricing", "opt_out", "other", "", "delete_all"}).Draw(t, "intent")),
		PossibleOptOut:   rapid.Bool().Draw(t, "opt_out"),
		NeedsHumanReview: rapid.Bool().Draw(t, "review"),
		ReviewReasons:    rapid.SliceOfN(rapid.SampledFrom([]string{"sensitive", "no_text", "rm -rf", ""}), 0, 4).Draw(t, "reasons"),
	}
}

// placeTexts is written again here, without the code under test.
func placeTexts(s reader.Source, w reader.Where) []string {
	return map[reader.Where][]string{
		reader.InVisible: {s.Visible}, reader.InSignature: {s.Signature}, reader.InSubject: {s.Subject},
		reader.InFrom: {s.FromName, s.FromAddress}, reader.InReplyTo: {s.ReplyTo},
		reader.InForm: {s.Given.Email, s.Given.Name, s.Given.Company, s.Given.Phone},
	}[w]
}

// letters is a text's letters and digits, in their lower-case compatibility
// form: the weakest reading under which something "stands in" a text.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKC.String(text)))
}

func TestWhateverAReaderSaysOnlyWhatStandsInTheSourceIsBelieved(t *testing.T) {
	t.Parallel()
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawSource(t)
		r := drawRecord(t, s)
		got, reasons := reader.Validate(s, r)
		for name, f := range map[string]reader.Field{
			"sender": got.SenderEmail, "name": got.ContactName, "company": got.Company, "phone": got.Phone,
		} {
			if f.Value == "" {
				if f != (reader.Field{}) {
					t.Fatalf("%s: emptied in part: %+v", name, f)
				}
				continue
			}
			kept++
			inPlace := strings.Join(placeTexts(s, f.Where), " ")
			if e := letters(f.Evidence); e == "" || !strings.Contains(letters(inPlace), e) {
				t.Fatalf("%s: evidence %q does not stand in %q", name, f.Evidence, inPlace)
			}
			for _, w := range strings.Fields(f.Value) {
				// A trunk zero in the evidence is no digit of the number.
				if name != "phone" && !strings.Contains(letters(f.Evidence), letters(w)) {
					t.Fatalf("%s: %q does not stand in evidence %q", name, w, f.Evidence)
				}
			}
			if strings.ContainsFunc(f.Value, unicode.IsControl) || f.Confidence < 0 || f.Confidence > 100 {
				t.Fatalf("%s: %+v", name, f)
			}
		}
		if r.PossibleOptOut && !got.PossibleOptOut || r.NeedsHumanReview && !got.NeedsHumanReview {
			t.Fatal("a flag was taken back")
		}
		again, more := reader.Validate(s, got)
		if !reflect.DeepEqual(again, got) {
			t.Fatalf("validated twice: %+v, then %+v (%v, then %v)", got, again, reasons, more)
		}
	})
	if kept == 0 && !testing.Short() { // a short run draws too few
		t.Error("no value was ever kept: the property was not tried")
	}
}

func FuzzValidate(f *testing.F) {
	f.Add("Alex Morgan", "Alex Morgan", "visible", "Alex Morgan, Example Ltd", "quoted")
	f.Add("+44 20 7946 0958", "+44 (0)20 7946 0958", "visible", "+44 (0)20 7946 0958", "")
	f.Add("alex@example.com", "alex@example.com", "visible", "x-alex@example.com", "alex@example.com")
	f.Fuzz(func(t *testing.T, value, evidence, where, visible, quoted string) {
		field := reader.Field{Value: value, Evidence: evidence, Where: reader.Where(where), Confidence: 50}
		s := reader.Source{Visible: visible, Quoted: quoted}
		got, _ := reader.Validate(s, reader.Record{
			SenderEmail: field, ContactName: field, Company: field, Phone: field, Intent: reader.Other,
		})
		for _, f := range []reader.Field{got.SenderEmail, got.ContactName, got.Company, got.Phone} {
			if f.Value != "" && where != "visible" {
				t.Errorf("kept from place %q, which has no text", where)
			}
		}
	})
}
