package rules

import (
	"strings"

	"onefold/internal/extract"
)

// enough is the score from which an intent is taken: one clear word, or two
// that hint.
const enough = 2

// wishes are the intents that the lists know, in the order in which they win
// when nothing else tells.
func wishes() []extract.Intent {
	return []extract.Intent{extract.Pricing, extract.Meeting, extract.Support, extract.ProductQuestion}
}

// intent is the wish that scores highest; of two alike, the one stated first.
// Without words of any, a question is one about the product, unless the mail
// speaks of not being mailed. The subject counts where the sender wrote it.
func (r *reader) intent(guess bool) extract.Intent {
	best, score := extract.Other, int64(0)
	for _, i := range wishes() {
		s := r.all.score[string(i)]
		if s < enough {
			continue
		}
		// A question about the product is how most other wishes are put.
		if i == extract.ProductQuestion && best != extract.Other {
			continue
		}
		if s > score || s == score && r.all.first[string(i)] < r.all.first[string(best)] {
			best, score = i, s
		}
	}
	switch {
	case best == extract.Other && guess && r.asksAboutProduct():
		return extract.ProductQuestion
	case r.openChoice():
		return extract.Other
	}
	return best
}

// fewestAsked is how many words a question about a product has at least.
const fewestAsked = 4

// asksAboutProduct: there is a question, and it is not one of those that
// people ask about anything.
func (r *reader) asksAboutProduct() bool {
	for _, sentence := range splitSentences(strings.Join(strings.Fields(r.source.Visible), " ")) {
		if !strings.ContainsAny(sentence, "?？") {
			continue
		}
		words := plain(sentence)
		if len(strings.Fields(words)) >= fewestAsked && !r.words.meets("small_question", words) {
			return true
		}
	}
	return false
}

// openChoice: two wishes of which the sender leaves open which.
func (r *reader) openChoice() bool {
	if !r.all.meets("either_or") {
		return false
	}
	n := 0
	for _, i := range []extract.Intent{extract.Pricing, extract.Meeting, extract.Support} {
		if r.all.score[string(i)] >= enough {
			n++
		}
	}
	return n >= 2
}
