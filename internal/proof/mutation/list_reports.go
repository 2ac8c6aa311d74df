package mutation

// reports are the proof that a bounce or complaint which came as mail needs,
// and the hold and the question in place of it.
func reports() []Breakage {
	return []Breakage{
		{
			Name:   "report-needs-no-proof",
			Wrong:  "whoever can send a mail stops all mail to any address",
			File:   "internal/decide/report.go",
			Old:    "		case proven:",
			New:    "		case proven || true:",
			Caught: []string{"decide", "extract"},
			Run:    "Report",
		},
		{
			Name:   "proof-of-another-address",
			Wrong:  "who has one mail of ours stops mail to everybody with its mark",
			File:   "internal/decide/report.go",
			Old:    "return i.Guard == p.Person.GuardID",
			New:    `return i.Guard != ""`,
			Caught: []string{"decide", "extract"},
			Run:    "Report",
		},
		{
			Name:   "returned-mark-not-checked",
			Wrong:  "a mark that anybody can make up of an intent's ID proves a report",
			File:   "internal/extract/decide.go",
			Old:    "followup.Marked(ids, e.Tenant, mark)",
			New:    "followup.Marked(ids, e.Tenant, followup.Mark(ids, e.Tenant, mark[:min(32, len(mark))]))",
			Caught: []string{"extract"},
			Run:    "Report",
		},
		{
			Name:   "unproven-report-holds-nobody",
			Wrong:  "mail goes on to who complained until somebody has answered a question",
			File:   "internal/decide/report.go",
			Old:    "				r.hold = append(r.hold, p)",
			New:    "				r.hold = append(r.hold[:0], r.hold...)",
			Caught: []string{"decide", "extract"},
			Run:    "Report",
		},
		{
			Name:   "complaint-of-a-stranger-is-lost",
			Wrong:  "a person's wish not to be mailed is put on file and nobody looks",
			File:   "internal/decide/report.go",
			Old:    "return b.g.Facts.Kind == rawmail.Complaint || p.Key != nil",
			New:    "return p.Key != nil",
			Caught: []string{"decide", "extract"},
			Run:    "Report",
		},
		{
			Name:   "a-forged-report-blocks-for-good",
			Wrong:  "an address stays held after a person has said that the report is not genuine",
			File:   "internal/decide/stop.go",
			Old:    "b.g.Answer.Approve != b.g.Facts.Report()",
			New:    "b.g.Answer.Approve",
			Caught: []string{"decide", "extract"},
			Run:    "Report",
		},
		{
			Name:   "long-report-on-a-decided-event",
			Wrong:  "a late worker holds addresses again after a person has answered, and no task leads to it",
			File:   "internal/decide/stopfirst.go",
			Old:    `ledger.All(ledger.Is(machine.StateAttr, g.Event.State), ledger.Is(machine.TransitionAttr, g.Event.Transition))`,
			New:    `ledger.Present(machine.StateAttr)`,
			Caught: []string{"extract"},
			Run:    "Report",
		},
	}
}
