package wish

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	nearWords = 3   // words of a body that may be a misspelt wish
	nearForms = 500 // spellings of one pattern that are compared
	oneEdit   = 6   // letters from which one may be wrong
	twoEdits  = 10  // ... from which two may be
)

// near finds a body of one to three words that is a known wish but for its
// spelling: a letter or two, where it is divided, letters that only look like
// those meant. Words that change nothing may stand beside it.
func (l *wordLists) near(m message) Finding {
	none := Finding{Verdict: OptOutNone}
	words := joinLetters(m.words)
	if len(words) == 0 || len(words) > nearWords {
		return none
	}
	for start := range words {
		for end := start + 1; end <= len(words); end++ {
			if !l.besideWish(words[:start]) || !l.besideWish(words[end:]) {
				continue
			}
			if f := l.nearest(words[start:end]); f.Verdict != OptOutNone {
				return f
			}
		}
	}
	return none
}

func (l *wordLists) nearest(words []word) Finding {
	written, real := "", false
	for _, w := range words {
		written += w.text
		real = real || l.real[w.text]
	}
	meant := strings.Map(looksLike, written)
	real = real || l.real[meant]
	for i := range l.languages {
		for _, p := range slices.Concat(l.languages[i].word, l.languages[i].only) {
			for known := range p.pattern.spellings {
				if meant == known && len(known) > 3 || !real && misspelt(meant, known) {
					return Finding{OptOutDoubtful, p.id, l.languages[i].name}
				}
			}
		}
	}
	return Finding{Verdict: OptOutNone}
}

// besideWish tells whether the words change nothing: courtesy, or "me".
func (l *wordLists) besideWish(words []word) bool {
	for i := 0; i < len(words); {
		end := i
		for _, p := range l.polite {
			end = max(end, p.matchAt(words, i))
		}
		if end == i && slices.ContainsFunc(l.languages, func(lang languageList) bool {
			return slices.Contains(strings.Split(lang.classes["self"], "|"), words[i].text)
		}) {
			end++
		}
		if end == i {
			return false
		}
		i = end
	}
	return true
}

// spellings yields the pattern's wordings, written as one word each. A pattern
// with stems or gaps has none that end.
func (p pattern) spellings(yield func(string) bool) {
	forms := []string{""}
	for _, it := range p {
		if it.gap > 0 || len(it.prefixes) > 0 || len(forms)*(len(it.words)+1) > nearForms {
			return
		}
		var longer []string
		if it.optional {
			longer = append(longer, forms...)
		}
		for w := range it.words {
			for _, f := range forms {
				longer = append(longer, f+w)
			}
		}
		forms = longer
	}
	for _, f := range forms {
		if !yield(f) {
			return
		}
	}
}

// misspelt tells whether one word is the other with a slip. A word without the
// first letters of the other is no slip: "bestellung" is none of "abbestellung".
func misspelt(meant, known string) bool {
	short := min(utf8.RuneCountInString(meant), utf8.RuneCountInString(known))
	most := 0
	switch {
	case short >= twoEdits:
		most = 2
	case short >= oneEdit:
		most = 1
	}
	if cut, is := strings.CutSuffix(known, meant); is && len(cut) > 1 {
		return false
	}
	a, b := []rune(meant), []rune(known)
	return max(len(a), len(b))-short <= most && edits(a, b) <= most
}

// edits counts the letters that are missing, added, wrong, or swapped with the
// next.
func edits(a, b []rune) int {
	var before, last []int
	for j := range len(b) + 1 {
		last = append(last, j)
	}
	for i := range a {
		row := []int{i + 1}
		for j := range b {
			n := min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				n = min(n, last[j])
			} else {
				n = min(n, last[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, before[j-1]+1)
			}
			row = append(row, n)
		}
		before, last = last, row
	}
	return last[len(b)]
}

// joinLetters writes "s t o p" as one word.
func joinLetters(in []word) []word {
	var out []word
	letters := false
	for _, w := range in {
		one := utf8.RuneCountInString(w.text) == 1
		if one && letters {
			out[len(out)-1].text += w.text
			continue
		}
		letters = one
		out = append(out, w)
	}
	return out
}

// looksLike is the Latin letter that a letter or digit may be taken for.
func looksLike(r rune) rune {
	const (
		like  = "аеорсухіѕјһԁԛԝвкмтнοανιρτυεκ0135"
		latin = "aeopcyxisjhdqwbkmthoaviptuekoies"
	)
	if i := slices.Index([]rune(like), r); i >= 0 {
		return []rune(latin)[i]
	}
	return r
}
