package address

import "strings"

// OfKey gives an address whose identity key, under the rule that k was made
// by, is k again. It is not the address that k was made from: what that rule
// folds is lost. ok is false for a text that is no key of an address.
func OfKey(k IdentityKey) (a Address, ok bool) {
	at := strings.LastIndexByte(string(k), '@')
	if at < 1 || at == len(k)-1 {
		return Address{}, false
	}
	return Address{Local: quoteLocal(string(k[:at])), Domain: string(k[at+1:])}, true
}
