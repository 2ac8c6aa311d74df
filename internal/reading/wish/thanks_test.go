package wish_test

import (
	"testing"

	"onefold/internal/reading/wish"
)

func TestReading06ThanksAskNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		// In each of the languages: thanks, that it is well, what for, goodbye.
		"Thank you, that helps a lot!", "ok", "Thanks!", "Got it, thanks.", "Received, thanks.", "Perfect, see you then!", "All clear now.",
		"Thanks for the quick answer. All clear now.", "Thank you so much for the lovely tour yesterday!", "Great, thank you very much. Have a nice weekend!",
		"Hi Sam,\n\nmany thanks for your help.\n\nBest regards\nNora", "Noted. Thanks Sam", "Thanks Sam", "Cheers Jo", "Takk, fått det", "You're welcome!", "Much appreciated, looking forward to it.",
		"Danke!", "Super, bis dann!", "Vielen Dank für die schnelle Antwort.", "Alles klar, danke dir.", "Passt, vielen Dank und bis morgen!",
		"Herzlichen Dank für die schöne Tour gestern!", "Hallo Herr Müller,\nalles gut, danke.\nMit freundlichen Grüßen\nNora Quist", "Danke, das hilft mir sehr. Schönes Wochenende!",
		"Merci beaucoup, à bientôt !", "Parfait, merci.", "Bien reçu, merci pour votre réponse rapide.", "D'accord, bonne journée !", "Merci infiniment pour la belle visite.",
		"Muchas gracias, hasta pronto.", "Perfecto, gracias por la respuesta tan rápida.", "Vale, gracias.", "Muy amable, que tenga un buen día.",
		"Grazie mille, a presto!", "Perfetto, grazie per la risposta veloce.", "Ricevuto, grazie.", "Va bene, buona giornata!",
		"Muito obrigada, até breve!", "Perfeito, obrigado pela resposta rápida.", "Recebido, obrigado.", "Tudo certo, bom fim de semana!",
		"Hartelijk dank, tot dan!", "Bedankt voor het snelle antwoord.", "Prima, dank je wel.", "Duidelijk, fijne dag nog!",
		"Bardzo dziękuję, do zobaczenia!", "Dziękuję za szybką odpowiedź.", "Super, dzięki.", "Wszystko jasne, miłego dnia!",
		"Tack så mycket, vi ses då!", "Tack för det snabba svaret.", "Toppen, tack!", "Tack för den fina turen i går!",
		"Mange tak, vi ses!", "Tak for det hurtige svar.", "Fint, tak.", "Tusind tak for en dejlig tur i går!",
		"Tusen takk, vi ses!", "Takk for raskt svar.", "Greit, takk.", "Takk for en flott tur i går!",
		"Paljon kiitoksia, nähdään!", "Kiitos nopeasta vastauksesta.", "Selvä, kiitos.", "Hyvää viikonloppua!",
		"Danke, hat geholfen!", "Sounds good, thank you!", "That's all I needed, thank you.", "It was a wonderful day, thank you!", "Vielen Dank für Ihre Hilfe und einen schönen Tag!", "Wir freuen uns auf den Samstag!",
		"Mille mercis, c'était parfait.", "È stato bellissimo, grazie!", "Foi maravilhoso, obrigada!", "Het was geweldig, bedankt!", "Było wspaniale, dziękuję!", "Det var underbart, tack!", "Det var dejligt, tak!", "Se oli hienoa, kiitos!",
		"👍", "🙏🙏", "Thanks 😊\n\nnora", "Thanks\n\nSent from my iPhone",
	} {
		if !wish.OnlyThanks("Re: Huts", true, text, "", "Nora Quist") {
			t.Errorf("%q: more than thanks", text)
		}
	}
}

func TestReading06ThanksAndMoreIsAMail(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "Nora", "Hello", "Yes", "?", "Thanks?",
		"Thank you, that helps. One more thing: how much is breakfast?", "ok, but can you send me the invoice address?", "Thanks, how much is it", "Ok, 2 tents then.",
		"Thanks for the offer, please send two tents.", "Thanks for the offer and call me tomorrow", "Thanks for the offer I take it", "Thank you for your mail. We would like to book.",
		"Thanks for the offer and send two.", "Ok, Saturday at nine", "Thanks. Saturday is fine for us", "It was great, can we book again", "Danke für das Angebot und noch eine Frage",
		"Thanks, but the tent is broken.", "Thanks for nothing, I want my money back.", "Great, then we take the larger hut.", "Thanks. My number is +44 20 7946 0111.",
		"Thanks in advance", "Merci d'avance", "Merci de m'envoyer le devis", "Got it. Unsubscribe", "ok stop", "Perfect, book it",
		"Danke, aber was kostet das Zelt", "Danke für das Angebot, das nehmen wir.", "Danke, bitte schicken Sie die Rechnung.", "Alles klar, dann drei Personen.", "Danke für das Angebot und schicken Sie es",
		"Merci, mais combien coûte la tente", "Gracias, pero quiero cambiar la fecha.", "Grazie, vorrei prenotare.", "Obrigado, mas preciso de mais uma tenda.",
		"Bedankt, maar wij willen graag boeken.", "Dziękuję, proszę o ofertę.", "Tack, men vi vill boka.", "Tak, men vi vil gerne bestille.", "Takk, men vi ønsker å bestille.", "Kiitos, haluamme varata mökin.",
	} {
		if wish.OnlyThanks("Re: Huts", true, text, "", "Nora Quist") {
			t.Errorf("%q: only thanks", text)
		}
	}
}

// A question behind it makes any text more than thanks.
func FuzzOnlyThanks(f *testing.F) {
	f.Add("Thank you so much for the lovely tour, Sam!\n\nNora", "Nora Quist")
	f.Add("thanks for \xff\xfe and", "for")
	f.Add("👍", "")
	f.Fuzz(func(t *testing.T, text, from string) {
		wish.OnlyThanks("Re: Huts", true, text, text, from)
		if wish.OnlyThanks("Re: Huts", true, text+"\n\nHow much is it?", "", from) {
			t.Errorf("%q: a question was passed over", text)
		}
	})
}
