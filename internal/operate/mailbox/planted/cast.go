package planted

import (
	"strings"
)

// cast is who plays the scenes, and in which language.
type cast struct {
	lang    string
	names   []string
	places  []string // what their domains are called
	asks    []ask    // questions
	greet   string
	close   string
	answer  string // what we write back
	news    string // what we write to many
	subject string // of that
	thanks  string
	stop    string // a plain wish not to be mailed
	doubt   string // words that may be one
	pitch   ask
	mailing ask
	away    string
	form    string // subject of a form's notification
	forward string // what a colleague writes above a mail that he passes on
}

// ask is a question with its subject.
type ask struct{ subject, text string }

// who is the person of a part. Each part has a domain of its own.
func (c cast) who(part int) person {
	name := c.names[part]
	place := c.places[part%len(c.places)]
	if part >= len(c.places) {
		place = "new-" + place
	}
	return person{name, local(name) + "@" + place + ".example"}
}

// host is a domain that no other cast has.
func (c cast) host(place string) string {
	if c.lang == "en" {
		return place + ".example"
	}
	return place + "-" + c.lang + ".example"
}

// local is a name as the local part of an address.
func local(name string) string {
	name = strings.NewReplacer("ü", "ue", "ö", "oe", "ä", "ae", "é", "e", "è", "e", "ç", "c", "ñ", "n", "ë", "e", "'", "").Replace(strings.ToLower(name))
	return strings.ReplaceAll(name, " ", ".")
}

// letter is a mail's text, signed.
func (c cast) letter(w person, text string) string {
	return c.greet + "\n\n" + text + "\n\n" + c.close + "\n" + w.name
}

func english() cast {
	return cast{
		lang: "en",
		names: []string{
			"Pat Quill", "Nora Ashby", "Tom Hale", "Ivy Marsh", "Sam Okafor", "Rita Crane", "Leo Birch", "Una Doyle",
			"Max Fielding", "Ada Thorne", "Ben Larkin", "Cleo Hart", "Dan Moss", "Eve Rowan", "Finn Archer", "Gail Stone",
		},
		places: []string{"orchard", "harbour", "meadow", "mill", "bridge", "quarry", "lantern", "willow"},
		asks: []ask{
			{"Snow shoes", "do your winter tours include snow shoes?"},
			{"Dogs", "may we bring our dog on the coastal walk?"},
			{"Price for two", "what does the weekend tour cost for two people?"},
			{"Dates in May", "which dates in May do you still have places for?"},
			{"Meeting place", "where does the moonlight tour start?"},
			{"Children", "is the ridge walk fine for a child of eight?"},
			{"Maps", "do you hand out maps for the walk without a guide?"},
			{"Vegetarian lunch", "is there a vegetarian lunch on the day tour?"},
		},
		greet: "Hello,", close: "Kind regards", answer: "Hello,\n\nthank you for your question. Yes, gladly.\n\nFernweh Hiking",
		subject: "Spring walks", news: "Hello,\n\nour spring walks are open for booking.\n\nFernweh Hiking",
		thanks: "many thanks, that is what I hoped for.",
		stop:   "Please unsubscribe me from your emails.", doubt: "Please do not unsubscribe me.",
		pitch: ask{
			"More leads for your business",
			"we help companies like yours to get more leads. Our agency offers SEO services and link building for your website at a fixed price. Would you be open to a quick call next week?",
		},
		mailing: ask{"The Harbour Newsletter, January", "In this issue: lighthouses of the north.\n\nView this email in your browser.\n\nYou are receiving this email because you signed up for our newsletter. Unsubscribe here: https://news.example/u"},
		away:    "Out of office", form: "Contact form", forward: "can you take this one?",
	}
}

func german() cast {
	return cast{
		lang: "de",
		names: []string{
			"Jutta Brand", "Karl Winter", "Lena Vogt", "Moritz Kern", "Nele Sommer", "Otto Falk", "Petra Lindner", "Ralf Busch",
			"Sina Wolf", "Till Hagen", "Ute Jansen", "Viktor Paul", "Wiebke Roth", "Anke Seidel", "Bodo Kraus", "Carla Engel",
		},
		places: []string{"garten", "hafen", "wiese", "muehle", "bruecke", "steinbruch", "laterne", "weide"},
		asks: []ask{
			{"Schneeschuhe", "gehören Schneeschuhe zu Ihren Wintertouren?"},
			{"Hunde", "dürfen wir unseren Hund auf die Küstenwanderung mitnehmen?"},
			{"Preis für zwei", "was kostet die Wochenendtour für zwei Personen?"},
			{"Termine im Mai", "an welchen Terminen im Mai haben Sie noch Plätze frei?"},
			{"Treffpunkt", "wo beginnt die Mondscheintour?"},
			{"Kinder", "ist die Gratwanderung für ein Kind von acht Jahren geeignet?"},
			{"Karten", "geben Sie Karten für die Wanderung ohne Führer aus?"},
			{"Vegetarisches Essen", "gibt es auf der Tagestour ein vegetarisches Mittagessen?"},
		},
		greet: "Guten Tag,", close: "Mit freundlichen Grüßen", answer: "Guten Tag,\n\nvielen Dank für Ihre Frage. Ja, gern.\n\nFernweh Hiking",
		subject: "Wanderungen im Frühling", news: "Guten Tag,\n\nunsere Frühlingswanderungen können gebucht werden.\n\nFernweh Hiking",
		thanks: "vielen Dank, das hatte ich gehofft.",
		stop:   "Bitte melden Sie mich von Ihrem Newsletter ab.", doubt: "Was passiert, wenn ich mich vom Newsletter abmelde?",
		pitch: ask{
			"Mehr Kunden für Ihr Unternehmen",
			"wir helfen Unternehmen wie Ihrem, mehr Kunden zu gewinnen. Unsere Agentur bietet Suchmaschinenoptimierung für Ihre Website zum Festpreis an. Hätten Sie nächste Woche Zeit für ein kurzes Telefonat?",
		},
		mailing: ask{"Der Hafen-Newsletter im Januar", "In dieser Ausgabe: Leuchttürme des Nordens.\n\nNewsletter im Browser ansehen.\n\nSie erhalten diese E-Mail, weil Sie sich für unseren Newsletter angemeldet haben. Hier abmelden: https://news.example/u"},
		away:    "Abwesenheitsnotiz", form: "Kontaktformular", forward: "kannst du das übernehmen?",
	}
}

func french() cast {
	return cast{
		lang: "fr",
		names: []string{
			"Agathe Morel", "Bruno Caron", "Colette Petit", "Denis Roux", "Elise Faure", "Fabien Girard", "Gaelle Blanc", "Hugo Perrin",
			"Ines Renard", "Jules Marchand", "Karine Leroy", "Luc Mercier", "Manon Dupuis", "Noel Barbier", "Odile Colin", "Paul Vidal",
		},
		places: []string{"verger", "port", "prairie", "moulin", "pont", "carriere", "lanterne", "saule"},
		asks: []ask{
			{"Raquettes", "est-ce que vos sorties d'hiver comprennent les raquettes ?"},
			{"Chiens", "pouvons-nous venir avec notre chien à la promenade côtière ?"},
			{"Prix pour deux", "combien coûte le week-end pour deux personnes ?"},
			{"Dates en mai", "à quelles dates en mai avez-vous encore des places ?"},
			{"Lieu de rendez-vous", "où commence la sortie au clair de lune ?"},
			{"Enfants", "la promenade de la crête convient-elle à un enfant de huit ans ?"},
			{"Cartes", "donnez-vous des cartes pour la promenade sans guide ?"},
			{"Repas végétarien", "y a-t-il un repas végétarien pendant la sortie d'une journée ?"},
		},
		greet: "Bonjour,", close: "Cordialement", answer: "Bonjour,\n\nmerci de votre question. Oui, avec plaisir.\n\nFernweh Hiking",
		subject: "Promenades de printemps", news: "Bonjour,\n\nnos promenades de printemps sont ouvertes à la réservation.\n\nFernweh Hiking",
		thanks: "merci beaucoup, c'est ce que j'espérais.",
		stop:   "Merci de me désinscrire de votre liste de diffusion.", doubt: "Merci de ne pas me désinscrire.",
		pitch: ask{
			"Plus de clients pour votre entreprise",
			"nous aidons les entreprises comme la vôtre à trouver plus de clients. Notre agence propose des services de référencement naturel pour votre site web. Auriez-vous un moment la semaine prochaine pour en parler ?",
		},
		mailing: ask{"La lettre du port, janvier", "Dans ce numéro : les phares du nord.\n\nVoir cet e-mail dans votre navigateur.\n\nVous recevez cet e-mail car vous êtes inscrit à notre newsletter. Se désinscrire : https://news.example/u"},
		away:    "Absence du bureau", form: "Formulaire de contact", forward: "tu peux t'en occuper ?",
	}
}
