package intake

// CheckReport is what a comparison found. It holds no personal value. Names and
// meanings of its JSON are stable; properties may be added.
type CheckReport struct {
	Tenant   string `json:"tenant"`
	CRM      string `json:"crm"`
	Records  int    `json:"records"`  // looked at
	Mappings int    `json:"mappings"` // that name a record
	// Complete: all records were looked at. Where the limit ended the list,
	// records that are gone are not looked for.
	Complete bool `json:"complete"`
	// Known and no finding:
	LeftThere int            `json:"left_there"` // fields that somebody changed in the CRM, as the last sync saw
	Unmarked  int            `json:"unmarked"`   // imported records, to which the first sync writes the reference
	Waiting   int            `json:"waiting"`    // contacts that changed since their last sync
	Moving    int            `json:"moving"`     // what changed while it was compared
	Reasons   map[string]int `json:"reasons"`
	Findings  []Difference   `json:"findings"` // the first MaxFindings of each reason
}

// Difference is something in which CRM and ledger differ.
type Difference struct {
	Why     string   `json:"why"`
	Records []string `json:"records"`
	Contact string   `json:"contact,omitempty"`
	Fields  []string `json:"fields,omitempty"`
}

// The differences.
const (
	DiffRecordGone         = "record_gone"
	DiffTwoContacts        = "record_of_two_contacts"
	DiffUnmapped           = "reference_without_mapping"
	DiffOtherRecord        = "contact_is_other_record"
	DiffReferenceUnknown   = "reference_unknown"
	DiffReferenceOfAnother = "reference_of_another_contact"
	DiffReferenceGone      = "reference_gone"
	DiffTwoOfOneReference  = "two_records_of_one_reference"
	DiffTwoOfOneAddress    = "two_records_of_one_address"
	DiffFields             = "fields_differ"
)

func (r *CheckReport) add(d Difference) {
	if r.Reasons[d.Why]++; r.Reasons[d.Why] <= MaxFindings {
		r.Findings = append(r.Findings, d)
	}
}

// SaysDifference is a difference as a sentence; an unknown word as it is.
func SaysDifference(word string) string {
	if said, known := map[string]string{
		DiffRecordGone:         "a contact's record is gone: deleted or merged in the CRM",
		DiffTwoContacts:        "two contacts are one record: `onefold contact merge` if they are one person",
		DiffUnmapped:           "the record carries a contact's reference, and that contact is no record here: `onefold import` links it",
		DiffOtherRecord:        "the first record carries the reference of a contact that is the second one here",
		DiffReferenceUnknown:   "the record carries a reference that nobody has here: of another system?",
		DiffReferenceOfAnother: "the record of a contact carries the reference of another one",
		DiffReferenceGone:      "somebody has emptied the reference on a contact's record",
		DiffTwoOfOneReference:  "several records carry one reference: merge them in the CRM",
		DiffTwoOfOneAddress:    "several records have one address: merge them in the CRM if they are one person",
		DiffFields:             "the record has other values than the contact, since the last sync",
	}[word]; known {
		return said
	}
	return word
}
