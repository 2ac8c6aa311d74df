package older

import (
	"regexp"
	"strings"
)

var (
	// gmailDivider is Gmail's line above a forwarded mail, in any language.
	gmailDivider   = regexp.MustCompile(`^[\s>*]*-{9,}\s+\pL[^-]{2,60}\s-{9,}\s*$`)
	forwardDivider = regexp.MustCompile(`(?i)^[\s>*]*[-_=]{2,}\s*(?:forwarded message|forwarded by .*|weitergeleitete (?:nachricht|mail)|message transféré|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada|vidarebefordrat meddelande|videresendt (?:meddelelse|melding)|välitetty viesti|пересылаемое сообщение|переадресованное сообщение|wiadomość przekazana|转发的邮件|転送メッセージ)\s*[-_=]*\s*$`)
	begins         = regexp.MustCompile(`(?i)^\s*(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|inizio messaggio inoltrato|início da mensagem encaminhada)\s*:\s*$`)
)

// Forwarded finds what a text passes on: below a line that says so, or in a mail
// with such a subject the first header block. It gives the values of the block's
// fields and the text below; of a forwarding without a block only that text.
func Forwarded(text string, facts Facts) (values []string, below string, found bool) {
	rest, budget := text, maxTries
	for n := 0; rest != "" && n < MaxLines && budget > 0; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		divides := isForwardDivider(line)
		if divides && !found {
			below, found = after, true
		}
		next, _, _ := strings.Cut(after, "\n")
		if divides || gmailDivider.MatchString(head(line, 100)) || facts.Forward && (isLabelled(line) || isDate(next)) {
			budget--
			if fields, text := readBlock(rest, divides, facts); fields != nil {
				return fields, text, true
			}
		}
		rest = after
	}
	return nil, below, found
}

func isForwardDivider(line string) bool {
	switch mark := strings.TrimLeft(line, " \t>*"); {
	case mark == "" || len(line) > 400:
		return false
	case mark[0] == '-' || mark[0] == '_' || mark[0] == '=':
		return forwardDivider.MatchString(line)
	}
	return strings.HasSuffix(strings.TrimRight(line, " \t"), ":") && begins.MatchString(line)
}

// reach is how many lines below a divider a block begins: the divider may take two
// itself, and blank ones follow.
const reach = 6

// readBlock reads the fields at the beginning of a text. Below a line that says
// "forwarded" any will do.
func readBlock(text string, divided bool, facts Facts) (values []string, below string) {
	lines := strings.SplitN(text, "\n", maxBlockLines+reach)
	for i := range lines[:min(reach, len(lines))] {
		fields, n := headerBlock(nil, lines[i:])
		if len(fields) < 3 || !divided && !facts.older(fields, true) {
			continue
		}
		for _, f := range fields {
			values = append(values, f.value)
		}
		for _, l := range lines[:i+n] {
			text = strings.TrimPrefix(text[len(l):], "\n")
		}
		return values, unmark(text)
	}
	return nil, ""
}

// unmark takes one level of quotation marks off, where every line has it.
func unmark(text string) string {
	lines := strings.SplitN(text, "\n", min(strings.Count(text, "\n")+1, MaxLines))
	for _, l := range lines {
		if l != "" && !strings.HasPrefix(l, ">") {
			return text
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(l, ">"), " ")
	}
	return strings.Join(lines, "\n")
}
