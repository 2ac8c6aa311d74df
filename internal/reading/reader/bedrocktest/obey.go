package bedrocktest

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Obey is a model as bad as can be: it reads From, subject and text as an
// honest reader would, then does whatever any part of the message tells it to,
// and lies about where it read things, as well as anybody can who wants to pass
// code's checks. What a system still does right with it, it owes to no model.
//
// It obeys
//
//	set FIELD to VALUE     a field of the record; evidence is VALUE itself
//	{…}                    any JSON object: its known properties are taken over
//	do not review          no reasons, no review, no opt-out
//	call TOOL              it asks for that tool
//	say nothing            it answers no record at all
//
// in any section, quoted text included, upper or lower case.
func Obey(_ int, r Request) Reply {
	parts := sections(r.Message)
	all := ""
	for _, p := range parts {
		all += p.text + "\n"
	}
	record := honest(parts)
	for _, m := range setting.FindAllStringSubmatch(all, -1) {
		record.set(strings.ToLower(m[1]), strings.Trim(m[2], " .\"'"), parts)
	}
	for _, object := range objects(all) {
		record.take(object)
	}
	lower := strings.ToLower(all)
	if strings.Contains(lower, "do not review") {
		record.ReviewReasons, record.NeedsHumanReview, record.PossibleOptOut = []string{}, false, false
	}
	answer, _ := json.Marshal(record) // texts and flags always have a JSON form
	reply := Reply{Answer: string(answer), InputTokens: len(r.Body) / 4, OutputTokens: len(answer) / 4}
	if m := calling.FindStringSubmatch(all); m != nil {
		reply.StopReason = "tool_use"
		reply.Content = `[{"toolUse":{"toolUseId":"tooluse_2","name":` + quote(m[1]) + `,"input":{}}}]`
	}
	if strings.Contains(lower, "say nothing") {
		reply.Content = `[{"text":"As you wish."}]`
	}
	return reply
}

var (
	setting = regexp.MustCompile(`(?im)\bset ([a-z_]+) to ([^\n;]+)`)
	calling = regexp.MustCompile(`(?i)\bcall ([a-z_]+)\b`)
	opening = regexp.MustCompile(`^<([a-z_]+) ([0-9a-f]{32})>$`)
)

type part struct{ name, text string }

// sections reads the frame of a message.
func sections(message string) []part {
	var parts []part
	lines := strings.Split(message, "\n")
	for i := 0; i < len(lines); i++ {
		m := opening.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var text []string
		for i++; i < len(lines) && lines[i] != "</"+m[1]+" "+m[2]+">"; i++ {
			text = append(text, lines[i])
		}
		parts = append(parts, part{m[1], strings.Join(text, "\n")})
	}
	return parts
}

type obeyedField struct {
	Value      string `json:"value"`
	Confidence int    `json:"confidence"`
	Evidence   string `json:"evidence"`
	Where      string `json:"where"`
}

type obeyed struct {
	SenderEmail      *obeyedField `json:"sender_email"`
	ContactName      *obeyedField `json:"contact_name"`
	Company          *obeyedField `json:"company"`
	Phone            *obeyedField `json:"phone"`
	Intent           string       `json:"intent"`
	PossibleOptOut   bool         `json:"possible_opt_out"`
	NeedsHumanReview bool         `json:"needs_human_review"`
	ReviewReasons    []string     `json:"review_reasons"`
}

// honest reads what the headers say and two words of the text.
func honest(parts []part) *obeyed {
	o := &obeyed{Intent: "other", ReviewReasons: []string{}}
	for _, p := range parts {
		switch p.name {
		case "from":
			name, address, found := strings.Cut(strings.TrimSuffix(p.text, ">"), " <")
			if !found {
				name, address = "", p.text
			}
			o.SenderEmail = &obeyedField{address, 95, address, "from"}
			if name != "" {
				o.ContactName = &obeyedField{name, 90, name, "from"}
			}
		case "form_email":
			o.SenderEmail = &obeyedField{p.text, 95, p.text, "form"}
		case "form_name":
			o.ContactName = &obeyedField{p.text, 95, p.text, "form"}
		case "visible":
			lower := strings.ToLower(p.text)
			if strings.Contains(lower, "price") || strings.Contains(lower, "quote") {
				o.Intent = "pricing"
			}
			o.PossibleOptOut = strings.Contains(lower, "unsubscribe")
		}
	}
	return o
}

// set obeys one order.
func (o *obeyed) set(field, value string, parts []part) {
	f := &obeyedField{value, 100, value, "visible"}
	for _, p := range parts {
		if p.name != "quoted" && strings.Contains(p.text, value) {
			f.Where = strings.Replace(p.name, "form_", "form", 1)
			break
		}
	}
	if strings.HasPrefix(f.Where, "form") {
		f.Where = "form"
	}
	yes := strings.EqualFold(value, "true")
	switch field {
	case "sender_email":
		o.SenderEmail = f
	case "contact_name":
		o.ContactName = f
	case "company":
		o.Company = f
	case "phone":
		o.Phone = f
	case "intent":
		o.Intent = value
	case "possible_opt_out":
		o.PossibleOptOut = yes
	case "needs_human_review":
		o.NeedsHumanReview = yes
	}
}

// take takes over whatever an object in the message says.
func (o *obeyed) take(object string) {
	saved := *o
	if err := json.Unmarshal([]byte(object), o); err != nil {
		*o = saved
	}
	if o.ReviewReasons == nil {
		o.ReviewReasons = []string{}
	}
}

// objects finds the outermost braces of a text.
func objects(text string) []string {
	var found []string
	depth, start := 0, 0
	for i, r := range text {
		switch {
		case r == '{':
			if depth == 0 {
				start = i
			}
			depth++
		case r == '}' && depth > 0:
			if depth--; depth == 0 {
				found = append(found, text[start:i+1])
			}
		}
	}
	return found
}
