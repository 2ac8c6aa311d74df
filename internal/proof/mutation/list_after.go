package mutation

// evidences are what is learnt of a mail afterwards.
func evidences() []Breakage {
	const table = "Event: Evidence, From: []string{Sending, Unknown, Ready, InReview},"
	return []Breakage{
		{
			Name:   "evidence-ignored-in-sending",
			Wrong:  "an event that overtakes the answer is dropped, and the mail may go again",
			File:   "internal/record/followup/machine.go",
			Old:    table,
			New:    "Event: Evidence, From: []string{Unknown, Ready, InReview},",
			Caught: []string{"send/evidence", "send"},
			Run:    "Evidence|Late",
		},
		{
			Name:   "evidence-ignored-in-unknown",
			Wrong:  "a mail that is known to have gone is sent again after the deadline",
			File:   "internal/record/followup/machine.go",
			Old:    table,
			New:    "Event: Evidence, From: []string{Sending, Ready, InReview},",
			Caught: []string{"send/evidence", "send"},
			Run:    "Evidence|Late",
		},
		{
			Name:   "evidence-ignored-in-ready",
			Wrong:  "a mail that is known to have gone is claimed again after a resend was accepted",
			File:   "internal/record/followup/machine.go",
			Old:    table,
			New:    "Event: Evidence, From: []string{Sending, Unknown, InReview},",
			Caught: []string{"send/evidence"},
		},
		{
			Name:   "evidence-ignored-in-review",
			Wrong:  "a person is asked to send again what is known to have gone",
			File:   "internal/record/followup/machine.go",
			Old:    table,
			New:    "Event: Evidence, From: []string{Sending, Unknown, Ready},",
			Caught: []string{"send/evidence"},
		},
		{
			Name:   "evidence-leaves-the-question",
			Wrong:  "a person answers a question that evidence has settled",
			File:   "internal/send/evidence/evidence.go",
			Old:    "return closeTask(ctx, store, c, i, r)",
			New:    "return nil",
			Caught: []string{"send/evidence"},
		},
		{
			Name:   "evidence-refused-by-the-index",
			Wrong:  "evidence is thrown away since its message ID is another's",
			File:   "internal/send/evidence/evidence.go",
			Old:    "\t\t\t\tindex = false\n",
			New:    "",
			Caught: []string{"send/evidence"},
		},
		{
			Name:   "feedback-without-record",
			Wrong:  "a repeated bounce counts again, and stops again what a person has lifted",
			File:   "internal/feedback/feedback.go",
			Old:    "return s.workedOff(c, e, now) })",
			New:    "return nil })",
			Caught: []string{"feedback"},
		},
		{
			Name:   "stop-skipped-on-repetition",
			Wrong:  "a crash between evidence and stop leaves a complainer unstopped for good",
			File:   "internal/feedback/feedback.go",
			Old:    "err = nil // a repetition",
			New:    "return nil",
			Caught: []string{"feedback"},
		},
		{
			Name:   "feed-alive-by-what-failed",
			Wrong:  "an event that could not be worked off lets the deadline of its own intent pass",
			File:   "internal/feedback/feedback.go",
			Old:    "\tif err := s.take(ctx, e); err != nil {\n",
			New:    "\tif err := s.take(ctx, e); err != nil {\n\t\t_ = s.markAlive(ctx, e)\n",
			Caught: []string{"feedback"},
		},
		{
			Name:   "feed-alive-in-the-future",
			Wrong:  "a provider's fast clock makes silence count at once",
			File:   "internal/feedback/feedback.go",
			Old:    "at.After(now) {",
			New:    "at.IsZero() {",
			Caught: []string{"feedback"},
		},
	}
}

// crms are the operations on the CRM.
func crms() []Breakage {
	return []Breakage{
		{
			Name:   "crm-mapping-not-claimed",
			Wrong:  "two upserts of one contact are in flight, and the older may land last",
			File:   "internal/crmsync/claim.go",
			Old:    `return commit.Update("crm_mapping", mappingKey(mapping), ledger.AtVersion(m.Version), ledger.Item{`,
			New:    `return commit.Update("crm_mapping", mappingKey(mapping), ledger.Cond{}, ledger.Item{`,
			Caught: []string{"crmsync"},
			Run:    "OfTwo",
		},
		{
			Name:   "crm-in-flight-not-waited-for",
			Wrong:  "an older contact that is still inside the vendor lands on a newer one",
			File:   "internal/crmsync/work.go",
			Old:    `m.Owner != "" && s.now().Before(m.InFlightUntil) {`,
			New:    `m.Owner != "" && m.InFlightUntil.IsZero() {`,
			Caught: []string{"crmsync"},
		},
		{
			Name:   "crm-claim-without-vendor-time",
			Wrong:  "the claim of a killed worker lapses while the vendor still works on its request",
			File:   "internal/crmsync/claim.go",
			Old:    "return idempotency.Lease(s.Timeout) + s.CRM.Capabilities().InFlight",
			New:    "return idempotency.Lease(s.Timeout)",
			Caught: []string{"crmsync"},
		},
		{
			Name:   "crm-claim-blind",
			Wrong:  "two workers take one operation",
			File:   "internal/crmsync/claim.go",
			Old:    `ledger.All(ledger.AtVersion(op.Version), ledger.Is(machine.StateAttr, op.State)), set)`,
			New:    `ledger.Is(machine.StateAttr, op.State), set)`,
			Caught: []string{"crmsync"},
			Run:    "OfTwo",
		},
		{
			Name:   "crm-reference-per-attempt",
			Wrong:  "a repeated call makes a second contact in the CRM",
			File:   "internal/crmsync/work.go",
			Old:    "crm.Contact{Ref: c.ID, ",
			New:    "crm.Contact{Ref: c.ID + fmt.Sprint(claimed.Attempt), ",
			Caught: []string{"crmsync"},
		},
		{
			Name:   "crm-note-reference-per-attempt",
			Wrong:  "a repeated call makes a second note in the CRM",
			File:   "internal/crmsync/work.go",
			Old:    "Note: crm.Note{Ref: op.ID, ",
			New:    "Note: crm.Note{Ref: op.ID + fmt.Sprint(op.Attempt), ",
			Caught: []string{"crmsync"},
		},
		{
			Name:   "crm-create-for-upsert",
			Wrong:  "a contact whose first answer was lost is made again",
			File:   "internal/crm/hubspot/record.go",
			Old:    `c.objectPath(kind, "batch", "upsert")`,
			New:    `c.objectPath(kind, "batch", "create")`,
			Caught: []string{"crm/hubspot"},
		},
		{
			Name:   "crm-finished-before-the-call",
			Wrong:  "a crash leaves an operation that is done and a CRM that knows nothing",
			File:   "internal/crmsync/work.go",
			Old:    "\tres := s.call(ctx, claimed, func(ctx context.Context) crm.Result {\n\t\treturn s.CRM.UpsertContact(",
			New:    "\t_ = s.settleContact(ctx, claimed, mapping, *c, crm.Result{Outcome: crm.Done, ID: \"early\"})\n\tres := s.call(ctx, claimed, func(ctx context.Context) crm.Result {\n\t\treturn s.CRM.UpsertContact(",
			Caught: []string{"crmsync"},
			Run:    "EachFault",
		},
		{
			Name:   "crm-unknown-is-not-done",
			Wrong:  "a call that may have landed is written down as one that did not",
			File:   "internal/crmsync/settle.go",
			Old:    "\tif res.Outcome == crm.Unknown {\n\t\treturn idempotency.Lost()\n",
			New:    "\tif res.Outcome == crm.Busy {\n\t\treturn idempotency.Lost()\n",
			Caught: []string{"crmsync"},
		},
		{
			Name:   "crm-outcome-at-the-version-read",
			Wrong:  "an outcome is thrown away since somebody nudged the row meanwhile",
			File:   "internal/crmsync/settle.go",
			Old:    "If: idempotency.Fence(op.Record), Audit:",
			New:    "If: ledger.AtVersion(op.Version + 1), Audit:",
			Caught: []string{"crmsync"},
			Run:    "Version",
		},
		{
			Name:   "crm-waiting-never-woken",
			Wrong:  "notes and tasks wait for a contact that is there",
			File:   "internal/crmsync/crmsync.go",
			Old:    `if op.Kind == outbox.CRMContact && ch.Item.Text(machine.StateAttr) == op.State {`,
			New:    `if op.Kind == outbox.CRMContact && ch.Item.Text(machine.StateAttr) == "" {`,
			Caught: []string{"crmsync"},
		},
		{
			Name:   "crm-erased-contact-sent",
			Wrong:  "a person who was erased while the operation was read is written into the CRM",
			File:   "internal/crmsync/claim.go",
			Old:    `person.ID), ledger.Is(contact.StatusAttr, contact.Active))`,
			New:    `person.ID), ledger.Present(contact.StatusAttr))`,
			Caught: []string{"crmsync"},
			Run:    "Erased",
		},
	}
}

// sweeps are the timers.
func sweeps() []Breakage {
	return []Breakage{
		{
			Name:   "nudge-unconditional",
			Wrong:  "a sweeper overwrites the time of a row that moved since it was read",
			File:   "internal/sweep/row.go",
			Old:    `cond := ledger.All(ledger.Is(schema.DueAt, it.Text(schema.DueAt)), ledger.Is(machine.StateAttr, it.Text(machine.StateAttr)))`,
			New:    "cond := ledger.Cond{}",
			Caught: []string{"sweep"},
		},
		{
			Name:   "nudge-without-due-time",
			Wrong:  "two sweepers at once nudge a row twice, and it is parked in half its time",
			File:   "internal/sweep/row.go",
			Old:    `cond := ledger.All(ledger.Is(schema.DueAt, it.Text(schema.DueAt)), ledger.Is(machine.StateAttr, it.Text(machine.StateAttr)))`,
			New:    `cond := ledger.Is(machine.StateAttr, it.Text(machine.StateAttr))`,
			Caught: []string{"sweep"},
		},
		{
			Name:   "park-never",
			Wrong:  "a row that nothing moves is nudged for ever, and nobody sees it",
			File:   "internal/sweep/row.go",
			Old:    `case it.Int(claim.NudgesAttr) < MaxNudges:`,
			New:    `case it.Int(claim.NudgesAttr) >= 0:`,
			Caught: []string{"sweep"},
		},
		{
			Name:   "nudge-leaves-the-due-time",
			Wrong:  "one stuck row is first in every run, and hides all others",
			File:   "internal/sweep/row.go",
			Old:    `claim.NudgesAttr: it.Int(claim.NudgesAttr) + 1, schema.DueAt: utc.At(s.Now()).Add(wait)}`,
			New:    `claim.NudgesAttr: it.Int(claim.NudgesAttr) + 1, schema.DueAt: utc.At(s.Now()).Add(0 * wait)}`,
			Caught: []string{"sweep"},
		},
		{
			Name:   "terminal-intent-keeps-its-timer",
			Wrong:  "a mail that is settled is looked after for ever",
			File:   "internal/send/settle.go",
			Old:    "if followup.IntentMachine().Terminal(to) {",
			New:    "if to == \"\" {",
			Caught: []string{"send"},
			Run:    "EachOutcome",
		},
	}
}

// answers are what people decide.
func answers() []Breakage {
	return []Breakage{
		{
			Name:   "approval-of-another-content",
			Wrong:  "a person approves one mail and another goes out",
			File:   "internal/console/intent.go",
			Old:    "if a.ContentHash != i.ContentHash || i.HashContent() != i.ContentHash || i.Review != t.ID {",
			New:    "if i.Review != t.ID {",
			Caught: []string{"console"},
		},
		{
			Name:   "answer-to-another-question",
			Wrong:  "an answer counts for a question that has changed since it was shown",
			File:   "internal/console/answer.go",
			Old:    "if t.State != review.Open || t.Transition != a.Transition {",
			New:    "if t.State != review.Open {",
			Caught: []string{"console"},
		},
		{
			Name:   "answer-on-a-task-that-moved",
			Wrong:  "a person's answer to an event is taken though the question changed meanwhile",
			File:   "internal/decide/reads.go",
			Old:    "t.State != review.Open || t.Transition != a.Asked.Transition):",
			New:    "t.State != review.Open):",
			Caught: []string{"extract"},
		},
		{
			Name:   "no-answer-is-a-decision",
			Wrong:  "a person is told that his answer counts, and it was never stored",
			File:   "internal/extract/decide.go",
			Old:    "if last = err; err == nil {",
			New:    "if last = err; err == nil || !ledger.NotWritten(err) {",
			Caught: []string{"extract"},
			Run:    "Answer",
		},
	}
}
