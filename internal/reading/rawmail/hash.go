package rawmail

import (
	"strings"

	"onefold/internal/digest"
)

// contentHash is over the sender's From, Date and Subject and each body part
// in order, decoded. Folding, transfer encoding, boundaries and trace headers
// may differ between two deliveries of one mail, so none of them enters.
func contentHash(h header, parts []string) string {
	var ignored warnings
	list := []string{"mail.v1"}
	for _, name := range []string{"from", "date", "subject"} {
		values := h.all(name)
		for i, v := range values {
			values[i] = decodeWords(v, &ignored)
		}
		list = append(list, strings.Join(values, "\n"))
	}
	return digest.Parts(append(list, parts...)...)
}
