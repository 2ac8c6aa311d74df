package rawmail

import (
	"regexp"
	"slices"
	"strings"

	"onefold/internal/reading/diagnosis"
	"onefold/internal/reading/phrases"
)

var (
	// daemonLocal are the local parts and names that mail systems write under.
	daemonLocal = regexp.MustCompile(`(?i)\b(?:mailer[-_ ]?daemon|post[-_]?master|poostmaster|mail[-_. ]?deliver\w*[-_. ](?:sub)?sys\w*|mail delivery (?:service|subsystem)|ndr administrator|(?:mail )?system administrator|microsoft exchange)\b`)
	// robotLocal are senders that only machines use, though not only for bounces.
	robotLocal = regexp.MustCompile(`(?i)\b(?:no-?reply|do-?not-?reply|bounces?|daemon|sysadmin)\b`)

	bounceSubject = regexp.MustCompile(`(?i)^\W*(?:` +
		`undeliver(?:ed|able)\b|non[ -]?(?:delivery|recapitabile|remis)|unzustellbar|onbestelbaar|no se puede entregar|não é possível entregar|недоставленное|ваше сообщение не доставлено` +
		`|(?:mail |message )?delivery (?:status|notification|report|failure|failed|has failed|error)|returned mail|mail (?:delivery|system) (?:failed|failure|error|status)` +
		`|failure notice|failure delivery|message (?:delivery|you sent|could not)|sorry, your message could not|there was an error sending your mail|postmaster notify|notice: mail delivery|mail failure|rejected:` +
		`|échec de (?:la )?(?:remise|distribution)|mail could not be delivered|メールエラー|配信|送信)`)

	bounceText = phrases.New(`could ?n[o']t be delivered|was not delivered|not be delivered to|(?:was|were|wasn't) (?:un)?able to deliver|unable to deliver|did not reach the following|had (?:permanent fatal|delivery|transient non-fatal) (?:errors|problems)`+
		`|delivery to the following recipients? (?:failed|has failed|has been delayed)|permanent(?:ly)? (?:error|fail)|delivery (?:has )?failed|returned permanent errors|undeliverable|rejected by (?:a|the) (?:remote|recipient)`+
		`|user unknown|unknown user|recipient address rejected|mailbox (?:is )?full|failure reasons|transcript of session|giving up on|automatically rejected|trouble delivering|cannot be delivered|following address(?:es)? failed`+
		`|no such user|delivery status|送信できません|送信に失敗|не может быть доставлено`,
		"be delivered", "not delivered", "able to deliver", "not reach", "fatal", "delivery ", "permanent", "undeliverable", "rejected by", "unknown", "address rejected", "mailbox ",
		"failure rea", "transcript", "giving up", "automatically", "trouble del", "following addr", "no such", "送信", "может")
)

// bounce recognises delivery reports (RFC 3464) and the free-text reports of
// mail systems that do not write one. Reasons are nil when it is neither.
//
// A free-text report needs a sign that a machine sent it: a person who
// forwards a bounce to ask about it stays a person.
func bounce(m *Message, h header, b body, sns *notice) (reasons []string, list []Suppression) {
	status := b.reportsOf("message/delivery-status", "message/global-delivery-status")
	if b.reportType == "delivery-status" || len(status) > 0 {
		return append(reasons, "delivery_status_report"), failedRecipients(m, h, b, status)
	}
	if sns != nil {
		return append(reasons, "ses_notification"), sns.list
	}
	from := h.get("from")
	machine := 0
	sign := func(present bool, weight int, reason string) {
		if present {
			machine += weight
			reasons = append(reasons, reason)
		}
	}
	sign(m.NullReturn, 2, "null_return_path")
	sign(daemonLocal.MatchString(from) || daemonLocal.MatchString(m.ReturnPath) || strings.EqualFold(strings.Trim(h.get("return-path"), "<> "), "mailer-daemon"), 2, "daemon_sender")
	sign(h.has("x-failed-recipients"), 2, "failed_recipients_header")
	sign(robotLocal.MatchString(from), 1, "robot_sender")
	sign(h.has("from") && len(m.From) == 0, 1, "empty_sender")
	sign(firstWord(h.get("auto-submitted")) != "" && firstWord(h.get("auto-submitted")) != "no", 1, "auto_submitted")
	if machine == 0 {
		return nil, nil
	}
	told := 0
	subject, text := bounceSubject.MatchString(m.Subject), bounceText.In(phrases.Lowered(cut(m.Text, maxReport)))
	if subject {
		told += 2
		reasons = append(reasons, "bounce_subject")
	}
	if text {
		told += 2
		reasons = append(reasons, "bounce_text")
	}
	if h.has("x-failed-recipients") {
		told += 2
	}
	// An out-of-office note also comes with a null path; it tells of no failure.
	if awaySubject.MatchString(m.Subject) {
		return nil, nil
	}
	if !isDaemon(m) && (told == 0 || machine+told < 3 || machine == 1 && told < 4) {
		return nil, nil
	}
	return reasons, failedRecipients(m, h, b, nil)
}

// failedRecipients asks the report first, then the text.
func failedRecipients(m *Message, h header, b body, status []report) []Suppression {
	var found []diagnosis.Failure
	for _, r := range status {
		found = append(found, statusBlocks(r.content)...)
	}
	if len(found) == 0 && containsFold(m.Text, "final-recipient:") {
		found = statusBlocks(m.Text)
	}
	for _, o := range b.originals() {
		// A gateway that wraps another system's report has nothing of its own to say.
		if len(found) == 0 && containsFold(o.content, "\nfinal-recipient:") {
			found = statusBlocks(o.content)
		}
	}
	told, rest := splitOriginal(m.Text)
	told = cut(told, maxReport)
	beside := map[string]string{} // of each recipient, where there are several
	if len(found) != 1 {
		inText := textFailures(m, h, told)
		for _, f := range inText {
			beside[strings.ToLower(f.Address)] = cut(f.Text, maxDiagnosis)
		}
		if len(found) == 0 {
			found = inText
		} else if len(inText) == 1 {
			clear(beside) // it is the whole text, of nobody by himself
		}
	}
	if len(found) == 0 {
		if to := originalRecipient(b, rest); to != "" {
			found = []diagnosis.Failure{{Address: to, Text: told}}
		}
	}
	var list []Suppression
	var last diagnosis.Failure
	known, code, hard := false, "", false // of last
	for _, f := range found {
		// A report without a diagnosis is read with the text beside it: all of it
		// where there is one recipient for it to be about, else what stands by this one.
		f.Text, f.Beside = cut(f.Text, maxDiagnosis), beside[strings.ToLower(f.Address)]
		if len(found) == 1 {
			f.Beside = cut(told, maxDiagnosis)
		}
		if f.Text == "" {
			f.Text = f.Beside
		}
		switch f.Action {
		case "delivered", "relayed", "expanded":
			continue
		}
		if len(list) >= maxRecipients {
			break
		}
		s := Suppression{Address: f.Address, Reason: "bounce"}
		// Many recipients often share one diagnosis, which is long to read.
		if known && last.SameSaid(f) {
			s.Code, s.Hard = code, hard
		} else {
			s.Code, s.Hard = f.Code(), f.Hard()
			known, code, hard = true, s.Code, s.Hard
		}
		last = f
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// statusBlocks reads message/delivery-status: a block for the message, then
// one for each recipient (RFC 3464 section 2.1).
func statusBlocks(content string) (out []diagnosis.Failure) {
	for block := range strings.SplitSeq(content, "\n\n") {
		for fields := fieldsOf(block); len(fields) > 0 && len(out) <= 2*maxRecipients; {
			n := nextGroup(fields)
			out, fields = append(out, groupFailure(fields[:n])...), fields[n:]
		}
	}
	return out
}

// nextGroup is where a second recipient's fields begin: some systems leave the
// blank line out. A group begins with its recipients.
func nextGroup(fields []field) int {
	named, run := false, 0 // run: where the fields before this one that name recipients begin
	for i, f := range fields {
		switch {
		case f.name == "final-recipient" && named:
			return run
		case f.name != "final-recipient" && f.name != "original-recipient":
			named, run = named || run < i, i+1
		}
	}
	return len(fields)
}

func groupFailure(fields header) []diagnosis.Failure {
	if !fields.has("final-recipient") && !fields.has("original-recipient") {
		return nil
	}
	// The original recipient is the one we wrote to; an alias behind it is not ours to suppress.
	f := diagnosis.Failure{
		Address: cleanAddress(afterSemicolon(fields.get("original-recipient")), new(warnings)),
		Action:  firstWord(fields.get("action")), Status: firstWord(fields.get("status")),
		Text: strings.Join(fields.all("diagnostic-code"), "\n"),
	}
	if f.Address == "" {
		f.Address = cleanAddress(afterSemicolon(fields.get("final-recipient")), new(warnings))
	}
	f.LocalAgent = strings.HasPrefix(strings.ToLower(f.Text), "x-unix")
	return []diagnosis.Failure{f}
}

// containsFold finds a word of lower-case ASCII that begins with any case of
// its first letter.
func containsFold(s, word string) bool {
	for len(s) >= len(word) {
		if strings.EqualFold(s[:len(word)], word) {
			return true
		}
		next := strings.IndexAny(s[1:], word[:1]+strings.ToUpper(word[:1]))
		if next < 0 {
			return false
		}
		s = s[1+next:]
	}
	return false
}
