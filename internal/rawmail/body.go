package rawmail

import "strings"

// body is what the MIME tree gave.
type body struct {
	mediaType   string // of the top, lower case
	reportType  string
	text        string // decoded, normalised, within MaxText
	attachments []Attachment
	reports     []report // status and feedback reports, and returned originals
	hashed      []string // what ContentHash takes of each part
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
	walk := walker{body: &b, w: w, shown: new(int)}
	b.text = joinTexts(walk.part(root))
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
		if strings.TrimSpace(p.text) != "" {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "\n\n")
}

type walker struct {
	body  *body
	w     *warnings
	shown *int // bytes of text so far, alternatives counted too
}

func (k walker) part(p *part) []piece {
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

// alternative takes plain text before HTML, but not an empty one.
func (k walker) alternative(p *part) []piece {
	var best []piece
	for _, c := range p.children {
		pieces := k.part(c)
		if joinTexts(pieces) == "" {
			continue
		}
		if best == nil || best[0].html && !pieces[0].html {
			best = pieces
		}
	}
	return best
}
