package contact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxCustomerID is the most characters that a customer ID may have.
const MaxCustomerID = 80

// CustomerKey names the key of a customer ID as it was written: white space
// around it dropped, NFC, its case kept, for a shop may tell "c-1" from "C-1".
// It is false of what can be no customer ID: nothing, more than MaxCustomerID
// characters, and a character that cannot be seen, a space among them.
func CustomerKey(written string) (string, bool) {
	id := strings.TrimSpace(written)
	if !utf8.ValidString(id) {
		return "", false
	}
	id = norm.NFC.String(id)
	if n := utf8.RuneCountInString(id); n < 1 || n > MaxCustomerID {
		return "", false
	}
	for _, r := range id {
		if !unicode.IsPrint(r) || r == ' ' || r == utf8.RuneError || unseen(r) {
			return "", false
		}
	}
	return KeyID(KindCustomer, id), true
}

// unseen tells of marks and letters that leave no trace on paper (Unicode,
// Default_Ignorable_Code_Point): with one of them two customers would look like
// one.
func unseen(r rune) bool {
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

// IsCustomerKey tells whether a key of the list of a contact is a customer ID.
func IsCustomerKey(id string) bool { return strings.HasPrefix(id, KindCustomer+":") }
