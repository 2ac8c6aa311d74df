package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostFirmWords is how many words a firm's name has at most.
const mostFirmWords = 7

// firmWords tells whether a text has the form of a firm's name: a few words,
// the first capitalised, no address, link or sentence, and not only an office's.
func (r *sourceRead) firmWords(s string) bool {
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > mostFirmWords || strings.ContainsAny(s, "@<>{}\"?!:;/\\|=") || strings.HasSuffix(s, ".") && !r.endsInLegalForm(s) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if !unicode.IsUpper(first) || r.words.is("closing", plain(s)) {
		return false
	}
	for _, w := range words {
		c, _ := utf8.DecodeRuneInString(w)
		if unicode.IsLower(c) && !isParticle(w) && !r.words.is("and_name", plain(w)) && !r.words.names("trade", plain(w)) && len(w) > 3 {
			return false
		}
	}
	letters := strings.IndexFunc(s, unicode.IsLetter) >= 0
	return letters && !r.words.is("not_a_name", plain(words[0])) && !r.words.is("legal_form", plain(s))
}

// isOrganisation: one of the words names a kind of organisation, and no word an
// office or a profession.
func (r *sourceRead) isOrganisation(s string) bool {
	words := strings.Fields(plain(s))
	return len(words) > 1 && slices.ContainsFunc(words, func(w string) bool { return r.words.names("organisation", w) }) && !r.jobOrPlace(s)
}

// shortestBorne is how many letters of a word the domain must bear.
const shortestBorne = 4

// bornByDomain tells whether the sender's domain bears one of the words.
func (r *sourceRead) bornByDomain(s string) bool {
	domain := r.domain
	joined := strings.ReplaceAll(plain(s), " ", "")
	if len(domain) >= shortestBorne && joined == domain {
		return true
	}
	words := strings.Fields(plain(s))
	if len(words) < 2 {
		return false // a family's name, a town
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return len(w) >= shortestBorne && strings.Contains(domain, w)
	}) || len(domain) >= shortestBorne && strings.Contains(joined, domain)
}

// companyName: two to eight words, capitalised, with a legal form at an end.
func (r *sourceRead) companyName(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || len(words) > 8 || strings.ContainsAny(s, "@<>{}\"?!:/") && !strings.Contains(s, "A/S") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) {
		return false
	}
	if r.endsInLegalForm(s) {
		return !r.words.is("legal_form", plain(s))
	}
	switch plain(words[0]) {
	case "sarl", "sas", "eurl":
		return isUpperWord(words[0]) && capitalised(words[1:])
	}
	return false
}

// endsInLegalForm tells whether the last words are a legal form, written as
// one: "AG" is, "ag" is not.
func (r *sourceRead) endsInLegalForm(s string) bool {
	words := strings.Fields(s)
	for n := 1; n <= 5 && n < len(words); n++ {
		tail := words[len(words)-n:]
		form := plain(strings.Join(tail, " "))
		first, _ := utf8.DecodeRuneInString(tail[0])
		if !r.words.is("legal_form", form) || !unicode.IsUpper(first) && !isLowerForm(form) && tail[0] != "eG" {
			continue
		}
		// Two letters in lower case are a word: "Sa", "Se", "Ag".
		if len(form) == 2 && !isUpperWord(tail[0]) && tail[0] != "eG" {
			continue
		}
		return true
	}
	return false
}

// isLowerForm tells the legal forms that are written small.
func isLowerForm(form string) bool {
	switch form {
	case "sp z o o", "sp zoo", "e v", "e k", "e kfm", "s c", "plc", "mbh", "sp j", "sp k":
		return true
	}
	return false
}

func isUpperWord(w string) bool { return w == strings.ToUpper(w) }

func capitalised(words []string) bool {
	for _, w := range words {
		if first, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(first) {
			return false
		}
	}
	return len(words) > 0
}
