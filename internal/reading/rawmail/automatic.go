package rawmail

import (
	"regexp"
	"strings"
)

// An automatic answer is known by the shape of its fields: there are more names
// for it than anybody can list.
var (
	autoName  = regexp.MustCompile(`^x-(?:[a-z0-9]+-)*(?:auto-?(?:re(?:ply|pl|sp|spond|sponse|sponder)|answer|generat|submit)|machine-?generat|vacation(?:-(?:reply|response|message))?$|out-?of-?office|ooo(?:-reply)?$|cron-env$)`)
	autoValue = regexp.MustCompile(`(?i)\bauto[-_ ]?respon(?:d|se)|\bauto[-_ ]?repl(?:y|ie)|\boofassistant\b|\bvacation(?:[/ ]\d|\.pl\b)`)
)

// autoHeader reports whether a field of the sender's own (x-…), or the name of the
// program, says that a machine wrote the mail. X-Auto-Response-Suppress asks other machines to be
// silent and says nothing of this mail ([MS-OXCMAIL] section 2.1.3.2.14).
func autoHeader(h header) bool {
	for _, f := range h {
		if !strings.HasPrefix(f.name, "x-") && f.name != "user-agent" && f.name != "delivered-to" || f.name == "x-auto-response-suppress" {
			continue
		}
		switch firstWord(f.value) {
		case "no", "none", "false", "0", "never", "":
			continue
		}
		value := cut(f.value, maxValue)
		if autoName.MatchString(f.name) ||
			(containsFold(value, "auto") || containsFold(value, "oof") || containsFold(value, "vacation")) && autoValue.MatchString(value) {
			return true
		}
	}
	return false
}

// awayPrefix is the word that Outlook and others put before the subject of an
// automatic answer, with a colon, in the languages that Outlook is made in. With
// its colon it is a program's, whatever else the mail says.
var awayPrefix = regexp.MustCompile(`(?i)^\s*(?:(?:re|aw|sv|vs|odp|tr|fwd?)\s*:\s*)*(?:` +
	`automatic reply|auto(?:matic)?[- ]?(?:reply|response)|out of (?:the )?office(?: auto ?reply)?|away from (?:the |my )?office` +
	`|automatische antwort|abwesenheitsnotiz|abwesenheit|réponse automatique|absente? du bureau|respuesta automática|fuera de (?:la )?oficina` +
	`|risposta automatica|fuori (?:sede|ufficio)|automatisch antwoord|afwezig(?:heid)?|resposta automá?tica|resposta automàtica|ausência temporária` +
	`|automatiskt svar|frånvarande|automatisk svar|autosvar|fraværende|ikke til stede|automaattinen vastaus|poissa|sjálfvirkt svar` +
	`|odpowiedź automatyczna|autoodpowiedź|nieobecność|automatická odpověď|automatická odpoveď|mimo kancelář|automatikus válasz|házon kívül` +
	`|αυτόματη απάντηση|автоматический ответ|автоответ|автоматична відповідь|автоматичен отговор|automatski odgovor|samodejni odgovor|аутоматски одговор` +
	`|automaatvastus|automātiskā atbilde|automatinis atsakymas|răspuns automat|otomatik yanıt|erantzun automatikoa` +
	`|رد تلقائي|الرد التلقائي|מענה אוטומטי|תשובה אוטומטית|स्वचालित उत्तर|ตอบกลับอัตโนมัติ|การตอบกลับอัตโนมัติ|trả lời tự động|balasan (?:otomatis|automatik)` +
	`|자동 ?회신|自動応答|自動返信|自動回覆|自动答复|自动回复)\s*[:：]`)

// awayStem is the word for "automatic" of whatever language, in a prefix of a few
// words before the subject of an answer: "Ateb awtomatig: Re: Tent".
var awayStem = regexp.MustCompile(`(?i)^[^:：]{0,40}(?:autom|avtom|otomat|awtom|outom|uathoib|автомат|αυτόματ|ավտոմատ|ავტომატ|אוטומט|تلقائ|خودکار|स्वच|স্বয়ংক্রিয়|தானியங்கு|స్వయంచాలక|સ્વચાલિત|स्वयंच|自動|自动|자동)` +
	`[^:：]{0,30}[:：]\s*(?:re|aw|sv|vs|odp|antw|r|rif|rv|tr|res|回复|回覆|返信|答复|ynt|svar|odg|отв|ответ|απ|回|fwd?)\s*[:：]`)

// isDaemon reports whether the mail is from a mail server's own address
// (RFC 5321 section 6.1): no person writes as that.
func isDaemon(m *Message) bool {
	for _, box := range m.From {
		local, _, _ := strings.Cut(box.Address, "@")
		if strings.EqualFold(local, "mailer-daemon") {
			return true
		}
	}
	return false
}
