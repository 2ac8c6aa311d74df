// Package wish hears by rule, in the words of a message, the wish not to be
// mailed.
//
// Its invariant: when in doubt it says so. A doubtful wish is a hold and a plain
// one a stop; nothing here lifts either, and no model is asked.
package wish

import (
	"slices"
	"strings"
)

// Verdict is what the opt-out words say of one message.
type Verdict string

// The verdicts. Both OptOutExplicit and OptOutDoubtful stop mail; they differ
// in who may start it again.
const (
	// OptOutNone: no word of the lists was met. It does not mean consent.
	OptOutNone Verdict = "none"
	// OptOutExplicit: the sender says in plain words that mail must stop. A
	// suppression follows at once, without asking anyone.
	OptOutExplicit Verdict = "explicit"
	// OptOutDoubtful: such words were met, but negated, asked about, said of
	// somebody else, meant for a time, or in another context. The address is
	// held until a person has decided.
	OptOutDoubtful Verdict = "doubtful"
)

// Finding is a verdict with what it rests on. It holds no word of the
// sender's: it may be logged and stored.
type Finding struct {
	Verdict  Verdict `json:"verdict"`
	Phrase   string  `json:"phrase"`   // id of the list's phrase, such as "remove_me"; "" for OptOutNone
	Language string  `json:"language"` // of the list it stands in, such as "de"; "" for OptOutNone
}

const (
	// longText is the number of words from which a clear phrase alone no
	// longer speaks for the whole message.
	longText = 120
	// shortText is the number of words up to which a refusal such as "not
	// interested" is taken to be about the mail itself.
	shortText = 12
	// besideSubject is the number of words a body may have for a subject
	// that only says "unsubscribe" to count as the message.
	besideSubject = 25
	// mostApart is the number of paragraphs that are heard by themselves.
	mostApart = 40
)

// OptOut looks for opt-out words in a subject and in the text the sender
// wrote now; quoted text must have been taken away. It is asked before any
// model is, and needs none.
//
// The words of a subject that begins with Re:, Fwd: or the like are those of
// the mail answered: they count only where the body has no words. One
// exception: a reply under a subject that says nothing but "unsubscribe" is
// doubtful, for no business heads its mail so.
//
// Wherever the lists leave room the answer is OptOutDoubtful, since a hold
// can be lifted and a mail cannot be recalled. The function is total, and
// linear in the length of the text.
func OptOut(subject, visible string) Finding {
	lists, err := loadLists()
	if err != nil {
		// unreachable: the lists are embedded and read by the tests. Were
		// they unreadable, nothing could be said, and nothing may be sent.
		return Finding{OptOutDoubtful, "lists_unreadable", ""}
	}
	rest, isReply := CutReplyPrefix(subject)
	head, body := lists.read(rest), lists.read(visible)
	f := lists.weigh(head, lists.dropFooters(body), isReply)
	if f.Verdict == OptOutDoubtful {
		// Nearly every mailing tells its readers how to leave. Only doubt is
		// taken back by that, never a plain wish.
		if own, found := lists.dropMailing(body); found {
			f = lists.weigh(head, lists.dropFooters(own), isReply)
		}
	}
	if f.Verdict == OptOutNone {
		own, _ := lists.dropMailing(body)
		f = lists.apart(lists.dropFooters(own))
	}
	return f
}

// apart hears a paragraph that by itself would be a wish: whatever stands beside
// it, that is in doubt.
func (l *wordLists) apart(body message) Finding {
	rest := body.words
	for n := 0; n < mostApart && len(rest) > 0; n++ {
		end := slices.IndexFunc(rest, func(w word) bool { return w.paragraph != rest[0].paragraph })
		if end < 0 {
			end = len(rest)
		}
		part := message{words: rest[:end], questions: map[int]bool{}}
		for _, w := range part.words {
			if body.questions[w.sentence] {
				part.questions[w.sentence] = true
			}
		}
		l.items.note(&part)
		l.hear(&part)
		if f := l.said(part); f.Verdict != OptOutNone {
			f.Verdict = OptOutDoubtful
			return f
		}
		rest = rest[end:]
	}
	return Finding{Verdict: OptOutNone}
}

// weigh judges a subject and a body together.
func (l *wordLists) weigh(head, body message, isReply bool) Finding {
	switch {
	case len(body.words) == 0:
		return l.judge(head)
	case isReply:
		f, _ := l.bare(head)
		if f.Verdict != OptOutNone {
			f.Verdict = OptOutDoubtful
		}
		return strongest(l.judge(body), f)
	case l.onlyPolite(body):
		// What looks like a greeting and a name may be the wish itself, in
		// capitals.
		return strongest(l.judge(body), l.judge(head))
	}
	return strongest(l.judge(body), l.besideBody(head, body))
}

// besideBody judges a subject of the sender's own above a body with words.
func (l *wordLists) besideBody(head, body message) Finding {
	bare, weak := l.bare(head)
	if bare.Verdict != OptOutExplicit {
		return l.judge(head)
	}
	// A bare word is the subject's only claim: below it stands what is meant.
	if weak || len(body.words) > besideSubject || l.judge(body).Verdict == OptOutDoubtful {
		bare.Verdict = OptOutDoubtful
	}
	return bare
}

func strongest(a, b Finding) Finding {
	if rank(b.Verdict) > rank(a.Verdict) {
		return b
	}
	return a
}

func rank(v Verdict) int {
	switch v {
	case OptOutExplicit:
		return 2
	case OptOutDoubtful:
		return 1
	default:
		return 0
	}
}

// CutReplyPrefix takes away what mail programs put before the subject of the
// mail answered or forwarded, in the languages of the lists, and tells whether
// there was any: then the rest are the words of that other mail.
func CutReplyPrefix(subject string) (rest string, isReply bool) {
	rest = strings.TrimSpace(subject)
	for {
		// A gateway's mark, such as "[External]".
		if end := strings.IndexByte(rest, ']'); strings.HasPrefix(rest, "[") && end > 0 {
			rest = strings.TrimSpace(rest[end+1:])
		}
		before, after, found := strings.Cut(rest, ":")
		if !found {
			// Some programs write a full-width colon.
			if before, after, found = strings.Cut(rest, "："); !found {
				return rest, isReply
			}
		}
		word := strings.ToLower(strings.TrimSpace(before))
		if i := strings.IndexAny(word, "[("); i > 0 { // "Re[2]:"
			word = strings.TrimSpace(word[:i])
		}
		switch word {
		case "re", "fw", "fwd", "aw", "wg", "antw", "antwort", "tr", "ref", "réf", "rv", "res", "enc",
			"rif", "r", "i", "sv", "vs", "vb", "vl", "odp", "pd", "doorst":
			rest, isReply = strings.TrimSpace(after), true
		default:
			return rest, isReply
		}
	}
}
