package decide_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/policy/tenant"
	ourtext "onefold/internal/reading/ours"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
)

// followUps are follow-ups in the languages that are read. The third line of
// each tells how to hear no more.
var followUps = map[string]string{
	"en": "Hello {{.Name}},\n\nthank you for writing to {{.Business}}.\nIf you would rather not hear from us, reply with the word unsubscribe.",
	"de": "Guten Tag {{.Name}},\n\nvielen Dank für Ihre Nachricht an {{.Business}}.\nWenn Sie keine weiteren E-Mails möchten, antworten Sie mit dem Wort abmelden.",
	"fr": "Bonjour {{.Name}},\n\nmerci d'avoir écrit à {{.Business}}.\nSi vous ne voulez plus recevoir nos messages, répondez désabonner.",
	"es": "Hola {{.Name}}:\n\ngracias por escribir a {{.Business}}.\nSi no quiere recibir más correos, responda con la palabra baja.",
	"it": "Buongiorno {{.Name}},\n\ngrazie per averci scritto.\nSe non vuole più ricevere le nostre mail, risponda cancellami.",
	"pt": "Olá {{.Name}},\n\nobrigado por escrever.\nSe não quiser receber mais mensagens, responda com a palavra cancelar.",
	"nl": "Beste {{.Name}},\n\nbedankt voor uw bericht.\nWilt u geen e-mails meer ontvangen, antwoord dan met het woord afmelden.",
	"pl": "Dzień dobry {{.Name}},\n\ndziękujemy za wiadomość.\nJeśli nie chcesz otrzymywać wiadomości, odpowiedz słowem wypisz.",
	"sv": "Hej {{.Name}},\n\ntack för ditt meddelande.\nVill du inte få fler mejl, svara med ordet avregistrera.",
	"da": "Hej {{.Name}},\n\ntak for din besked.\nVil du ikke have flere mails, så svar med ordet afmeld.",
	"nb": "Hei {{.Name}},\n\ntakk for meldingen.\nVil du ikke ha flere e-poster, svar med ordet avmeld.",
	"fi": "Hei {{.Name}},\n\nkiitos viestistäsi.\nJos et halua enää viestejämme, vastaa sanalla peruuta.",
}

// mailing is the example policy with one follow-up.
func mailing(t *testing.T, text string) tenant.Policy {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(tenant.Example(), &doc); err != nil {
		t.Fatal(err)
	}
	doc["rules"].([]any)[0].(map[string]any)["template"].(map[string]any)["text"] = text + "\n\n-- \n{{.Business}}\n{{.PostalAddress}}\n"
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(doc); err != nil {
		t.Fatal(err)
	}
	p, err := tenant.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func answerOf(p tenant.Policy, to, text string) content.Facts {
	return content.OfMail(ourtext.ReadMail(p, []byte("From: Ann Lee <ann@example.com>\r\nTo: "+to+"\r\nSubject: Re: Walks\r\nMessage-ID: <1@example.com>\r\nIn-Reply-To: <9@demo.example>\r\n\r\n"+strings.ReplaceAll(text, "\n", "\r\n")), nil, ""))
}

// What tells how to hear no more is sometimes sent back as the wish.
func TestReading01ALineOfOursThatTellsHowToHearNoMoreIsDoubtfulByItself(t *testing.T) {
	t.Parallel()
	for language, text := range followUps {
		p := mailing(t, text)
		lines := strings.Split(strings.NewReplacer("{{.Name}}", "Ann", "{{.Business}}", p.Name).Replace(text), "\n")
		for _, alone := range []string{lines[3], "> " + lines[3] + "\n", lines[2] + "\n" + lines[3]} {
			if f := answerOf(p, "hello@demo.example", alone); f.OptOut.Verdict == wish.OptOutNone {
				t.Errorf("%s: nothing is heard in %q", language, alone)
			}
		}
	}
}

// The whole of it below an answer is what a mail program put there.
func TestReading01OurMailBelowAnAnswerIsNoWish(t *testing.T) {
	t.Parallel()
	for language, text := range followUps {
		p := mailing(t, text)
		below := strings.NewReplacer("{{.Name}}", "Ann", "{{.Business}}", p.Name).Replace(text)
		f := answerOf(p, "hello@demo.example", "12.30 Ann Lee +44 20 7946 0111\n\n"+below+"\n\n-- \n"+p.Name+"\n"+p.Sender.PostalAddress)
		// That a few words are of a language that is not read is another matter.
		if heard := f.OptOut; heard.Verdict != wish.OptOutNone && heard.Phrase != "unread_language" || strings.Contains(f.Source.Visible, strings.Split(below, "\n")[3]) {
			t.Errorf("%s: %s in %q", language, f.OptOut.Verdict, f.Source.Visible)
		}
	}
}

func TestReading01NamesOfOursAreNotTheWriters(t *testing.T) {
	t.Parallel()
	p := mailing(t, followUps["en"])
	f := answerOf(p, "Ben Frost <hello@demo.example>", "Yes, Monday is fine.\n\nBen Frost\nFernweh Hiking Ltd")
	for value, want := range map[string]string{
		"Ben Frost": "", "Ben": "", "Fernweh Hiking": "", "Ann Lee": "Ann Lee", "Ann": "Ann",
	} {
		field := reader.Field{Value: value, Confidence: 90, Evidence: value, Where: reader.InVisible}
		s := f.Source
		s.Visible += "\n" + value
		if got, reasons := reader.Validate(s, reader.Record{ContactName: field, Intent: reader.Other}); got.ContactName.Value != want {
			t.Errorf("of the name %q is kept %q %v", value, got.ContactName.Value, reasons)
		}
	}
	for value, want := range map[string]string{"Fernweh Hiking Ltd": "", "Fernweh Hiking": "", "Lee & Sons Ltd": "Lee & Sons Ltd"} {
		field := reader.Field{Value: value, Confidence: 90, Evidence: value, Where: reader.InVisible}
		s := f.Source
		s.Visible += "\n" + value
		if got, reasons := reader.Validate(s, reader.Record{Company: field, Intent: reader.Other}); got.Company.Value != want {
			t.Errorf("of the company %q is kept %q %v", value, got.Company.Value, reasons)
		}
	}
	// A namesake of one of ours signs with the first name that From has too.
	s := f.Source
	s.FromName, s.Visible = "Ben Miller", "Yes, Monday is fine.\n\nBen"
	field := reader.Field{Value: "Ben", Confidence: 90, Evidence: "Ben", Where: reader.InVisible}
	if got, reasons := reader.Validate(s, reader.Record{ContactName: field, Intent: reader.Other}); got.ContactName.Value != "Ben" {
		t.Errorf("a namesake's name is refused: %v", reasons)
	}
}

func TestReading01TheDigestOfAReadingTellsWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	digest := func(p tenant.Policy) string {
		f := answerOf(p, "hello@demo.example", "Yes, Monday is fine.\nthank you for writing to Fernweh Hiking Ltd.\nIf you would rather not hear from us, reply with the word unsubscribe.")
		return decide.ReadingDigest(key(t), decide.Ground{Input: decide.Input{Facts: f}})
	}
	if digest(mailing(t, followUps["en"])) == digest(mailing(t, followUps["de"])) {
		t.Error("the digest is the same whether our text was taken out or not")
	}
}
