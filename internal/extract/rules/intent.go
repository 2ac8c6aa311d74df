package rules

import (
	"onefold/internal/extract"
	"onefold/internal/guard"
)

// enough is the score from which an intent is taken: one clear word, or two
// that hint.
const enough = 2

// intent is the one wish that scores highest; a tie, or too little, is Other.
// The subject counts where the sender wrote it.
func (r reader) intent() extract.Intent {
	text := plain(r.source.Visible)
	if subject, isReply := guard.CutReplyPrefix(r.source.Subject); !isReply || text == "" {
		text = plain(subject) + " " + text
	}
	best, score, tied := extract.Other, int64(0), false
	for _, i := range []extract.Intent{extract.Pricing, extract.Meeting, extract.Support, extract.ProductQuestion} {
		switch s := r.words.score(string(i), text); {
		case s > score:
			best, score, tied = i, s, false
		case s == score && s > 0:
			tied = true
		}
	}
	if score < enough || tied {
		return extract.Other
	}
	return best
}
