package rules

import (
	"slices"
	"strings"

	"onefold/internal/reading/reader"
)

// reviewReasons says why a person should look, in a fixed order.
func (r *sourceRead) reviewReasons(unclear bool) []string {
	s := r.source
	own := strings.Join([]string{s.FromName, s.Subject, s.Visible, s.Signature,
		s.Given.Name, s.Given.Company, s.Given.Phone, s.Given.Email}, "\n")
	of := r.guarded.find(plain(own))
	reasons := []string{}
	say := func(is bool, reason string) {
		if is {
			reasons = append(reasons, reason)
		}
	}
	// A model would read quoted text and file names as well, whoever wrote them.
	say(r.speaksToMachine(own+"\n\n"+s.Quoted+"\n\n"+strings.Join(s.Attachments, "\n\n")), reader.ReasonInstructions)
	say(of.meets(reader.ReasonSensitive), reader.ReasonSensitive)
	say(of.meets(reader.ReasonLegal), reader.ReasonLegal)
	say(of.meets("for_someone") && r.forSomebody(s.Subject+"\n"+s.Visible), reader.ReasonThirdParty)
	say(plain(s.Visible) == "", reader.ReasonNoText)
	say(unclear || r.openChoice(), reader.ReasonAmbiguous)
	slices.Sort(reasons)
	return reasons
}

// relationReach is how many words after "for my" a relation is looked for.
const relationReach = 3

// forSomebody tells whether the sender writes for somebody near: "for my
// father", "de parte de mi abuelo".
func (r *sourceRead) forSomebody(text string) bool {
	words := strings.Fields(plain(text))
	for i := range words {
		for n := 1; n <= 4 && i+n < len(words); n++ {
			if !r.guarded.is("for_someone", strings.Join(words[i:i+n], " ")) {
				continue
			}
			for _, w := range words[i+n : min(len(words), i+n+relationReach)] {
				if r.guarded.names("relation", w) {
					return true
				}
			}
		}
	}
	return false
}
