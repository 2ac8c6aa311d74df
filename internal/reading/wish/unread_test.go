package wish_test

import (
	"testing"

	"onefold/internal/reading/wish"
)

// A language that is not read is unclear.
func TestReading05LanguageThatIsNotReadIsUnclear(t *testing.T) {
	for _, text := range []string{
		"Не присылайте мне больше писем. Отпишите меня.", "Bana bir daha e-posta göndermeyin. Listeden çıkarın.",
		"Už mi neposílejte žádné e-maily. Odhlaste mě.", "メールを送らないでください。", "Nu-mi mai trimiteți mesaje. Dezabonați-mă.",
		"Nemojte mi više slati poruke. Odjavite me.", "Xin đừng gửi thư cho tôi nữa.", "Μη μου στέλνετε άλλα μηνύματα.",
		"NECHCI VAŠE MAILY, PROSÍM.", "Va rog sa nu-mi mai trimiteti mesaje.", "Tolong jangan kirim email lagi.", "Prosím, neposielajte mi už žiadne správy.", "Prosim, ne pošiljajte mi več sporočil.", "Lūdzu, nesūtiet man vairs vēstules.",
		"من فضلك لا ترسل لي رسائل", "לא לשלוח לי יותר מיילים", "请不要再给我发邮件",
	} {
		if !wish.Unread(text) {
			t.Errorf("%q: read", text)
		}
	}
	for _, text := range []string{
		"", "Ok", "see below", "PLEASE SEND THE PRICE LIST", "Please send a quote for two Tundra tents.", "Hi Dvořák team, how much is the tent for Mr Černý? We ride near Šibenik.",
		"Zwei Zelte Größe L bitte, Lieferung nach Plzeň.", "Wie viel kostet das Zelt für zwei Personen?", "Ile kosztuje namiot dla dwóch osób?",
		"Quanto costa la tenda per due persone?", "Hur mycket kostar tältet för två personer?", "Paljonko kahden hengen teltta maksaa?",
		"Hvad koster teltet til to personer?", "Hva koster teltet for to personer?", "Combien coûte la tente pour deux personnes ?",
		"¿Cuánto cuesta la tienda para dos personas?", "Quanto custa a tenda para duas pessoas?", "Hoeveel kost de tent voor twee personen?",
		"Onko teillä vapaita mökkejä heinäkuussa perheelle ja koiralle?",
		"Prosimy o ofertę na wynajem dwudziestu namiotów turystycznych wraz z dostawą, montażem, demontażem, ubezpieczeniem.",
	} {
		if wish.Unread(text) {
			t.Errorf("%q: not read", text)
		}
	}
}

// A demand about one's data is at least a doubtful wish.
func TestReading05PrivacyDemandIsAtLeastDoubtful(t *testing.T) {
	for _, text := range []string{
		"I object to the processing of my data.", "Forget me.", "Who gave you my address?", "You have the wrong person.", "Where did you get my email?",
		"Woher haben Sie meine Adresse?", "Vergessen Sie mich.", "Ich widerspreche der Verarbeitung meiner Daten.", "Sie haben die falsche Person.",
		"Qui vous a donné mon adresse ?", "D'où avez-vous mon adresse ?", "Hoe komt u aan mijn adres?", "Wie kommen Sie an meine Adresse?", "How did you come by my address?", "Mistä teillä on osoitteeni?", "Oubliez-moi.", "Je m'oppose au traitement de mes données.", "¿Quién les ha dado mi correo?",
		"Me opongo al tratamiento de mis datos.", "Chi vi ha dato il mio indirizzo?", "Quem vos deu o meu email?", "Wie heeft u mijn adres gegeven?",
		"Skąd macie mój adres?", "Var har ni fått min adress?", "Hvem gav jer min adresse?", "Hvem ga dere adressen min?", "Unohtakaa minut.",
	} {
		if wish.OptOut("Re: Tent", text).Verdict == wish.OptOutNone {
			t.Errorf("%q: no wish", text)
		}
	}
	for _, text := range []string{
		"Who gave you the idea for this tour? We loved it. How much is it in 2027?", "Where did you find the tent in the picture?", "I forget my password, can you help?",
		"Wer hat die Tour geführt? Was kostet sie?", "Woher kommt der Stoff? Was kostet er?", "Qui vous a donné cette idée ? Combien coûte le tour ?",
		"¿Quién dio la charla? ¿Cuánto cuesta?", "Chi vi ha dato l'idea? Quanto costa il giro?", "Wie heeft de tocht bedacht? Wat kost hij?",
		"Kto prowadzi wycieczkę? Ile kosztuje?", "Vem ledde turen? Vad kostar den?", "Hvem ledede turen? Hvad koster den?", "Vergessen Sie nicht die Rechnung.",
		"Quem deu o curso? Quanto custa?", "Kuka veti retken? Paljonko se maksaa?",
	} {
		if f := wish.OptOut("Tour", text); f.Verdict != wish.OptOutNone {
			t.Errorf("%q: %v", text, f)
		}
	}
}
