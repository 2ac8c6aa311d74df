package rules_test

import (
	"context"
	"slices"
	"testing"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

// Sentences of our own: what is clearly no enquiry is told, and what only looks
// so is one.
func TestWhatIsNoEnquiryIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want          reader.Class
		subject, text string
	}{
		{reader.Pitch, "Your online shop", "Hi there,\n\nI came across your website and noticed that you do not rank on the first page. Our agency does SEO for makers of instruments. Shall I send a free audit?"},
		{reader.Pitch, "More enquiries", "Hello, we help companies like yours win new customers for a fixed fee per month. 15 minutes on Thursday?"},
		{reader.Pitch, "Mehr Anfragen", "Guten Tag, wir helfen Unternehmen wie Ihrem, mehr Kunden zu gewinnen. Unsere Agentur arbeitet ohne Grundgebühr. Hätten Sie 15 Minuten für ein Erstgespräch?"},
		{reader.Pitch, "Fachkräfte", "Sehr geehrte Damen und Herren, unsere Kandidaten sind ausgebildete Mechaniker und ab sofort verfügbar. Unverbindlich stellen wir Ihnen Profile vor, unsere Leistungen zahlen Sie nur bei Einstellung. So sparen Sie Zeit."},
		{reader.Pitch, "Votre visibilité", "Bonjour, j'ai vu votre site et je pense que votre visibilité peut doubler. Notre agence propose un audit gratuit."},
		{reader.Pitch, "Más ventas", "Buenos días, ayudamos a empresas a conseguir más clientes sin compromiso. ¿Le llamo 15 minutos?"},
		{reader.Invoice, "Invoice 2231", "Dear Sirs,\n\nattached is invoice 2231 for cleaning in May. The total of 310.00 is payable by the 30th."},
		{reader.Invoice, "Rechnung R-77", "Guten Tag,\n\nanbei erhalten Sie unsere Rechnung R-77. Der Betrag ist innerhalb von 14 Tagen zahlbar."},
		{reader.Invoice, "Factura 12", "Buenos días, adjuntamos la factura 12 con vencimiento a 30 días."},
		{reader.Invoice, "Votre facture", "Bonjour, vous trouverez ci-joint notre facture du mois, à régler sous 30 jours."},
		{reader.Invoice, "Fattura 9", "Gentile cliente, in allegato la fattura 9, scadenza 30 giugno."},
		{reader.JobApplication, "Bewerbung als Mechatroniker", "Sehr geehrte Damen und Herren,\n\nhiermit bewerbe ich mich auf Ihre Stelle. Mein Lebenslauf liegt bei."},
		{reader.JobApplication, "Work experience", "Hello, I am in year 12 and would like to apply for an internship with you this summer. My CV is attached."},
		{reader.JobApplication, "Candidature spontanée", "Madame, Monsieur, je vous adresse ma candidature pour un poste de technicien. Mon CV est joint."},
		{reader.JobApplication, "Currículum", "Buenas tardes, les envío mi currículum por si hay alguna vacante en el taller."},
		{reader.Newsletter, "News from the fair", "Twelve exhibitors tell what they plan for spring.\n\nYou are receiving this because you subscribed at our stand. Unsubscribe: https://fair.example/u"},
		{reader.Newsletter, "Neues vom Verein", "Im Mai öffnen wir das Archiv, im Juni folgt das Sommerfest.\n\nSie erhalten diese Nachricht, weil Sie sich angemeldet haben. Hier abmelden: https://verein.example/ab"},
		{reader.Spam, "You won", "Congratulations, you have been selected to receive two million. Send your bank details and a copy of your passport within 48 hours."},
		{reader.Spam, "Erbschaft", "Herzlichen Glückwunsch, eine Erbschaft von Millionen wartet. Senden Sie uns Ihre Bankdaten, die Bearbeitungsgebühr ist gering. Streng vertraulich."},
		{reader.AutoReply, "Re: Your offer", "I am away until 3 June. For urgent matters please contact reception@mill.example."},
		{reader.AutoReply, "AW: Angebot", "Vielen Dank für Ihre Nachricht. Ich bin bis 3. Juni nicht im Büro. In dringenden Fällen hilft Ihnen Frau Berg."},
		{reader.AutoReply, "RE: Devis", "Je suis absente du 1er au 9 juin. En cas d'urgence, merci de contacter l'accueil."},
		{reader.AutoReply, "RE: Oferta", "Estoy fuera de la oficina hasta el lunes. Para asuntos urgentes, llame a la centralita."},
		{reader.AutoReply, "R: Offerta", "Sono assente fino al 9 giugno. Per urgenze scrivere a ufficio@mulino.example."},
		{reader.AutoReply, "Re: Proposta", "Estarei ausente até dia 9. Em caso de urgência, contacte a receção."},
		{reader.AutoReply, "Re: Offerte", "Ik ben met vakantie en lees mijn mail niet. Bij spoed belt u de receptie."},
		{reader.AutoReply, "Odp: Oferta", "Jestem na urlopie do 9 czerwca. W pilnych sprawach proszę o kontakt z biurem."},
		{reader.AutoReply, "SV: Offert", "Jag är på semester till den 9 juni. Vid brådskande ärenden, kontakta kontoret."},
		{reader.AutoReply, "SV: Tilbud", "Jeg er på ferie til den 9. juni. Ved hastesager kontakt venligst kontoret."},
		{reader.AutoReply, "SV: Tilbud", "Jeg er ute av kontoret til 9. juni. Ved hastesaker, vennligst kontakt sentralbordet."},
		{reader.AutoReply, "VS: Tarjous", "Olen lomalla 9.6. asti. Kiireellisissä asioissa ottakaa yhteyttä toimistoon."},

		{reader.Enquiry, "Scales for our clients", "Hello, our agency fits out shops and our clients ask for a till scale. What would 20 cost per month, with no obligation?"},
		{reader.Enquiry, "Your website", "Hi, your website does not open the price page. Could you send me a quote by mail?"},
		{reader.Enquiry, "Partnership", "Good morning, we are a supplier of packing lines and would like to fit your scales into them. Who should we talk to?"},
		{reader.Enquiry, "Invoice 88", "Dear team, the attached invoice 88 shows a total that is wrong, please correct it. We ordered two, not three."},
		{reader.Enquiry, "Rechnung", "Guten Tag, in Ihrer Rechnung im Anhang ist der Gesamtbetrag falsch, was sollen wir überweisen?"},
		{reader.Enquiry, "Facture", "Bonjour, pouvez-vous m'envoyer la facture ? Je dois la régler cette semaine."},
		{reader.Enquiry, "Application", "Hello, our application is weighing wet fish. Which position of the feet would you advise?"},
		{reader.Enquiry, "Quote", "I am away until Friday, please send me a quote for two bench scales by then."},
		{reader.Enquiry, "Re: Termin", "Ich bin bis Freitag im Urlaub, danach passt mir der Termin. Geht Montag?"},
		{reader.Enquiry, "Lottery", "Hi, we run the village lottery and need a scale for the prize ham. What does the small one cost?"},
		{reader.Enquiry, "Newsletter", "Hello, I read in your newsletter that there is a new crane scale. Is it for sale in Ireland?"},
		{reader.Enquiry, "Campañas", "Hola, para nuestras campañas de vacunación necesitamos una báscula de bebés. ¿Cuánto cuesta?"},
		{reader.Enquiry, "Kandidaten", "Guten Tag, für unsere Prüfung suchen wir eine Waage, die Kandidaten bedienen sie selbst. Haben Sie eine einfache?"},
		{reader.Enquiry, "", "Price?"},
	} {
		s := reader.Source{Kind: "mail", FromName: "Kim Sato", FromAddress: "kim@mill.example", Subject: c.subject, Visible: c.text}
		r, err := rules.New().Extract(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Class != c.want {
			t.Errorf("%q: %s, want %s", c.text, r.Class, c.want)
		}
		if !r.Class.IsEnquiry() && r.Intent != reader.Other {
			t.Errorf("%q: intent %s of what is no enquiry", c.text, r.Intent)
		}
	}
}

func TestWishNotToBeMailedIsHeardWhateverTheMailIs(t *testing.T) {
	t.Parallel()
	s := reader.Source{Kind: "mail", FromAddress: "kim@mill.example", Subject: "Your website",
		Visible: "I came across your website. Our agency does SEO and link building, worth a quick call? And please remove us from your mailing list."}
	r, err := rules.New().Extract(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Class != reader.Enquiry || r.Intent != reader.OptOut || !r.PossibleOptOut {
		t.Errorf("%+v", r)
	}
}

// A mail of two classes is a person's to judge; of one it is not.
func TestReading13TwoClassesAreAQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, asks string
	}{
		{"Dear Sirs,\n\nattached is invoice 2231 for cleaning in May. The total of 310.00 is payable by the 30th.", "And what does your bench scale cost?"},
		{"Guten Tag,\n\nanbei erhalten Sie unsere Rechnung R-77. Der Betrag ist innerhalb von 14 Tagen zahlbar.", "Übrigens: Was kostet Ihre kleine Waage?"},
		{"Buenos días, adjuntamos la factura 12 con vencimiento a 30 días.", "Por cierto, ¿cuánto cuesta su báscula pequeña?"},
		{"Bonjour, vous trouverez ci-joint notre facture du mois, à régler sous 30 jours.", "Au fait, combien coûte votre petite balance ?"},
		{"Gentile cliente, in allegato la fattura 9, scadenza 30 giugno.", "Quanto costa la vostra bilancia piccola?"},
		{"Hello, I am in year 12 and would like to apply for an internship with you this summer. My CV is attached.", "We also need a quote for two bench scales for our school."},
		{"Guten Tag, hiermit bewerbe ich mich auf Ihre Stelle. Mein Lebenslauf liegt bei.", "Außerdem bitten wir um ein Angebot für zwei Waagen."},
		{"Hello, we help companies like yours win new customers for a fixed fee per month. 15 minutes on Thursday?", "Please send us a quote for two of your scales, too."},
		{"Buenos días, ayudamos a empresas a conseguir más clientes sin compromiso. ¿Le llamo 15 minutos?", "Además necesitamos un presupuesto de dos básculas."},
		{"Twelve exhibitors tell what they plan for spring.\n\nYou are receiving this because you subscribed at our stand. Unsubscribe: https://fair.example/u", "Could you send us a quote for two bench scales?"},
		{"I am away until 3 June. For urgent matters please contact reception@mill.example.", "Could you send me a quote for two bench scales?"},
	} {
		for text, both := range map[string]bool{c.first: false, c.first + "\n\n" + c.asks: true, c.asks + "\n\n" + c.first: true, c.asks: false} {
			s := reader.Source{Kind: "mail", FromName: "Kim Sato", FromAddress: "kim@mill.example", Subject: "May", Visible: text}
			if got := reasonsOf(t, s); slices.Contains(got, reader.ReasonAmbiguous) != both {
				t.Errorf("%q: %v", text, got)
			}
		}
	}
}
