package explain

import (
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/words"
)

// what tells one record in plain words.
func what(r record, kindOf func(operation string) string) string {
	name := r.Noun + " " + r.Event
	said := happened(r)
	reasons := r.Reasons
	if r.Noun == string(ledger.Operation) {
		kind := kindOf(r.NounID)
		if r.Event == "create" && len(reasons) > 0 {
			kind, reasons = reasons[0], reasons[1:]
		}
		said = strings.Replace(said, "%s", words.Plain(kind), 1)
	}
	if said == "" {
		said = strings.ReplaceAll(name, "_", " ")
	}
	if n := r.Details["attempt"]; n != "" && (r.Noun == string(ledger.Intent) || r.Noun == string(ledger.Attempt)) {
		said += " (attempt " + n + ")"
	}
	if o := r.Details["outcome"]; o != "" {
		said += ": " + strings.ReplaceAll(o, "_", " ")
	}
	if m := r.Details["message_id"]; m != "" {
		said += ", message " + m
	}
	if from := r.Details["moved_from"]; from != "" && r.Noun == string(ledger.Intent) {
		said += ", for the contact that contact " + from + " was merged into"
	}
	if id := r.Details["crm_id"]; id != "" {
		said += ", record " + id
	}
	if why := sentences(reasons); why != "" {
		said += " - " + why
	}
	return said
}

// happened is the step of a record alone, in plain words; "" if there are none.
func happened(r record) string {
	if said, ok := steps()[r.Noun+" "+r.Event]; ok {
		return said
	}
	return stepsOfPeople()[r.Noun+" "+r.Event]
}

func steps() map[string]string {
	return map[string]string{
		"event record": "the event was recorded",
		"event decide": "the event was decided",
		"event refer":  "the event was put before a person",
		"event park":   "the event was parked",
		"event replay": "the event was taken up again",

		"contact create":           "the contact was made",
		"contact update":           "the contact was changed",
		"contact withdraw_consent": "the contact withdrew consent",
		"contact erase":            "the contact was erased",

		"guard stop":         "mail to the address was stopped",
		"guard hold":         "mail to the address was held",
		"guard release_hold": "the hold on the address was lifted",
		"guard release":      "the stop of the address was lifted",
		"guard erase":        "the address was erased",

		"intent create":   "the follow-up was made",
		"intent approve":  "the follow-up was approved",
		"intent refuse":   "the follow-up was refused",
		"intent claim":    "the submission was claimed: nothing stood against it",
		"intent accept":   "the provider took the follow-up",
		"intent reject":   "the provider refused the follow-up",
		"intent back":     "the follow-up goes back to wait",
		"intent lose":     "the outcome was lost",
		"intent evidence": "evidence shows that the provider took the follow-up",
		"intent suppress": "the follow-up was stopped",
		"intent cancel":   "the follow-up was cancelled",
		"intent refer":    "the follow-up was put before a person",
		"intent resend":   "a possible duplicate was accepted",
		"intent settle":   "a person counted the follow-up as sent",

		"attempt begin":      "the attempt was written down",
		"attempt accept":     "the attempt was accepted",
		"attempt evidence":   "evidence shows that the attempt was accepted",
		"attempt reject":     "the attempt was refused for good",
		"attempt throttle":   "the attempt was refused for now",
		"attempt not_begun":  "the attempt was not begun",
		"attempt lose":       "the attempt's outcome is unknown",
		"attempt sent":       "the provider reports: sent",
		"attempt delivered":  "the provider reports: delivered",
		"attempt bounced":    "the provider reports: bounced",
		"attempt complained": "the provider reports: complaint",
		"attempt delayed":    "the provider reports: delayed",
		"attempt dropped":    "the provider reports: not sent on",

		"review_task open":    "a question was put to people",
		"review_task approve": "a person said yes",
		"review_task reject":  "a person said no",
		"review_task close":   "the question went away",
		"review_task refresh": "the answer did not settle the question",

		"operation create":    "work was put down, %s",
		"operation finish":    "work ended, %s",
		"operation wait":      "work waits, %s",
		"operation wake":      "work goes on, %s",
		"operation supersede": "work was not needed any more, %s",
		"operation refuse":    "work was refused, %s",
		"operation park":      "work was parked, %s",
		"operation reopen":    "work was taken up again, %s",

		"crm_mapping create": "the contact's place in the CRM was claimed",
		"crm_mapping sync":   "the contact is in the CRM",
		"crm_mapping adopt":  "the contact was linked to a record that the CRM had",
		"crm_mapping give":   "the contact's record in the CRM became that of the contact it was merged into",
	}
}

// rank orders what has one time as it follows from one another: a delivery
// before its event, a reading before the decision, an event before its intent.
func rank(noun, happened string) int {
	if noun == string(ledger.Event) && happened == "record" {
		return -1
	}
	return slices.Index([]string{
		string(ledger.Delivery), string(ledger.Extraction), string(ledger.MatchDecision), string(ledger.Event), string(ledger.ReviewTask),
		string(ledger.Guard), string(ledger.Contact), string(ledger.Intent), string(ledger.Attempt), string(ledger.Operation), string(ledger.CRMMapping),
	}, noun)
}

// stepsOfPeople are the steps of what people say about who is who.
func stepsOfPeople() map[string]string {
	return map[string]string{
		"contact merge":          "the contact was merged into another",
		"contact absorb":         "another contact was merged into this one",
		"contact split":          "the contact is one of its own again",
		"contact let_go":         "a contact that had been merged into this one is one of its own again",
		"contact alias":          "the contact got one more address",
		"contact change_address": "the contact got another main address",
		"contact import":         "the contact was taken in from a list",
		"crm_mapping import":     "the contact was linked to its record in the CRM, as a list of the CRM has it",
	}
}

// sentences joins the plain words of several reasons.
func sentences(reasons []string) string {
	var out []string
	for _, r := range reasons {
		if r != "" {
			out = append(out, words.Plain(r))
		}
	}
	return strings.Join(out, "; ")
}
