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
		{"Yes.\n\nFrom: Bob <bob@example.org>\nSent: Monday\nTo: Ann\nSubject: x\n\nold", "Yes.", "From: Bob <bob@example.org>\nSent: Monday\nTo: Ann\nSubject: x\n\nold", ""},
		{"Ja.\n\n________________________________\nVon: Bob <bob@example.org>\nGesendet: Montag\nAn: Ann\nBetreff: x\n\nalt", "Ja.", "________________________________\nVon: Bob <bob@example.org>\nGesendet: Montag\nAn: Ann\nBetreff: x\n\nalt", ""},
		{"Oui.\n\nDe : Bob <bob@example.org>\nEnvoyé : lundi\nÀ : Ann\nObjet : x\n\nvieux", "Oui.", "De : Bob <bob@example.org>\nEnvoyé : lundi\nÀ : Ann\nObjet : x\n\nvieux", ""},
		{"Yes.\n\n-----Original Message-----\nold", "Yes.", "-----Original Message-----\nold", ""},
		{"Yes.\n\n-- \nAnn Lee\nExample Ltd", "Yes.", "", "Ann Lee\nExample Ltd"},
		{"Yes.\n\nSent from my phone", "Yes.", "", "Sent from my phone"},
		{"Ja.\n\nMit freundlichen Grüßen\nAnn", "Ja.", "", "Mit freundlichen Grüßen\nAnn"},
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
