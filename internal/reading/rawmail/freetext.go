package rawmail

import (
	"regexp"
	"slices"
	"strings"

	"onefold/internal/reading/diagnosis"
)

var (
	addrInText = regexp.MustCompile(`[A-Za-z0-9!#$%&'*+/=?^_{|}~.\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63}){1,8}`)

	// namesRecipient: the address stands where reports put the failed one.
	namesRecipient = regexp.MustCompile(`(?i)^(?:\s|>>>|<<<|\*|-)*(?:(?:recipient|failed recipient|delivered to|rcpt to|could not be delivered to|address|user)\s*:\s*|\d{3}[ \-](?:[245]\.\d+\.\d+ )?)?<?(?:mailto:)?$`)

	// answered: the line is a server's answer.
	answered = regexp.MustCompile(`^(?:\s|<<<)*[45]\d\d[ \-]`)

	namesOther = regexp.MustCompile(`(?i)^(?:[\s>*]|>>>|<<<)*(?:from|to|cc|reply-to|sender|sent|subject|date|mail from|\(?envelope|received|by|for|message-id|return-path|x-[\w-]+)\s*:`)
)

// splitOriginal cuts a report's text where the returned mail begins: nothing
// in that one says anything of the failure.
func splitOriginal(text string) (told, rest string) {
	for at := strings.IndexByte(text, '\n') + 1; at > 0; {
		line, _, more := strings.Cut(text[at:], "\n")
		if strings.HasPrefix(line, "Received: ") || strings.HasPrefix(line, "Return-Path: ") || originalBegins(line) {
			return text[:at-1], text[at:]
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return text, ""
}

// originalBegins is how mail systems introduce the mail they give back.
func originalBegins(line string) bool {
	line = strings.ToLower(strings.TrimLeft(cut(line, 200), " \t-=*>#|"))
	for _, words := range []string{
		"below this line is a", "below this line is the", "enclosed is a copy", "this is a copy", "original message", "original mail",
		"unsent message follows", "returned message", "message header follows", "header of the", "header of your", "the header of the", "the header of your",
		"forwarded message", "message header and", "message headers and", "message headers follow", "copy of the message", "copy of your message",
		"undelivered message", "message contents", "included is",
	} {
		if strings.HasPrefix(line, words) {
			return true
		}
	}
	return false
}

// textFailures finds who failed in a report that people were meant to read.
func textFailures(m *Message, h header, told string) []diagnosis.Failure {
	stated := addrInText.FindAllString(h.get("x-failed-recipients"), maxRecipients)
	// The report goes to the sender of the mail that failed, so neither its
	// sender nor its reader can be the failed recipient.
	others := map[string]bool{}
	for _, boxes := range [][]Mailbox{m.From, m.To} {
		for _, box := range boxes {
			others[strings.ToLower(box.Address)] = true
		}
	}
	var strong, weak []diagnosis.Failure
	index := map[string]int{}
	current, ended := -1, false
	for line := range strings.SplitSeq(told, "\n") {
		var at []int
		if strings.IndexByte(line, '@') > 0 {
			at = addrInText.FindStringIndex(cut(line, maxValue))
		}
		if at != nil && !namesOther.MatchString(line) {
			addr := strings.Trim(line[at[0]:at[1]], ".")
			key := strings.ToLower(addr)
			switch {
			case others[key] && !contains(stated, addr):
			case namesRecipient.MatchString(line[:at[0]]) && len(index) < maxRecipients:
				i, known := index[key]
				if !known {
					i = len(strong)
					index[key] = i
					strong = append(strong, diagnosis.Failure{Address: addr})
				}
				current = i
				// A line with address and code says all; what follows is of somebody else.
				ended = answered.MatchString(line)
				strong[current].Text += line + "\n"
				continue
			case len(weak) < maxRecipients && !slices.ContainsFunc(weak, func(f diagnosis.Failure) bool { return strings.EqualFold(f.Address, addr) }):
				weak = append(weak, diagnosis.Failure{Address: addr, Text: line})
			}
		}
		// Bounded, since each line makes the text anew.
		if current >= 0 && !ended && len(strong[current].Text) < maxDiagnosis {
			strong[current].Text += line + "\n"
		}
	}
	switch {
	case len(stated) > 0:
		return statedFailures(stated, strong, index, told)
	case len(strong) == 1:
		strong[0].Text = told
		return strong
	case len(strong) > 1:
		return strong
	case len(weak) == 0:
		return nil
	}
	// Of addresses somewhere in sentences, those with the reason in their line.
	said := slices.DeleteFunc(slices.Clone(weak), func(f diagnosis.Failure) bool { return !diagnosis.Tells(f.Text) })
	if len(said) > 1 {
		return said
	}
	return []diagnosis.Failure{{Address: append(said, weak...)[0].Address, Text: told}}
}

// statedFailures follows the header where there is one, with the text found
// for each address.
func statedFailures(stated []string, strong []diagnosis.Failure, index map[string]int, told string) (out []diagnosis.Failure) {
	for _, a := range stated {
		f := diagnosis.Failure{Address: a, Text: told}
		if i, ok := index[strings.ToLower(a)]; ok && len(stated) > 1 {
			f.Text = strong[i].Text
		}
		out = append(out, f)
	}
	return out
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if strings.EqualFold(have, s) {
			return true
		}
	}
	return false
}

// originalRecipient is who the returned mail was for: the last resort where
// the report itself names nobody, and only if it was for one.
func originalRecipient(b body, rest string) string {
	sources := []string{rest}
	for _, o := range b.originals() {
		sources = append(sources, o.content)
	}
	for _, s := range sources {
		if boxes := mailboxes(header(fieldsOf(s)).get("to"), new(warnings)); len(boxes) == 1 {
			return boxes[0].Address
		}
	}
	return ""
}
