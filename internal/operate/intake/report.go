package intake

import "onefold/internal/decide/match"

// Report is what came, or would come, of a list. It holds no personal value: rows
// and records are named by where they stand. Names and meanings of its JSON are
// stable; properties may be added.
type Report struct {
	Tenant  string `json:"tenant"`
	CRM     string `json:"crm,omitempty"`
	Applied bool   `json:"applied"`  // false: nothing was written
	Entries int    `json:"entries"`  // rows or records that were looked at
	Made    int    `json:"made"`     // contacts that were not known
	Linked  int    `json:"linked"`   // known contacts that got their record in the CRM
	Known   int    `json:"known"`    // nothing to do
	LeftOut int    `json:"left_out"` // a person has to look
	Stopped int    `json:"stopped"`  // entries whose opt-out was new here
	// Complete: the list was gone through to its end.
	Complete bool           `json:"complete"`
	Reasons  map[string]int `json:"reasons"` // for which entries were left out
	Notes    map[string]int `json:"notes"`   // what else is to be looked at
	// Findings are the entries that were left out, and those with a note: the first
	// MaxFindings of each reason and note.
	Findings []Finding `json:"findings"`
}

// Finding is something about one entry.
type Finding struct {
	Row     int    `json:"row,omitempty"`
	Record  string `json:"record,omitempty"`
	LeftOut bool   `json:"left_out"`
	Why     string `json:"why"`             // one of Reasons or Notes
	Other   string `json:"other,omitempty"` // an entry, contact, record or field that it is about
}

// MaxFindings is how many findings of one reason or note a report lists.
const MaxFindings = 1000

func newReport(l List) Report {
	return Report{Tenant: l.Tenant, CRM: l.CRM, Applied: l.Apply, Reasons: map[string]int{}, Notes: map[string]int{}, Findings: []Finding{}}
}

func (r *Report) add(e Entry, v verdict) {
	r.Entries++
	switch v.outcome {
	case Made:
		r.Made++
	case Linked:
		r.Linked++
	case Known:
		r.Known++
	default:
		r.LeftOut++
	}
	if len(v.stops) > 0 {
		r.Stopped++
	}
	for n, w := range v.why {
		left, times := v.outcome == Left && n == 0, r.Notes
		if left {
			times = r.Reasons
		}
		if times[w.word]++; times[w.word] <= MaxFindings {
			r.Findings = append(r.Findings, Finding{e.Row, e.Record, left, w.word, w.other})
		}
	}
}

// Words for what package match has none for.
const (
	whyManyAddresses      = "too_many_addresses"
	whySameAddress        = "same_address"
	whySameCustomer       = "same_customer_id"
	whyOtherRecord        = "contact_has_other_record"
	whyRecordOfAnother    = "record_of_another_contact"
	whyReferenceOfAnother = "reference_of_another_contact"
	whyReferenceUnknown   = "reference_unknown"
	whyNameDiffers        = "name_differs"
	whyAddressNotAdded    = "address_not_added"
	whyCustomerNotAdded   = "customer_id_not_added"
	whyLongValue          = "value_left_out"
	whySyncUnderWay       = "sync_under_way"
)

// Says is a reason as a sentence about an entry; an unknown word as it is.
func Says(word string) string {
	if said, known := map[string]string{
		match.ReasonNoKey:           "no e-mail address",
		match.ReasonBadAddress:      "an address that cannot be read",
		match.ReasonOwnAddress:      "an address of the business itself",
		match.ReasonRoleAddress:     "an address of a role or a machine, not of a person",
		match.ReasonSharedInbox:     "an inbox that several people write from, so it names nobody",
		match.ReasonSeveral:         "its addresses or customer ID are those of several contacts here: `onefold contact merge` if they are one person",
		match.ReasonCustomerDiffers: "the contact with this address has another customer ID here",
		match.ReasonAddressNew:      "the customer is known here by another address: `onefold contact alias` if this one is theirs",
		match.ReasonDisputed:        "two names claim the address here, and it does not say in full which of them it is",
		match.ReasonRuleCollision:   "under the identity rule that comes next the address is another contact's",
		match.ReasonContactErased:   "the person was erased here, and a list brings nobody back",
		match.ReasonCustomerInvalid: "a customer ID that can be none, so it was not taken",
		match.ReasonCustomerIgnored: "a customer ID, for which the policy has no use: see customer_ids",
		match.ReasonPhoneShared:     "another contact has the same phone number and first name: perhaps one person",
		whyManyAddresses:            "more addresses than one contact may have, so nothing of it was taken, an opt-out neither",
		whySameAddress:              "an earlier one has the same address",
		whySameCustomer:             "an earlier one has the same customer ID",
		whyOtherRecord:              "the contact with this address is another record of the CRM already",
		whyRecordOfAnother:          "the record is another contact's here, which does not have this address: changed in the CRM?",
		whyReferenceOfAnother:       "the record carries another contact's reference",
		whyReferenceUnknown:         "the record carries a reference that nobody has here: of another system?",
		whyNameDiffers:              "the contact has another name here, which stays",
		whyAddressNotAdded:          "a further address, which the contact here does not get by a list: `onefold contact alias`",
		whyCustomerNotAdded:         "a customer ID, which the contact here does not get by a list",
		whyLongValue:                "a value that is too long, so it was not taken",
		whySyncUnderWay:             "a sync of the contact has begun and will find the record",
	}[word]; known {
		return said
	}
	return word
}
