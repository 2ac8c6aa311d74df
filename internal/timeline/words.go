package timeline

import "strings"

// words turns a machine word into plain ones. A word that is not in the table
// is shown as it is, since a wrong sentence is worse than none.
func words(word string) string {
	if s, ok := plain()[word]; ok {
		return s
	}
	for _, p := range [][2]string{
		{"rule_", "rule %s answers it"},
		{"intent_", "the follow-up is %s"},
		{"suppressed_", "%s mail to the address is stopped"},
		{"ended_", "%s waiting follow-ups were ended"},
	} {
		if rest, ok := strings.CutPrefix(word, p[0]); ok {
			return strings.Replace(p[1], "%s", rest, 1)
		}
	}
	return word
}

// sentences joins the plain words of several reasons.
func sentences(reasons []string) string {
	var out []string
	for _, r := range reasons {
		if r != "" {
			out = append(out, words(r))
		}
	}
	return strings.Join(out, "; ")
}

func plain() map[string]string {
	return map[string]string{
		// Who it is.
		"identity_missing":         "no sender address could be found",
		"identity_invalid":         "the sender address cannot be read",
		"shared_inbox":             "several people write from this inbox, so it names nobody",
		"own_address":              "it comes from an address of the business itself",
		"role_address":             "the address is one of a role or a machine, not of a person",
		"email_key_known":          "the address is that of a known contact",
		"email_key_new":            "the address was not known before",
		"customer_key_known":       "the customer number is that of a known contact",
		"customer_key_new":         "the customer number was not known before",
		"several_contacts":         "its keys name several contacts",
		"field_conflict":           "it states another value than the contact has",
		"contact_erased":           "the contact was erased or merged",
		"phone_of_another_contact": "the phone number is that of another contact",
		"new_identity":             "nobody had this address",
		"filled_from_event":        "the event stated what was missing",

		// What it is.
		"same_cause":                   "it is the same message as one that was answered already",
		"within_fold_window":           "another follow-up for this person had just been made, and it joined that one",
		"no_rule":                      "no rule answers what it asks for",
		"opt_out_words":                "its words ask for no more mail",
		"opt_out_without_address":      "its words ask for no more mail, but no address could be found",
		"possible_opt_out":             "it may ask for no more mail",
		"person_said_no":               "a person decided that nothing should follow",
		"person_says_no_opt_out":       "a person decided that it does not ask for no more mail",
		"unparseable":                  "it cannot be read",
		"raw_missing":                  "its raw content is gone",
		"low_confidence":               "the reader was not sure who wrote it",
		"reader_asks_for_review":       "the reader asked for a person",
		"reader_unavailable":           "the reader gave no answer",
		"auto_reply":                   "it is an automatic reply",
		"bounce":                       "mail to the address bounced",
		"complaint":                    "the recipient complained",
		"list":                         "it is mail of a list",
		"own":                          "it is our own mail",
		"address_stopped":              "mail to the address it names was stopped",
		"consent_withdrawn":            "consent was withdrawn",
		"opt_out":                      "the person asked for no more mail",
		"person":                       "a person stopped it",
		"id_reused_with_other_content": "its delivery ID was used before with other content",
		"answer":                       "a person answered",

		// What stands against a mail.
		"suppressed_all":        "all mail to the address is stopped",
		"opt_out_in_doubt":      "a possible opt-out waits for a person",
		"erased":                "the person was erased",
		"contact_inactive":      "the contact is no longer active",
		"contact_merged":        "the contact was merged into another",
		"content_not_approved":  "this content was not approved",
		"rule_off":              "the rule is switched off, or only observes",
		"rule_wants_approval":   "the rule now wants a person's approval",
		"stopped":               "sending is stopped by an operator",
		"too_late":              "it is too late to send it",
		"stopped_too_late":      "sending was stopped for too long",
		"quiet_period":          "the person had a mail of this rule a short while ago",
		"quiet_period_too_late": "the quiet period ends after it would be too late",
		"draft_mode":            "the rule makes drafts",
		"observe_mode":          "the rule only observes",

		// What came of a submission.
		"accepted":                          "the provider accepted it",
		"rejected":                          "the provider refused it for good",
		"throttled":                         "the provider refused it for now",
		"not_begun":                         "no connection was made",
		"unknown":                           "no answer came",
		"timeout":                           "the call timed out",
		"lease_lapsed":                      "its worker fell silent",
		"late":                              "the answer came late",
		"evidence":                          "an event of the provider shows it",
		"contradicted":                      "the provider first refused it and then reported the mail",
		"outcome_unknown":                   "its outcome is not known",
		"feed_not_proven":                   "the provider's events may not be reaching us",
		"sent":                              "the provider sent it",
		"delivered":                         "the recipient's server took it",
		"bounced":                           "it bounced",
		"complained":                        "the recipient complained",
		"accept":                            "the provider's own answer, come late",
		"policy_accepts_possible_duplicate": "the policy accepts a possible duplicate",
		"person_accepts_possible_duplicate": "a person accepts a possible duplicate",
		"nothing_queued":                    "nothing was waiting",

		// Operations.
		"send_intent":        "to send the follow-up",
		"cancel_intents":     "to end what is waiting",
		"crm_contact":        "to bring the contact into the CRM",
		"crm_note":           "to file the enquiry in the CRM",
		"crm_task":           "to make a task in the CRM",
		"contact_not_in_crm": "the contact is not in the CRM yet",
		"contact_in_crm":     "the contact is in the CRM now",
		"contact_gone":       "the contact is gone",
		"newer_version_sent": "a newer version was sent",
		"another_in_flight":  "another update of the contact is under way",
		"no_progress":        "ten nudges brought no progress",
		"done":               "the CRM confirmed it",
		"refused":            "the CRM refused it for good",
		"busy":               "the CRM was busy",
		"conflict":           "the CRM holds something that only a person can resolve",
		"created":            "a record was made",
		"updated":            "the record was updated",
		"adopted":            "an existing record was linked",
		"raw_unavailable":    "its raw content could not be read",
	}
}
