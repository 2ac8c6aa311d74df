package contact

import (
	"strconv"
	"strings"
)

// KeyID names a key of a kind that has no rule: a customer ID. Of an email
// address it is EmailKeyID that names the key.
func KeyID(kind, value string) string { return kind + ":" + value }

// EmailKeyID names the key of an address in the form of one version of the
// identity rule. Version 1, and 0 of rows that say none, is email:<value>; a
// later one is email.v<version>:<value>. So keys of two rules never are one
// item, though their values be the same.
func EmailKeyID(rule int64, value string) string {
	if rule <= 1 {
		return KeyID(KindEmail, value)
	}
	return KeyID(KindEmail+versionMark+strconv.FormatInt(rule, 10), value)
}

const versionMark = ".v"

// EmailKey reads what EmailKeyID wrote. ok is false for every other text.
func EmailKey(id string) (rule int64, value string, ok bool) {
	kind, value, found := strings.Cut(id, ":")
	if !found || value == "" {
		return 0, "", false
	}
	if kind == KindEmail {
		return 1, value, true
	}
	number, found := strings.CutPrefix(kind, KindEmail+versionMark)
	if !found {
		return 0, "", false
	}
	rule, err := strconv.ParseInt(number, 10, 64)
	if err != nil || EmailKeyID(rule, value) != id {
		return 0, "", false
	}
	return rule, value, true
}
