package rawmail_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVisibleQuotedAndSignatureArePartedInFiveLanguages(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, visible, quoted, signature string }{
		{"Yes.\n\nOn Mon, 2 Mar 2026 at 10:00, Bob <bob@example.org> wrote:\n> old\n> more", "Yes.", "On Mon, 2 Mar 2026 at 10:00, Bob <bob@example.org> wrote:\n> old\n> more", ""},
		{"Ja.\n\nAm 2. März 2026 um 10:00 schrieb Bob <bob@example.org>:\n\nalt", "Ja.", "Am 2. März 2026 um 10:00 schrieb Bob <bob@example.org>:\n\nalt", ""},
		{"Oui.\n\nLe lun. 2 mars 2026 à 10:00, Bob <bob@example.org> a écrit :\n> vieux", "Oui.", "Le lun. 2 mars 2026 à 10:00, Bob <bob@example.org> a écrit :\n> vieux", ""},
		{"Sí.\n\nEl lun, 2 mar 2026 a las 10:00, Bob (<bob@example.org>) escribió:\n> viejo", "Sí.", "El lun, 2 mar 2026 a las 10:00, Bob (<bob@example.org>) escribió:\n> viejo", ""},
		{"Yes.\n\nFrom: Bob <bob@example.org>\nSent: Monday, 2 March 2026 10:00\nTo: Ann\nSubject: x\n\nold", "Yes.", "From: Bob <bob@example.org>\nSent: Monday, 2 March 2026 10:00\nTo: Ann\nSubject: x\n\nold", ""},
		{"Ja.\n\n________________________________\nVon: Bob <bob@example.org>\nGesendet: Montag, 2. März 2026 10:00\nAn: Ann\nBetreff: x\n\nalt", "Ja.", "________________________________\nVon: Bob <bob@example.org>\nGesendet: Montag, 2. März 2026 10:00\nAn: Ann\nBetreff: x\n\nalt", ""},
		{"Oui.\n\nDe : Bob <bob@example.org>\nEnvoyé : lundi 2 mars 2026 10:00\nÀ : Ann\nObjet : x\n\nvieux", "Oui.", "De : Bob <bob@example.org>\nEnvoyé : lundi 2 mars 2026 10:00\nÀ : Ann\nObjet : x\n\nvieux", ""},
		{"Yes.\n\n-----Original Message-----\nold", "Yes.", "-----Original Message-----\nold", ""},
		{"Yes.\n\n-- \nAnn Lee\nExample Ltd", "Yes.", "", "Ann Lee\nExample Ltd"},
		{"Yes.\n\nSent from my phone", "Yes.", "", "Sent from my phone"},
		{"Ja.\n\nMit freundlichen Grüßen\nAnn", "Ja.\n\nMit freundlichen Grüßen\nAnn", "", ""},
		{"On the one hand yes.\nOn Monday I wrote: no.\nThe data comes From: us.", "On the one hand yes.\nOn Monday I wrote: no.\nThe data comes From: us.", "", ""},
		{"> is it blue?\n\nIt is.\n\n> and big?\n\nNo.", "It is.\n\nNo.", "> is it blue?\n> and big?", ""},
		{"-- \nAnn", "Ann", "", ""},
	}
	for _, c := range cases {
		m := parse("From: ann@example.com\nContent-Type: text/plain; charset=utf-8\n\n" + c.text)
		if m.Visible != c.visible || m.Quoted != c.quoted || m.Signature != c.signature {
			t.Errorf("%q:\nvisible %q\nquoted %q\nsignature %q", c.text, m.Visible, m.Quoted, m.Signature)
		}
	}
}

// No word is lost or doubled, wherever the lines land.
func TestEveryWordLandsInOnePart(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"", "word", "> quoted", "On 2 Mar 2026, Bob <b@example.org> wrote:", "From: Bob", "Sent: x", "To: y", "Subject: z", "Regards,", "Sent from my phone", "-----Original Message-----", "____________"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 0, 20).Draw(t, "lines"), "\n")
		m := parse("From: ann@example.com\n\n" + text)
		got := len(strings.Fields(m.Visible)) + len(strings.Fields(m.Quoted)) + len(strings.Fields(m.Signature))
		if want := len(strings.Fields(text)); got != want {
			t.Fatalf("%d words of %d in %q", got, want, text)
		}
	})
}

// TestLanguages: the line above a quotation, as mail programs write it in each
// language; a greeting above it is text.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct{ header, greeting string }{
		"English":    {"On Tue, 3 Mar 2026 at 10:00, Bob <bob@example.net> wrote:", "Kind regards,"},
		"German":     {"Am Di., 3. März 2026 um 10:00 Uhr schrieb Bob <bob@example.net>:", "Mit freundlichen Grüßen"},
		"French":     {"Le mar. 3 mars 2026 à 10:00, Bob <bob@example.net> a écrit :", "Cordialement,"},
		"Spanish":    {"El mar, 3 mar 2026 a las 10:00, Bob (<bob@example.net>) escribió:", "Un saludo,"},
		"Italian":    {"Il giorno mar 3 mar 2026 alle ore 10:00 Bob <bob@example.net> ha scritto:", "Cordiali saluti"},
		"Portuguese": {"Em ter., 3 de mar. de 2026 às 10:00, Bob <bob@example.net> escreveu:", "Atenciosamente,"},
		"Dutch":      {"Op di 3 mrt 2026 om 10:00 schreef Bob <bob@example.net>:", "Met vriendelijke groet,"},
		"Swedish":    {"Den tis 3 mars 2026 kl 10:00 skrev Bob <bob@example.net>:", "Vänliga hälsningar"},
		"Danish":     {"Den tirs. 3. mar. 2026 kl. 10.00 skrev Bob <bob@example.net>:", "Med venlig hilsen"},
		"Finnish":    {"ti 3. maalisk. 2026 klo 10.00 Bob (bob@example.net) kirjoitti:", "Ystävällisin terveisin"},
		"Polish":     {"wt., 3 mar 2026 o 10:00 Bob <bob@example.net> napisał(a):", "Pozdrawiam"},
		"Czech":      {"út 3. 3. 2026 v 10:00 odesílatel Bob <bob@example.net> napsal:", "S pozdravem"},
		"Hungarian":  {"Bob <bob@example.net> ezt írta (időpont: 2026. márc. 3., K, 10:00) ezt írta:", "Üdvözlettel"},
		"Romanian":   {"În mar., 3 mar. 2026 la 10:00, Bob <bob@example.net> a scris:", "Cu stimă,"},
		"Russian":    {"вт, 3 мар. 2026 г. в 10:00, Bob <bob@example.net>:", "С уважением,"},
		"Ukrainian":  {"вт, 3 бер. 2026 р. о 10:00 Bob <bob@example.net> пише:", "З повагою"},
		"Greek":      {"Στις Τρί 3 Μαρ 2026 στις 10:00, ο χρήστης Bob <bob@example.net> έγραψε:", "Με εκτίμηση"},
		"Turkish":    {"Bob <bob@example.net>, 3 Mar 2026 Sal, 10:00 tarihinde şunu yazdı:", "Saygılarımla"},
		"Chinese":    {"Bob <bob@example.net> 于2026年3月3日周二 10:00写道：", "此致"},
		"Japanese":   {"2026年3月3日(火) 10:00 Bob <bob@example.net>:", "敬具"},
	} {
		text := "Ten chairs.\n\n" + c.greeting + "\nAnn Lee\n\n" + c.header + "\n> What may we do?\n"
		m := parse(head + "Content-Type: text/plain; charset=utf-8\n\n" + text)
		if m.Visible != "Ten chairs.\n\n"+c.greeting+"\nAnn Lee" || m.Signature != "" || !strings.HasPrefix(m.Quoted, c.header) {
			t.Errorf("%s: visible %q, signature %q, quoted %q", language, m.Visible, m.Signature, m.Quoted)
		}
	}
}
