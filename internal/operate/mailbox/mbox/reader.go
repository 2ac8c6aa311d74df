// Package mbox reads mailbox files: mails one after the other, each behind a
// line that begins with "From " (RFC 4155; the dialects mboxo and mboxrd as
// qmail's mbox(5) tells them, and mboxcl as far as its From_ lines are quoted).
//
// Its invariant: every byte that is not a separator is in one message, whatever
// the bytes are, and no more than one message is held. What comes before the
// first separator is a message too, so a single mail is a mailbox of one.
//
// It refuses to believe Content-Length. A sender can write that field, and one
// that reached beyond his own mail would hide another's. A body that holds a
// whole separator with a header behind it is therefore read as two messages,
// which loses none.
package mbox

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// Message is one mail as the mailbox holds it.
type Message struct {
	Position int // in the file, from 1
	// Received is what the separator says of the delivery; zero when it says
	// nothing that can be read.
	Received time.Time
	Raw      []byte // the caller's to keep; line ends as in the file, From_ quoting undone
	Size     int64  // bytes in the file, without the separator
	Cut      bool   // it is longer than the limit, and Raw holds only its beginning
}

// Reader reads one mailbox. It is not safe for concurrent use.
type Reader struct {
	in       *bufio.Reader
	limit    int
	position int
	next     []byte // the separator that ended the message before; nil at the start
	started  bool
	err      error
}

// window is how much of the file is looked at at once. A line may be longer.
const window = 64 << 10

// NewReader reads from in, keeping at most limit bytes of a message.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, window), limit: limit}
}

// Next is the next message; io.EOF says that there is none. Any other error is
// of the reader beneath, after the message that it cut off was given.
func (r *Reader) Next() (Message, error) {
	for {
		m, whole := r.message()
		if whole {
			r.position++
			m.Position = r.position
			return m, nil
		}
		if r.err != nil && r.next == nil {
			return Message{}, r.err
		}
	}
}

// message reads up to the next separator or the end. It is none when there was
// neither a separator before it nor anything but blank lines.
func (r *Reader) message() (Message, bool) {
	if r.err != nil && r.next == nil {
		return Message{}, false
	}
	p := pile{limit: r.limit}
	separated := r.next != nil
	m := Message{Received: receivedAt(r.next)}
	r.next = nil
	for r.err == nil {
		line, start := r.line()
		if start && bytes.HasPrefix(line, []byte("From ")) {
			line = bytes.Clone(line) // looking ahead overwrites it
			if isSeparator(line, p.lastBlank || p.size == 0, r.ahead) {
				r.next = line
				break
			}
		}
		p.add(line, start)
	}
	p.dropBlankEnd(r.next != nil)
	m.Raw, m.Size, m.Cut = p.kept, p.size, p.cut
	return m, separated || p.some
}

// line is the next line, or a part of one that is longer than the window. start
// tells that a line begins here. It is valid until the next call.
func (r *Reader) line() (line []byte, start bool) {
	start = !r.started
	line, err := r.in.ReadSlice('\n')
	r.started = errors.Is(err, bufio.ErrBufferFull)
	if err != nil && !r.started {
		r.err = err
	}
	return line, start
}

// ahead is the beginning of what comes next.
func (r *Reader) ahead() []byte {
	next, _ := r.in.Peek(200)
	return next
}

// pile is a message that is being read.
type pile struct {
	limit     int
	kept      []byte
	size      int64
	cut       bool
	some      bool // anything but white space
	inBody    bool
	lastBlank bool
}

// add keeps a line, or a part of one, as far as there is room.
func (p *pile) add(line []byte, start bool) {
	blank := start && len(bytes.TrimRight(line, "\r\n")) == 0
	p.size += int64(len(line))
	p.some = p.some || len(bytes.TrimSpace(line)) > 0
	// Headers are not quoted; ">From " among them is a field that is broken.
	if start && p.inBody && isQuoted(line) {
		line = line[1:]
	}
	p.inBody = p.inBody || blank
	p.lastBlank = blank
	if room := p.limit - len(p.kept); len(line) > room {
		line, p.cut = line[:room], true
	}
	p.kept = append(p.kept, line...)
}

// dropBlankEnd takes off the blank line that writers put before a separator.
func (p *pile) dropBlankEnd(separated bool) {
	if !separated || !p.lastBlank || p.cut {
		return
	}
	p.kept = bytes.TrimSuffix(p.kept, []byte("\n"))
	p.kept = bytes.TrimSuffix(p.kept, []byte("\r"))
}

// isQuoted tells a line that a writer has put a ">" before, so that it is no
// separator. mboxo adds it to "From " alone, mboxrd also where one stands
// already: there is no telling which wrote the file, so one is taken off.
func isQuoted(line []byte) bool {
	rest := bytes.TrimLeft(line, ">")
	return len(rest) < len(line) && bytes.HasPrefix(rest, []byte("From "))
}
