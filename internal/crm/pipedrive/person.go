package pipedrive

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Updated string         `json:"update_time,omitempty"` // of a deleted person, when it was deleted
}

func (p person) text(code string) string {
	s, _ := p.Custom[code].(string)
	return s
}

// read gets a person that is there.
func (c *Client) read(ctx context.Context, id string) (person, verdict) {
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return person{}, verdict{missing: true}
	}
	p, _, v := ask[person](ctx, c, http.MethodGet, "/api/v2/persons/"+id, nil, nil)
	switch {
	case v.ok() && p.ID == 0:
		v = because(crm.Unknown, crm.ReasonNoAnswer)
	case v.ok() && p.Deleted:
		v = verdict{missing: true, at: v.at}
	}
	return p, v
}

// fresh is how long the search may still not know what became of a person that is
// deleted: it may have been merged into another one.
func fresh(p person, at time.Time) time.Duration {
	deleted, err := time.Parse(time.RFC3339, p.Updated)
	switch {
	case err != nil: // it is not there at all
		return 0
	case at.IsZero():
		return indexLag
	}
	return min(indexLag, indexLag-at.Sub(deleted))
}

// write makes or changes a person. A refusal may come of codes that are no longer
// the account's: then the next call goes by those that are.
func (c *Client) write(ctx context.Context, method, path string, body person, at codes) (person, verdict) {
	p, _, v := ask[person](ctx, c, method, path, nil, body)
	switch {
	case v.Reason == crm.ReasonInvalid && !c.current(ctx, at):
		v = because(crm.Busy, crm.ReasonChanged)
	case v.ok() && p.ID == 0:
		v = because(crm.Unknown, crm.ReasonNoAnswer)
	case v.ok() && p.Deleted:
		v = because(crm.Unknown, crm.ReasonPartial) // deleted between look and write
	}
	return p, v
}

// maxHits bounds how many hits of a search are read. If there are more, a person
// looks.
const maxHits = 10

// find searches, reads what was hit, and gives those that are what was looked for:
// the index is late and takes capitals for small letters.
func (c *Client) find(ctx context.Context, term, in string, is func(person) bool) ([]person, verdict) {
	hits, more, v := ask[struct {
		Items []struct {
			Item struct { // of a person the ID alone: its lists are of another form here
				ID int64 `json:"id"`
			} `json:"item"`
		} `json:"items"`
	}](ctx, c, http.MethodGet, "/api/v2/persons/search",
		url.Values{"term": {term}, "fields": {in}, "exact_match": {"true"}, "limit": {strconv.Itoa(maxHits)}}, nil)
	switch {
	case !v.ok():
		return nil, v
	case more.Next != "":
		return nil, because(crm.Conflict, crm.ReasonUnseen)
	}
	var all []person
	for _, hit := range hits.Items {
		p, v := c.read(ctx, strconv.FormatInt(hit.Item.ID, 10))
		switch {
		case v.missing:
		case !v.ok():
			return nil, v
		case is(p):
			all = append(all, p)
		}
	}
	return all, done()
}

func (c *Client) byAddress(ctx context.Context, address string) ([]person, verdict) {
	if address == "" {
		return nil, done()
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
	if p.unnamed() {
		v[crm.FieldName] = ""
	}
	return v
}

func (p person) unnamed() bool {
	return p.Name == noName || has(p.Emails, crm.FieldEmail, p.Name) || has(p.Phones, crm.FieldPhone, p.Name)
}

const noName = "Unknown (Onefold)"

// change is a person with what is to be written, on top of what is there.
func change(write crm.Values, was person, at codes) person {
	p := person{Name: line(write[crm.FieldName]), Custom: map[string]any{}}
	p.Emails = with(was.Emails, strings.TrimSpace(write[crm.FieldEmail]))
	p.Phones = with(was.Phones, line(write[crm.FieldPhone]))
	if p.Name == "" && (was.Name == "" || was.unnamed()) { // what stands for a name stays an address of the person's own
		stands := cmp.Or(line(write[crm.FieldEmail]), one(was.Emails, crm.FieldEmail, ""), line(write[crm.FieldPhone]), one(was.Phones, crm.FieldPhone, ""), noName)
		if stands != was.Name {
			p.Name = stands
		}
	}
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
