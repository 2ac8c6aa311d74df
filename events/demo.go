package events

// Delivery is one step of the demo. The demo signs it when it sends it, with
// the secret of its own data folder.
type Delivery struct {
	Name     string // short, for the printed timeline
	Means    string // what must come of it, and why, in one sentence
	Endpoint string // of the example policy: "form" or "mail"
	// EnvelopeFrom and EnvelopeTo are of mail only. A bounce has no sender.
	EnvelopeFrom, EnvelopeTo string
	Body                     []byte
	// ID is the webhook-id of a form. Of mail it is "": the sender makes it
	// with webhook.MailID.
	ID string
	// Repeat is how often the step is delivered in all, one after the other,
	// each time signed anew; 0 counts as 1.
	Repeat int
	// Together: sent at the same moment as the step before. The two may be
	// decided in either order; what they come to together is the same.
	Together bool
	// AfterQuiet: sent when nothing is under way any more.
	AfterQuiet bool
	// Outcome is the event's, a word of package inbound or "review". Of two
	// steps sent together either may get the outcome of the other.
	Outcome string
	// Reason is one of the event's reasons, a machine word.
	Reason string
	// Want is what this step adds, under the policy that Wanted names.
	Want Counts
}

const office = "hello@demo.example"

// Demo is the demo's script, in order. README.md has the arithmetic.
func Demo() []Delivery {
	formBody, formID := Form("enquiry-1.json")
	mail := func(name, means, file, from, to, outcome, reason string, want Counts) Delivery {
		return Delivery{
			Name: name, Means: means, Endpoint: "mail", EnvelopeFrom: from, EnvelopeTo: to, Body: Mail(file),
			Outcome: outcome, Reason: reason, Want: want,
		}
	}
	together := func(d Delivery) Delivery { d.Together = true; return d }
	afterQuiet := func(d Delivery) Delivery { d.AfterQuiet = true; return d }
	review := Counts{Deliveries: 1, Events: 1, Reviews: 1}
	return []Delivery{
		{
			Name: "a form, delivered three times", Endpoint: "form", Body: formBody, ID: formID, Repeat: 3,
			Means:   "one webhook-id with one content is one event, so one contact and one mail",
			Outcome: "follow_up", Reason: "email_key_new", Want: newPerson(3),
		},
		mail("a first mail from Alex Morgan", "an unknown address: a contact and a mail",
			"plain/enquiry.eml", "alex.morgan@customer.example", office, "follow_up", "email_key_new", newPerson(1)),
		together(mail("a second mail from Alex Morgan at the same moment", "the address is one contact, the request a second enquiry, within the fold window no second mail",
			"plain/second-enquiry.eml", "alex.morgan@customer.example", office, "folded", "within_fold_window",
			Counts{Deliveries: 1, Events: 1, Enquiries: 1, Operations: Operations{CRMNote: 1, CRMTask: 1}})),
		mail("one mail, as sales@ got it", "an unknown address: a contact and a mail",
			"two-mailboxes/sales.eml", "sam.okafor@outdoorclub.example", "sales@demo.example", "follow_up", "email_key_new", newPerson(1)),
		together(mail("the same mail, as info@ got it", "another mailbox is another event, the same content is the same cause: nothing more follows",
			"two-mailboxes/info.eml", "sam.okafor@outdoorclub.example", "info@demo.example", "folded", "same_cause", Counts{Deliveries: 1, Events: 1})),
		mail("a bounce", "it gives back no mail of ours and nobody knows the address: anybody may have written it, so it is kept on file and stops nobody",
			"bounce/unknown-user.eml", "", office, "feedback", "report_unproven", Counts{Deliveries: 1, Events: 1}),
		mail("a mail that instructs the model", "the words are content and no command: a person looks, nothing is made",
			"injection/instructions.eml", "vic.stone@mischief.example", office, "review", "instructions_to_model", review),
		mail("a mail from a shared inbox", "office@ identifies nobody: a person says whose it is",
			"shared-inbox/office.eml", "office@riverside.example", office, "review", "shared_inbox", review),
		mail("a mail with a broken From", "there is no address to answer: a person supplies one",
			"broken-from/no-address.eml", "chris@palmer.example", office, "review", "identity_missing", review),
		mail("a mail whose answer's outcome is lost", "the provider takes the mail and its reply is lost: the provider's own event proves it, it is not sent again",
			"lost-answer/enquiry.eml", "timeout-sent@lost.example", office, "follow_up", "email_key_new", newPerson(1)),
		afterQuiet(mail("an automatic reply to our mail", "no person wrote it: nothing follows, above all no answer",
			"auto-reply/out-of-office.eml", "sam.okafor@outdoorclub.example", office, "ignored", "auto_reply", Counts{Deliveries: 1, Events: 1})),
		mail("an opt-out from Alex Morgan", "a plain wish stops the address at once, before any model is asked",
			"opt-out/reply.eml", "alex.morgan@customer.example", office, "opted_out", "opt_out_words",
			Counts{Deliveries: 1, Events: 1, Stopped: 1, Operations: Operations{CancelIntents: 1}}),
	}
}

// newPerson is what the first request of an unknown address comes to.
func newPerson(deliveries int) Counts {
	return Counts{
		Deliveries: deliveries, Events: 1, Contacts: 1, Enquiries: 1, Intents: 1, Mails: 1,
		Operations: Operations{SendIntent: 1, CRMContact: 1, CRMNote: 1, CRMTask: 1},
	}
}

// Wanted is what the whole script comes to under the example policy
// (internal/policy/tenant/policy.example.json) with its rule "welcome" in mode auto,
// when the script runs within the rule's fold window and nobody answers a
// review task. It is written out apart from the steps, from README.md.
func Wanted() Counts {
	return Counts{
		Deliveries: 14, Events: 12, Contacts: 4, Enquiries: 5, Intents: 4, Mails: 4, Reviews: 3, Stopped: 1,
		Operations: Operations{SendIntent: 4, CancelIntents: 1, CRMContact: 4, CRMNote: 5, CRMTask: 5},
	}
}
