package followup

import (
	"crypto/subtle"
	"strings"

	"onefold/internal/digest"
)

// Mark is what our own mail says in its header (rawmail.MarkHeader), so that we
// know it when it comes back: the intent's ID with a keyed hash of it. An ID
// alone says nothing, since whoever gets one of our mails can make up others.
//
// Who has got a mail of ours can copy its mark, and then it is his own mail that
// is taken for ours and left alone.
func Mark(key digest.Key, tenant, intent string) string {
	return intent + "." + key.ID("mark", tenant, intent)
}

// IsMark tells whether a value is a mark that Mark made for a tenant's intent.
// It does not tell whether there is such an intent.
func IsMark(key digest.Key, tenant, value string) bool {
	_, genuine := Marked(key, tenant, value)
	return genuine
}

// Marked is the intent that a genuine mark names; ok is false for any other
// value.
func Marked(key digest.Key, tenant, value string) (intent string, ok bool) {
	intent, _, marked := strings.Cut(value, ".")
	if !marked || intent == "" || subtle.ConstantTimeCompare([]byte(value), []byte(Mark(key, tenant, intent))) != 1 {
		return "", false
	}
	return intent, true
}
