package ours_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
	"onefold/internal/reading/ours"
	"onefold/internal/reading/rawmail"
)

// ourText is what we send; the value is a name.
const ourText = `Hello ` + ours.Value + `,

thank you for writing to Larch Walks about your plans. One of our guides has your message and will answer it in person.
Questions to ` + ours.Value + ` are answered within a day.

Reply with STOP to hear no more.

-- 
Larch Walks
7 Larch Lane, Exampleton EX4 2MP
Call +44 20 7946 0999
`

func reply(text string) rawmail.Message {
	return ours.ReadMail(tenant.Policy{}.WithFormer([]string{ourText}), []byte("From: Ann Lee <ann@example.com>\nTo: hello@demo.example\nSubject: Re: Walks\nMessage-ID: <1@example.com>\nIn-Reply-To: <9@demo.example>\n\n"+text), nil, "")
}

func TestReading01OurTextIsTakenOutOfAReply(t *testing.T) {
	t.Parallel()
	wrapped := "Hello Ann,\n\nthank you for writing to Larch Walks about your\nplans. One of our guides has your message and will\nanswer it in person.\nQuestions to Ann Lee are answered within a day.\n\nReply with STOP to hear no more.\n"
	for name, c := range map[string]struct{ text, visible string }{
		"quoted as it was, without a mark": {"Yes, please call me on Monday.\n\n" + strings.ReplaceAll(ourText, ours.Value, "Ann Lee"), "Yes, please call me on Monday.\n\nHello Ann Lee,"},
		"with other line breaks":           {"Yes, please call me on Monday.\n\n" + wrapped, "Yes, please call me on Monday.\n\nHello Ann,"},
		"between answers":                  {"Hi,\nthank you for writing to Larch Walks about your plans. One of our guides has your message and will answer it in person.\nWhen will that be?", "Hi,\nWhen will that be?"},
		"a line shared with the writer":    {"Hi,\nYou say one of our guides has your message and will answer it in person. Nobody has.", "Hi,\nYou say Nobody has."},
	} {
		if m := reply(c.text); m.Visible != c.visible || len(m.Ours) == 0 || m.OnlyOurs {
			t.Errorf("%s: visible is %q, ours %q, only ours %t", name, m.Visible, m.Ours, m.OnlyOurs)
		}
	}
}

func TestReading01TheWritersOwnLinesStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Reply with STOP to hear no more.\nWhat does that mean?", // the first line
		"I have a question.\nCall +44 20 7946 0999",              // one line of ours, shorter than a run
		"I have a question.\nLarch Walks",                        // three words at most
		"I am one of our guides, and has your message come?",     // fewer equal words than a run
		"Questions to Ann Lee are answered within a day.",        // the first line again
		"A question.\nLarch Walks\n\nIs that near Exampleton?\n7 Larch Lane, Exampleton EX4 2MP",
	} {
		if m := reply(text); m.Visible != text || len(m.Ours) != 0 {
			t.Errorf("visible is %q and ours %q, of %q", m.Visible, m.Ours, text)
		}
	}
}

func TestReading01AReplyOfOurTextAloneSaysSo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		strings.ReplaceAll(ourText, ours.Value, "Ann"):    true,
		"Reply with STOP to hear no more.":                true,
		"Questions to Ann Lee are answered within a day.": true,
		"Larch Walks": false, // an answer can be a word of ours
		"Yes please\n\n" + strings.ReplaceAll(ourText, ours.Value, "Ann"): false,
	} {
		if m := reply(text); m.OnlyOurs != want {
			t.Errorf("only ours is %t of %q; left is %q", m.OnlyOurs, text, m.Visible)
		}
	}
}

func TestReading01OurSignatureIsNotTheWriters(t *testing.T) {
	t.Parallel()
	m := reply("Yes, please call me on Monday.\n\n-- \nLarch Walks\n7 Larch Lane, Exampleton EX4 2MP\nCall +44 20 7946 0999\n")
	if strings.Contains(m.Signature, "7946") || !slices.Equal(m.Ours, []string{"7 Larch Lane, Exampleton EX4 2MP\nCall +44 20 7946 0999"}) {
		t.Errorf("the signature is %q, ours %q", m.Signature, m.Ours)
	}
}

// A mailing list that sends our own mail back to us gives it another sender.
func TestReading06AMailWithOurTextAndNoOtherIsOurs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rawmail.Kind{
		strings.ReplaceAll(ourText, ours.Value, "Ann"):               rawmail.Own,
		strings.ReplaceAll(ourText, ours.Value, "Ann") + "\nThanks!": rawmail.Human,
		"Larch Walks": rawmail.Human,
	} {
		m := ours.ReadMail(tenant.Policy{}.WithFormer([]string{ourText}), []byte("From: The list <list@example.org>\nTo: hello@demo.example\nSubject: Walks\nMessage-ID: <1@example.org>\n\n"+text), nil, "")
		if m.Kind != want || m.Visible != strings.TrimSpace(m.Visible) {
			t.Errorf("kind %s, want %s, of %q", m.Kind, want, text)
		}
	}
}

// A mail of many words that are ours costs no more than its length asks for.
func TestReading01ALongMailStaysWhole(t *testing.T) {
	t.Parallel()
	text := "A question.\n" + strings.Repeat("a guide has a message ", 10_000)
	if m := reply(text); m.Visible != strings.TrimSpace(text) {
		t.Errorf("%d bytes are left of %d", len(m.Visible), len(text))
	}
}
