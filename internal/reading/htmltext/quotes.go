package htmltext

import (
	"strings"

	"golang.org/x/net/html"
)

// How mail programs mark an older mail in their HTML, by class or id. Outlook puts
// a prefix before those of a mail that is answered again.
var (
	// containers hold the older mail, or the line above it.
	containers = map[string]bool{
		"gmail_quote": true, "gmail_attr": true, "moz-cite-prefix": true, "moz-forward-container": true, "yahoo_quoted": true, "protonmail_quote": true,
		"tutanota_quote": true, "zmail_extra": true, "ms-outlook-mobile-reference-message": true,
		"mail-editor-reference-message-container": true, "olk_src_body_section": true, "aolmail_quote": true,
	}
	// beginnings stand above the older mail, which takes all the rest.
	beginnings = map[string]bool{"divrplyfwdmsg": true, "outlookmessageheader": true, "appendonsend": true}
)

// older marks what a mail program has set apart. That is no more than the mark of a
// quotation, which every sender can write as well: it hides text from nobody but as
// a quotation of the sender's own making does.
func (r *renderer) older(t html.Token, e *element) {
	for _, a := range t.Attr {
		if a.Key == "style" {
			// The line above the header of the older mail: Outlook's, Windows Mail's.
			drawn := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(drawn, "border-top:solid") && strings.Contains(drawn, "padding:3.0pt0") ||
				strings.Contains(drawn, "border-top-style:solid") && strings.Contains(drawn, "padding-top:5px") {
				r.rest = 1
			}
			continue
		}
		for word := range strings.FieldsSeq(strings.ToLower(a.Val)) {
			word = strings.TrimPrefix(word, "x_")
			switch {
			case beginnings[word] && t.Data != "html" && t.Data != "body":
				r.rest = 1
			case containers[word] && t.Data != "blockquote":
				e.quote++
				e.gmail = word == "gmail_quote"
				r.newBlock(1)
				return
			}
		}
	}
}
