package decide_test

import (
	"testing"

	"onefold/internal/decide/content"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
)

// Nobody can be sure where a signature begins or that a text is quoted.
func TestAPlainOptOutBelowTheTextIsDoubtful(t *testing.T) {
	t.Parallel()
	const header = "From: Ada <ada@example.org>\nTo: hello@demo.example\nSubject: Re: Your offer\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <a1@example.org>\n\n"
	for text, want := range map[string]wish.Verdict{
		"Please take me off your list.\n":                            wish.OptOutExplicit,
		"Thanks for the offer.\n--\nPlease take me off your list.\n": wish.OptOutDoubtful,
		// A rule ends no text.
		"Thanks for the offer.\n---\nPlease take me off your list.\n":                                                      wish.OptOutExplicit,
		"Thanks.\nSent from my phone\n\nPlease unsubscribe me.\n":                                                          wish.OptOutExplicit,
		"> Please unsubscribe me.\n":                                                                                       wish.OptOutDoubtful,
		"On Mon, 2 Mar 2026 at 10:00, Demo <hello@demo.example> wrote:\n\nOur offer.\n\nPlease unsubscribe me.\n":          wish.OptOutDoubtful,
		"Do you walk in May?\n-- \nAda Lee\nTo unsubscribe from our news, click below.\n":                                  wish.OptOutNone,
		"Do you walk in May?\n-- \nAda Lee\nIf you are not the intended recipient, please delete this mail and tell us.\n": wish.OptOutNone,
		"Do you walk in May?\n\nOn Mon, 2 Mar 2026 at 10:00, Demo <hello@demo.example> wrote:\n> Please unsubscribe me.\n": wish.OptOutNone,
		"Do you walk in May?\n-- \nAda Lee\nThis message and its attachments are meant for the addressee alone. Please remove this mail from your system if you received it in error, and tell the sender, since any copying or use of it is forbidden. Thanks.\n": wish.OptOutNone,
	} {
		if got := content.OfMail(rawmail.Parse([]byte(header+text), nil)).OptOut; got.Verdict != want {
			t.Errorf("%q: %+v, want %s", text, got, want)
		}
	}
}
