package rawmail

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"
)

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

var boundaryParam = regexp.MustCompile(`(?i)boundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s";]{1,200}))`)

// readBody parses the MIME structure with enmime and decodes the leaves here,
// where every step has a bound.
func readBody(h header, raw []byte, w *warnings) body {
	raw = boundParts(h, raw, w)
	parser := enmime.NewParser(
		enmime.RawContent(true),
		enmime.SkipMalformedParts(true),
		enmime.MultipartWOBoundaryAsSinglePart(true),
		enmime.MaxStoredPartErrors(1),
		enmime.SetCustomParseMediaType(mediaTypes(w)),
	)
	// Only the fields that MIME needs go in: the others are read already, and
	// a fault in one of them must not keep the body from being read.
	var top strings.Builder
	for _, name := range []string{"content-type", "content-transfer-encoding", "content-disposition"} {
		if v := h.get(name); v != "" {
			top.WriteString(name + ": " + oneLine(v) + "\r\n")
		}
	}
	top.WriteString("\r\n")
	b := body{mediaType: "text/plain", attachments: []Attachment{}}
	root, err := parser.ReadParts(io.MultiReader(strings.NewReader(top.String()), bytes.NewReader(raw)))
	if err != nil {
		w.add(warnMIME)
		text, _ := decodeCharset(raw[:min(len(raw), MaxText)], "", w)
		b.text = plain(text)
		b.hashed = append(b.hashed, string(raw))
		return b
	}
	if root.ContentType != "" {
		b.mediaType = strings.ToLower(root.ContentType)
	}
	b.reportType = strings.ToLower(reportTypeOf(h.get("content-type")))
	walk := walker{body: &b, w: w}
	b.text = joinTexts(walk.part(root))
	if len(b.text) > MaxText {
		b.text = cut(b.text, MaxText)
		w.add(warnTextTruncated)
	}
	return b
}

var reportTypeParam = regexp.MustCompile(`(?i)report-type\s*=\s*"?([a-z-]+)`)

func reportTypeOf(contentType string) string {
	if m := reportTypeParam.FindStringSubmatch(contentType); m != nil {
		return m[1]
	}
	return ""
}

// boundParts cuts the body where it has had maxParts delimiters: the library
// has no limit of its own.
func boundParts(h header, raw []byte, w *warnings) []byte {
	var boundaries []string
	for _, m := range append(boundaryParam.FindAllStringSubmatch(h.get("content-type"), 1), boundaryParam.FindAllStringSubmatch(string(raw[:min(len(raw), 1<<20)]), maxParts)...) {
		boundaries = append(boundaries, m[1]+m[2])
		if len(boundaries) >= maxMultiparts+1 {
			break
		}
	}
	if at := passLimit(raw, boundaries, maxParts); at >= 0 {
		w.add(warnTooManyParts)
		return raw[:at]
	}
	return raw
}

// mediaTypes parses content types for the library: a type that cannot be read
// is text (RFC 2045 section 5.2) or, if it names a boundary, a multipart;
// multiparts beyond the bound are leaves, so nesting ends.
func mediaTypes(w *warnings) enmime.CustomParseMediaType {
	multiparts := 0
	return func(s string) (string, map[string]string, []string, error) {
		mtype, params, invalid, err := mediatype.Parse(s)
		lower := strings.ToLower(strings.TrimSpace(s))
		if (err != nil || mtype == "") && lower != "" {
			w.add(warnMIME)
			mtype, params, invalid, err = "text/plain", map[string]string{}, nil, nil
			if m := boundaryParam.FindStringSubmatch(s); m != nil && strings.HasPrefix(lower, "multipart") {
				mtype, params["boundary"] = "multipart/mixed", m[1]+m[2]
			}
		}
		switch {
		case strings.HasPrefix(mtype, "multipart/"):
			// The top's type is parsed twice, so the bound is a little looser than its number.
			if multiparts++; multiparts > maxMultiparts {
				w.add(warnTooDeep)
				return "application/octet-stream", map[string]string{}, nil, nil
			}
		case params["boundary"] != "":
			delete(params, "boundary") // only multiparts are split
		}
		return mtype, params, invalid, err
	}
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
	body *body
	w    *warnings
}

func (k walker) part(p *enmime.Part) []piece {
	ctype := strings.ToLower(p.ContentType)
	if p.FirstChild == nil && (!strings.HasPrefix(ctype, "multipart/") || len(p.Content) > 0) {
		return k.leaf(p, ctype)
	}
	var pieces []piece
	if ctype == "multipart/alternative" {
		return k.alternative(p)
	}
	for c := p.FirstChild; c != nil; c = c.NextSibling {
		pieces = append(pieces, k.part(c)...)
	}
	return pieces
}

// alternative takes plain text before HTML, but not an empty one.
func (k walker) alternative(p *enmime.Part) []piece {
	var best []piece
	for c := p.FirstChild; c != nil; c = c.NextSibling {
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
