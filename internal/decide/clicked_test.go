package decide_test

import (
	"testing"

	"onefold/internal/decide/content"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
)

// A mail program's own unsubscribe mail is a person's click.
func TestReading04UnsubscribeMailOfAProgramIsAPersonsClick(t *testing.T) {
	for subject, want := range map[string]bool{
		"unsubscribe": true, "Unsubscribe": true, "Abmelden": true, "désabonnement": true,
		"Re: unsubscribe": false, "Automatic reply: unsubscribe": false, "Out of office": false, "Abwesenheit": false,
		"Absence du bureau": false, "Ticket 123 received": false, "": false,
	} {
		f := content.OfMail(rawmail.Message{Kind: rawmail.AutoReply, Subject: subject, Visible: "This message was automatically generated."})
		if got := f.Heard && f.OptOut.Verdict == wish.OptOutExplicit; got != want {
			t.Errorf("%q: heard %v, want %v", subject, got, want)
		}
	}
	f := content.OfMail(rawmail.Message{Kind: rawmail.AutoReply, Subject: "unsubscribe", InReplyTo: []string{"a@b.example"}})
	if f.Heard {
		t.Error("an automatic answer was heard")
	}
}
