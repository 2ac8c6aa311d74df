package rules

import (
	"strings"

	"onefold/internal/reading/reader"
)

// enough is the score from which an intent is taken: one clear word, or two
// that hint.
const enough = 2

// wishes are the intents that the lists know, in the order in which they win
// when nothing else tells.
func wishes() []reader.Intent {
	return []reader.Intent{reader.Pricing, reader.Meeting, reader.Support, reader.ProductQuestion}
}

// intent is the wish that scores highest; of two alike, the one stated first.
// Without words of any, a question is one about the product, unless the mail
// speaks of not being mailed. The subject counts where the sender wrote it.
func (r *sourceRead) intent(guess bool) reader.Intent {
	best, score := reader.Other, int64(0)
	for _, i := range wishes() {
		s := r.all.score[string(i)]
		if s < enough {
			continue
		}
		// A question about the product is how most other wishes are put.
		if i == reader.ProductQuestion && best != reader.Other {
			continue
		}
		if s > score || s == score && r.all.first[string(i)] < r.all.first[string(best)] {
			best, score = i, s
		}
	}
	switch {
	case best == reader.Other && guess && r.asksAboutProduct():
		return reader.ProductQuestion
	case r.openChoice():
		return reader.Other
	}
	return best
}

// fewestAsked is how many words a question about a product has at least.
const fewestAsked = 4

// asksAboutProduct: there is a question, and it is not one of those that
// people ask about anything.
func (r *sourceRead) asksAboutProduct() bool {
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
func (r *sourceRead) openChoice() bool {
	if !r.all.meets("either_or") {
		return false
	}
	n := 0
	for _, i := range []reader.Intent{reader.Pricing, reader.Meeting, reader.Support} {
		if r.all.score[string(i)] >= enough {
			n++
		}
	}
	return n >= 2
}
