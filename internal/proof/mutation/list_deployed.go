package mutation

// deployed are the promises that the ways in and out of a deployment keep: the
// answers to Lambda, the opt-out link, a tenant's own CRM account, and words
// that a sender signs once.
func deployed() []Breakage {
	return []Breakage{
		{
			Name:   "failed-record-not-reported",
			Wrong:  "a record whose ledger did not answer is passed over, and comes only when it is due",
			File:   "internal/lambdaio/stream.go",
			Old:    "			first = earlier(first, i)\n			if unreachable(err) {",
			New:    "			if unreachable(err) {",
			Caught: []string{"lambdaio"},
			Run:    "Fails|Behind|Report",
		},
		{
			Name:   "last-failed-record-reported",
			Wrong:  "what failed before the last failure is taken for done",
			File:   "internal/lambdaio/stream.go",
			Old:    "	if first < 0 {\n		return i\n	}\n	return first",
			New:    "	return max(first, i)",
			Caught: []string{"lambdaio"},
			Run:    "Fails|Behind|Report",
		},
		{
			Name:   "later-change-overtakes",
			Wrong:  "a change of an item is worked on although an earlier one has to come again",
			File:   "internal/lambdaio/stream.go",
			Old:    "			held[ch.Key] = true\n",
			New:    "",
			Caught: []string{"lambdaio"},
			Run:    "Fails|Behind|Report",
		},
		{
			Name:   "begun-without-time",
			Wrong:  "a function is killed in the middle of a record that it should not have begun",
			File:   "internal/lambdaio/batch.go",
			Old:    "end.Sub(o.Now()) < o.Begin",
			New:    "end.Sub(o.Now()) < 0*o.Begin",
			Caught: []string{"lambdaio"},
			Run:    "Fails|Behind|Time|Report",
		},
		{
			Name:   "link-without-token",
			Wrong:  "anybody stops mail to anybody",
			File:   "internal/optout/optout.go",
			Old:    "if subtle.ConstantTimeCompare([]byte(token), []byte(want)) != 1 {",
			New:    "if subtle.ConstantTimeCompare([]byte(token), []byte(want)) > 1 {",
			Caught: []string{"optout"},
		},
		{
			Name:   "link-of-any-tenant",
			Wrong:  "a link of one tenant stops mail of another",
			File:   "internal/decide/link.go",
			Old:    `return ids.ID("opt-out link", tenantID, intentID)`,
			New:    `return ids.ID("opt-out link", tenantID[:0], intentID)`,
			Caught: []string{"optout"},
		},
		{
			Name:   "looking-stops",
			Wrong:  "a scanner that follows links opts people out",
			File:   "internal/optout/pages.go",
			Old:    `mux.HandleFunc("GET /{tenant}/{intent}/{token}", p.ask)`,
			New:    `mux.HandleFunc("GET /{tenant}/{intent}/{token}", p.stop)`,
			Caught: []string{"optout"},
		},
		{
			Name:   "link-stops-the-address-alone",
			Wrong:  "a person who clicked is mailed at her other address",
			File:   "internal/decide/link.go",
			Old:    `contact.ConsentVersionAttr: who.ConsentVersion + 1`,
			New:    `contact.ConsentVersionAttr: who.ConsentVersion`,
			Caught: []string{"optout"},
		},
		{
			Name:   "stopped-by-others-is-heard",
			Wrong:  "a click on an address that a bounce stopped says nothing of the person",
			File:   "internal/decide/link.go",
			Old:    `if stopped == "" || l.Guard.Text("opted_out_at") < stopped {`,
			New:    `if stopped == "" || l.Guard.Text("opted_out_at") > stopped {`,
			Caught: []string{"optout"},
		},
		{
			Name:   "once-is-not-kept",
			Wrong:  "a signed body under another ID is a second event",
			File:   "internal/ingest/once.go",
			Old:    `if r.delivery.Once == "" {`,
			New:    `if r.delivery.Once != "" {`,
			Caught: []string{"ingest"},
			Run:    "Once|Word|Token|AnotherID",
		},
	}
}
