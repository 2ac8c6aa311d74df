package mbox

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxSeparator bounds a From_ line, in bytes: an address of 254, a date, and
// what some writers add.
const maxSeparator = 1000

var (
	// dated is one word, the sender, and behind it a date with its time: in
	// asctime's form, as in a Date field, or of ISO 8601.
	dated = regexp.MustCompile(`^From (?:\S+ +)?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +)?` +
		`(?:[A-Z][a-z]{2} +\d{1,2},? +\d{1,2}:\d{2}.*\b(?:19|20)\d{2}\b|\d{1,2} +[A-Z][a-z]{2} +(?:19|20)\d{2},? +\d{1,2}:\d{2}|(?:19|20)\d{2}-\d{2}-\d{2}[T ]\d{1,2}:\d{2})`)
	// known are the fields that a mail begins with. Behind a line without a date,
	// and behind one without a blank line before it, nothing else makes a mail.
	known = regexp.MustCompile(`(?i)^(?:from|to|cc|subject|date|received|return-path|delivered-to|message-id|mime-version|content-type|reply-to|sender|status|x-[a-z0-9-]+)[ \t]*:`)
)

// isSeparator judges a line that begins a message. Text can begin a line with
// "From " as well, and a careless writer leaves it so: what counts is the date
// behind it, or that a header follows. first says that the line stands behind a
// blank one, or at the very beginning.
func isSeparator(line []byte, first bool, ahead func() []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) || len(line) > maxSeparator {
		return false
	}
	// What such a line with a date heads behind a blank one is a message, even
	// where nothing that it holds is a mail.
	hasDate := dated.Match(line)
	if hasDate && first {
		return true
	}
	next := ahead()
	if hasDate {
		return known.Match(next)
	}
	// Thunderbird's "From - " and an address alone, of writers that had no date.
	words := strings.Fields(string(line))
	alone := len(words) == 2 && (words[1] == "-" || strings.Contains(words[1], "@"))
	return first && alone && known.Match(next)
}

var asctime = regexp.MustCompile(`\b([A-Z][a-z]{2}) +(\d{1,2}) (\d{1,2}:\d{2}(?::\d{2})?)(?: ([+-]\d{4}|[A-Z]{2,5}))? (\d{4})(?: ([+-]\d{4}))?`)

// receivedAt reads the date of a From_ line: asctime's form, in UTC (RFC 4155)
// unless a zone stands before or behind the year.
func receivedAt(separator []byte) time.Time {
	m := asctime.FindSubmatch(separator)
	if m == nil {
		return time.Time{}
	}
	clock := string(m[3])
	if strings.Count(clock, ":") == 1 {
		clock += ":00"
	}
	zone := "+0000"
	for _, z := range [][]byte{m[4], m[6]} {
		if len(z) == 5 && (z[0] == '+' || z[0] == '-') {
			zone = string(z)
		}
	}
	day, _ := strconv.Atoi(string(m[2]))
	t, err := time.Parse("Jan 2 15:04:05 -0700 2006", string(m[1])+" "+strconv.Itoa(day)+" "+clock+" "+zone+" "+string(m[5]))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
