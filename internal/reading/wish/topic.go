package wish

// topic is what a message speaks of, as one language's lists see it.
type topic struct {
	business bool // an order, a delivery, a visit
	mail     bool // mailings, or a list of them
	resume   bool // mail is to come again later
}

// topics reads the whole message once for what each match would ask again.
func (l *wordLists) topics(m message) []topic {
	out := make([]topic, len(l.languages))
	for i := range l.languages {
		lang := &l.languages[i]
		out[i] = topic{
			business: lang.ofBusiness(m, m.words),
			mail:     m.anyIn(lang.ourMail, m.words),
			resume:   m.anyIn(lang.resume, m.words),
		}
	}
	return out
}

// ofSomethingElse tells whether the words of a frame, or those beside them,
// name what is no mail of ours: an order, a machine, the sender's own list.
func (lang *languageList) ofSomethingElse(m message, start, end int) bool {
	first, last := m.sentence(start, end)
	beside := m.words[max(first, start-besidePhrase):min(last, end+besidePhrase)]
	return m.anyIn(lang.machine, beside) ||
		lang.ofBusiness(m, beside) && !m.anyIn(lang.news, m.words[start:end])
}

// ofAnOrder tells whether the words of a frame name no mail ("do not send us
// anything") where the message speaks of an order or the like.
func (lang *languageList) ofAnOrder(m message, start, end int) bool {
	return m.topics[lang.number].business && !m.anyIn(lang.about, m.words[start:end])
}

// ofBusinessAlone tells whether a phrase is about an order or the like in a
// message that has no word for mail: "no more invoices on paper".
func (lang *languageList) ofBusinessAlone(m message, start, end int) bool {
	_, last := m.sentence(start, end)
	return !m.topics[lang.number].mail && lang.ofBusiness(m, m.words[start:min(end+besidePhrase, last)])
}

// ofBusiness tells whether the words name an order, a delivery, a visit.
func (lang *languageList) ofBusiness(m message, words []word) bool {
	return m.anyIn(lang.elsewhere, words) || m.anyIn(lang.order, words)
}

// ofSendersOwn tells whether the message speaks of a mailing of the sender's
// own and of none of ours: whoever writes "our newsletter" has one.
func (l *wordLists) ofSendersOwn(m message) bool {
	own := false
	for i := range l.languages {
		lang := &l.languages[i]
		if !m.spoken[lang.number] {
			continue
		}
		if m.anyIn(lang.yours, m.words) {
			return false
		}
		own = own || m.anyIn(lang.sender, m.words)
	}
	return own
}

// hear notes which languages the message may be in, by the commonest words of
// each: those of which it has about two thirds as many as of the most met. The
// parts of a frame are single words, and one language's are another's for
// something else. Where there are hardly any such words, every language may be
// meant.
func (l *wordLists) hear(m *message) {
	counts, most := make([]int, len(l.languages)), 0
	for i := range l.languages {
		lang := &l.languages[i]
		for _, p := range lang.common {
			for _, w := range m.words {
				if p[0].matches(w.text) {
					counts[i]++
				}
			}
		}
		most = max(most, counts[i])
	}
	m.spoken = make([]bool, len(counts))
	for i, n := range counts {
		m.spoken[i] = 3*(n+1) >= 2*most
	}
}
