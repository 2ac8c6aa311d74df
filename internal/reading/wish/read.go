package wish

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// word is one word of a message in its comparable form, with what stood
// around it.
type word struct {
	text      string
	upper     bool // began with an upper-case letter
	lineStart bool
	quoted    bool
	clause    int // words of one clause share a number
	sentence  int // words of one sentence share a number
	paragraph int // words between two blank lines share a number
}

// message is a text as the lists see it.
type message struct {
	words     []word
	questions map[int]bool // sentences that end in a question mark
	met       []bool       // by set of the lists: a word of it is here
	spoken    []bool       // by language: the message may be in it
	topics    []topic      // by language
}

// read splits a text into comparable words. One line break is a space, since
// mail is wrapped; a blank line ends a sentence.
func read(text string) message {
	m := message{questions: map[int]bool{}}
	var (
		b                strings.Builder
		upper, lineStart = false, true
		clause, sentence int
		paragraph        int
		breaks           int
		quoted           bool
	)
	flush := func() {
		if b.Len() == 0 {
			return
		}
		m.words = append(m.words, word{b.String(), upper, lineStart, quoted, clause, sentence, paragraph})
		b.Reset()
		upper, lineStart = false, false
	}
	endSentence := func() { flush(); sentence++; clause++ }
	// The spacing acute accent, typed for an apostrophe, has to go first: NFKC
	// makes a space of it.
	for _, r := range norm.NFKC.String(strings.ReplaceAll(text, "´", "'")) {
		if r != '\n' && !unicode.IsSpace(r) {
			breaks = 0
		}
		switch {
		case r == '\n':
			flush()
			lineStart = true
			if breaks++; breaks == 2 {
				endSentence()
				paragraph++
				quoted = false // a mark that was never closed
			}
		case isHidden(r), isApostrophe(r):
			// Joined: "don't" and "dont" are one word, and a word with an
			// invisible character in it is that word.
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if b.Len() == 0 {
				upper = unicode.IsUpper(r)
			}
			writeFolded(&b, r)
		case unicode.Is(unicode.Mn, r):
		case r == '?' || r == '¿':
			flush()
			if r == '?' {
				m.questions[sentence] = true
				endSentence()
			}
		case r == '.' || r == '!' || r == '…':
			endSentence()
		case strings.ContainsRune(",;:()–—|", r):
			flush()
			clause++
		case strings.ContainsRune("\"“”„«»", r):
			flush()
			clause++
			quoted = !quoted
		default:
			flush()
		}
	}
	flush()
	m.words = joinHyphened(m.words)
	return m
}

// joinHyphened writes "e mail" and "opt out" as one word, so that a list
// holds one spelling of three.
func joinHyphened(in []word) []word {
	out := in[:0]
	for _, w := range in {
		if n := len(out); n > 0 && out[n-1].clause == w.clause {
			last := &out[n-1]
			mail := last.text == "e" && (strings.HasPrefix(w.text, "mail") || strings.HasPrefix(w.text, "post"))
			if mail || last.text == "opt" && w.text == "out" {
				last.text += w.text
				continue
			}
		}
		out = append(out, w)
	}
	return out
}

// writeFolded writes a letter in lower case without its marks.
func writeFolded(b *strings.Builder, r rune) {
	r = unicode.ToLower(r)
	if r < utf8.RuneSelf {
		b.WriteRune(r)
		return
	}
	switch r {
	case 'ß':
		b.WriteString("ss")
		return
	case 'æ':
		b.WriteString("ae")
		return
	case 'œ':
		b.WriteString("oe")
		return
	case 'ø':
		r = 'o'
	case 'ł':
		r = 'l'
	case 'đ', 'ð':
		r = 'd'
	case 'ı':
		r = 'i'
	}
	for _, d := range norm.NFD.String(string(r)) {
		if !unicode.Is(unicode.Mn, d) {
			b.WriteRune(d)
		}
	}
}

// isHidden tells the characters that are not seen: zero-width, directional,
// soft hyphen (Unicode category Cf).
func isHidden(r rune) bool { return unicode.Is(unicode.Cf, r) }

func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', '`', '′':
		return true
	}
	return false
}
