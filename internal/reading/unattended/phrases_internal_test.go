package unattended

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/reading/phrases"
	"onefold/internal/reading/phrases/phrasestest"
)

var all = map[string]*phrases.Phrases{"received": received, "automatic": automatic, "promised": promised, "thanked": thanked, "opened": opened}

func TestEveryMatchHoldsAnAnchor(t *testing.T) {
	t.Parallel()
	for name, p := range all {
		phrasestest.Anchored(t, name, p)
	}
}

// An anchor that is missing, or a window too narrow, would lose a match.
func TestPhrasesFindWhatTheirPatternFinds(t *testing.T) {
	t.Parallel()
	words := strings.Fields("your the message request case support ticket has have now been received created opened logged registered assigned submitted queued escalated we ihre anfrage nachricht erhalten eingegangen empfangen registriert angelegt erfasst " +
		"aufgenommen erstellt eröffnet votre demande reçu enregistrée créée ouverte prise en compte bien su mensaje recibido creado registrada abierta hemos recibimos sua richiesta ricevuta creata registrata aperta il suo messaggio ricevuto " +
		"mensagem recebida criado registrado registado aberta recebemos uw bericht ontvangen aangemaakt geregistreerd geopend twoje zgłoszenie otrzymane przyjęte utworzone zarejestrowane otrzymaliśmy twoją wiadomość została ditt ärende mottagit " +
		"mottaget mottagits skapats registrerats din sag modtaget oprettet registreret sak mottatt opprettet registrert viestisi vastaanotettu luotu kirjattu saapunut olemme vastaanottaneet pyyntö this is an automated automatic automatically generated " +
		"automatisch erstellt generiert gegenereerd automatische antwort réponse automatique généré automatiquement respuesta automática generado automáticamente risposta automatica generato automaticamente resposta gerada automaticamente wygenerowana " +
		"automatycznie automatyczna odpowiedź automatiskt genererat svar automaattinen viesti do not reply to this email nicht auf diese will get back in touch contact werden antworten beantworten bearbeiten melden uns bei ihnen nous répondrons " +
		"recontacter reviendrons nos contestaremos contacto risponderemo ricontatteremo contatto entrar em contato responderemos zullen reageren antwoord zal skontaktujemy z państwem odpowiemy wkrótce återkommer snarast svarar så snart vender tilbage " +
		"hurtigst tar kontakt palaamme pian vastaamme mahdollisimman pian thank you thanks for contacting reaching out getting writing interest dank danke für deine merci de nous avoir pour gracias por contactar escribir consulta grazie per averci obrigado " +
		"pelo seu por nos contactar bedankt voor je dziękujemy za kontakt wiadomość tack för din mejl tak for henvendelse takk melding kiitos yhteydenotosta viestistä replies within shortly schnellstmöglich was order bestellung commande ordine")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(t, "words"), rapid.SampledFrom([]string{" ", ". "}).Draw(t, "gap"))
		for name, p := range all {
			if got, want := p.In(text), p.Pattern.MatchString(text); got != want {
				t.Fatalf("%s: %v, want %v in %q", name, got, want, text)
			}
		}
	})
}
