package rawmail

import (
	"regexp"
	"strings"
	"unicode"
)

// body is what the MIME tree gave.
type body struct {
	mediaType   string // of the top, lower case
	reportType  string
	text        string // decoded, normalised, within MaxText
	attachments []Attachment
	reports     []report // status and feedback reports, and returned originals
	hashed      []string // what ContentHash takes of each part
	reaction    bool     // it is a reaction to a mail: one sign, and no text
	undecoded   bool     // a shown text is encrypted, or in a character set that is not known
}

// report is one machine-readable part of a multipart/report, or a returned
// original.
type report struct {
	mediaType string
	content   string
}

// readBody splits the MIME structure and decodes the leaves, where every step
// has a bound.
func readBody(h header, raw []byte, w *warnings) body {
	root := readTree(h, raw, w)
	b := body{mediaType: root.mediaType, attachments: []Attachment{}}
	b.reportType = strings.ToLower(root.params.get("report-type", w))
	walk := walker{body: &b, w: w, shown: new(int), root: root, spare: new(*part)}
	b.text = joinTexts(walk.part(root))
	if p := *walk.spare; p != nil && b.text == "" {
		hashed := b.hashed // it counts there as the attachment that it also is
		b.text = joinTexts([]piece{walk.shownText(p)})
		b.hashed = hashed
	}
	if len(b.text) > MaxText {
		b.text = cut(b.text, MaxText)
		w.add(warnTextTruncated)
	}
	return b
}

// piece is a text the reader is meant to see; html is kept apart for the
// choice between alternatives.
type piece struct {
	text string
	html bool
}

func joinTexts(pieces []piece) string {
	var texts []string
	for _, p := range pieces {
		if !unseen(p.text) {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// unseen tells whether a text shows nothing: white space, and the characters
// without width that fill previews.
func unseen(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == '\u034f' }) == ""
}

type walker struct {
	body  *body
	w     *warnings
	shown *int // bytes of text so far, alternatives counted too
	root  *part
	// spare is a text that is called a file, to be shown where there is no other.
	spare **part
}

func (k walker) part(p *part) []piece {
	switch p.mediaType {
	case "multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime": // RFC 1847, RFC 8551
		k.body.undecoded = true
	}
	if len(p.children) == 0 {
		return k.leaf(p)
	}
	if p.mediaType == "multipart/alternative" {
		return k.alternative(p)
	}
	var pieces []piece
	for _, c := range p.children {
		pieces = append(pieces, k.part(c)...)
	}
	return pieces
}

// alternative takes plain text before HTML, but not an empty one, nor one that
// only says that the mail is in HTML.
func (k walker) alternative(p *part) []piece {
	var best, rich []piece
	for _, c := range p.children {
		pieces := k.part(c)
		if joinTexts(pieces) == "" {
			continue
		}
		if rich == nil && pieces[0].html {
			rich = pieces
		}
		if best == nil || best[0].html && !pieces[0].html {
			best = pieces
		}
	}
	if rich != nil && !best[0].html {
		return fuller(best, rich)
	}
	return best
}

// fuller chooses between a plain text and the HTML beside it. A short one that says
// a small part of the HTML, or that it is in HTML, is left for the HTML; one that
// says something else is read beside it.
func fuller(best, rich []piece) []piece {
	plain, rendered := joinTexts(best), joinTexts(rich)
	if len(plain) > 300 {
		return best
	}
	told := strings.Fields(strings.ToLower(placeholder.ReplaceAllString(plain, " ")))
	shown := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToLower(cut(rendered, 2048))) {
		shown[word] = true
	}
	same := 0
	for _, word := range told {
		if shown[word] {
			same++
		}
	}
	switch {
	case same == len(told) && len(shown) > 4*len(told), containsFold(plain, "html") && !containsFold(rendered, "html"):
		return rich
	case 2*same < len(told):
		return append(best, rich...)
	}
	return best
}

// placeholder is what programs write in a plain text for a picture or a link.
var placeholder = regexp.MustCompile(`\[[^\]]*\]|<[^>]*>|https?://\S+|[*_=~\-]{2,}`)
