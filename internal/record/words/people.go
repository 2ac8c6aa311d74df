package words

// ofPeople are the reasons of what people say about who is who, and what a wish
// at one address of a person means for the others.
func ofPeople() map[string]string {
	return map[string]string{
		"person_says_same":       "a person says that the two are one",
		"person_says_different":  "a person says that the two are not one",
		"person_gives_address":   "a person says that it has one more address",
		"person_changes_address": "a person gave it another main address",
		"opt_outs_united":        "an opt-out of one address counts for all, so what was decided before does not go out",
		"opted_out_elsewhere":    "the person wants no mail, and said so at another address",
		"imported":               "nobody had its address, and an operator took the list in",
		"record_listed":          "the CRM has a record with its address",
		"listed_as_opted_out":    "a list that an operator took in says so",
		"addresses_changed":      "other addresses led to the contact than a moment before",
	}
}
