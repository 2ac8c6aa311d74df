package diagnosis

// enhancedCodes are the enhanced status codes (RFC 3463 section 2) that a text
// holds, at most limit of them. A longer row of numbers, such as an IP address,
// is none.
func enhancedCodes(text string, limit int) (codes []string) {
	for i := 0; i+4 < len(text) && len(codes) < limit; i++ {
		c := text[i]
		if (c != '2' && c != '4' && c != '5') || text[i+1] != '.' || i > 0 && (isDigit(text[i-1]) || text[i-1] == '.') {
			continue
		}
		subject := digitsAt(text, i+2)
		if subject == i+2 || subject-i-2 > 3 || subject >= len(text) || text[subject] != '.' {
			continue
		}
		detail := digitsAt(text, subject+1)
		if detail == subject+1 || detail-subject-1 > 3 {
			continue
		}
		// A full stop may follow, but no further number.
		if detail+1 < len(text) && text[detail] == '.' && text[detail+1] > ' ' {
			continue
		}
		codes = append(codes, text[i:detail])
		i = detail
	}
	return codes
}

// replyCode is the first SMTP reply code of a failure (RFC 5321 section 4.2)
// that a text holds, "" if there is none.
func replyCode(text string) string {
	for i := 0; i+2 < len(text); i++ {
		c := text[i]
		if (c != '2' && c != '4' && c != '5') || !isDigit(text[i+1]) || !isDigit(text[i+2]) {
			continue
		}
		if i > 0 && !among(text[i-1], " \t\r\n\f:;>[(") {
			continue
		}
		if i+3 == len(text) || among(text[i+3], " \t\r\n\f:-,") {
			return text[i : i+3]
		}
	}
	return ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digitsAt(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func among(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
