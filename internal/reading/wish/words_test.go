package wish_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/reading/wish"
)

const (
	none     = wish.OptOutNone
	explicit = wish.OptOutExplicit
	doubtful = wish.OptOutDoubtful
)

type optOutCase struct {
	subject, visible string
	want             wish.Verdict
}

func check(t *testing.T, cases []optOutCase) {
	t.Helper()
	for _, c := range cases {
		got := wish.OptOut(c.subject, c.visible)
		if got.Verdict != c.want {
			t.Errorf("OptOut(%q, %q) = %v, want %s", c.subject, c.visible, got, c.want)
		}
		if (got.Verdict == none) != (got.Phrase == "") {
			t.Errorf("OptOut(%q, %q) = %v: a phrase is named exactly when one was met", c.subject, c.visible, got)
		}
	}
}

func TestBareWordIsExplicit(t *testing.T) {
	t.Parallel()
	check(t, []optOutCase{
		{"", "STOP", explicit},
		{"", "stop.", explicit},
		{"", "Stop!!!", explicit},
		{"", "STOP STOP STOP", explicit},
		{"", "Please stop", explicit},
		{"", "unsubscribe", explicit},
		{"", "UNSUBSCRIBE please", explicit},
		{"", "Hi,\nunsubscribe\nThanks", explicit},
		{"", "Hello Sam,\n\nUnsubscribe, please.\n\nBest regards,\nAlex Morgan", explicit},
		{"", "Unsubscribe\nAlex", explicit},
		{"", "Opt out", explicit},
		{"", "opt-out please", explicit},
		{"", "remove me", explicit},
		{"", "No more emails please.", explicit},
		{"", "ｕｎｓｕｂｓｃｒｉｂｅ", explicit},
		{"", "un\u200bsub\u200bscribe", explicit},
		{"", "unsubscribe\n\nAlex Morgan\nHead of Sales, Example Ltd", explicit},
		{"", "Take me off, please", explicit},
		{"unsubscribe", "", explicit},
		{"Unsubscribe", "Thanks,\nAlex Morgan", explicit},
		{"STOP", "Sent from my iPhone", explicit},
		{"[External] unsubscribe", "", explicit},
		{"unsubscribe", "I was never asked about this.", explicit},
	})
}

func TestClearPhraseIsExplicit(t *testing.T) {
	t.Parallel()
	check(t, []optOutCase{
		{"", "Please remove me from your mailing list.", explicit},
		{"", "please remove me from your mailing\nlist", explicit},
		{"", "Take me off your list, thank you.", explicit},
		{"", "Remove my email address from your database.", explicit},
		{"", "Do not contact me again.", explicit},
		{"", "Don’t email me again", explicit},
		{"", "dont ever write to me again", explicit},
		{"", "Stop emailing me.", explicit},
		{"", "Would you please stop sending me these emails?", explicit},
		{"", "Can you remove me from your mailing list?", explicit},
		{"", "Please unsubscribe me.", explicit},
		{"", "I'd like to unsubscribe.", explicit},
		{"", "I would like to opt out.", explicit},
		{"", "I do not want any more emails from you.", explicit},
		{"", "I no longer wish to receive your newsletter.", explicit},
		{"", "I hereby withdraw my consent.", explicit},
		{"", "We are not interested please remove us from your list", explicit},
		{"Please remove me from your list", "Alex Morgan, Example Ltd, 12 High Street", explicit},
		{"", "I don't want to unsubscribe from the invoices. Please remove me from your marketing list.", explicit},
	})
}

func TestOtherLanguagesAreExplicit(t *testing.T) {
	t.Parallel()
	check(t, []optOutCase{
		{"", "Abmelden", explicit},
		{"", "Bitte abmelden, danke.\nMit freundlichen Grüßen\nErika Muster", explicit},
		{"", "Bitte keine weiteren E-Mails.", explicit},
		{"", "Ich möchte keine weiteren E-Mails erhalten.", explicit},
		{"", "Bitte nehmen Sie mich aus dem Verteiler.", explicit},
		{"", "Nehmen Sie mich bitte aus Ihrem E-Mail-Verteiler!", explicit},
		{"", "Bitte kontaktieren Sie mich nicht mehr.", explicit},
		{"", "Bitte loeschen Sie mich aus Ihrer Mailingliste", explicit},
		{"", "Könnten Sie mich bitte aus dem Verteiler nehmen?", explicit},
		{"", "Könnt ihr mich abmelden?", explicit},
		{"", "Désabonnez-moi", explicit},
		{"", "desabonnez moi svp", explicit},
		{"", "Merci de me désabonner de votre newsletter.", explicit},
		{"", "Ne me contactez plus.", explicit},
		{"", "Ne m'envoyez plus d'e-mails", explicit},
		{"", "Je ne souhaite plus recevoir vos messages", explicit},
		{"", "Baja", explicit},
		{"", "Dar de baja", explicit},
		{"", "Quiero darme de baja, por favor.", explicit},
		{"", "Por favor, no me contacten más.", explicit},
		{"", "No me envíen más correos", explicit},
		{"", "Cancellami", explicit},
		{"", "Non scrivetemi più.", explicit},
		{"", "Descadastrar", explicit},
		{"", "Não me enviem mais mensagens.", explicit},
		{"", "Uitschrijven", explicit},
		{"", "Graag geen e-mails meer.", explicit},
		{"", "Wypisz mnie", explicit},
		{"", "Proszę mnie wypisać z listy.", explicit},
		{"", "Avregistrera", explicit},
		{"", "Kontakta mig inte igen.", explicit},
		{"", "Afmeld", explicit},
		{"", "Fjern mig fra jeres liste, tak.", explicit},
		{"", "Avmelding", explicit},
		{"", "Ikke kontakt meg igjen.", explicit},
		{"", "Peruuta", explicit},
		{"", "Poistakaa minut postituslistalta.", explicit},
	})
}

func TestUnclearWordsAreHeld(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The delivery of the parts went well and we were content with it. ", 12)
	check(t, []optOutCase{
		// Negated.
		{"", "I don't want to unsubscribe.", doubtful},
		{"", "Please do not remove me from your mailing list.", doubtful},
		{"", "Ich möchte mich nicht abmelden.", doubtful},
		{"", "Ne me désabonnez pas !", doubtful},
		{"", "No quiero darme de baja.", doubtful},
		{"", "Ich habe keine weiteren E-Mails erhalten.", doubtful},
		// Asked about.
		{"", "How do I unsubscribe?", doubtful},
		{"", "Unsubscribe?", doubtful},
		{"", "Did you remove me from your mailing list?", doubtful},
		{"", "¿Cómo puedo darme de baja?", doubtful},
		{"", "Wie kann ich mich abmelden?", doubtful},
		// Of somebody else, or on a condition.
		{"", "My colleague wants to be removed from your mailing list.", doubtful},
		{"", "Please remove my colleague from your mailing list.", doubtful},
		{"", "She asked you to stop emailing me", doubtful},
		{"", "Let me know if I should unsubscribe.", doubtful},
		// For a time.
		{"", "Not now, maybe next year.", doubtful},
		{"", "Please stop emailing me for now.", doubtful},
		{"", "Please do not contact me again until next year.", doubtful},
		{"", "Bitte vorerst keine weiteren E-Mails.", doubtful},
		{"", "Not interested.", doubtful},
		{"", "Kein Interesse, danke.", doubtful},
		{"", "No thanks", doubtful},
		// In another context, or a part of it only.
		{"", "We offer opt-out forms to our customers. Do you integrate with them?", doubtful},
		{"", "Does your product handle unsubscribe links", doubtful},
		{"", long + "Please remove me from your mailing list.", doubtful},
		{"", "Stop!\n\nAlex Morgan\nExample Ltd", doubtful},
		{"", "Stop. The parts you sent are wrong.", doubtful},
		{"", "Unsubscribe. Is that a word you know?", doubtful},
		{"", "How can I stop receiving these emails?", doubtful},
		{"", "I want off this list", doubtful},
		{"", "Please do not email me, call me instead.", doubtful},
		{"", "Please delete my personal data.", doubtful},
		{"STOP", "the shipment of Monday, we have no room in the store", doubtful},
		{"unsubscribe", long, doubtful},
		{"Unsubscribe", "How do I unsubscribe?", doubtful},
	})
}

func TestSubjectOfTheMailAnsweredIsNotTheSenders(t *testing.T) {
	t.Parallel()
	check(t, []optOutCase{
		{"Re: Please remove me from your list, how we answer", "Great article, can we talk on Monday?", none},
		{"Fwd: How to stop unwanted mail and unsubscribe", "What does the basic plan cost?", none},
		{"AW: Newsletter abmelden leicht gemacht", "Was kostet das?", none},
		{"Re: unsubscribe", "", explicit},
		{"Re: Your offer", "STOP", explicit},
		{"RE: STOP", " \n", explicit},
		{"Re[2]: Fwd: unsubscribe", "", explicit},
		{"Re: unsubscribe", "I asked for this last week", doubtful},
	})
}

func TestOrdinaryMailIsLeftAlone(t *testing.T) {
	t.Parallel()
	check(t, []optOutCase{
		{"", "", none},
		{"", "\n\n", none},
		{"Pricing", "What does the team plan cost per month?", none},
		{"", "We need to stop the line on Friday, please send the parts before.", none},
		{"", "Stop by our booth any time!", none},
		{"", "The bus stop is next to the office.", none},
		{"", "Please remove the second item from our order.", none},
		{"", "Can you send me more information about your list prices?", none},
		{"", "Please contact me again in the morning.", none},
		{"", "Bitte schicken Sie mir ein Angebot.", none},
		{"", "Ich interessiere mich für Ihr Produkt.", none},
		{"", "Pouvez-vous me rappeler demain ?", none},
		{"", "No me ha llegado la factura.", none},
		{"", "The opt-in form on your page is broken.", none},
		{"", "Do not hesitate to contact me.", none},
		{"", "Thanks, Alex", none},
	})
}

func TestFindingNamesTheListNotTheText(t *testing.T) {
	t.Parallel()
	got := wish.OptOut("", "Bitte nehmen Sie mich aus dem Verteiler.")
	want := wish.Finding{Verdict: explicit, Phrase: "remove_me", Language: "de"}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Neither case, marks, invisible characters nor spaces may hide an opt-out.
func TestDisguiseDoesNotChangeTheVerdict(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Please remove me from your mailing list", "do not contact me again", "unsubscribe",
		"Bitte keine weiteren E-Mails", "Ne me contactez plus", "No me contacten más",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		var b strings.Builder
		for _, r := range text {
			s := string(r)
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				s = strings.ToUpper(s)
			case 1:
				s += "\u200b"
			case 2:
				s = "\u00ad" + s
			case 3:
				if r == ' ' {
					s = " \u00a0\n "
				}
			}
			b.WriteString(s)
		}
		if got := wish.OptOut("", b.String()); got.Verdict != explicit {
			t.Fatalf("%q: %v", b.String(), got)
		}
	})
}

func FuzzOptOut(f *testing.F) {
	f.Add("Re: offer", "please unsubscribe me")
	f.Add("STOP", "")
	f.Add("", "n\u2019 e-\nmail \xff\xfe opt out?")
	f.Fuzz(func(t *testing.T, subject, visible string) {
		got := wish.OptOut(subject, visible)
		switch got.Verdict {
		case none, explicit, doubtful:
		default:
			t.Errorf("unknown verdict %q", got.Verdict)
		}
		if again := wish.OptOut(subject, visible); again != got {
			t.Errorf("not deterministic: %v, then %v", got, again)
		}
		// Whatever else is said: a clear request in a sentence of its own is
		// never read as nothing.
		if wish.OptOut(subject, visible+"\n\nPlease remove me from your mailing list.").Verdict == none {
			t.Error("a clear request was hidden by the text before it")
		}
	})
}
