// Package report writes down for people what package mailbox found: a page
// that needs nothing but itself, and a summary for a terminal.
//
// Its invariant: whatever a mail holds stays text. The page is made by
// html/template, runs no script, refers to nothing outside, and its content
// security policy lets a browser load nothing and use no style but its own.
//
// It refuses to decide and to leave anything out unsaid: a table that is cut says
// how much is missing.
package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"onefold/internal/operate/mailbox"
	"onefold/internal/utc"
)

// MaxRows is how long a table of the page is. A browser bears no more, and the
// JSON report has all.
const MaxRows = 1000

//go:embed page.html
var pageText string

//go:embed style.css
var style string

// table is a list that is cut for the page.
type table[T any] struct {
	List  []T
	More  int // left out
	Total int
}

func cut[T any](list []T) table[T] {
	t := table[T]{List: list, Total: len(list)}
	if len(list) > MaxRows {
		t.List, t.More = list[:MaxRows], len(list)-MaxRows
	}
	return t
}

// tile is a number at the top.
type tile struct {
	Count  int
	Label  string
	Anchor string
	Alarm  bool
}

// wishes adds how many were missed.
type wishes struct {
	table[mailbox.OptOut]
	Missed int
}

type page struct {
	R         mailbox.Report
	Style     template.CSS
	StyleHash string
	Tiles     []tile

	OptOuts    wishes
	Waiting    table[mailbox.Waiting]
	Groups     table[mailbox.Group]
	Duplicates table[mailbox.Duplicate]
	Review     table[mailbox.Task]
	Rows       table[mailbox.RowGroup]
	Held       table[mailbox.Held]
	Missing    table[mailbox.Person]
	Unusable   table[mailbox.Unusable]
	People     table[mailbox.Person]
	Shared     table[mailbox.Person]
	Others     table[mailbox.Person]
	Stopped    table[mailbox.Stopped]
	Odd        table[mailbox.Ref]
	Kinds      []mailbox.Count
	Classes    []mailbox.Count
}

// HTML writes the page.
func HTML(w io.Writer, r mailbox.Report) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"plain": plain, "date": date, "day": day, "word": word, "reason": reason, "span": span, "count": count, "verb": verb,
		"join": func(words []string) string { return strings.Join(words, ", ") },
	}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, pageOf(r)); err != nil {
		return fmt.Errorf("fill the page: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

func pageOf(r mailbox.Report) page {
	sum := sha256.Sum256([]byte(style))
	p := page{
		R: r, Style: template.CSS(style), StyleHash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]), // the style is ours: no part of it is a mail's
		OptOuts: wishes{table: cut(missedFirst(r.OptOuts)), Missed: missed(r)}, Waiting: cut(longestFirst(r.Unanswered.Items)),
		Groups: cut(r.TwoReplies.Groups), Duplicates: cut(r.Duplicates), Review: cut(r.Review.Items),
		People: cut(r.People), Shared: cut(r.Shared), Others: cut(r.OtherSenders), Stopped: cut(r.Stopped),
		Odd: cut(slices.Concat(r.Mailbox.Unreadable, r.Mailbox.TooLarge)), Kinds: counted(r.Mailbox.Kinds), Classes: counted(r.Mailbox.Classes),
	}
	if c := r.Contacts; c != nil {
		p.Rows, p.Held, p.Missing, p.Unusable = cut(c.Duplicates), cut(c.HeldTwice), cut(c.Missing), cut(c.Unusable)
	}
	p.Tiles = tiles(r)
	return p
}

func tiles(r mailbox.Report) []tile {
	list := []tile{
		{len(r.People), "people", "people", false},
		{missed(r), "missed opt-outs", "opt-outs", missed(r) > 0},
		{len(r.Unanswered.Items), "enquiries not answered within a day", "unanswered", len(r.Unanswered.Items) > 0},
		{len(r.TwoReplies.Groups), "causes that would draw two replies", "two-replies", len(r.TwoReplies.Groups) > 0},
		{len(r.Duplicates), "people who may stand here twice", "duplicates", false},
		{len(r.Review.Items), "mails for a person to look at", "review", false},
	}
	if c := r.Contacts; c != nil {
		list = append(list,
			tile{len(c.Duplicates), "contacts held twice in your list", "contacts", len(c.Duplicates) > 0},
			tile{len(c.Missing), "people missing in your list", "contacts", false})
	}
	return list
}

func missed(r mailbox.Report) (n int) {
	for _, o := range r.OptOuts {
		if o.Missed {
			n++
		}
	}
	return n
}

// missedFirst puts what needs looking at to the top.
func missedFirst(list []mailbox.OptOut) []mailbox.OptOut {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y mailbox.OptOut) int { return rank(x.Missed) - rank(y.Missed) })
	return list
}

// longestFirst has those that were never answered before the others, and last
// those in a conversation, which may have ended with them.
func longestFirst(list []mailbox.Waiting) []mailbox.Waiting {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y mailbox.Waiting) int {
		return state(x) - state(y)
	})
	return list
}

func state(w mailbox.Waiting) int {
	switch {
	case w.Conversation:
		return 2
	case w.Answered:
		return 1
	}
	return 0
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// counted has the most frequent first.
func counted(m map[string]int) []mailbox.Count {
	var list []mailbox.Count
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, mailbox.Count{Word: k, Count: m[k]})
	}
	slices.SortStableFunc(list, func(x, y mailbox.Count) int { return y.Count - x.Count })
	return list
}

// plain keeps a stranger's text from turning the direction of writing.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

func date(t utc.Time) string { return formatted(t, "2006-01-02 15:04") }
func day(t utc.Time) string  { return formatted(t, "2006-01-02") }

func formatted(t utc.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.Std().UTC().Format(layout)
}

// span is a time as people say it: hours up to two days, then days.
func span(hours float64) string {
	switch {
	case hours < 1:
		return "under an hour"
	case hours < 48:
		return fmt.Sprintf("%.0f h", hours)
	}
	return fmt.Sprintf("%.0f days", hours/24)
}

func count(n int, one, many string) string { return fmt.Sprintf("%d %s", n, verb(n, one, many)) }

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
