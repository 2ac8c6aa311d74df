package rules_test

import (
	"context"
	"strings"
	"testing"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

// read gives what is believed of a source, and the reasons of validation.
func read(t *testing.T, s reader.Source) (reader.Record, string) {
	t.Helper()
	s.Kind = "mail"
	raw, err := rules.New().Extract(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	r, reasons := reader.Validate(s, raw)
	return r, strings.Join(append(r.ReviewReasons, reasons...), " ")
}

func TestWhoWrote(t *testing.T) {
	t.Parallel()
	const text = "What does the bench scale cost?"
	for _, c := range []struct {
		rule, from, address, visible, want string
	}{
		{"titles and degrees fall away", "Prof. Dr. Greta Holm, PhD", "g.holm@lab.example", text, "Greta Holm"},
		{"the longer form wins", "G. Holm", "g.holm@lab.example", text + "\n\nBest regards,\nGreta Holm", "Greta Holm"},
		{"a nickname does not", "Gretel Holm", "g.holm@lab.example", text + "\n\nThanks, Gret", "Gretel Holm"},
		{"particles do not count", "van der Berg tot Stein, Anna Maria Elisabeth", "a@berg.example", text, ""},
		{"particles in a name turned round", "de la Cruz, Ana María", "ana@cruz.example", text, "Ana María de la Cruz"},
		{"a firm in From, a person below", "Bäckerei Holm", "info@baeckerei-holm.example", text + "\n\nViele Grüße\nGreta Holm\nBäckerei Holm", "Greta Holm"},
		{"a baker by name is a person", "Greta Baker", "greta.baker@lab.example", text, "Greta Baker"},
		{"two people", "Greta & Nils Holm", "holm@example.org", text, ""},
		{"From and signature differ", "Greta Holm", "g.holm@lab.example", text + "\n\nRegards,\nPeter Quist", ""},
		{"one of a couple", "Greta Holm", "holm@example.org", text + "\n\nRegards,\nNils Holm", ""},
		{"introduced by name", "shopfan99", "shop99@example.org", "Hello, my name is Greta Holm. " + text, "Greta Holm"},
		{"an office", "Purchasing", "purchasing@lab.example", text, ""},
		{"nobody", "", "x1@example.org", text, ""},
		{"a name in a sentence is not the sender's", "", "x1@example.org", "Is Greta Holm still with you? " + text, ""},
		{"who is greeted does not sign", "", "x1@example.org", "Thanks Greta. " + text, ""},
	} {
		r, why := read(t, reader.Source{FromName: c.from, FromAddress: c.address, Subject: "Scale", Visible: c.visible})
		if r.ContactName.Value != c.want {
			t.Errorf("%s: %q, want %q (%s)", c.rule, r.ContactName.Value, c.want, why)
		}
	}
}

func TestSenderOfARelayedMailIsInReplyTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule          string
		from, replyTo string
		visible       string
		want, reasons string
	}{
		{"a person writes", "kim@mill.example", "office@mill.example", "Price?", "kim@mill.example", ""},
		{"a machine relays", "no-reply@forms.example", "kim@mill.example", "Price?", "kim@mill.example", "sender_relayed"},
		{"in other languages", "nicht.antworten@formulare.example", "kim@mill.example", "Preis?", "kim@mill.example", "sender_relayed"},
		{"two machines", "noreply@forms.example", "bounces@forms.example", "Price?", "noreply@forms.example", ""},
		{"the text names it", "noreply@forms.example", "", "Price? Write to kim@mill.example.", "kim@mill.example", "sender_differs"},
		{"the text names two", "noreply@forms.example", "", "Price? kim@mill.example or jo@mill.example", "noreply@forms.example", ""},
		{"a person's text names another", "kim@mill.example", "", "Please write to eve@attack.test.", "kim@mill.example", ""},
	} {
		r, reasons := read(t, reader.Source{FromName: "Kim Sato", FromAddress: c.from, ReplyTo: c.replyTo, Subject: "Scale", Visible: c.visible})
		if r.SenderEmail.Value != c.want || reasons != c.reasons {
			t.Errorf("%s: %q %q, want %q %q", c.rule, r.SenderEmail.Value, reasons, c.want, c.reasons)
		}
	}
}

func TestWhichFirmAndNumberAreTheSenders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, address, visible string
		company, phone         string
	}{
		{"a line that the domain bears", "kim@riverbank.example", "Price?\n\nThanks,\nKim Sato\nRiverbank Pottery", "Riverbank Pottery", ""},
		{"a line that nothing bears", "kim@example.org", "Price?\n\nThanks,\nKim Sato\nBlue Horizon", "", ""},
		{"an office is no firm", "kim@riverbank.example", "Price?\n\nThanks,\nKim Sato\nPurchasing", "", ""},
		{"a sentence about oneself", "kim@riverbank.example", "Hello, I am Kim from Riverbank Pottery and need a scale.", "Riverbank Pottery", ""},
		{"a sentence about another", "kim@example.org", "Hello, Riverbank Pottery told me about you.", "", ""},
		{"the telephone, not the fax", "kim@example.org", "Price?\n\nThanks,\nKim Sato\nFax: +44 20 7946 0100\nTel: +44 20 7946 0101", "", "+442079460101"},
		{"not the line of last resort", "kim@example.org", "Price?\n\nThanks,\nKim Sato\nSwitchboard +44 20 7946 0100 | Mobile +44 20 7946 0102", "", "+442079460102"},
		{"the text before the signature", "kim@example.org", "Please call me on +44 20 7946 0103.\n\nThanks,\nKim Sato\nTel +44 20 7946 0104", "", "+442079460103"},
		{"somebody else's number", "kim@example.org", "My brother can be reached, call him, his number is +44 20 7946 0105.", "", ""},
		{"a national number with its word", "kim@example.org", "Price?\n\nThanks,\nKim Sato\nTel. 020 7946 0106", "", "020 7946 0106"},
		{"digits without a word", "kim@example.org", "Price?\n\nThanks,\nKim Sato\nOrder 020 7946 0107", "", ""},
	} {
		r, _ := read(t, reader.Source{FromName: "Kim Sato", FromAddress: c.address, Subject: "Scale", Visible: c.visible})
		if r.Company.Value != c.company || r.Phone.Value != c.phone {
			t.Errorf("%s: %q %q, want %q %q", c.rule, r.Company.Value, r.Phone.Value, c.company, c.phone)
		}
	}
}

func TestWhyAPersonShouldLook(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I am writing on behalf of my grandmother, who keeps bees.":             reader.ReasonThirdParty,
		"Ich schreibe für meinen Onkel, seine Waage ist alt.":                   reader.ReasonThirdParty,
		"Since my chemotherapy I cannot lift the old one.":                      reader.ReasonSensitive,
		"Our solicitor will write to you next week.":                            reader.ReasonLegal,
		"Either repair the old one or name a price for a new one, your choice.": reader.ReasonAmbiguous,
		"We weigh apples for a living.":                                         "",
	} {
		if _, got := read(t, reader.Source{FromName: "Kim Sato", FromAddress: "kim@mill.example", Subject: "Scale", Visible: text}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
