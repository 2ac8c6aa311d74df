package rawmail

import (
	"regexp"
	"strings"
)

var complaintSubject = regexp.MustCompile(`(?i)^\s*complaint about message from\b`)

// complaint recognises feedback reports (RFC 5965) and the older form of one
// large provider, a bare forwarded mail under a fixed subject. Reasons are nil
// when it is neither.
func complaint(m *Message, b body, sns *notice) (reasons []string, list []Suppression) {
	feedback := b.reportsOf("message/feedback-report")
	originals := b.originals()
	switch {
	case b.reportType == "feedback-report" || len(feedback) > 0:
		reasons = append(reasons, "feedback_report")
	case complaintSubject.MatchString(m.Subject) && len(originals) > 0 && isFrom(m, "hotmail.com", "staff"):
		reasons = append(reasons, "complaint_subject")
	default:
		if sns != nil && sns.kind == "Complaint" {
			return []string{"ses_notification"}, sns.list
		}
		return nil, nil
	}
	// The report may be absent or damaged: without a stated type it counts as
	// abuse only in the bare form, which is sent for nothing else.
	hard := len(feedback) == 0 && reasons[0] == "complaint_subject"
	var addresses []string
	for _, r := range feedback {
		for _, f := range fieldsOf(r.content) {
			switch f.name {
			case "feedback-type":
				word := firstWord(f.value)
				reasons = append(reasons, "feedback_"+strings.ReplaceAll(machineWord(word), "-", "_"))
				// RFC 5965 section 7.3 and RFC 6650: these two say that the person does not want the mail.
				hard = hard || word == "abuse" || strings.HasPrefix(word, "opt-out")
			case "original-rcpt-to", "removal-recipient":
				addresses = append(addresses, cleanAddress(afterSemicolon(f.value), new(warnings)))
			}
		}
	}
	if joinAddresses(addresses) == "" {
		for _, o := range originals {
			fields := header(fieldsOf(o.content))
			for _, name := range []string{"x-hmxmroriginalrecipient", "x-original-to", "to"} {
				if boxes := mailboxes(fields.get(name), new(warnings)); len(boxes) > 0 {
					addresses = append(addresses, boxes[0].Address)
					break
				}
			}
		}
	}
	for _, a := range addresses {
		if a != "" && len(list) < maxRecipients {
			list = append(list, Suppression{Address: a, Reason: "complaint", Hard: hard})
		}
	}
	if len(list) == 0 && hard {
		// The address is unknown, but that somebody complained is not.
		list = append(list, Suppression{Reason: "complaint", Hard: true})
	}
	return reasons, list
}

// isFrom tells whether a mail is from a host, by a local part where one is
// given. What a person could type is no report unless it comes from there; From
// can be forged all the same.
func isFrom(m *Message, host, local string) bool {
	if len(m.From) != 1 {
		return false
	}
	l, d, ok := cutLast(m.From[0].Address, '@')
	return ok && strings.EqualFold(d, host) && (local == "" || strings.EqualFold(l, local))
}

func joinAddresses(a []string) string { return strings.Join(a, "") }

// machineWord keeps letters, digits and hyphens: the word is a stranger's.
func machineWord(s string) string {
	return cut(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, s), 40)
}

func (b body) reportsOf(types ...string) (out []report) {
	for _, r := range b.reports {
		for _, t := range types {
			if r.mediaType == t {
				out = append(out, r)
			}
		}
	}
	return out
}

// originals are the mails, or their headers, that a report gives back.
func (b body) originals() []report {
	return b.reportsOf("message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers")
}

// fieldsOf reads the fields of a report: blocks of header-like lines, all in
// one list.
func fieldsOf(content string) []field {
	var fields []field
	for line := range strings.SplitSeq(content, "\n") {
		if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') && len(fields) > 0 {
			// Bounded, since each line makes the value anew.
			if last := &fields[len(fields)-1]; len(last.value) < maxDiagnosis {
				last.value += " " + strings.TrimSpace(line)
			}
			continue
		}
		if name, value, ok := splitField([]byte(line)); ok {
			fields = append(fields, field{name, oneLine(value)})
		}
		if len(fields) > maxFields {
			break
		}
	}
	return fields
}

// afterSemicolon drops the address type of "rfc822; ann@example.com".
func afterSemicolon(v string) string {
	if _, rest, ok := strings.Cut(v, ";"); ok {
		return strings.TrimSpace(rest)
	}
	return strings.TrimSpace(v)
}
