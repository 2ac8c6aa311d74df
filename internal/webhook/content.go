package webhook

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// CheckForm wants one JSON object in UTF-8 and nothing after it; else it
// refuses with ErrMalformed.
func CheckForm(body []byte) error {
	var object map[string]json.RawMessage
	switch {
	case !utf8.Valid(body):
		return Refuse(ErrMalformed, "body_not_utf8", "the body is a JSON object in UTF-8")
	case !json.Valid(body):
		return Refuse(ErrMalformed, "body_not_json", "the body is one JSON object")
	case json.Unmarshal(bytes.TrimSpace(body), &object) != nil || object == nil:
		return Refuse(ErrMalformed, "body_no_object", "the body is one JSON object")
	}
	return nil
}

// HasControl tells whether a text has a control character of ASCII.
func HasControl(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// Mailbox is an envelope recipient as a Delivery has it: in lower case (ASCII:
// it is one of the tenant's own), without brackets and space; "" for one that
// cannot be a mailbox, of more than MaxIDSize bytes or with control characters.
func Mailbox(recipient string) string {
	recipient = strings.Trim(recipient, " \t<>")
	if len(recipient) > MaxIDSize || HasControl(recipient) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, recipient)
}

// EnvelopeFrom is a stated envelope sender as a Delivery has it: NullSender
// for an empty one. Of more than MaxIDSize bytes, or with control characters,
// it is ErrMalformed.
func EnvelopeFrom(stated string) (string, error) {
	stated = strings.Trim(stated, " \t<>")
	switch {
	case len(stated) > MaxIDSize || HasControl(stated):
		return "", Refuse(ErrMalformed, "envelope_invalid", "the envelope sender has at most 256 bytes and no control characters")
	case stated == "":
		return NullSender, nil
	}
	return stated, nil
}
