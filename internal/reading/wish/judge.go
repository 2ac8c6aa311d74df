package wish

// negationReach is how many words before a phrase a negation is looked for.
const negationReach = 4

// besidePhrase is how many words after a phrase may say what it is about.
const besidePhrase = 3

// sentenceReach is how many words before and after a phrase are read.
const sentenceReach = 50

// unsubscribeMe is the id of the phrases that say whole what is wanted. One
// may leave a course by them, too, and a person sees which it is.
const unsubscribeMe = "unsubscribe_me"

// listRemoval is the id of mentions that name a list, which may be one of
// goods or of members.
const listRemoval = "list_removal"

// privacy is the id of mentions that ask what is done with the sender's data.
const privacy = "privacy"

// read splits a text into words and notes which sets of the lists they meet.
func (l *wordLists) read(text string) message {
	m := read(text)
	l.items.note(&m)
	l.hear(&m)
	return m
}

// judge weighs a whole message.
func (l *wordLists) judge(m message) Finding {
	if f := l.said(m); f.Verdict != OptOutNone {
		return f
	}
	return l.near(m)
}

// said weighs words as they are spelt.
func (l *wordLists) said(m message) Finding {
	if f, _ := l.bare(m); f.Verdict != OptOutNone {
		return f
	}
	m.topics = l.topics(m)
	doubtful := l.opening(m)
	if doubtful.Verdict == OptOutExplicit {
		return doubtful
	}
	own := l.ofSendersOwn(m)
	for i := range l.languages {
		lang := &l.languages[i]
		for _, search := range []func(message) Finding{lang.searchPhrases, lang.searchFrames} {
			f := search(m)
			if f.Verdict == OptOutExplicit {
				if own {
					f.Verdict = OptOutDoubtful
				}
				return f
			}
			if doubtful.Verdict == OptOutNone {
				doubtful = f
			}
		}
	}
	if doubtful.Verdict != OptOutNone {
		return doubtful
	}
	if own {
		return Finding{Verdict: OptOutNone}
	}
	for i := range l.languages {
		lang := &l.languages[i]
		for _, list := range [][]phrase{lang.word, lang.mention} {
			for _, p := range list {
				if lang.mentions(m, p) && !(p.id == listRemoval && m.anyIn(lang.machine, m.words)) {
					return Finding{OptOutDoubtful, p.id, lang.name}
				}
			}
		}
		if f := lang.searchShort(m); f.Verdict != OptOutNone {
			return f
		}
		if f := lang.searchNet(m); f.Verdict != OptOutNone {
			return f
		}
	}
	return Finding{Verdict: OptOutNone}
}

// searchShort looks for a refusal that says not of what: in a message of few
// words, with no question and no "only", it is of the mail itself.
func (lang *languageList) searchShort(m message) Finding {
	if len(m.words) > shortText || len(m.questions) > 0 || m.anyIn(lang.just, m.words) ||
		m.topics[lang.number].business {
		return Finding{Verdict: OptOutNone}
	}
	for _, p := range lang.short {
		if lang.mentions(m, p) {
			return Finding{OptOutDoubtful, p.id, lang.name}
		}
	}
	return Finding{Verdict: OptOutNone}
}

// mentions tells whether a pattern stands somewhere in the message, and not of
// something else.
func (lang *languageList) mentions(m message, p phrase) bool {
	if !p.pattern.possible(m) {
		return false
	}
	for from := 0; ; {
		start, end := p.pattern.find(m.words, from)
		if start < 0 {
			return false
		}
		first, last := m.sentence(start, end)
		said := m.words[first:last]
		if p.id == privacy { // "forget me" is no "do not forget to"
			said = m.words[first:start]
		}
		if !m.anyIn(lang.unless, said) && !m.anyIn(lang.elsewhere, m.words[start:min(end+besidePhrase, last)]) {
			return true
		}
		from = start + 1
	}
}

// searchPhrases looks for this language's clear phrases; one that the words
// around it leave clear is enough.
func (lang *languageList) searchPhrases(m message) Finding {
	found := Finding{Verdict: OptOutNone}
	for _, p := range lang.phrases {
		if !p.pattern.possible(m) {
			continue
		}
		for from := 0; ; {
			start, end := p.pattern.find(m.words, from)
			if start < 0 {
				break
			}
			if p.id != unsubscribeMe && lang.ofBusinessAlone(m, start, end) {
				from = start + 1
				continue
			}
			switch lang.inContext(m, start, end) {
			case OptOutExplicit:
				return Finding{OptOutExplicit, p.id, lang.name}
			case OptOutDoubtful:
				found = Finding{OptOutDoubtful, p.id, lang.name}
			case OptOutNone:
			}
			from = start + 1
		}
	}
	return found
}

// sentence bounds the sentence that words[start:end] stand in, as far as it
// can bear on them: text without a full stop is no sentence.
func (m message) sentence(start, end int) (first, last int) {
	at := m.words[start].sentence
	first, last = start, end
	for first > max(0, start-sentenceReach) && m.words[first-1].sentence == at {
		first--
	}
	for last < min(len(m.words), end+sentenceReach) && m.words[last].sentence == at {
		last++
	}
	return first, last
}

// inContext is what the words around a phrase make of it.
func (lang *languageList) inContext(m message, start, end int) Verdict {
	first, last := m.sentence(start, end)
	whole := m.words[first:last]
	switch {
	case m.anyIn(lang.unless, whole):
		return OptOutNone // "do not hesitate to …"
	case lang.inDoubt(m, start, end, first, last):
		return OptOutDoubtful
	}
	return OptOutExplicit
}

// inDoubt tells whether the words around a phrase leave open that the sender
// wants no more mail.
func (lang *languageList) inDoubt(m message, start, end, first, last int) bool {
	at := m.words[start]
	clauseStart := start
	for clauseStart > first && m.words[clauseStart-1].clause == at.clause {
		clauseStart--
	}
	before := m.words[first:start]
	asked := m.anyIn(lang.ask, before)
	switch {
	case len(m.words) > longText, at.quoted,
		!m.topics[lang.number].mail && lang.ofBusiness(m, m.words[first:last]),
		m.questions[at.sentence] && (!m.anyIn(lang.ask, m.words[first:end]) || m.anyIn(lang.how, before)),
		m.anyIn(lang.third, m.words[clauseStart:end]),
		m.anyIn(lang.pause, m.words[first:last]), m.topics[lang.number].resume, m.anyIn(lang.instead, m.words[end:last]),
		lang.ofBusiness(m, m.words[start:min(end+besidePhrase, last)]),
		!asked && m.anyIn(lang.cond, before),
		m.anyIn(lang.receive, m.words[first:last]) && !m.anyIn(lang.want, m.words[first:last]):
		return true
	}
	// A request word parts a refusal from what is asked for: "not interested
	// please remove me".
	reach := max(clauseStart, start-negationReach)
	for i := start - 1; i >= reach; i-- {
		if m.anyIn(lang.ask, m.words[i:i+1]) || m.anyIn(lang.polite, m.words[i:i+1]) {
			return false
		}
		if m.anyIn(lang.not, m.words[i:i+1]) {
			return true
		}
	}
	return false
}

// bare finds a message that says nothing but an opt-out word: beside it only
// greetings, thanks and a name. weak tells that the word is one that means
// something else as soon as other words stand with it.
func (l *wordLists) bare(m message) (f Finding, weak bool) {
	f = Finding{Verdict: OptOutNone}
	for i := 0; i < len(m.words); {
		if end, g, w := l.bareAt(m.words, i); end > i {
			if m.questions[m.words[i].sentence] {
				g.Verdict = OptOutDoubtful
			}
			if f.Verdict == OptOutNone {
				f, weak = g, w
			} else if weak && !w {
				weak = false
			}
			i = end
			continue
		}
		end := l.skipPolite(m.words, i)
		if end == i && f.Verdict != OptOutNone {
			end = skipName(m.words, i)
		}
		if end == i {
			return Finding{Verdict: OptOutNone}, false
		}
		i = end
	}
	return f, weak
}

// opening finds a short message whose first sentence or line is an opt-out
// word. Above what reads like a signature the word is the message; else it is
// doubtful.
func (l *wordLists) opening(m message) Finding {
	start := 0
	for end := l.skipPolite(m.words, 0); end > start && end < len(m.words); end = l.skipPolite(m.words, end) {
		start = end
	}
	end, f, weak := l.bareAt(m.words, start)
	// "Delete, please." is that word alone.
	for e := end; end > start && e < len(m.words) && m.words[e].sentence == m.words[end-1].sentence; end = e {
		if e = l.skipPolite(m.words, e); e == end {
			break
		}
	}
	if end <= start || end >= len(m.words) || len(m.words)-end > shortText {
		return Finding{Verdict: OptOutNone}
	}
	next, last := m.words[end], m.words[end-1]
	if !next.lineStart && next.sentence == last.sentence && (weak || next.clause == last.clause) {
		return Finding{Verdict: OptOutNone}
	}
	if weak || !next.lineStart || !next.upper || m.questions[last.sentence] {
		f.Verdict = OptOutDoubtful
	}
	return f
}

// bareAt matches one opt-out word, the longest pattern of all lists.
func (l *wordLists) bareAt(words []word, i int) (end int, f Finding, weak bool) {
	for n := range l.languages {
		lang := &l.languages[n]
		for kind, list := range [][]phrase{lang.word, lang.only, lang.alone} {
			for _, p := range list {
				if e := p.pattern.matchAt(words, i); e > end {
					verdict := OptOutExplicit
					if kind == 2 {
						verdict = OptOutDoubtful
					}
					end, f, weak = e, Finding{verdict, p.id, lang.name}, kind != 0
				}
			}
		}
	}
	return end, f, weak
}

// onlyPolite tells whether a message has no words of its own.
func (l *wordLists) onlyPolite(m message) bool {
	for i := 0; i < len(m.words); {
		end := l.skipPolite(m.words, i)
		if end == i && i > 0 {
			end = skipName(m.words, i)
		}
		if end == i {
			return false
		}
		i = end
	}
	return true
}

// skipPolite passes one greeting or closing, with a name that follows it in
// the same clause ("Hi Alex").
func (l *wordLists) skipPolite(words []word, i int) int {
	end := i
	for _, p := range l.polite {
		end = max(end, p.matchAt(words, i))
	}
	if end == i {
		return i
	}
	for n := 0; n < 2 && end < len(words) && words[end].upper && words[end].clause == words[end-1].clause && !words[end].lineStart; n++ {
		if e, _, _ := l.bareAt(words, end); e > end {
			break
		}
		end++
	}
	return end
}

// skipName passes a name that ends the message: one to three capitalised
// words that begin a line.
func skipName(words []word, i int) int {
	if len(words)-i > 3 || !words[i].lineStart {
		return i
	}
	for _, w := range words[i:] {
		if !w.upper {
			return i
		}
	}
	return len(words)
}

// dropFooters takes away lines that a mail program wrote.
func (l *wordLists) dropFooters(m message) message {
	kept := message{met: m.met, spoken: m.spoken, questions: m.questions}
	for i := 0; i < len(m.words); {
		if m.words[i].lineStart && startsWith(l.footers, m.words[i:]) {
			for i++; i < len(m.words) && !m.words[i].lineStart; i++ {
			}
			continue
		}
		kept.words = append(kept.words, m.words[i])
		i++
	}
	return kept
}

func startsWith(patterns []pattern, words []word) bool {
	for _, p := range patterns {
		if p.matchAt(words, 0) > 0 {
			return true
		}
	}
	return false
}

// dropMailing takes away the paragraphs in which a mailing says why it comes
// and how to leave it, with a link; found tells whether there was one.
func (l *wordLists) dropMailing(m message) (kept message, found bool) {
	kept = message{met: m.met, spoken: m.spoken, questions: m.questions}
	for i := 0; i < len(m.words); {
		end := i + 1
		for end < len(m.words) && m.words[end].paragraph == m.words[i].paragraph {
			end++
		}
		if part := m.words[i:end]; hasLink(part) && l.saysWhy(m, part) {
			found = true
		} else {
			kept.words = append(kept.words, part...)
		}
		i = end
	}
	return kept, found
}

func (l *wordLists) saysWhy(m message, part []word) bool {
	for i := range l.languages {
		if m.anyIn(l.languages[i].mailing, part) {
			return true
		}
	}
	return false
}

func hasLink(words []word) bool {
	for _, w := range words {
		if w.text == "https" || w.text == "http" || w.text == "www" {
			return true
		}
	}
	return false
}
