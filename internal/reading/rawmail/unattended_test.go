package rawmail_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

func plainFrom(subject, text string) rawmail.Message {
	return parse("From: Nora Quist <nora.quist@example.com>\nTo: hello@demo.example\nSubject: " + subject +
		"\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <n1@example.com>\nContent-Type: text/plain; charset=utf-8\n\n" + text + "\n")
}

// What machines write where no field says so: each is at least a question.
func TestReading06WhatMachinesWriteIsAtLeastAQuestion(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Thank you for contacting us. Your ticket 12345 has been created.", "Your request has been received and will be answered within 24 hours.",
		"We have received your message, your ticket is #123.", "Hello Sam,\n\nwe received your e-mail. A member of our team will get back to you.",
		"Your support case has now been opened. Reference number: 2026-0011.", "This is an automatically generated message.", "Please do not reply to this email.",
		"Ticket #4411: we will respond within two working days.",
		"Your request (#48213) has been received.\n\nMore to add? Reply to this email.", "Ihre Anfrage ist eingegangen, Ticketnummer 48213. Fragen? Antworten Sie auf diese Mail.",
		"Thank you for writing. Ticket 555-12 was opened for you.", "Thank you for contacting Acme. We aim to reply within one business day.", "Your order has been received.",
		"Vielen Dank für Ihre Anfrage. Ihre Ticketnummer lautet 4711.", "Merci de nous avoir contactés. Un ticket 12345 a été créé.", "Gracias por contactarnos. El ticket 12345 ha sido creado.", "Grazie per averci contattato. Il ticket 12345 è stato aperto.",
		"O ticket 12345 foi criado.", "Er is een ticket 12345 aangemaakt.", "Utworzono zgłoszenie 12345.", "Ärende 12345 har skapats.", "Sag 12345 er oprettet.", "Tiketti 12345 on luotu.",
		"Vielen Dank, Ihre Anfrage ist bei uns eingegangen.", "Wir haben Ihre Nachricht erhalten und melden uns in Kürze bei Ihnen.", "Das Ticket 4411 wurde angelegt.", "Diese E-Mail wurde automatisch erstellt.",
		"Nous avons bien reçu votre message et vous répondrons rapidement.", "Votre demande a été enregistrée sous le numéro 4411.",
		"Hemos recibido su mensaje. Nos pondremos en contacto.", "Su solicitud ha sido registrada con el número 4411.",
		"Abbiamo ricevuto la sua richiesta, le risponderemo presto.", "Il suo messaggio è stato ricevuto.",
		"Recebemos a sua mensagem e responderemos em breve.", "O seu pedido foi registado com o número 4411.",
		"Wij hebben uw bericht ontvangen en nemen contact met u op.", "Uw aanvraag is geregistreerd onder nummer 4411.",
		"Otrzymaliśmy Twoją wiadomość. Odpowiemy wkrótce.", "Twoje zgłoszenie zostało przyjęte.",
		"Vi har mottagit ditt ärende och återkommer snarast.", "Ditt meddelande har mottagits.",
		"Vi har modtaget din henvendelse og vender tilbage hurtigst muligt.", "Din sag er oprettet.",
		"Vi har mottatt din henvendelse og svarer så snart vi kan.", "Din forespørsel er registrert.",
		"Olemme vastaanottaneet viestisi ja palaamme asiaan pian.", "Pyyntösi on kirjattu numerolla 4411.",
	} {
		if m := plainFrom("Re: Tent", text); m.Kind == rawmail.Human && !slices.Contains(m.Doubts, rawmail.DoubtMachine) {
			t.Errorf("%q: %s, doubts %v", text, m.Kind, m.Doubts)
		}
	}
	for _, subject := range []string{
		"[My Blog] New User Registration", "New comment on your post", "[Huts] Please moderate: \"Tours\"", "Neuer Kommentar zu Ihrem Beitrag", "Nouvel utilisateur inscrit",
		"Nuevo comentario en su entrada", "Nuovo utente registrato", "Bob left a comment on your page", "Someone signed up on your site", "Novo comentário", "Nieuwe reactie op uw bericht", "Nowy komentarz", "Ny kommentar på ditt inlägg", "Uusi kommentti",
	} {
		if m := plainFrom(subject, "Name: bob\nEmail: bob@example.org"); m.Kind == rawmail.Human && !slices.Contains(m.Doubts, rawmail.DoubtMachine) {
			t.Errorf("%q: %s, doubts %v", subject, m.Kind, m.Doubts)
		}
	}
}

func TestReading06ReactionsReceiptsAndAnswersOfCalendarsInPlainText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Nora Quist reacted to your message:\n👍", "👍\n\nNora Quist reacted via Gmail", "Nora Quist hat auf Ihre Nachricht reagiert:\n❤️", "Nora Quist a réagi à votre message :\n👍",
		"Nora Quist ha reaccionado a su mensaje:\n👍", "Nora Quist ha reagito al tuo messaggio:\n👍", "Nora Quist reagiu à sua mensagem:\n👍", "Nora Quist heeft gereageerd op uw bericht:\n👍",
		"Nora Quist zareagowała na Twoją wiadomość:\n👍", "Nora Quist reagerade på ditt meddelande:\n👍", "Nora Quist reagerede på din besked:\n👍", "Nora Quist reagerte på meldingen din:\n👍", "Nora Quist reagoi viestiisi:\n👍",
		"Liked “Your offer”", "❤️ Nora Quist reacted to your message", "Nora reacted with 👍 to your message.",
	} {
		if m := plainFrom("Re: Your enquiry", text); m.Kind != rawmail.AutoReply || !slices.Contains(m.KindReasons, "reaction") {
			t.Errorf("%q: %s %v", text, m.Kind, m.KindReasons)
		}
	}
	for subject, text := range map[string]string{
		"Gelesen: Ihre Anfrage":    "Ihre Nachricht\n\nAn: Nora Quist\nBetreff: Ihre Anfrage\nGesendet: Montag\n\nwurde am Montag, 30. November 2026 10:00 gelesen.",
		"Read: Your offer":         "Your message\n\n   To: Nora Quist\n   Subject: Your offer\n   Sent: Monday\n\nwas read on Monday.",
		"Not read: Your offer":     "Your message\n\nTo: Nora Quist\nSubject: Your offer\nSent: Monday\n\nwas deleted without being read on Monday.",
		"Lu : Votre demande":       "Votre message\n\nÀ : Nora Quist\nObjet : Votre demande\nEnvoyé : lundi\n\na été lu le lundi.",
		"Leído: Su consulta":       "El mensaje\n\nPara: Nora Quist\nAsunto: Su consulta\nEnviado: lunes\n\nse leyó el lunes.",
		"Przeczytano: Oferta":      "Wiadomość\n\nDo: Nora Quist\nTemat: Oferta\nWysłano: poniedziałek\n\nzostała przeczytana.",
		"Luettu: Tarjous":          "Viestisi\n\nVastaanottaja: Nora Quist\nAihe: Tarjous\nLähetetty: maanantai\n\nluettiin maanantaina.",
		"Return Receipt - Offer":   "This is a Return Receipt for the mail.\nTo: Nora\nSubject: Offer\nNote: it was displayed.",
		"Lesebestätigung: Angebot": "An: Nora\nBetreff: Angebot\nwurde angezeigt.",
	} {
		if m := plainFrom(subject, text); m.Kind != rawmail.AutoReply || !slices.Contains(m.KindReasons, "read_receipt") {
			t.Errorf("%s: %s %v", subject, m.Kind, m.KindReasons)
		}
	}
	for _, subject := range []string{
		"Accepted: Call about huts", "Declined: Call", "Tentative: Call", "Zugesagt: Anruf", "Abgelehnt: Anruf", "Accepté : Appel", "Refusé : Appel", "Aceptada: Llamada", "Rechazada: Llamada",
		"Accettato: Chiamata", "Rifiutato: Chiamata", "Aceite: Chamada", "Recusado: Chamada", "Geaccepteerd: Gesprek", "Geweigerd: Gesprek", "Zaakceptowano: Rozmowa", "Odrzucono: Rozmowa",
		"Accepterat: Samtal", "Avböjt: Samtal", "Accepteret: Opkald", "Afvist: Opkald", "Akseptert: Samtale", "Avslått: Samtale", "Hyväksytty: Puhelu", "Hylätty: Puhelu",
	} {
		if m := plainFrom(subject, "Nora Quist has accepted the invitation."); !slices.Contains(m.Doubts, rawmail.DoubtCalendar) {
			t.Errorf("%s: %s, doubts %v", subject, m.Kind, m.Doubts)
		}
	}
}

// What people write about the same things stays a mail like any other.
func TestReading06WhatPeopleWriteOfTicketsAndReactionsIsTheirs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"My ticket 12345 has not come. How much is a new one?", "We reacted late, sorry. How much is the tent now?", "We reacted to your offer too late and want two tents.",
		"Your tents have been recommended to us. Please send an offer.", "I have received your price list. Two tents, please.", "Please create a ticket for the hut on 3 June.",
		"Ich habe Ihr Angebot erhalten und bestelle zwei Zelte.", "Wir haben das Zelt erhalten, aber eine Stange fehlt.", "Nous avons reçu la tente. Il manque une pièce.",
		"Ho ricevuto il pacco, manca una parte.", "Otrzymałem namiot, brakuje części.", "Jag har fått tältet men en del saknas.",
		"My request was not answered. Please call me.", "Has your request been received? How much is a tent?", "Was your message sent to all? Can we contact you on Friday?", "My ticket 12345 has not come. Please send a new one.", "I have received ticket 12345 twice. Please take one back.", "Ticket 12345 ist nicht angekommen. Bitte senden Sie ein neues.",
		"We registered for the tour in fall 2026 and want one more place.", "Thank you for your offer. We will contact you after Easter.", "Bitte antworten Sie bis Freitag. Wir brauchen 250 Zelte.", "In case 120 people come we need a second guide.", "The user of the tent needs a new pole.", "I would like to comment on the new route.",
		strings.Repeat("We have walked for years and tell our friends about it. ", 30) + "Your message has been received with joy. Please send two tents.",
	} {
		if m := plainFrom("Tent", text); m.Kind != rawmail.Human || len(m.Doubts) > 0 {
			t.Errorf("%q: %s, doubts %v", text, m.Kind, m.Doubts)
		}
	}
	for _, subject := range []string{"Read your blog, want a tour", "Accepted offer, when do we start", "New tent for two", "Ticket for the hut", "Gelesen und gestaunt", "Leider abgesagt", "New members of our club want a tour"} {
		if m := plainFrom(subject, "We want the tour on Sunday."); m.Kind != rawmail.Human || len(m.Doubts) > 0 {
			t.Errorf("%s: %s, doubts %v", subject, m.Kind, m.Doubts)
		}
	}
	for subject, text := range map[string]string{"Read: my wishes": "Tent: for two\nColour: green\nHow soon can you send it?", "Accepted: your offer": "Fine. Can you send it on Monday?"} {
		if m := plainFrom(subject, text); m.Kind == rawmail.Human && len(m.Doubts) > 0 {
			t.Errorf("%s: doubts %v", subject, m.Doubts)
		}
	}
}
