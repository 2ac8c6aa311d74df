// Package words says reasons, states and outcomes in plain words, for everything
// that people read: explain, the review pages.
//
// Its invariant: a word that it has no sentence for is given as it is, since a
// wrong sentence is worse than none. It never sees a personal value.
package words

import "strings"

// Plain is a machine word as a sentence, or as it is if it has none.
func Plain(word string) string {
	for _, table := range []map[string]string{ofEvents(), ofSending(), ofPeople()} {
		if s, ok := table[word]; ok {
			return s
		}
	}
	for _, p := range [][2]string{
		{"rule_", "rule %s answers it"},
		{"intent_", "the follow-up is %s"},
		{"suppressed_", "%s mail to the address is stopped"},
		{"ended_", "%s waiting follow-ups were ended"},
		{"conflict_", "the CRM holds something that only a person can resolve (%s)"},
		{"person:", "%s said so"},
	} {
		if rest, ok := strings.CutPrefix(word, p[0]); ok {
			return strings.Replace(p[1], "%s", rest, 1)
		}
	}
	for _, s := range [][2]string{
		{"_unverified", "the %s does not stand in the text"}, {"_malformed", "the %s is malformed"}, {"_too_late", "%s, and then it was too late"},
		{"_not_text", "the %s is no plain text"}, {"_too_long", "the %s is too long"}, {"_only_quoted", "the %s stands only in quoted text"},
		{"_only_greeting", "the %s stands only in a greeting"}, {"_ours", "the %s is one of ours"},
	} {
		if rest, ok := strings.CutSuffix(word, s[0]); ok {
			return strings.Replace(s[1], "%s", strings.ReplaceAll(rest, "_", " "), 1)
		}
	}
	return word
}
