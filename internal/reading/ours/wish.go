package ours

import (
	"slices"
	"strings"

	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
)

// maxWish is how long, in bytes, a signature is that may be somebody's wish: a
// longer one is a company's, with its notice of what to do with misdirected mail.
const maxWish = 200

// WishIn looks for a wish not to be mailed. Where a signature begins, and
// whether a text without a word above it is all quoted, are guesses: plain words
// there hold the address until a person has looked.
func WishIn(m rawmail.Message) wish.Finding {
	found := wish.OptOut(m.Subject, m.Visible)
	if found.Verdict != wish.OptOutNone {
		return found
	}
	// A line of ours that was picked out may be meant.
	if m.OnlyOurs || m.OneOfOurs && wish.OptOut("", strings.Join(m.Ours, "\n")).Verdict != wish.OptOutNone {
		return wish.Finding{Verdict: wish.OptOutDoubtful, Phrase: "our_own_words"}
	}
	var elsewhere []string
	if len(m.Signature) <= maxWish {
		elsewhere = append(elsewhere, m.Signature)
	}
	if strings.TrimSpace(m.Visible) == "" {
		elsewhere = append(elsewhere, m.Quoted)
	}
	for _, text := range elsewhere {
		if other := wish.OptOut("", text); other.Verdict == wish.OptOutExplicit {
			other.Verdict = wish.OptOutDoubtful
			return other
		}
	}
	if slices.Contains(m.Doubts, rawmail.DoubtUndecoded) || slices.ContainsFunc(m.Warnings, func(w string) bool { return slices.Contains(partly, w) }) {
		return wish.Finding{Verdict: wish.OptOutDoubtful, Phrase: "unread_text"}
	}
	return OrUnread(found, m.Visible)
}

// partly are the warnings of rawmail that say that not all of the text was read.
var partly = []string{"text_truncated", "too_many_parts", "unknown_charset"}

// OrUnread makes a doubtful wish of no wish where the language is not read.
func OrUnread(found wish.Finding, text string) wish.Finding {
	if found.Verdict == wish.OptOutNone && wish.Unread(text) {
		return wish.Finding{Verdict: wish.OptOutDoubtful, Phrase: "unread_language"}
	}
	return found
}
