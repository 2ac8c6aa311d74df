package wish

import "slices"

// briefText is the number of words up to which a refusal need not say what it
// is of.
const briefText = 15

// together calls yield for each place where the pattern's words stand near
// each other in any order within one clause, or one sentence, until it returns
// false. It passes over the words once.
func (p pattern) together(words []word, oneClause bool, yield func(start, end int) bool) {
	last := make([]int, len(p))
	for i := range last {
		last[i] = -1
	}
	for at, w := range words {
		met := false
		for i, it := range p {
			if it.matches(w.text) {
				last[i], met = at, true
			}
		}
		if !met {
			continue
		}
		start := slices.Min(last)
		if start < 0 || at-start >= frameReach || words[start].sentence != w.sentence ||
			oneClause && words[start].clause != w.clause {
			continue
		}
		if !yield(start, at+1) {
			return
		}
	}
}

// searchFrames looks for this language's frames as searchPhrases does for its
// phrases.
func (lang *languageList) searchFrames(m message) Finding {
	found := Finding{Verdict: OptOutNone}
	if !m.spoken[lang.number] {
		return found
	}
	for _, f := range lang.frames {
		if !f.pattern.possible(m) {
			continue
		}
		f.pattern.together(m.words, true, func(start, end int) bool {
			if lang.ofSomethingElse(m, start, end) || lang.ofAnOrder(m, start, end) {
				return true
			}
			verdict := lang.inContext(m, start, end)
			if verdict == OptOutExplicit && lang.doubtWithin(m, f, start, end) {
				verdict = OptOutDoubtful
			}
			if rank(verdict) > rank(found.Verdict) {
				found = Finding{verdict, f.id, lang.name}
			}
			return verdict != OptOutExplicit
		})
		if found.Verdict == OptOutExplicit {
			return found
		}
	}
	return found
}

// doubtWithin tells whether what stands between the parts of a frame leaves the
// wish open. Parts of an ordered phrase have no room for that.
func (lang *languageList) doubtWithin(m message, f frame, start, end int) bool {
	first, _ := m.sentence(start, end)
	said := m.words[first:end]
	open := m.questions[m.words[start].sentence] || !m.anyIn(lang.ask, said)
	return !f.negated && m.anyIn(lang.not, m.words[start:end]) ||
		open && m.anyIn(lang.how, said) || !m.anyIn(lang.ask, said) && m.anyIn(lang.cond, said)
}

// searchNet looks for words that make a wish likely and nothing more: they
// hold mail and never stop it.
func (lang *languageList) searchNet(m message) Finding {
	if !m.spoken[lang.number] || len(m.words) > longText {
		return Finding{Verdict: OptOutNone}
	}
	if f := lang.firstOf(lang.net, m); f.Verdict != OptOutNone {
		return f
	}
	if len(m.words) <= briefText && (len(m.questions) == 0 || m.anyIn(lang.ask, m.words)) {
		if f := lang.firstOf(lang.brief, m); f.Verdict != OptOutNone {
			return f
		}
	}
	brief := len(m.words) <= briefText && m.anyIn(lang.about, m.words)
	if !brief && lang.firstOf(lang.ours, m).Verdict == OptOutNone {
		return Finding{Verdict: OptOutNone}
	}
	for _, p := range lang.that {
		if !p.pattern.possible(m) {
			continue
		}
		for start, end := p.pattern.find(m.words, 0); start >= 0; start, end = p.pattern.find(m.words, start+1) {
			first, last := m.sentence(start, end)
			if !m.anyIn(lang.unless, m.words[first:last]) && !lang.ofSomethingElse(m, start, end) {
				return Finding{OptOutDoubtful, p.id, lang.name}
			}
		}
	}
	return Finding{Verdict: OptOutNone}
}

// firstOf is the first of the frames that the message meets, as a doubt.
func (lang *languageList) firstOf(frames []frame, m message) Finding {
	found := Finding{Verdict: OptOutNone}
	for _, f := range frames {
		if !f.pattern.possible(m) {
			continue
		}
		f.pattern.together(m.words, false, func(start, end int) bool {
			first, last := m.sentence(start, end)
			whole := m.words[first:last]
			switch {
			case m.anyIn(lang.unless, whole), lang.ofSomethingElse(m, start, end), lang.ofAnOrder(m, start, end),
				f.negated && m.anyIn(lang.receive, whole) && !m.anyIn(lang.want, whole):
				return true
			}
			found = Finding{OptOutDoubtful, f.id, lang.name}
			return false
		})
		if found.Verdict != OptOutNone {
			return found
		}
	}
	return found
}
