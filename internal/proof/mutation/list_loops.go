package mutation

// loops are the bounds on machines that answer each mail, the replies to our
// own mail, and the hold before the reader.
func loops() []Breakage {
	return []Breakage{
		{
			Name:   "cap-is-not-counted",
			Wrong:  "a machine that answers under another address each time gets a mail for each answer",
			File:   "internal/decide/loop.go",
			Old:    `ledger.Item{"count": seen.Int("count") + 1}`,
			New:    `ledger.Item{"count": seen.Int("count")}`,
			Caught: []string{"decide", "extract"},
		},
		{
			Name:   "cap-counted-blindly",
			Wrong:  "follow-ups that are made at once pass the limit together",
			File:   "internal/decide/loop.go",
			Old:    `b.c.Update("loop_cap", k, ledger.AtVersion(seen.Version()),`,
			New:    `b.c.Update("loop_cap", k, ledger.Present("count"),`,
			Caught: []string{"decide"},
		},
		{
			Name:   "cap-is-one-too-many",
			Wrong:  "the limit is passed by one",
			File:   "internal/decide/loop.go",
			Old:    `b.seenCap(n).Int("count") >= c.Limit`,
			New:    `b.seenCap(n).Int("count") > c.Limit`,
			Caught: []string{"decide"},
		},
		{
			Name:   "cap-of-the-domain-for-good",
			Wrong:  "a large customer is never answered again",
			File:   "internal/decide/loop.go",
			Old:    `p.Address.Domain, day.Format(time.DateOnly)),`,
			New:    `p.Address.Domain, day.Format(time.DateOnly)[:4]),`,
			Caught: []string{"decide"},
		},
		{
			Name:   "thread-without-root",
			Wrong:  "each answer in a thread begins a new count",
			File:   "internal/decide/loop.go",
			Old:    "slices.Concat(f.References, f.InReplyTo)",
			New:    "slices.Concat(f.References[:0], f.InReplyTo[:0])",
			Caught: []string{"decide"},
		},
		{
			Name:   "reply-to-ours-gets-a-template",
			Wrong:  "a person's answer to our mail is answered with the same mail",
			File:   "internal/decide/reply.go",
			Old:    "	if i == nil {",
			New:    "	if i == nil || i.ID != \"\" {",
			Caught: []string{"decide", "extract"},
		},
		{
			Name:   "our-mail-not-known-in-the-thread",
			Wrong:  "the provider's host name hides that a mail is ours",
			File:   "internal/decide/reply.go",
			Old:    `".amazonses.com"`,
			New:    `".amazonses.example"`,
			Caught: []string{"decide"},
		},
		{
			Name:   "no-hold-before-the-reader",
			Wrong:  "while the reader is down, a mail goes to a person who may have said no",
			File:   "internal/extract/holdfirst.go",
			Old:    "if facts.OptOut.Verdict != wish.OptOutDoubtful {",
			New:    "if facts.OptOut.Verdict != wish.OptOutDoubtful+\"!\" {",
			Caught: []string{"extract"},
		},
		{
			Name:   "hold-on-an-event-that-is-decided",
			Wrong:  "a late worker holds again whom a person has let go",
			File:   "internal/decide/holdfirst.go",
			Old:    `ledger.All(ledger.Is(machine.StateAttr, inbound.Recorded), ledger.Is(machine.TransitionAttr, g.Event.Transition))`,
			New:    `ledger.OneOf(machine.StateAttr, inbound.Recorded, inbound.InReview, inbound.Decided)`,
			Caught: []string{"extract"},
		},
		{
			Name:   "block-swallows-a-wish",
			Wrong:  "who is blocked and asks for no more mail gets more mail",
			File:   "internal/decide/screen.go",
			Old:    "f.Warned, f.Dropped = ReasonBlocked, f.OptOut.Verdict == wish.OptOutNone",
			New:    "f.Warned, f.Dropped = ReasonBlocked, f.OptOut.Verdict != \"\" || p.Mail.OnSpam == tenant.ScreenIgnore",
			Caught: []string{"decide", "extract"},
			Run:    "Block",
		},
		{
			Name:   "block-by-spelling",
			Wrong:  "a blocked sender is back with a tag or a capital",
			File:   "internal/policy/tenant/blocked.go",
			Old:    "return string(a.SuppressionKey())",
			New:    "return a.String()",
			Caught: []string{"policy/tenant", "extract"},
			Run:    "Block",
		},
		{
			Name:   "any-mark-is-ours",
			Wrong:  "who writes our header into a mail has it thrown away unread, a wish not to be mailed too",
			File:   "internal/reading/rawmail/mark.go",
			Old:    "case genuine(m.Mark):",
			New:    "case genuine(m.Mark) || true:",
			Caught: []string{"reading/rawmail", "extract"},
			Run:    "Mark",
		},
		{
			Name:   "mark-of-any-intent",
			Wrong:  "one mail of ours is enough to make marks for every other tenant and intent",
			File:   "internal/record/followup/mark.go",
			Old:    `key.ID("mark", tenant, intent)`,
			New:    `key.ID("mark")`,
			Caught: []string{"record/followup", "extract"},
			Run:    "Mark",
		},
		{
			Name:   "mark-not-checked",
			Wrong:  "marks are taken by their presence although there is a key",
			File:   "internal/extract/decide.go",
			Old:    "rawmail.ParseMarked(raw, policy.IsOwn, genuine, e.EnvelopeFrom)",
			New:    "rawmail.ParseMarked(raw, policy.IsOwn, map[bool]rawmail.IsMark{true: genuine}[len(raw) == 0], e.EnvelopeFrom)",
			Caught: []string{"extract"},
			Run:    "Mark",
		},
		{
			Name:   "hold-without-a-task",
			Wrong:  "words that are no longer doubtful leave a hold that nobody lifts",
			File:   "internal/decide/holdfirst.go",
			Old:    "slices.ContainsFunc(b.parties(), func(p Party) bool { return slices.Contains(holds(p.Guard), b.holdOf()) })",
			New:    "false",
			Caught: []string{"extract"},
		},
	}
}

// schedules are breakages that the harness of internal/proof/scenario must see by
// itself, with its schedules and its whole-ledger check: each is on the list
// above as well, where a package's own tests see it. Conditions that another
// stands behind, such as guard and consent of one opt-out, are not among them:
// with either alone no schedule breaks a promise.
func schedules(list []Breakage) []Breakage {
	const tests = "Scenarios|Histories|Racing|Evidence|OptOut|Settle|Paused|Twice|Mailboxes|Outage|Prove|FailureModel"
	var out []Breakage
	for _, b := range list {
		switch b.Name {
		case "claim-without-cadence", "claim-token-per-process", "lost-answer-is-not-sent", "evidence-ignored-in-sending",
			"feedback-without-record", "intent-of-the-event", "cadence-not-folded", "acknowledged-without-commit":
			b.Name, b.Caught, b.Run = "schedule-sees-"+b.Name, []string{"proof/scenario"}, tests
			out = append(out, b)
		}
	}
	return out
}
