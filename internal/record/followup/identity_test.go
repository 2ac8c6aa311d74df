package followup_test

import (
	"bytes"
	"testing"

	"onefold/internal/digest"
	"onefold/internal/record/followup"
)

// TestAnIntentIsNamedByTenantCauseRuleAndVersion: each of them counts, and no
// two ways of parting the words are the same.
func TestAnIntentIsNamedByTenantCauseRuleAndVersion(t *testing.T) {
	t.Parallel()
	key, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	other, err := digest.NewKey(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	first := followup.IntentID(key, "demo", "cause", "welcome", 1)
	if again := followup.IntentID(key, "demo", "cause", "welcome", 1); again != first {
		t.Errorf("the same intent is named %s and %s", first, again)
	}
	for what, id := range map[string]string{
		"tenant":              followup.IntentID(key, "other", "cause", "welcome", 1),
		"cause":               followup.IntentID(key, "demo", "another", "welcome", 1),
		"rule":                followup.IntentID(key, "demo", "cause", "goodbye", 1),
		"rule version":        followup.IntentID(key, "demo", "cause", "welcome", 2),
		"deployment's secret": followup.IntentID(other, "demo", "cause", "welcome", 1),
		"border of the words": followup.IntentID(key, "demo", "causewelcome", "", 1),
	} {
		if id == first {
			t.Errorf("another %s has the same intent", what)
		}
	}
}

// TestAnApprovalBindsEverythingThatTheRecipientSees and to whom it goes.
func TestAnApprovalBindsEverythingThatTheRecipientSees(t *testing.T) {
	t.Parallel()
	approved := followup.Intent{
		From: "hello@demo.example", ReplyTo: "desk@demo.example", Recipient: "kim@example.com",
		Subject: "Re: huts", Text: "Hello", InReplyTo: "<1@example.com>", References: "<0@example.com> <1@example.com>",
	}
	for what, change := range map[string]func(*followup.Intent){
		"sender":       func(i *followup.Intent) { i.From = "x" },
		"reply-to":     func(i *followup.Intent) { i.ReplyTo = "" },
		"recipient":    func(i *followup.Intent) { i.Recipient = "kim@example.net" },
		"subject":      func(i *followup.Intent) { i.Subject += "!" },
		"text":         func(i *followup.Intent) { i.Text += " " },
		"thread":       func(i *followup.Intent) { i.InReplyTo = "<2@example.com>" },
		"references":   func(i *followup.Intent) { i.References = "" },
		"a moved line": func(i *followup.Intent) { i.Subject, i.Text = i.Subject+i.Text, "" },
	} {
		changed := approved
		change(&changed)
		if changed.HashContent() == approved.HashContent() {
			t.Errorf("another %s is approved too", what)
		}
	}
	// What moves an intent on is not part of the mail.
	moved := approved
	moved.State, moved.Attempt, moved.Owner = followup.Ready, 3, "me"
	if moved.HashContent() != approved.HashContent() {
		t.Error("an attempt undoes the approval")
	}
}
