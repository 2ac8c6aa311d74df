package inspect_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"onefold/internal/operate/inspect"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/utc"
)

// Ordinary mail that rules about older text, machines, thanks and languages must
// not lose: it is followed up, and what it asks is read whole.
func TestReadingControlsInOtherLanguagesAreFollowedUp(t *testing.T) {
	t.Parallel()
	policy, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, subject, text, has string }{
		{"itinerary", "Voyage", "Voici notre projet :\n\nDe : Lyon\nÀ : Chamonix\nDate : 3 juin\n\nCombien coûte le guide pour une journée ?\n\nNora", "Combien coûte le guide"},
		{"itinerary", "Viaje", "Nuestro plan:\n\nDe: Madrid\nPara: Jaca\nFecha: 3 de junio\n\n¿Cuánto cuesta el guía por un día?\n\nNora", "¿Cuánto cuesta el guía"},
		{"itinerary", "Viaggio", "Il nostro programma:\n\nDa: Torino\nA: Aosta\nData: 3 giugno\n\nQuanto costa la guida per un giorno?\n\nNora", "Quanto costa la guida"},
		{"itinerary", "Reise", "Wir planen so:\n\nVon: München\nNach: Innsbruck\nDatum: 3. Juni\n\nWas kostet der Führer für einen Tag?\n\nNora", "Was kostet der Führer"},
		{"form", "Anfrage", "Name: Nora Quist\nPersonen: 4\nDatum: 3. bis 5. Juni\nHütte: mit Ofen\n\nHaben Sie da noch Platz?", "Hütte: mit Ofen"},
		{"form", "Aanvraag", "Naam: Nora Quist\nPersonen: 4\nDatum: 3 juni\nHut: met kachel\n\nIs er dan nog plaats voor ons?", "Hut: met kachel"},
		{"form", "Zapytanie", "Imię: Nora\nOsób: 4\nTermin: 3 czerwca\n\nCzy macie jeszcze wolne miejsca w schronisku?", "Termin: 3 czerwca"},
		{"thanks", "Re: Hytter", "Tak, det hjælper. En ting til: hvad koster morgenmaden?\n\nNora", "hvad koster morgenmaden"},
		{"thanks", "Re: Stugor", "Tack, det var bra att veta. Kan ni skicka fakturaadressen till mig?\n\nNora", "Kan ni skicka"},
		{"thanks", "Re: Hytter", "Takk for svaret. Hva koster frokosten for to personer?\n\nNora", "Hva koster frokosten"},
		{"thanks", "Re: Mökit", "Kiitos, tästä oli apua. Paljonko aamiainen maksaa kahdelta hengeltä?\n\nNora", "Paljonko aamiainen"},
		{"thanks", "Re: Cabanas", "Obrigada, ajudou muito. Só mais uma coisa: quanto custa o pequeno-almoço?\n\nNora", "quanto custa"},
		{"dashes", "Zelt", "Wir brauchen:\n- zwei Zelte\n- vier Schlafsäcke\n\nWas kostet das für eine Woche?\n\nNora", "Was kostet das"},
		{"terse", "Tente", "Prix tente deux personnes, livraison Lyon ?\n\nNora", "livraison Lyon"},
		{"told of a wish", "Tienda", "Mi hermana se dio de baja del club. ¿Cuánto cuesta la tienda para una persona?\n\nNora", "¿Cuánto cuesta"},
	} {
		reply := ""
		if strings.HasPrefix(c.subject, "Re:") {
			reply = "In-Reply-To: <staff.mail.71@demo.example>\r\n"
		}
		raw := "From: Nora Quist <nora.quist@customer.example>\r\nTo: hello@demo.example\r\nSubject: " + c.subject +
			"\r\nDate: Wed, 04 Mar 2026 11:00:00 +0000\r\nMessage-ID: <m1@customer.example>\r\n" + reply +
			"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" +
			strings.ReplaceAll(c.text, "\n", "\r\n") + "\r\n"
		got, err := inspect.Mail(context.Background(), []byte(raw), policy, rules.New(), utc.At(time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)))
		if err != nil {
			t.Fatal(err)
		}
		if got.Decision.Outcome != "follow_up" || !strings.Contains(got.VisibleText, c.has) {
			t.Errorf("%s %q: %s %v, read %q", c.kind, c.subject, got.Decision.Outcome, got.Decision.Reasons, got.VisibleText)
		}
	}
}
