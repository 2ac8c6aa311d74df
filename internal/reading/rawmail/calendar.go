package rawmail

import "strings"

// Invitation is what a calendar part (RFC 5545, RFC 6047) says.
type Invitation struct {
	Method    string `json:"method"` // lower case: request, reply, cancel, …
	Organizer string `json:"organizer"`
	Summary   string `json:"summary"`

	text string
}

// calendarOf reads the first calendar part, nil for none.
func calendarOf(b body) *Invitation {
	for _, r := range b.reportsOf("text/calendar") {
		if v := readCalendar(r.content); v != nil {
			return v
		}
	}
	return nil
}

func readCalendar(content string) *Invitation {
	if !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(cut(content, 200))), "BEGIN:VCALENDAR") {
		return nil
	}
	var v Invitation
	var description, location string
	// A line goes on where the next begins with white space (RFC 5545 section 3.1).
	unfolded := strings.NewReplacer("\n ", "", "\n\t", "").Replace(content)
	for line := range strings.SplitSeq(unfolded, "\n") {
		property, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(property, ";")
		switch strings.ToUpper(name) {
		case "METHOD":
			v.Method = machineWord(strings.ToLower(value))
		case "ORGANIZER":
			v.Organizer = cleanAddress(cut(value, maxValue), new(warnings))
		case "SUMMARY":
			first(&v.Summary, oneLine(unescape(value)))
		case "DESCRIPTION":
			first(&description, unescape(value))
		case "LOCATION":
			first(&location, oneLine(unescape(value)))
		}
	}
	var texts []string
	for _, t := range []string{v.Summary, location, description} {
		if t != "" {
			texts = append(texts, t)
		}
	}
	v.text = plain(strings.Join(texts, "\n\n")) // shorter than a report, so within MaxText
	return &v
}

// first keeps the first value: the event comes before its alarms.
func first(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(s)
}
