package rules_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

func TestReaderNamesItself(t *testing.T) {
	t.Parallel()
	if r := rules.New(); r.Model() != "rules" || r.PromptVersion() != "4" {
		t.Errorf("%s %s", r.Model(), r.PromptVersion())
	}
}

func TestContextAlreadyDoneIsAnError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rules.New().Extract(ctx, reader.Source{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Signatures, names and closings are joined at random: whatever comes of it
// must be verified by evidence, and be the same the second time.
func TestEveryValueIsVerifiedAndRepeatable(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"Alex Morgan", "Morgan, Alex", "Example Tools Ltd", "Example, Inc.", "Talleres S.L.", "SARL Exemple", "AG", "GmbH & Co. KG",
		"Best regards", "Mit freundlichen Grüßen", "Merci", ",", ".", "|", "(", ")", "\n", "\n\n", "+44 (0)20 7946 0958", "+49 30 23125001",
		"I am", "from", "d'", "my number", "fax", "unsubscribe", "\u200b", "\u00a0", "é", "e\u0301", "İ", "ß", "\xff", "@", "<x>", "1",
		"O’Neil", "J. R.", "von", "日本", "price", "?", "'", "\"", "\t", "\x00", "A/S", "Sp. z o.o.", "ﬁ", "+1 212 555 0123/4",
	})
	text := func(t *rapid.T, label string) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 14).Draw(t, label), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, label+"_sep"))
	}
	values := 0
	rapid.Check(t, func(t *rapid.T) {
		s := reader.Source{
			Kind: "mail", FromName: text(t, "from"), FromAddress: "alex.morgan@example.com",
			Subject: text(t, "subject"), Visible: text(t, "visible"), Signature: text(t, "signature"), Quoted: text(t, "quoted"),
		}
		r, err := rules.New().Extract(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if r.ContactName.Value+r.Company.Value+r.Phone.Value != "" {
			values++
		}
		believed, dropped := reader.Validate(s, r)
		for _, reason := range dropped {
			if strings.HasSuffix(reason, reader.Unverified) || strings.HasSuffix(reason, reader.OnlyQuoted) {
				t.Fatalf("%s: %+v", reason, r)
			}
		}
		if r.PossibleOptOut != believed.PossibleOptOut || r.Intent != believed.Intent {
			t.Fatalf("%+v became %+v", r, believed)
		}
		if again, _ := rules.New().Extract(context.Background(), s); !reflect.DeepEqual(again, r) {
			t.Fatalf("not repeatable: %+v, then %+v", r, again)
		}
	})
	if values == 0 {
		t.Error("no value was ever read: the property was not tried")
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("Alex Morgan", "Pricing", "I am Alex from Example Tools Ltd.\n\nBest regards,\nAlex Morgan", "Tel +44 20 7946 0958")
	f.Add("Morgan, Alex", "Re: x", "d'Exemple SA", "SARL Exemple\n\xff")
	f.Add("Ale AA", "", "I Am 0000 from 0000000 00000 Ltd.\n\nBest regards\nAle AA", "Tel 0 0000000") // a number within a number
	f.Add("0", "0", "Im from 0 Ltd@0", "0")                                                           // a firm within an address
	f.Add("Alea Morg", "x", "I am Alaa from Aaaaaaa Aaaaa Ltd.", "Tel +84 00000000000")               // no number
	f.Fuzz(func(t *testing.T, from, subject, visible, signature string) {
		s := reader.Source{FromName: from, FromAddress: "a@example.com", Subject: subject, Visible: visible, Signature: signature}
		r, err := rules.New().Extract(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		_, dropped := reader.Validate(s, r)
		for _, reason := range dropped {
			if strings.HasSuffix(reason, reader.Unverified) {
				t.Errorf("%s: %+v", reason, r)
			}
		}
	})
}
