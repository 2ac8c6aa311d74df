package rawmail

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/reading/phrases/phrasestest"
)

func TestEveryMatchHoldsAnAnchor(t *testing.T) {
	t.Parallel()
	phrasestest.Anchored(t, "bounceText", bounceText)
}

// An anchor that is missing, or a window too narrow, would lose a match.
func TestPhrasesFindWhatTheirPatternFinds(t *testing.T) {
	t.Parallel()
	words := strings.Split("couldn't be delivered.was not delivered.not be delivered to.was unable to deliver.did not reach the following.had permanent fatal errors.delivery to the following recipient failed."+
		"permanent error.delivery has failed.returned permanent errors.undeliverable.rejected by the remote.recipient address rejected.mailbox is full.failure reasons.transcript of session.giving up on.automatically rejected."+
		"user unknown.unknown user.no such user.trouble delivering.cannot be delivered.following address failed.delivery status.送信できません.送信に失敗.не может быть доставлено.the.words.of.a.text", ".")
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for n := rapid.IntRange(0, 12).Draw(t, "n"); n > 0; n-- {
			b.WriteString(rapid.SampledFrom(words).Draw(t, "word"))
			b.WriteString(rapid.SampledFrom([]string{" ", ". ", "\n", " (", ") ", "\u00e9 "}).Draw(t, "gap"))
			b.WriteString(strings.Repeat("filler ", rapid.SampledFrom([]int{0, 0, 0, 5, 70, 74, 150, 300}).Draw(t, "far")))
		}
		if got, want := bounceText.In(b.String()), bounceText.Pattern.MatchString(b.String()); got != want {
			t.Fatalf("%v, want %v in %q", got, want, b.String())
		}
	})
}
