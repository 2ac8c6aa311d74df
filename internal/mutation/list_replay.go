package mutation

// replays are what is kept of a decision, and what is said of it under another
// policy.
func replays() []Breakage {
	return []Breakage{
		{
			Name:   "ground-not-kept",
			Wrong:  "nothing that was decided can be decided again",
			File:   "internal/flow/ground.go",
			Old:    "w.Set[GroundAttr] = text",
			New:    "_ = text",
			Caught: []string{"flow", "replay"},
			Run:    "Ground|Lost",
		},
		{
			Name:   "ground-without-holds",
			Wrong:  "an address that was held is decided again as if it were free",
			File:   "internal/flow/groundseen.go",
			Old:    `case "hold", "hold_review",`,
			New:    `case "hold_review",`,
			Caught: []string{"flow"},
			Run:    "Kept",
		},
		{
			Name:   "ground-without-consent",
			Wrong:  "what is decided again binds another consent",
			File:   "internal/flow/groundseen.go",
			Old:    "ConsentVersion: k.Consent,",
			New:    "ConsentVersion: min(k.Consent, 1),",
			Caught: []string{"flow"},
			Run:    "Kept",
		},
		{
			Name:   "baseline-unproven",
			Wrong:  "a change of the program is taken for one of the policy",
			File:   "internal/replay/event.go",
			Old:    "err != nil || !equal(verdict, j.kept.Verdict)",
			New:    "err != nil",
			Caught: []string{"replay"},
			Run:    "Lost",
		},
		{
			Name:   "changed-parser-unseen",
			Wrong:  "a change of the parser is taken for one of the policy",
			File:   "internal/replay/event.go",
			Old:    "case flow.ReadingDigest(j.IDs, g) == j.kept.Facts:",
			New:    `case flow.ReadingDigest(j.IDs, g) != "" && j.gone == "":`,
			Caught: []string{"replay"},
			Run:    "Lost",
		},
		{
			Name:   "reading-guessed",
			Wrong:  "a mail that nobody has read is decided as if it said nothing",
			File:   "internal/replay/another.go",
			Old:    "if old.Extraction == nil || ",
			New:    "if old.Extraction == nil && ",
			Caught: []string{"replay"},
			Run:    "NeverRead",
		},
		{
			Name:   "other-key-guessed",
			Wrong:  "somebody who may be known under another key is taken for the same",
			File:   "internal/replay/another.go",
			Old:    "if !sameKeys(o.Person, p) {",
			New:    `if o.Person.KeyID == "" {`,
			Caught: []string{"replay"},
			Run:    "NeverRead",
		},
		{
			Name:   "other-rule-guessed",
			Wrong:  "a rule that may have answered the person already answers again",
			File:   "internal/replay/another.go",
			Old:    "return OtherRule, nil",
			New:    `return "", nil`,
			Caught: []string{"replay"},
			Run:    "NeverRead",
		},
		{
			Name:   "row-counted-twice",
			Wrong:  "an event that a scan gives twice is counted twice",
			File:   "internal/replay/run.go",
			Old:    "if _, again := n.seen[id]; again {",
			New:    "if _, again := n.seen[id]; again && f.undecided {",
			Caught: []string{"replay"},
			Run:    "Twice",
		},
	}
}
