package webhook

import "onefold/internal/digest"

// DerivedID is the delivery ID where the sender gives none: "key_" and the hex
// SHA-256 over the object that the event is of, the kind of event and the
// version of the object (a time or number that the sender raises with each
// change), and whatever more tells two events apart. The same event makes the
// same ID on every try. A part may not be empty, more excepted: ErrBadID, for
// an ID of less would be the same for different events. Neither a body nor a
// subject may be a part by itself; the caller sees to that.
func DerivedID(object, kind, version string, more ...string) (string, error) {
	if object == "" || kind == "" || version == "" {
		return "", ErrBadID
	}
	return "key_" + digest.Parts(append([]string{object, kind, version}, more...)...), nil
}

// ValidID tells whether a text can be a delivery ID: 1 to MaxIDSize printable
// ASCII bytes (0x21 to 0x7E).
func ValidID(id string) bool { return validID(id) }
