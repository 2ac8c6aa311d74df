package wish_test

import (
	"testing"

	"onefold/internal/reading/wish"
)

// A body of one to three words near a known wish is at least doubtful.
func TestReading04ShortBodyNearAWishIsAtLeastDoubtful(t *testing.T) {
	for _, body := range []string{
		"unsubcribe", "unsubscrbe", "unsubscirbe", "usubscribe", "un subscribe", "unsubscrіbe", "désabonement", "opt-uot",
		"unsuscribe me", "Please unsubscibe", "Unsubscribbe please", "u n s u b s c r i b e", "s t o p", "ѕtор", "un5ubscribe", "0pt out",
		"abmeldn", "Abmeldnug", "abbestelen", "Bitte abmleden", "ab melden",
		"desinscripton", "désinscrir", "uitschriven", "uit schrijven", "afmeldne", "cancelacion suscripcion", "desuscrbir",
		"disiscrizone", "cancelami", "descadastar", "wyrejestruij", "avregistera", "avmelidng", "poistaka",
	} {
		if f := wish.OptOut("Re: Tent", body); f.Verdict == wish.OptOutNone {
			t.Errorf("%q: no wish", body)
		}
	}
	for _, body := range []string{
		"step", "shop", "Stoop", "subscribe", "Subscribe please", "I subscribe", "resubscribe", "Anmelden", "Anmeldung", "Bestellung",
		"inschrijven", "Inscription", "abonnement", "iscrizione", "cancello", "remote", "wpisać", "toista", "anmälan", "tilmelding",
		"påmelding", "inscrição", "suscripción", "emoção", "Quote please", "Merci beaucoup", "Termin bestätigt", "two tents", "Rechnung", "Auftragen",
		"Prijslijst graag", "Katalog bitte", "Presupuesto", "Offerta", "Tarjous kiitos", "Cennik proszę",
	} {
		if f := wish.OptOut("Re: Tent", body); f.Verdict != wish.OptOutNone {
			t.Errorf("%q: %v", body, f)
		}
	}
}

// A doubt about whose list it is lowers a stop to a hold.
func TestReading04DoubtWhoseListItIsNeverMakesNothingOfAWish(t *testing.T) {
	for _, body := range []string{
		"Unsubscribe. Please confirm for our records.", "Opt out please, our system cannot do it.\n\nNora",
		"Our list of guests is attached.\n\nRemove me from your mailing list.",
		"Abmelden. Unser System kann das nicht.", "Afmelden. Ons systeem kan het niet.", "Désabonnement. Notre liste est jointe.",
		"Stop. Our own newsletter is enough for me.",
	} {
		if f := wish.OptOut("Re: Tent", body); f.Verdict == wish.OptOutNone {
			t.Errorf("%q: no wish", body)
		}
	}
	for _, body := range []string{
		"Could you print our newsletter? 200 copies please.", "Our list of guests is attached.",
		"Können Sie unseren Newsletter drucken?", "Notre liste est jointe.", "Onze nieuwsbrief moet gedrukt worden, wat kost dat?",
	} {
		if f := wish.OptOut("Print", body); f.Verdict != wish.OptOutNone {
			t.Errorf("%q: %v", body, f)
		}
	}
}
