package report

import "strings"

// word says a machine word in plain words. One that has none is shown as it is.
func word(w string) string {
	if said, ok := words()[w]; ok {
		return said
	}
	return strings.ReplaceAll(w, "_", " ")
}

// reason says why a mail goes before a person. Two words are kinds as well.
func reason(w string) string {
	switch w {
	case "complaint":
		return "a complaint"
	case "bounce":
		return "a delivery report"
	}
	return word(w)
}

func words() map[string]string {
	return map[string]string{
		// How own addresses are known.
		"policy": "from the policy", "flag": "as -own says", "policy_and_flag": "from the policy and as -own says",
		"delivered_to": "from where servers say that they delivered to", "most_frequent": "the address that most mails name",
		// Kinds and classes.
		"human": "written by people", "auto_reply": "automatic replies", "bounce": "delivery reports", "complaint": "complaints",
		"list": "lists and mailings", "own": "from your own addresses", "unparseable": "not readable", "too_large": "too large, not read",
		"enquiry": "enquiries", "pitch": "offers to you", "invoice": "bills", "job_application": "job applications", "newsletter": "mailings", "spam": "fraud",
		// Duplicates.
		"one_mailbox": "the addresses differ in dots, case or a +tag alone", "same_name_phone": "same name, same telephone",
		"same_name_company": "same name, same company", "same_name_domain": "same name at one domain",
		"same_key": "same address", "same_customer_id": "same customer ID", "candidate_addresses": "addresses of people who look like one",
		// Two replies.
		"same_mail_twice": "one mail, held twice", "two_mailboxes": "one mail to two mailboxes",
		"form_and_direct": "the form, and a mail besides", "shortly_after": "two mails within minutes",
		// Review.
		"form_relay": "a form's mail: whose is it?", "list_mail": "opt-out words through a list", "possible_opt_out": "may be a wish not to be mailed",
		"shared_inbox": "several people write from this address", "role_address": "a machine's or an office's address", "own_address": "one of your own addresses",
		"identity_missing": "no address", "identity_invalid": "the address cannot be read", "forwarded_mail": "somebody passed it on: whose enquiry is it?",
		"redirected_by_rule": "a rule redirected it", "calendar_answer": "an answer to an invitation", "machine_words": "it reads like a machine's", "own_mark_invalid": "it pretends to be a mail of Onefold's",
		"instructions_to_model": "it gives orders to a machine that reads it", "sensitive": "health, religion or the like", "legal_or_privacy_request": "law or privacy",
		"no_text": "nothing to read", "ambiguous": "several people or wishes", "third_party": "for somebody else", "low_confidence": "not sure enough",
		"field_conflict": "another name or company than before", "unparseable_mail": "not readable", "loop_suspected": "too many follow-ups in one thread or to one domain",
		"report_unproven": "nothing proves that it gives back a mail of yours", "complaint_without_address": "a complaint that hides its address",
		"opt_out_words": "a wish not to be mailed", "address_mailed": "held: whom your mail went to that it answers", "address_reply_to": "held: another address for answers",
		"opt_out_without_address": "a wish not to be mailed, without an address", "forwarding_confirmation": "Gmail asks whether mail may be forwarded",
		"class_pitch": "looks like an offer", "class_invoice": "looks like a bill", "class_job_application": "looks like a job application",
		"class_newsletter": "looks like a mailing", "class_spam": "looks like fraud", "class_auto_reply": "looks like an automatic reply",
		"sender_differs": "the address stands in the text alone", "sender_relayed": "answers are wanted at another address", "name_unverified": "the name could not be checked",
		"date_missing": "no date", "from_missing": "no sender", "message_id_missing": "no Message-ID", "from_unreadable": "the sender cannot be read",
		"header_separator_missing": "no line between header and text",
	}
}
