// Package unattended knows by subject and text the mail that a program wrote and
// that says so in no field: receipts, reactions, answers of calendars, notices.
//
// Its invariant: Reaction and ReadReceipt find what is a program's from beginning
// to end. All else may be a person's words, and is a question.
package unattended

import (
	"regexp"
	"strings"
	"unicode"

	"onefold/internal/reading/phrases"
)

var (
	// What a mail program puts before the subject of a receipt, and before an
	// answer to an invitation or its end.
	receiptPrefix = regexp.MustCompile(`(?i)^\s*(?:(?:not )?read|(?:un)?gelesen|(?:non )?lue?|(?:no )?le[ií]d[oa]|(?:non )?lett[oa]|(?:não )?lid[oa]|(?:niet )?gelezen|(?:nie )?przeczytan[oe]|(?:o)?läst|(?:u)?læst|(?:u)?lest|luettu|read[- ]receipt|return receipt` +
		`|lesebestätigung|empfangsbestätigung|accusé de (?:lecture|réception)|confirmation de lecture|confirmación de lectura|(?:ricevuta|conferma) di (?:ritorno|lettura)|(?:recibo|confirmação) de leitura|(?:lees|ontvangst)bevestiging` +
		`|potwierdzenie (?:przeczytania|odczytu|odbioru)|läs(?:kvitto|bekräftelse)|læsekvittering|lesekvittering|lukukuittaus)\s*(?:\([^)]{1,40}\)\s*)?[:：-]`)
	answerPrefix = regexp.MustCompile(`(?i)^\s*(?:accepted|declined|tentative(?:ly accepted)?|new time proposed|cancell?ed(?: event)?|angenommen|zugesagt|zusage|abgelehnt|absage|(?:mit|unter) vorbehalt|abgesagt|acceptée?|refusée?|déclinée?|provisoire|annulée?|aceptad[oa]|rechazad[oa]|provisional|cancelad[oa]` +
		`|accettat[oa]|rifiutat[oa]|provvisori[oa]|annullat[oa]|aceit[oea]|recusad[oa]|rejeitad[oa]|provisóri[oa]|geaccepteerd|geweigerd|afgewezen|voorlopig|geannuleerd|zaakceptowan[oea]|odrzucon[oea]|wstępnie(?: zaakceptowano)?|odwołan[oea]|anulowan[oea]` +
		`|accepterat?d?|avböj[td]|preliminärt?|inställ[td]|accepteret|afvist|afslået|foreløbigt?|aflyst|godtatt|akseptert|avslått|foreløpig|avlyst|hyväksytty|hylätty|alustava|peruutettu|peruttu)\s*[:：]`)

	// reacted is the one sentence that a mail program writes for a sign.
	reacted = regexp.MustCompile(`(?i)\breacted (?:to|via|with)\b|\bliked your message|\b(?:liked|loved|laughed at|emphasized|disliked) ["“]|\breagiert\b|\ba réagi\b|\bha reaccionado\b|\breaccionó\b|\bha reagito\b|\breagiu\b|\bgereageerd op\b|\bzareagował|\breagera(?:de|t)\b|\breagere(?:de|t)\b|\breagerte?\b|\breagoi\b`)

	labelLine = regexp.MustCompile(`^\s*\pL[\pL ]{0,24}:\s+\S`)

	// received: what was sent has come in, been numbered, opened. automatic: the text says what wrote it.
	received = phrases.New(`\b(?:your|the) (?:message|e-?mail|request|enquiry|inquiry|query|submission|order|(?:support )?(?:ticket|case)|report)\b[^.\n]{0,60}(?:ha(?:s|ve) (?:now |just )?been|was) (?:successfully )?(?:received|created|opened|logged|registered|assigned|submitted|queued|escalated)`+
		`|\bwe(?: have|'ve)?(?: now| just| successfully)? received your (?:message|e-?mail|request|enquiry|inquiry|query|submission|ticket)`+
		`|\b(?:ihre?|deine?|eure) (?:nachricht|anfrage|e-?mail|mail|mitteilung|ticket|anliegen|bestellung)\b[^.\n]{0,60}(?:erhalten|eingegangen|empfangen|registriert|angelegt|erfasst|aufgenommen)|\bticket\b[^.\n]{0,40}(?:angelegt|erstellt|eröffnet|erfasst)`+
		`|\bvotre (?:message|commande|demande|e-?mail|courriel|ticket|requête)\b[^.\n]{0,60}(?:reçue?|enregistrée?|créée?|ouverte?|prise? en compte)|\bbien reçu votre (?:message|demande|e-?mail|courriel)`+
		`|\b(?:su|tu) (?:mensaje|solicitud|consulta|correo|ticket|pedido|petición)\b[^.\n]{0,60}(?:recibid[oa]|cread[oa]|registrad[oa]|abiert[oa])|\b(?:hemos )?recibi(?:do|mos) (?:su|tu) (?:mensaje|solicitud|consulta|correo|petición)`+
		`|\b(?:sua|tua|vostra|suo|tuo|vostro) (?:messaggio|richiesta|e-?mail|ticket|ordine|segnalazione)\b[^.\n]{0,60}(?:ricevut[oa]|creat[oa]|registrat[oa]|apert[oa])|\bricevuto (?:la|il) (?:sua|tua|vostra|suo|tuo|vostro) (?:messaggio|richiesta|e-?mail)`+
		`|\b(?:sua|seu|vossa|tua|teu) (?:mensagem|pedido|solicitação|e-?mail|chamado|ticket)\b[^.\n]{0,60}(?:recebid[oa]|criad[oa]|registrad[oa]|registad[oa]|abert[oa])|\brecebemos (?:a |o )?(?:sua|seu|vossa) (?:mensagem|pedido|solicitação|e-?mail)`+
		`|\b(?:uw|je|jouw) (?:bericht|aanvraag|e-?mail|vraag|verzoek|ticket|bestelling|melding)\b[^.\n]{0,60}(?:ontvangen|aangemaakt|geregistreerd|geopend)`+
		`|(?:twoj[aeą]|twoje|państwa) (?:wiadomość|zgłoszenie|zapytanie|e-?mail)[^.\n]{0,60}(?:otrzyman|przyjęt|utworzon|zarejestrowan)|\botrzymaliśmy (?:twoj|państwa)|(?:wiadomość|zgłoszenie) (?:została|zostało) (?:otrzyman|przyjęt|utworzon|zarejestrowan)`+
		`|\b(?:ditt|din|dit|deres|jeres|er) (?:meddelande|ärende|förfrågan|e-?post|mail|besked|henvendelse|forespørgsel|sag|melding|forespørsel|sak|e-?mail)\b[^.\n]{0,60}(?:mottagit|mottaget|mottagits|skapats|registrerats|modtaget|oprettet|registreret|mottatt|opprettet|registrert)`+
		`|\b(?:modtaget|mottagit|mottatt) (?:din|ditt|dit|deres|jeres) |(?:viestisi|viestinne|pyyntösi|pyyntönne|yhteydenottosi|tukipyyntösi)[^.\n]{0,60}(?:vastaanotettu|luotu|kirjattu|saapunut)|olemme vastaanottaneet (?:viestisi|viestinne|pyyntö)`,
		"been ", "was ", "received your", "erhalten", "eingegangen", "empfangen", "registr", "angelegt", "erfasst", "aufgenommen", "erstellt", "eröffnet", "votre ", "recibi", "cread", "abiert", "ricevut", "creat", "apert",
		"recebi", "recebe", "criad", "regist", "abert", "ontvangen", "aangemaakt", "geregistreerd", "geopend", "otrzyma", "przyjęt", "utworzon", "zarejestrowan", "mottag", "skapats", "modtaget", "oprettet", "opprettet", "mottatt", "vastaanot", "luotu", "kirjattu", "saapunut")
	automatic = phrases.New(`\bthis is an (?:automated|automatic|auto-?generated)|\bautomatically generated\b|\bautomatisch (?:erstellt|generiert|erzeugt|gegenereerd|aangemaakt|bericht)|\bautomatische (?:antwort|nachricht|bestätigung|e-?mail|reactie)|\b(?:message|réponse|e-?mail|courriel) (?:est )?(?:généré )?automatique|\bgénéré automatiquement`+
		`|\b(?:mensaje|respuesta|correo) (?:es )?(?:generad[oa] )?automátic[oa]|\bgenerad[oa] automáticamente|\b(?:messaggio|risposta|e-?mail) (?:generat[oa] )?automatic[oa]|\bgenerat[oa] automaticamente|\b(?:mensagem|resposta|e-?mail) (?:gerad[oa] )?automátic[oa]|\bgerad[oa] automaticamente`+
		`|\bwygenerowan[aeyo] automatycznie|\bautomatyczna (?:odpowiedź|wiadomość)|\bautomatiskt? (?:genererat|genereret|generert|svar|meddelande|besked|melding)|\bautomaattinen (?:viesti|vastaus)|\bdo not reply to this (?:e-?mail|message)|\bnicht auf diese (?:e-?mail|nachricht)`,
		"automat", "automát", "automaat", "auto-generated", "autogenerated", "générée automat", "do not reply", "nicht auf diese")
	// Of these one alone is a person's as well: the number of a case, that something was opened, thanks for
	// what was sent, and when it will be answered.
	numbered = regexp.MustCompile(`(?:^|[^\pL])` + caseNoun + `(?:[- ]?(?:number|no\.?|nr\.?|id|numéro|número|numero|nummer|numer|n°|º)\s?(?:is|ist|lautet|est|es|é|è|:)?\s{0,2}[#a-z-]{0,8}\d{3,}|\s?(?:is|ist|est|es|é|è|:)?\s{0,2}(?:[[(]?#|[a-z]{2,6}-)\d{2,}|\s{1,2}(?:\d{5,}|\d{2,}-\d{2,}))`)
	opened   = phrases.New(`created|opened|logged|registered|angelegt|erstellt|eröffnet|registriert|créée?|ouverte?|enregistrée?|cread[oa]|abiert[oa]|registrad[oa]|creat[oa]|apert[oa]|registrat[oa]|criad[oa]|abert[oa]`+
		`|aangemaakt|geopend|geregistreerd|utworzon|przyjęt|zarejestrowan|skapats|registrerats|oprettet|registreret|opprettet|registrert|luotu|kirjattu`,
		"created", "opened", "logged", "regist", "angelegt", "erstellt", "eröffnet", "cré", "ouvert", "enregistr", "cread", "abiert", "creat", "apert", "criad", "abert",
		"aangemaakt", "geopend", "geregistreerd", "utworzon", "przyjęt", "zarejestrowan", "skapats", "oprettet", "opprettet", "luotu", "kirjattu")
	thanked = phrases.New(`thank(?:s| you) (?:very much )?for (?:contacting|reaching out|getting in touch|writing|your (?:message|e-?mail|enquiry|inquiry|request|interest))|dank\w* für (?:ihre|deine) (?:anfrage|nachricht|e-?mail|mail|kontaktaufnahme)|merci de nous avoir|merci (?:pour|de) votre (?:message|demande|e-?mail|courriel)`+
		`|gracias por (?:contactar|escribir|su (?:mensaje|consulta|correo|solicitud))|grazie per (?:averci|il suo messaggio|la sua (?:richiesta|e-?mail))|obrigad[oa] (?:pelo|pela|por) (?:seu|sua|contact|nos contact|entrar)|(?:bedankt|dank u(?: wel)?) voor (?:uw|je) (?:bericht|e-?mail|vraag|aanvraag)|dzięku\pL+ za (?:kontakt|wiadomość|zgłoszenie|e-?mail)`+
		`|tack för (?:ditt|din) (?:mejl|mail|meddelande|förfrågan|e-post)|tak for din (?:henvendelse|mail|besked|forespørgsel)|takk for (?:din )?(?:henvendelse|e-?post|melding|forespørsel)|kiitos (?:yhteydenoto|viesti|sähköposti)`,
		"for contacting", "for reaching", "for getting", "for writing", "for your", "dank", "merci", "gracias por", "grazie per", "obrigad", "za kontakt", "za wiadomość", "za zgłoszenie", "za e", "tack för", "tak for", "takk for", "kiitos ")
	promised = phrases.New(`(?:will|'ll|shall|werden|wird|melden uns|nous |notre équipe|le |nos |vamos|hemos|equipo|team|risponder|ricontatt|entrar|responder|zullen|zal|nemen|skontaktuj|odpowie|återkommer|svarar|vender tilbage|besvarer|svarer|tar kontakt|palaamme|vastaamme|otamme)[^.\n]{0,60}`+
		`(?:get back|reply|respond|answer|in touch|contact|antworten|beantwort|bearbeit|bei ihnen|répond|recontact|reviendr|contest|rispost|risponder|contatt|contacto|contato|reager|antwoord|contact|państwem|wkrótce|snarast|så snart|hurtigst|pian|mahdollisimman)`+
		`|(?:repl(?:y|ies)|responds?|answers?)\b[^.\n]{0,30}(?:within|shortly)|schnellstmöglich`,
		"get back", "reply", "replies", "respond", "answer", "in touch", "contact", "antworten", "beantwort", "bearbeit", "bei ihnen", "répond", "reviendr", "contest", "rispo", "contatt", "contat", "reager", "antwoord", "państwem", "wkrótce", "snarast", "så snart", "hurtigst", "pian", "mahdollis", "schnellst")
	// noticed: somebody signed up, or commented, on a site.
	noticed = regexp.MustCompile(`(?i)^\s*(?:\[[^\]]{1,80}\]\s*)?(?:a |an )?(?:(?:new|neue[rs]?|nouve(?:l|lle|au)|nuev[oa]|nuov[oa]|nov[oa]|nieuwe?|now[yae]|ny|nytt|uusi) (?:(?:user|member|customer|account|benutzer|nutzer|mitglieder)[- ]?)?` +
		`(?:registration|registrierung|registro|registrazione|registo|registratie|rejestracja|registrering|rekisteröinti|comment|kommentar|commentaire|comentario|commento|comentário|reactie|komentarz|kommentti|subscriber|follower|sign-?up|abonnent|abonné|suscriptor|iscritto|assinante|abonnee|prenumerant|tilaaja` +
		`|user|benutzer|utilisateur|usuario|utente|usuário|utilizador|gebruiker|użytkownik|användare|bruger|bruker|käyttäjä)\b|please moderate:|comment: ["“]|bitte moderieren)` +
		`|^.{0,40}\b(?:commented on|left a (?:comment|review) on|signed up (?:on|at|for) your|registered on your|subscribed to your|kommentiert(?:e)? (?:deinen|ihren)|a commenté votre|ha comentado su|ha commentato il)\b`)
)

// caseNoun is what a number is of that whoever answers gives.
const caseNoun = `(?:ticket|tiketti|case|request|reference|vorgangs?|anfrage|dossier|demande|caso|pratica|chamado|zgłoszeni\pL*|ärende\pL*|sags?|saks?|tapaus)`

const (
	longestText     = 1200 // bytes of what a program tells
	longestSentence = 12   // words of a reaction
)

// Reaction tells whether all of a text is a sign, and the sentence of the mail
// program that somebody gave it.
func Reaction(text string) bool {
	sentence, sign := "", false
	for line := range strings.Lines(text[:min(len(text), longestText)]) {
		switch line = strings.TrimSpace(line); {
		case line == "":
		case !strings.ContainsFunc(line, unicode.IsLetter):
			sign = true
		case sentence != "":
			return false
		default:
			sentence = line
		}
	}
	sign = sign || strings.HasSuffix(sentence, ":") || strings.ContainsAny(sentence, "\"“") || strings.ContainsFunc(sentence, unicode.IsSymbol) || strings.HasSuffix(strings.TrimRight(sentence, ".: "), "your message")
	return sign && reacted.MatchString(sentence) && len(strings.Fields(sentence)) <= longestSentence && !asks(sentence)
}

// ReadReceipt tells whether a mail program says that a mail was read: it names
// that mail by some of its fields.
func ReadReceipt(subject, text string) bool {
	labels := 0
	for line := range strings.Lines(text[:min(len(text), longestText)]) {
		if labelLine.MatchString(line) {
			labels++
		}
	}
	return labels >= 2 && receiptPrefix.MatchString(subject)
}

// Answers tells whether a calendar may have written a mail, to answer an
// invitation or to end it.
func Answers(subject, text string) bool { return answerPrefix.MatchString(subject) && !asks(text) }

// Tells tells whether a program may have written a mail, to say that something
// has come in or has happened. In many of these it asks something by the way
// ("More to add?"): then only what no person says of himself counts.
func Tells(subject, text string) bool {
	short := len(text) <= longestText
	if !asks(text) && (receiptPrefix.MatchString(subject) || noticed.MatchString(subject) || short && noticed.MatchString(text) ||
		reacted.MatchString(subject) && len(strings.Fields(text)) <= longestSentence) {
		return true
	}
	if !short {
		return false
	}
	lower := phrases.Lowered(text)
	receives, promises := received.In(lower), promised.In(lower)
	hasNumber := numbered.MatchString(phrases.Lowered(subject) + "\n" + lower)
	if automatic.In(lower) || receives && (hasNumber || promises) {
		return true
	}
	return !asks(text) && (receives || thanked.In(lower) && (hasNumber || promises) || hasNumber && (promises || opened.In(lower)))
}

func asks(text string) bool { return strings.ContainsAny(text, "?？") }
