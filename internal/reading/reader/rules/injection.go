package rules

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// speaksToMachine tells whether a text is meant for what reads it rather than
// for a person. It asks what all such text needs, not how one attack words it:
//
//   - characters that a person does not see;
//   - text in an encoding that a person does not read;
//   - the names of the reader's own fields or answers, in their own form;
//   - the machine addressed, by itself or with an order near;
//   - an order to forget what it was told before.
//
// It is wrong rather too often than too seldom: then a person reads a harmless
// mail.
func (r *sourceRead) speaksToMachine(text string) bool {
	if hidesText(text) {
		return true
	}
	for line := range strings.Lines(text) {
		// Few lines hold what the expressions begin with, and they are slow.
		if strings.ContainsAny(line, "_<[") && namesAnswer.MatchString(line) ||
			holdsAny(strings.ToLower(line), "intent", "role", "system", "syst", "sist", "j\u00e4rj") && (namesAnswer.MatchString(line) || callsMachine.MatchString(line)) ||
			holdsAny(line, "AI", "KI", "IA", "SI", "LLM", "GPT") && callsMachine.MatchString(line) {
			return true
		}
	}
	// An apostrophe parts here, unlike elsewhere: "l'intelligenza", "l'assistant".
	if r.givesOrders(plain(apostrophes.Replace(text))) {
		return true
	}
	tried := 0
	for run := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isBase64(c) }) {
		if len(run) < shortestEncoded || tried == maxEncodedRuns {
			continue
		}
		if tried++; decodesToText(run) {
			return true
		}
	}
	return spelled(text)
}

func holdsAny(line string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(line, p) })
}

var apostrophes = strings.NewReplacer("'", " ", "’", " ", "ʼ", " ")

// namesAnswer finds the words of the answer that a reader gives, written as
// they are there, and an intent set like a variable.
var namesAnswer = regexp.MustCompile(`(?i)\b(?:contact_name|sender_email|possible_opt_out|needs_human_review|review_reasons|product_question)\b|` +
	`\bintent\w*\s*(?:[=:]|\b(?:to|as|is|est|auf|es|är|er|til|su|en)\b)[^.!?\n]{0,24}?\b(?:pricing|meeting|support|opt_out|opt-out|other)\b|` +
	`<\s*/?\s*(?:system|instructions?|assistant|prompt)\s*>|\[\s*/?\s*(?:INST|SYSTEM)\s*\]|"role"\s*:`)

// callsMachine finds a machine called by its short name in capitals, as one
// calls a person: "AI:", "IA, …", "Note to the AI", "[KI …]".
var callsMachine = regexp.MustCompile(`(?:^|[\n;\[(“"«])\s*(?:\pL+\s+){0,4}(?:AI|KI|IA|SI|LLM|GPT)(?:\s+\pL+){0,3}\s*[:,;]|` +
	`(?i:\b(?:dear|hey|hello|liebe|hallo|hola|querida|chère|bonjour|cara|kjære|kära|beste|droga|hyvä|note to|note for|attention|hinweis an|nota para|note à|message to|an die|til|till|aan|dla)\s+(?:the |die |la |l['’]|de |het )?)(?:AI|KI|IA|SI|LLM|GPT)\b|` +
	`(?:^|\n)\s*(?i:syst[eè]me?|system|sistema|systeem|järjestelmä)\s*:\s*\pL`)

// Words around a machine's name in which an order to it is looked for, and
// words between an order to forget and what is to be forgotten.
const (
	orderReach  = 12
	forgetReach = 6
)

// givesOrders looks for whole phrases, for a machine with an order near, and
// for an order to forget earlier instructions.
func (r *sourceRead) givesOrders(plainText string) bool {
	words := strings.Fields(plainText)
	of := r.guarded.find(plainText)
	if of.meets("instructions_to_model") {
		return true
	}
	if !of.meets("machine_order") {
		return false
	}
	orders := make([]int, 0, 8) // where orders stand
	for i, w := range words {
		if r.guarded.names("machine_order", w) || r.guarded.runAt("machine_order", words, i) > 1 {
			orders = append(orders, i)
		}
	}
	for _, at := range orders {
		first, last := max(0, at-orderReach), min(len(words), at+orderReach)
		for i := first; i < last; i++ {
			n := r.guarded.runAt("machine_reader", words, i)
			// "system" and "model" are words of every trade: with them the order
			// must be one to forget, or about instructions.
			if n > 0 && (!isTradeWord(words[i]) || n > 1 || r.forgets(words, at)) {
				return true
			}
		}
		if r.forgets(words, at) {
			return true
		}
	}
	return false
}

func isTradeWord(w string) bool {
	switch w {
	case "system", "systeme", "sistema", "modele", "modello", "modelu":
		return true
	}
	return false
}

// forgets tells whether an order at a place is to forget instructions: it is
// followed by a word for them, and that by or with a word for what went before.
func (r *sourceRead) forgets(words []string, at int) bool {
	if !isForget(words[at]) {
		return false
	}
	part := words[at+1 : min(len(words), at+1+forgetReach)]
	earlier, instruction := false, false
	for _, w := range part {
		earlier = earlier || r.guarded.names("earlier", w) || w == "all" || w == "alle" || w == "toutes" || w == "todas" || w == "tutte" || w == "wszystkie" || w == "kaikki" || w == "alla"
		instruction = instruction || r.guarded.names("instruction_word", w)
	}
	return instruction && (earlier || len(part) > 0)
}

func isForget(w string) bool {
	for _, stem := range []string{
		"ignor", "disregard", "forget", "override", "vergiss", "vergess", "missacht", "oubli", "olvid", "dimentic", "esquec", "negeer", "vergeet",
		"zignor", "zapomn", "glom", "glem", "unohda", "ohita", "overse",
	} {
		if strings.HasPrefix(w, stem) {
			return true
		}
	}
	return false
}

// runAt is how many words the longest run of a section at a place has.
func (v *vocabulary) runAt(section string, words []string, i int) int {
	longest := 0
	try := func(n int) {
		if r := &v.runs[n]; r.section == section && len(r.words) > longest && r.at(words, i) {
			longest = len(r.words)
		}
	}
	for _, n := range v.byWord[words[i]] {
		try(n)
	}
	if len(words[i]) >= 2 {
		for _, n := range v.byStem[words[i][:2]] {
			try(n)
		}
	}
	return longest
}

// A run of the base64 alphabet (RFC 4648 sections 4 and 5) from which on it may
// be a sentence, and how many are tried.
const (
	shortestEncoded = 24
	maxEncodedRuns  = 200
)

func isBase64(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// decodesToText tells whether a run of characters is the encoding of words: of
// what a program made (a key, a picture) nearly none is.
func decodesToText(run string) bool {
	run = run[:min(len(run), 4096)]
	run = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(run), "=")
	text, err := base64.RawStdEncoding.DecodeString(run[:len(run)-len(run)%4])
	if err != nil || !utf8.Valid(text) && !utf8.Valid(text[:max(0, len(text)-3)]) {
		return false
	}
	letters, spaces := 0, 0
	for _, c := range string(text) {
		switch {
		case unicode.IsLetter(c):
			letters++
		case c == ' ':
			spaces++
		case unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t':
			return false
		}
	}
	return spaces >= 2 && letters*10 >= len(text)*6
}

// spelled finds a text whose letters are set apart ("i g n o r e"), which a
// person reads and lists do not.
func spelled(text string) bool {
	single := 0
	for _, w := range strings.Fields(plain(text)) {
		c, n := utf8.DecodeRuneInString(w)
		if n != len(w) || !unicode.IsLetter(c) {
			single = 0
		} else if single++; single >= fewestSpelled {
			return true
		}
	}
	return false
}

// fewestSpelled is how many letters set apart are no longer an abbreviation.
const fewestSpelled = 12

// hidesText finds characters that a person does not see and a machine reads:
// tag characters outside a flag, overridden direction, and zero-width
// characters inside a word of Latin letters. At the start of a text, between
// words, in emoji and in scripts that join letters they are common and mean
// nothing.
func hidesText(text string) bool {
	var before, hidden rune // the last visible rune; an invisible one after it
	for _, c := range text {
		switch {
		case c >= 0xE0000 && c <= 0xE007F: // Unicode tags
			if before != 0x1F3F4 { // a flag of a region is spelt with them
				return true
			}
		case c == 0x202D || c == 0x202E:
			return true
		case c == 0x200B || c == 0x200C || c == 0x200D || c == 0x2060 || c == 0xFEFF:
			hidden = c
		default:
			if hidden != 0 && isLatin(before) && isLatin(c) {
				return true
			}
			before, hidden = c, 0
		}
	}
	return false
}

func isLatin(c rune) bool { return unicode.Is(unicode.Latin, c) }
