package rawmail

import "bytes"

// part is a node of the MIME tree. Content is a slice of the raw mail, still
// in its transfer encoding: nothing is copied to build the tree.
type part struct {
	mediaType   string // lower case
	params      params
	disposition string // lower case, "" when not stated
	name        string // of the file, decoded
	encoding    string
	boundary    string // of a multipart that is split
	content     []byte
	children    []*part
}

// splitter goes once over the lines of a body. open are the multiparts that
// the present line stands in, the innermost last.
type splitter struct {
	raw        []byte
	w          *warnings
	open       []*part
	begins     []int // where the content of each open multipart begins
	leaf       *part
	leafBegins int
	parts      int
	multiparts int
}

// readTree builds the tree. Any bytes give one: a multipart whose delimiter
// never comes is a leaf, one that is not closed ends where the one around it
// goes on or the mail ends.
func readTree(h header, raw []byte, w *warnings) *part {
	s := &splitter{raw: raw, w: w}
	root := s.newPart(h, "text/plain")
	if root.boundary != "" {
		s.split(root)
	}
	if len(root.children) == 0 && isMultipart(root.mediaType) {
		if b := guessBoundary(raw); b != "" && b != root.boundary {
			w.add(warnMIME)
			root.boundary = b
			*s = splitter{raw: raw, w: w}
			s.split(root)
		}
	}
	if len(root.children) == 0 {
		root.content = raw
	}
	return root
}

func isMultipart(mediaType string) bool {
	return len(mediaType) > 10 && mediaType[:10] == "multipart/"
}

func (s *splitter) newPart(h header, otherwise string) *part {
	p := &part{encoding: h.get("content-transfer-encoding")}
	p.mediaType, p.params = readMediaType(h.get("content-type"), s.w)
	if p.mediaType == "" {
		p.mediaType = otherwise
	}
	var dispositionParams params
	p.disposition, dispositionParams = readParams(h.get("content-disposition"))
	p.name = dispositionParams.get("filename", s.w)
	for _, other := range []string{"name", "file"} {
		if p.name == "" {
			p.name = p.params.get(other, s.w)
		}
	}
	p.name = decodeWords(p.name, s.w)
	if !isMultipart(p.mediaType) {
		return p
	}
	if s.multiparts++; s.multiparts > maxMultiparts {
		s.w.add(warnTooDeep)
		p.mediaType = "application/octet-stream"
		return p
	}
	// A boundary ends in no space (RFC 2046 section 5.1.1), and lines are compared without theirs.
	p.boundary = string(bytes.TrimRight([]byte(p.params.get("boundary", s.w)), " \t"))
	return p
}

func (s *splitter) split(root *part) {
	s.push(root, 0)
	for at := s.nextDashes(0); at >= 0; {
		line, _ := nextLine(s.raw[at:])
		level, final := s.match(line)
		if level < 0 {
			at = s.nextDashes(at + 2)
			continue
		}
		s.closeTo(level, beforeLineEnd(s.raw, at))
		after := min(at+len(line)+lineEnd(s.raw[at+len(line):]), len(s.raw))
		if final {
			// The outermost stays open: parts after its end are read like those before.
			if level > 0 {
				s.pop(after)
			}
			at = s.nextDashes(after)
			continue
		}
		if s.parts++; s.parts > maxParts {
			s.w.add(warnTooManyParts)
			return
		}
		at = s.nextDashes(s.begin(s.open[level], after))
	}
	s.closeTo(0, len(s.raw))
	s.pop(len(s.raw))
}

// begin reads the header of a part and gives the offset of its content.
func (s *splitter) begin(parent *part, at int) int {
	end := s.headerEnd(at)
	h, rest := partHeader(s.raw[at:end], s.w)
	h.toUTF8(s.w)
	otherwise := "text/plain"
	if parent.mediaType == "multipart/digest" {
		otherwise = "message/rfc822" // RFC 2046 section 5.1.5
	}
	p := s.newPart(h, otherwise)
	parent.children = append(parent.children, p)
	content := end - len(rest)
	if p.boundary != "" {
		s.push(p, content)
	} else {
		s.leaf, s.leafBegins = p, content
	}
	return content
}

// headerEnd is behind the blank line that ends a part's header, or before the
// delimiter that cuts it off.
func (s *splitter) headerEnd(at int) int {
	for at < len(s.raw) {
		line, rest := nextLine(s.raw[at:])
		next := len(s.raw) - len(rest)
		if len(line) == 0 {
			return next
		}
		if bytes.HasPrefix(line, []byte("--")) {
			if level, _ := s.match(line); level >= 0 {
				return at
			}
		}
		at = next
	}
	return len(s.raw)
}

// partHeader: a part may begin with its content, with or without a blank line
// before it.
func partHeader(block []byte, w *warnings) (header, []byte) {
	line, rest := nextLine(block)
	if len(line) == 0 {
		return nil, rest
	}
	if _, _, ok := splitField(line); !ok {
		return nil, block
	}
	return splitHeader(block, w)
}

func (s *splitter) push(p *part, begins int) {
	s.open, s.begins, s.leaf = append(s.open, p), append(s.begins, begins), nil
}

// pop closes the innermost multipart. One in which no delimiter came keeps
// what it holds as its own content.
func (s *splitter) pop(end int) {
	last := len(s.open) - 1
	if p := s.open[last]; len(p.children) == 0 {
		p.content = s.raw[min(s.begins[last], end):end]
	}
	s.open, s.begins = s.open[:last], s.begins[:last]
}

// closeTo ends the present leaf, and every multipart deeper than level.
func (s *splitter) closeTo(level, end int) {
	if s.leaf != nil {
		s.leaf.content = s.raw[s.leafBegins:max(s.leafBegins, end)]
		s.leaf = nil
	}
	for len(s.open) > level+1 {
		s.pop(end)
	}
}

// match tells whose delimiter a line is (RFC 2046 section 5.1.1), the
// innermost first, and whether it is the closing one; level is -1 for none.
// What is more behind it is tolerated, but only where no other boundary is
// the whole line: one boundary may begin with another.
func (s *splitter) match(line []byte) (level int, final bool) {
	level = -1
	for i := len(s.open) - 1; i >= 0; i-- {
		tail, ok := bytes.CutPrefix(line[2:], []byte(s.open[i].boundary))
		if !ok {
			continue
		}
		switch rest := bytes.TrimRight(tail, " \t"); {
		case len(rest) == 0:
			return i, false
		case string(rest) == "--":
			return i, true
		case level < 0 && (tail[0] == ' ' || tail[0] == '\t'):
			level, final = i, false
		case level < 0 && bytes.HasPrefix(tail, []byte("--")):
			level, final = i, true
		}
	}
	return level, final
}

// nextDashes is the offset of the next line that begins with two dashes, -1 if
// there is none.
func (s *splitter) nextDashes(from int) int {
	from = min(from, len(s.raw))
	if bytes.HasPrefix(s.raw[from:], []byte("--")) && (from == 0 || s.raw[from-1] == '\n') {
		return from
	}
	if i := bytes.Index(s.raw[from:], []byte("\n--")); i >= 0 {
		return from + i + 1
	}
	return -1
}

// beforeLineEnd: the line end before a delimiter is part of the delimiter.
func beforeLineEnd(raw []byte, at int) int {
	if at > 0 && raw[at-1] == '\n' {
		at--
		if at > 0 && raw[at-1] == '\r' {
			at--
		}
	}
	return at
}

// lineEnd is the length of the line end that b begins with.
func lineEnd(b []byte) int {
	return bytes.IndexByte(b, '\n') + 1
}

// guessBoundary looks for what must have been the boundary where none is
// stated, or another: a line of two dashes and a word, with a header field of
// MIME right below.
func guessBoundary(raw []byte) string {
	s := splitter{raw: raw[:min(len(raw), maxGuess)]}
	for at := s.nextDashes(0); at >= 0; at = s.nextDashes(at + 2) {
		line, rest := nextLine(s.raw[at:])
		word := bytes.TrimRight(line[2:], " \t")
		if len(word) == 0 || len(word) > 200 || bytes.ContainsAny(word, " \t") {
			continue
		}
		if len(rest) > 8 && bytes.EqualFold(rest[:8], []byte("content-")) {
			return string(word)
		}
	}
	return ""
}
