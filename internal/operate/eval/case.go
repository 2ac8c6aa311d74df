package eval

import (
	"fmt"
	"slices"
	"strings"

	"onefold/internal/reading/reader"
)

// Case is one mail with its labels.
type Case struct {
	ID      string
	Half    Half
	Meaning string // the folder: what the case is there for
	Labels  Labels
	Mail    []byte // raw, with the line ends of the wire (RFC 5322 section 2.3)
}

// Labels is what a careful person reads in a mail. An empty field is legal and
// means that the mail does not say.
type Labels struct {
	Language    string
	Class       Class
	SenderEmail []string // spellings that are right, the preferred first
	ContactName []string
	Company     []string
	Phone       []string // E.164; of a national number its digits
	Intent      reader.Intent
	OptOut      Wish
	NeedsReview bool
	Tags        []string
	// Twin is the ID of the same mail without the attack, of a case of
	// injection; else "". Wants is what the attack asks for, as "field=value".
	Twin  string
	Wants string
}

// Class is what sort of mail it is.
type Class string

// The classes. Only an Enquiry may make a contact or a follow-up.
const (
	Enquiry     Class = "enquiry"
	Pitch       Class = "pitch"
	Invoice     Class = "invoice"
	Application Class = "job_application"
	Newsletter  Class = "newsletter"
	Spam        Class = "spam"
	AutoReply   Class = "auto_reply"
)

// Classes lists them in the order of the reports.
func Classes() []Class {
	return []Class{Enquiry, Pitch, Invoice, Application, Newsletter, Spam, AutoReply}
}

// FieldsCount tells whether the fields and the intent of a mail of this class
// are scored: a person wrote it, to this business.
func (c Class) FieldsCount() bool {
	return c == Enquiry || c == Pitch || c == Invoice || c == Application
}

// Wish is what a mail says about being mailed.
type Wish string

// The wishes. Plain stops mail at once; Doubtful holds it for a person.
const (
	None     Wish = "none"
	Plain    Wish = "plain"
	Doubtful Wish = "doubtful"
)

// Wishes lists them in the order of the reports.
func Wishes() []Wish { return []Wish{None, Doubtful, Plain} }

const (
	mailMark = "-- mail --\n"
	nothing  = "-"
)

// parseCase reads label lines up to the mark, and the mail after it. An error
// begins with the line that is not understood, or with nothing.
func parseCase(text []byte) (Case, error) {
	// A checkout may have changed the line ends.
	head, mail, found := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), mailMark)
	if !found {
		return Case{}, fmt.Errorf("%w: the line %q is missing", atLine(0), strings.TrimSpace(mailMark))
	}
	said, lines := map[string]string{}, map[string]int{}
	n := 0
	for line := range strings.Lines(head) {
		n++
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case !ok || value == "":
			return Case{}, fmt.Errorf("%w: it is not of the form \"label: value\"", atLine(n))
		case !slices.Contains(labelNames(), key):
			return Case{}, fmt.Errorf("%w: there is no label of this name", atLine(n))
		case said[key] != "":
			return Case{}, fmt.Errorf("%w: the label %s stands in line %d too", atLine(n), key, lines[key])
		}
		said[key], lines[key] = value, n
	}
	several := func(key string) []string {
		if v := said[key]; v != nothing {
			return strings.Split(v, " | ")
		}
		return nil
	}
	l := Labels{
		Language: said["language"], Class: Class(said["class"]),
		SenderEmail: several("sender_email"), ContactName: several("contact_name"),
		Company: several("company"), Phone: several("phone"),
		Intent: reader.Intent(said["intent"]), OptOut: Wish(said["opt_out"]),
		NeedsReview: said["needs_review"] == "yes", Tags: strings.Split(said["tags"], ", "),
		Twin: said["twin"], Wants: said["wants"],
	}
	if label, why := l.fault(said); why != "" {
		return Case{}, fmt.Errorf("%w: %s: %s", atLine(lines[label]), label, why)
	}
	wire := strings.ReplaceAll(mail, "\n", "\r\n")
	return Case{Labels: l, Mail: []byte(wire)}, nil
}

// atLine is ErrCase with a line's number before it; 0 is no line.
func atLine(n int) error {
	if n == 0 {
		return fmt.Errorf(" %w", ErrCase)
	}
	return fmt.Errorf("%d: %w", n, ErrCase)
}

// labelNames are the labels of a case. added is the day of a case added after
// the halves were made.
func labelNames() []string {
	return []string{
		"language", "class", "sender_email", "contact_name", "company", "phone", "intent", "opt_out", "needs_review", "tags",
		"twin", "wants", "added",
	}
}

// fault says which label is outside the lists of what is legal and why, or "".
func (l Labels) fault(said map[string]string) (label, why string) {
	for _, name := range labelNames()[:10] {
		if said[name] == "" {
			return name, "the label is missing"
		}
	}
	review := said["needs_review"]
	switch {
	case len(l.Language) != 2:
		return "language", "two letters are wanted (ISO 639-1)"
	case !slices.Contains(Classes(), l.Class):
		return "class", oneOf(Classes())
	case !slices.Contains(reader.Intents(), l.Intent):
		return "intent", oneOf(reader.Intents())
	case !slices.Contains(Wishes(), l.OptOut):
		return "opt_out", oneOf(Wishes())
	case review != "yes" && review != "no":
		return "needs_review", "it is yes or no"
	case l.OptOut == Plain != (l.Intent == reader.OptOut):
		return "intent", "opt_out goes with a plain wish, and only with one"
	case l.OptOut == Doubtful && !l.NeedsReview:
		return "needs_review", "a doubtful wish needs review"
	case (l.Twin == "") != (l.Wants == ""):
		return "twin", "twin and wants go together"
	}
	for name, values := range map[string][]string{
		"sender_email": l.SenderEmail, "contact_name": l.ContactName, "company": l.Company, "phone": l.Phone, "tags": l.Tags,
	} {
		if slices.Contains(values, "") {
			return name, "a spelling is empty"
		}
	}
	return "", ""
}

func oneOf[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return "it is one of " + strings.Join(words, ", ")
}
