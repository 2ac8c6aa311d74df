package diagnosis

import (
	"regexp"

	"onefold/internal/reading/phrases"
)

// What mail systems write of a failure, in the words of the common ones and of
// those that write in the language of their country.
var (
	// noSuchAddress: the address or its domain does not exist, or takes no mail at all (RFC 7505).
	noSuchAddress = phrases.New(`(?:user|recipient|mailbox|account|host|alias)[\s.]{1,3}unknown|unknown[\s.]{1,3}(?:virtual |or illegal )?(?:user|recipient|address|host|local|mailbox|alias|e-?mail)|no such (?:user|mailbox|recipient|person|address|account|domain|host|local|alias|e-?mail)`+
		`|(?:user|recipient|mailbox|account|address|person|domain|host)(?:[^.\n]|\.[^\s.]){0,60}(?:does not exist|doesn't exist|do not exist|not exist|not found|is not known|isn't known|not recognized|not listed|not present|not known|no longer (?:on server|valid|available|in use|exist|accepts)|is unknown|couldn't be found|could not be found|wasn't found|has moved|(?:been|is|was) (?:deleted|discontinued|closed|terminated))`+
		`|recip(?:ient)?notfound|(?:host|domain|user) \S{1,80} (?:was )?not found|user [^\n]{1,80} not listed|(?:invalid|bad) (?:final )?(?:delivery )?(?:recipient|address|mailbox|user|destination|alias)|not our customer|no valid recipients|unrouteable address|unroutable address|addressee unknown|inactive email address`+
		`|no one at this address|no (?:mailbox|account) (?:here )?by that name|host name lookup fail|name service error|(?:doesn't|does not) have an? [\w.]{2,30} account|not a (?:valid|known) (?:user|mailbox|recipient|address)`+
		`|null ?mx\b|no smtp service|non-?existent (?:host|domain|user|recipient|mailbox|address)|(?:incorrect|wrong) (?:recipient|e-?mail|address|mailbox)|(?:recipient|mailbox|address|user ?id) (?:is )?invalid|no mail exchanger|nobody (?:here )?by that name|nxdomain|(?:host|domain)(?: \S{1,80})? does not accept (?:any )?e?mail|address lookups failed permanently`+
		`|`+noun+`[^.\n]{0,40}`+unknown+`|`+unknown+`[^.\n]{0,20}`+noun,
		"known", "no such", "no mailbox", "no account", "no one", "exist", "found", "recognized", "listed", "no longer", "not present", "deleted", "discontinued", "closed", "terminated", "incorrect ", "wrong ", "invalid", "no mail ex", "nobody", "bad ", "not our cust", "no valid", "unrout",
		"inactive em", "name lookup", "name service", "have a", "not a ", "moved", "null", "no smtp", "nxdomain", "not accept", "lookups failed",
		"unbekannt", "nicht gefunden", "existier", "inconnu", "n'existe", "introuvable", "no existe", "desconoc", "desconhec", "encontrad", "sconosciut", "inesistente", "inexistente", "esiste", "trovat", "existe",
		"onbekend", "bestaat niet", "niet gevonden", "istnieje", "nieznan", "finns inte", "hittades inte", "okänd", "ukendt", "ukjent", "findes ikke", "finnes ikke", "eksisterer ikke", "tuntematon", "ei ole olemassa", "ei löydy")

	// mailboxFull and notTheAddress: the address exists, or nothing is said of it.
	mailboxFull = phrases.New(`not enough (?:disk )?space|mailbox[^.\n]{0,30}(?:full|quota|exceed|limit)|over ?quota|quota (?:exceeded|full)|exceed\w* (?:the |its |storage )*(?:local |mailbox |storage )?(?:limit|quota)|(?:inbox|account) (?:is )?(?:full|over quota)|disk (?:is )?full|insufficient (?:system )?storage`+
		`|postfach[^.\n]{0,20}voll|bo[iî]te[^.\n]{0,30}pleine|buz[oó]n[^.\n]{0,20}lleno|casella[^.\n]{0,20}piena|caixa[^.\n]{0,20}cheia`,
		"not enough", "full", "quota", "exceed", "limit", "insufficient", "voll", "pleine", "lleno", "piena", "cheia")
	notTheAddress = phrases.New(`\bspam\b|spamhaus|spamcop|unsolicited|virus|malware|phish|blocked|block(?:ing)? ?list|black ?list|dnsbl|\brbls?\b|polic(?:y|ies)\b|dmarc|\bspf\b|\bdkim\b|authenticat|content (?:rejected|filter)|message (?:content|size|filtered)|access (?:denied|from)`+
		`|relay(?:ing)? (?:access )?(?:denied|not permitted)|not allowed|\bdisabled\b|suspended|frozen|\block(?:ed)?\b|is inactive|\bbanned\b`+
		`|too many|frequency|temporar|try (?:again )?later|try again in|timed out|timeout|deferred|expired|delayed|rate[- ]?limit|throttl|per (?:hour|minute|day|second)|(?:this|last) hour|hop count|mail loop|reputation|after end of data|rejected by the domain filter|open relay|turn on smtp|smtp command\s{1,4}data\b|in reply to (?:end of )?data`+
		`|reverse dns|\bptr\b|\bhelo\b|\behlo\b|sending (?:ip|server|host|mta)|(?:your|client|sender|source) (?:ip|network|host|mail ?server)\b`,
		"spam", "unsolicited", "virus", "malware", "phish", "lock", "black", "dnsbl", "rbl", "polic", "dmarc", "spf", "dkim", "authenticat", "content r", "content f", "message c", "message s", "message f",
		"access d", "access f", "relay", "not allowed", "disabled", "suspended", "frozen", "inactive", "banned", "too many",
		"frequency", "temporar", "later", "try again", "timed out", "timeout", "deferred", "expired", "delayed", "rate", "throttl", "per ", "hour", "hop count", "mail loop", "reputation", "end of data", "domain filter", "turn on smtp", "smtp command", "in reply to",
		"reverse dns", "ptr", "helo", "ehlo", "sending ", "your ", "client ", "sender", "source ")

	// passes: another try may succeed, even where the words before it say that nothing is there.
	passes = phrases.New(`(?:found|fail\w{0,3}|error),?\s+(?:please )?(?:try(?:ing)? again|will (?:try|retry))|servfail|gr[ea]y-?list`, "try", "retry", "servfail", "list")

	// anyServer and ofMail: a diagnosis that speaks of the mail, its sender or the way it came, and does not say that an
	// address is not there.
	anyServer = regexp.MustCompile(`[^[\d.]\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`)
	ofMail    = phrases.New(`\b(?:sender|message|mail from|rate|connections?|content|junk|bulk|listed|deny|denied|country|tls|quota|hourly|too fast)\b`,
		"sender", "message", "mail", "rate", "connection", "content", "junk", "bulk", "listed", "den", "country", "tls", "quota", "hourly", "too fast")

	senderFault = phrases.New(`(?:sender|return path|mail from)[^.\n]{0,60}(?:reject|not exist|denied|unknown|verif)|domain of sender|\bprocmail\b`, "sender", "return path", "mail from", "procmail")
)

// The nouns and predicates of a sentence that an address is not known.
const (
	noun = `(?:benutzer|empfänger|postfach|adresse|utilisateur|destinataire|compte|usuario|destinatario|direcci[oó]n|buz[oó]n|cuenta|utente|indirizzo|casella|usu[aá]rio|destinat[aá]rio|endere[cç]o|conta` +
		`|gebruiker|ontvanger|geadresseerde|adres|użytkownik|odbiorca|skrzynka|användare|mottagare|adress|bruger|modtager|bruker|mottaker|käyttäjä|vastaanottaja|osoite)`
	unknown = `(?:unbekannt|nicht gefunden|existiert nicht|inconnu|n'existe pas|introuvable|no existe|desconocid|no encontrad|sconosciut|non esiste|inesistente|non trovat|n[aã]o existe|desconhecid|n[aã]o encontrad` +
		`|onbekend|bestaat niet|niet gevonden|nie istnieje|nieznan|finns inte|hittades inte|okänd|ukendt|findes ikke|ukjent|finnes ikke|eksisterer ikke|tuntematon|ei ole olemassa|ei löydy)`
)

// Tells tells whether a line says of an address that it is not there, or full.
func Tells(line string) bool {
	line = phrases.Lowered(line)
	return noSuchAddress.In(line) || mailboxFull.In(line)
}
