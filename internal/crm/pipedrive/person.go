package pipedrive

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"onefold/internal/crm"
)

type entry struct {
	Value   string `json:"value"`
	Primary bool   `json:"primary"`
	Label   string `json:"label,omitempty"`
}

type person struct {
	ID      int64          `json:"id,omitempty"`
	Name    string         `json:"name,omitempty"`
	Emails  []entry        `json:"emails,omitempty"`
	Phones  []entry        `json:"phones,omitempty"`
	Custom  map[string]any `json:"custom_fields,omitempty"`
	Deleted bool           `json:"is_deleted,omitempty"`
}

func (p person) text(code string) string {
	s, _ := p.Custom[code].(string)
	return s
}

// read gets a person that is there.
func (c *Client) read(ctx context.Context, id string) (person, verdict) {
	var out struct {
		Data person `json:"data"`
	}
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return person{}, verdict{Result: crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}, missing: true}
	}
	v := c.call(ctx, http.MethodGet, "/api/v2/persons/"+id, nil, nil, &out)
	switch {
	case v.ok() && out.Data.ID == 0:
		return person{}, because(crm.Unknown, crm.ReasonNoAnswer)
	case v.ok() && out.Data.Deleted:
		return person{}, verdict{Result: crm.Result{Outcome: crm.Busy, Reason: crm.ReasonChanged}, missing: true}
	}
	return out.Data, v
}

// maxHits bounds how many hits of a search are read. More than one that is the
// person looked for is a Conflict anyway.
const maxHits = 10

// find searches, reads what was hit, and gives those that are what was looked for:
// the index is late and takes capitals for small letters.
func (c *Client) find(ctx context.Context, term, in string, is func(person) bool) ([]person, verdict) {
	var out struct {
		Data struct {
			Items []struct {
				Item struct {
					ID int64 `json:"id"`
				} `json:"item"`
			} `json:"items"`
		} `json:"data"`
	}
	v := c.call(ctx, http.MethodGet, "/api/v2/persons/search",
		url.Values{"term": {term}, "fields": {in}, "exact_match": {"true"}, "limit": {strconv.Itoa(maxHits)}}, nil, &out)
	if !v.ok() {
		return nil, v
	}
	var all []person
	for _, hit := range out.Data.Items {
		p, v := c.read(ctx, strconv.FormatInt(hit.Item.ID, 10))
		switch {
		case v.missing:
		case !v.ok():
			return nil, v
		case is(p):
			all = append(all, p)
		}
	}
	return all, verdict{}.done()
}

func (c *Client) byAddress(ctx context.Context, address string) ([]person, verdict) {
	if address == "" {
		return nil, verdict{}.done()
	}
	return c.find(ctx, address, "email", func(p person) bool { return has(p.Emails, crm.FieldEmail, address) })
}

// has tells whether a list has a value, in whatever spelling.
func has(list []entry, f crm.Field, value string) bool {
	return value != "" && slices.ContainsFunc(list, func(e entry) bool { return crm.Same(f, e.Value, value) })
}

// one is the value of a list that counts: the contact's if it is among them, else
// the primary one.
func one(list []entry, f crm.Field, ours string) string {
	if has(list, f, ours) {
		return ours
	}
	for _, e := range list {
		if e.Primary {
			return e.Value
		}
	}
	if len(list) > 0 {
		return list[0].Value
	}
	return ""
}

// values are what a person has. A name that is the address or number stands for
// one that is not known.
func values(ct crm.Contact, p person, at codes) crm.Values {
	v := crm.Values{
		crm.FieldEmail: one(p.Emails, crm.FieldEmail, ct.Email), crm.FieldPhone: one(p.Phones, crm.FieldPhone, ct.Phone),
		crm.FieldName: p.Name, crm.FieldCompany: p.text(at.company),
	}
	if p.Name == noName || has(p.Emails, crm.FieldEmail, p.Name) || has(p.Phones, crm.FieldPhone, p.Name) {
		v[crm.FieldName] = ""
	}
	return v
}

const noName = "Unknown (Onefold)"

// change is a person with what is to be written, on top of what is there.
func change(write crm.Values, was person, at codes) person {
	p := person{Name: line(write[crm.FieldName]), Custom: map[string]any{}}
	p.Emails = with(was.Emails, strings.TrimSpace(write[crm.FieldEmail]))
	p.Phones = with(was.Phones, line(write[crm.FieldPhone]))
	if company := line(write[crm.FieldCompany]); company != "" {
		p.Custom[at.company] = company
	}
	return p
}

// with is a list whose primary value is the one given; nil where none is.
func with(list []entry, value string) []entry {
	if value == "" {
		return nil
	}
	out := slices.Clone(list)
	if n := slices.IndexFunc(out, func(e entry) bool { return e.Primary }); n >= 0 {
		out[n].Value = value
		return out
	}
	return append([]entry{{Value: value, Primary: true, Label: "work"}}, out...)
}

// line is a value on one line, of at most 255 characters.
func line(s string) string { return crm.Cut(crm.OneLine(s), 255, "…") }
