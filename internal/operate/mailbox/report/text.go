package report

import (
	"fmt"
	"strings"

	"onefold/internal/operate/mailbox"
)

// Text is the summary for a terminal: counts, and no address but the owner's.
func Text(r mailbox.Report) string {
	var b strings.Builder
	m := r.Mailbox
	fmt.Fprintf(&b, "%s", count(m.Messages, "message", "messages"))
	if !m.To.IsZero() {
		fmt.Fprintf(&b, ", %s to %s", day(m.From), day(m.To))
	}
	fmt.Fprintf(&b, "\nown addresses: %s\n\n", own(r.Own))
	line := func(n int, what string) { fmt.Fprintf(&b, "%7d  %s\n", n, what) }
	line(len(r.People), "people"+also(len(r.Shared), verb(len(r.Shared), "shared inbox", "shared inboxes"), len(r.OtherSenders), "who only sell, bill or mail"))
	line(len(r.Duplicates), "candidates for one person with two addresses")
	line(len(r.TwoReplies.Groups), fmt.Sprintf("causes that would draw two replies or more (%d where %d %s due)",
		r.TwoReplies.Naive, r.TwoReplies.Onefold, verb(r.TwoReplies.Onefold, "is", "are")))
	line(len(r.OptOuts), fmt.Sprintf("wishes not to be mailed, %d missed", missed(r)))
	line(len(r.Unanswered.Items), fmt.Sprintf("of %s not answered within a day", count(r.Unanswered.Enquiries, "enquiry", "enquiries")))
	line(len(r.Review.Items), "mails for a person to look at"+firstReasons(r.Review.Reasons))
	if c := r.Contacts; c != nil {
		line(c.Rows, fmt.Sprintf("rows of the contact list: %s in it twice or more", count(len(c.Duplicates), "contact stands", "contacts stand")))
		line(len(c.Missing), "people of the mailbox who are missing in it")
		line(len(c.HeldTwice), "people of the mailbox whom it holds twice")
	}
	b.WriteString("\n")
	for _, k := range counted(m.Kinds) {
		line(k.Count, word(k.Word))
	}
	if n := positions(m.TooLarge); n != "" {
		fmt.Fprintf(&b, "\ntoo large to be read, by number in the file: %s\n", n)
	}
	return b.String()
}

// own names the owner's addresses and says how they are known.
func own(o mailbox.Own) string {
	if len(o.Addresses) == 0 {
		return "none is known; -own names them"
	}
	guess := ""
	if o.Guessed {
		guess = "; a guess: -own names them"
	}
	return fmt.Sprintf("%s (%s%s)", strings.Join(o.Addresses, ", "), word(o.How), guess)
}

// also names what stands beside, where there is any.
func also(n int, what string, m int, other string) string {
	var parts []string
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", n, what))
	}
	if m > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", m, other))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; besides " + strings.Join(parts, ", ")
}

// firstReasons are the three most frequent ones.
func firstReasons(reasons []mailbox.Count) string {
	var parts []string
	for _, c := range reasons[:min(3, len(reasons))] {
		parts = append(parts, fmt.Sprintf("%s %d", c.Word, c.Count))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func positions(refs []mailbox.Ref) string {
	var parts []string
	for _, r := range refs {
		parts = append(parts, fmt.Sprint(r.Position))
	}
	return strings.Join(parts, ", ")
}
