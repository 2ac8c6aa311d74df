package extracttest

import (
	"fmt"
	"slices"
	"strings"

	"onefold/internal/extract"
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
	Intent      extract.Intent
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

// parseCase reads label lines up to the mark, and the mail after it.
func parseCase(text []byte) (Case, error) {
	// A checkout may have changed the line ends.
	head, mail, found := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), mailMark)
	if !found {
		return Case{}, fmt.Errorf("%w: no mail", ErrCase)
	}
	said := map[string]string{}
	for line := range strings.Lines(head) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if _, again := said[key]; !ok || again || value == "" {
			return Case{}, fmt.Errorf("%w: label line %q", ErrCase, key)
		}
		said[key] = value
	}
	take := func(key string) string {
		v := said[key]
		delete(said, key)
		return v
	}
	several := func(key string) []string {
		if v := take(key); v != nothing {
			return strings.Split(v, " | ")
		}
		return nil
	}
	l := Labels{
		Language: take("language"), Class: Class(take("class")),
		SenderEmail: several("sender_email"), ContactName: several("contact_name"),
		Company: several("company"), Phone: several("phone"),
		Intent: extract.Intent(take("intent")), OptOut: Wish(take("opt_out")),
		Twin: take("twin"), Wants: take("wants"),
	}
	review := take("needs_review")
	l.NeedsReview = review == "yes"
	l.Tags = strings.Split(take("tags"), ", ")
	delete(said, "added") // the day of a case added after the halves were made
	if len(said) > 0 {
		return Case{}, fmt.Errorf("%w: unknown label", ErrCase)
	}
	if why := l.fault(review); why != "" {
		return Case{}, fmt.Errorf("%w: %s", ErrCase, why)
	}
	wire := strings.ReplaceAll(mail, "\n", "\r\n")
	return Case{Labels: l, Mail: []byte(wire)}, nil
}

// fault says what is outside the lists of legal labels, or "".
func (l Labels) fault(review string) string {
	switch {
	case len(l.Language) != 2:
		return "language"
	case !slices.Contains(Classes(), l.Class):
		return "class"
	case !slices.Contains(extract.Intents(), l.Intent):
		return "intent"
	case !slices.Contains(Wishes(), l.OptOut):
		return "opt_out"
	case review != "yes" && review != "no":
		return "needs_review"
	case l.OptOut == Plain != (l.Intent == extract.OptOut):
		return "intent opt_out goes with a plain wish, and only with one"
	case l.OptOut == Doubtful && !l.NeedsReview:
		return "a doubtful wish needs review"
	case (l.Twin == "") != (l.Wants == ""):
		return "twin and wants go together"
	}
	for _, values := range [][]string{l.SenderEmail, l.ContactName, l.Company, l.Phone, l.Tags} {
		if slices.Contains(values, "") {
			return "a label is missing"
		}
	}
	return ""
}
