package console

import (
	"html/template"
	"slices"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/record/words"
)

// sayings are what the page has for words.
func sayings() template.FuncMap {
	return template.FuncMap{"says": say, "why": reasonsOf, "asks": asks, "comesTo": comesTo}
}

// reason is one reason of a task, for the page.
type reason struct {
	Word, Says, Going string // Going: what going on means where this is asked, or ""
	Fact              bool   // it explains the others and asks nothing
}

func reasonsOf(reasons []string) []reason {
	out := make([]reason, len(reasons))
	for i, w := range reasons {
		out[i] = reason{Word: w, Says: say(w), Going: goingOn(w), Fact: isFact(w)}
	}
	return out
}

func say(word string) string {
	if said := words.Plain(word); said != word {
		return said
	}
	return strings.ReplaceAll(word, "_", " ")
}

// goingOn says what it means to go on where a reason is given, or "" where the
// general words say it.
func goingOn(reason string) string {
	return map[string]string{
		match.ReasonSharedInbox:       "Going on gives this one message a contact of its own.",
		match.ReasonNoKey:             "Going on needs the sender’s address: find it in the text and fill it in below.",
		match.ReasonBadAddress:        "Going on needs the sender’s address: find it in the text and fill it in below.",
		match.ReasonOwnAddress:        "Going on needs the sender’s address: nobody of us is a contact.",
		match.ReasonSeveral:           "Going on cannot say which of them it is: it stays open until their keys lead to one contact, or you dismiss it.",
		match.ReasonContactErased:     "Going on stays without effect while the contact is gone.",
		match.ReasonFieldConflict:     "Going on keeps what the contact has, unless the policy says that the event’s value counts.",
		match.ReasonDisputed:          "Going on says that it is from the contact that has the address, and ends the dispute.",
		match.ReasonAddressNew:        "Going on makes the address the customer’s: from then on it leads to him.",
		match.ReasonManyAddresses:     "Going on files the message with the customer. The address does not become his: is this really one person?",
		match.ReasonCustomerDiffers:   "Going on gives the message to the contact of the address, which keeps the customer ID that it has.",
		match.ReasonCustomerInvalid:   "Going on leaves the customer ID out.",
		match.ReasonUnauthenticated:   "Going on takes the sender at his word. Where it matters, ask him another way first.",
		match.ReasonReplyToAnother:    "Going on files the message with the contact of the sender’s address and writes to that one. Look at both contacts first.",
		decide.ReasonAddressOfAnother: "Look at both contacts: the mail is for the customer and goes to an address that is somebody else’s so far.",
		decide.ReasonNewProspect:      "Nobody has approved a mail to this person before.",
		decide.ReasonLoop:             "Going on makes this one follow-up; the next is asked again.",
		rawmail.DoubtForwarded:        "Going on believes the text that names the sender.",
		content.ReasonFormRelay:       "Going on believes the form that names the sender: anybody may have filled it in.",
		reader.ReasonInstructions:     "Nothing in the text has been obeyed. Going on reads it as any other.",
		decide.ReasonMailed:           "Going on stops the address that our mail went to as well. Dismissing lifts its hold; the address that the message came from stays stopped.",
		decide.ReasonReplyTo:          "Going on stops the address of the answers as well. Dismissing lifts its hold; the address that the message came from stays stopped.",
		"possible_opt_out":            "Going on says that it is no wish not to be mailed, and lifts the hold that it put.",
		"low_confidence":              "Check the sender’s address below before you go on.",
	}[reason]
}

// isFact tells of the keys that were looked up and of values that are candidates:
// beside a reason they explain it.
func isFact(reason string) bool {
	switch reason {
	case match.ReasonEmailKnown, match.ReasonEmailNew, match.ReasonCustomerKnown, match.ReasonCustomerNew:
		return true
	}
	return strings.HasPrefix(reason, decide.ReasonCandidate)
}

// asks leaves the facts out of the reasons of a task.
func asks(reasons []string) []string {
	return slices.DeleteFunc(slices.Clone(reasons), isFact)
}

// comesTo says what an outcome is, in words.
func comesTo(outcome string) string {
	said := map[string]string{
		inbound.FollowUp:   "an enquiry, which gets the follow-up below",
		inbound.Folded:     "an enquiry that joins a follow-up which is there already",
		inbound.Observed:   "an enquiry; its follow-up is noted down and not sent",
		inbound.NoRule:     "an enquiry that no rule answers",
		inbound.Suppressed: "an enquiry of somebody who must not be mailed",
		inbound.OptedOut:   "a wish not to be mailed: the address is stopped",
		inbound.Ignored:    "nothing",
		inbound.Feedback:   "a report of mail that failed",
	}[outcome]
	if said == "" {
		return strings.ReplaceAll(outcome, "_", " ")
	}
	return said
}
