package wish_test

import (
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/wish"
)

// hostileTexts repeat the words that the lists look for without ever being a
// wish, so that every pattern is tried at every place.
func hostileTexts() map[string]string {
	return map[string]string{
		"one clause": strings.Repeat("not want more send me from of the list please remove delete mail no ", 1500),
		"clauses":    strings.Repeat("keine, weitere, bitte, mich, aus, dem, möchte, nicht, mehr, erhalten, ", 1500),
		"languages":  strings.Repeat("ne plus recevoir vos no me envíen más non voglio ricevere inte skicka fler ", 1500),
		"parts":      strings.Repeat("order not send more your mail remove my address list stop newsletter ", 1500),
		"questions":  strings.Repeat("unsubscribe? abmelden? baja? ", 3000),
		"one wish":   strings.Repeat("please remove me from your list and ", 2500) + "hesitate",
		"one word":   strings.Repeat("x", 100_000),
	}
}

func TestHostileTextIsReadInBoundedTime(t *testing.T) {
	t.Parallel()
	for name, text := range hostileTexts() {
		began := time.Now()
		wish.OptOut(text[:200], text)
		// Generous: on a busy machine and under the race detector.
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: %d bytes took %s", name, len(text), took)
		}
	}
}

func BenchmarkOptOut(b *testing.B) {
	text := "Hello,\n\nwe run a bakery and would like to know what the counting scale costs with delivery.\n" +
		strings.Repeat("The old one is still in use and shows the weight twice. ", 12) + "\n\nBest regards,\nAlex Morgan"
	for b.Loop() {
		wish.OptOut("Price of the counting scale", text)
	}
}

func BenchmarkHostileOptOut(b *testing.B) {
	for name, text := range hostileTexts() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				wish.OptOut("", text)
			}
		})
	}
}
