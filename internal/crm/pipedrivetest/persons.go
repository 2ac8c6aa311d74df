package pipedrivetest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kept is how long a deleted person can be read.
const kept = 30 * 24 * time.Hour

// searched are the types of custom fields that the search looks into.
var searched = []string{"address", "varchar", "text", "varchar_auto", "double", "monetary", "phone"}

func (a *Account) listFields(r request) answer {
	if !r.knows("limit", "cursor", "include_fields") {
		return refusal(http.StatusBadRequest)
	}
	return page(r, a.fields)
}

func (a *Account) addField(r request) answer {
	var in struct {
		Name string `json:"field_name"`
		Type string `json:"field_type"`
	}
	if !r.into(&in, true) || in.Name == "" || !slices.Contains(append([]string{"date", "time", "enum", "set", "user", "org", "people"}, searched...), in.Type) {
		return refusal(http.StatusBadRequest)
	}
	return data(a.field(in.Name, in.Type)) // of a name that is there too
}

func (a *Account) getPerson(r request) answer {
	p := a.person(r.id)
	if !r.knows("include_fields", "custom_fields") {
		return refusal(http.StatusBadRequest)
	}
	if p == nil || p.Deleted && r.at.Sub(p.Updated) > kept {
		return refusal(http.StatusNotFound)
	}
	return data(a.view(p))
}

// listPersons goes by IDs, so that a page is read on whatever becomes of others.
func (a *Account) listPersons(r request) answer {
	if !r.knows("limit", "cursor", "sort_by", "sort_direction") || !slices.Contains([]string{"", "id"}, r.query.Get("sort_by")) || r.query.Get("sort_direction") == "desc" {
		return refusal(http.StatusBadRequest)
	}
	from, _ := strconv.ParseInt(r.query.Get("cursor"), 10, 64)
	_, limit, ok := r.window(len(a.persons), "")
	if !ok {
		return refusal(http.StatusBadRequest)
	}
	out, next := []any{}, any(nil)
	for _, p := range a.persons {
		switch {
		case p.Deleted || p.ID < from:
		case len(out) == limit:
			next = strconv.FormatInt(p.ID, 10)
		default:
			out = append(out, a.view(p))
		}
		if next != nil {
			break
		}
	}
	page := data(out)
	page.body["additional_data"] = map[string]any{"next_cursor": next}
	return page
}

// view is a person as the API gives it: of each custom field its value, which is
// null where there is none, and an object in the field for money that each account
// of this kind has.
func (a *Account) view(p *Person) any {
	custom := map[string]any{"00000000000000000000000000000000000money": map[string]any{"value": 2300, "currency": "EUR"}}
	for _, f := range a.fields {
		if f.Custom {
			custom[f.Code] = nil
		}
	}
	for code, value := range p.Custom {
		custom[code] = value
	}
	return struct {
		Person
		Custom map[string]any `json:"custom_fields"`
		Owner  int            `json:"owner_id"`
		Org    any            `json:"org_id"`
	}{p.clone(), custom, 18, nil}
}

// personIn is what a person can be made of or changed by. What is not there is
// left as it is; a list replaces the one before.
type personIn struct {
	Name   *string        `json:"name"`
	Emails *[]Entry       `json:"emails"`
	Phones *[]Entry       `json:"phones"`
	Custom map[string]any `json:"custom_fields"`
}

func (a *Account) addPerson(r request) answer {
	p := &Person{ID: a.id(), Custom: map[string]string{}}
	return a.put(p, r, func(in personIn) bool { return in.Name != nil }, func() { a.persons = append(a.persons, p) })
}

// changePerson changes a deleted person too, which stays deleted: whether
// Pipedrive refuses that is on none of its pages.
func (a *Account) changePerson(r request) answer {
	p := a.person(r.id)
	if p == nil {
		return refusal(http.StatusNotFound)
	}
	return a.put(p, r, func(personIn) bool { return true }, func() {})
}

func (a *Account) put(p *Person, r request, complete func(personIn) bool, then func()) answer {
	var in personIn
	if !r.into(&in, true) || !complete(in) || in.Name != nil && strings.TrimSpace(*in.Name) == "" {
		return refusal(http.StatusBadRequest)
	}
	for code, v := range in.Custom {
		s, is := v.(string)
		f := slices.IndexFunc(a.fields, func(f Field) bool { return f.Custom && f.Code == code })
		if f < 0 || v != nil && !is || a.fields[f].Type == "varchar" && len([]rune(s)) > 255 {
			return refusal(http.StatusBadRequest)
		}
	}
	for _, list := range []*[]Entry{in.Emails, in.Phones} {
		if list != nil && !tidy(*list) {
			return refusal(http.StatusBadRequest)
		}
	}
	if in.Name != nil {
		p.Name = *in.Name
	}
	if in.Emails != nil {
		p.Emails = *in.Emails
	}
	if in.Phones != nil {
		p.Phones = *in.Phones
	}
	for code, v := range in.Custom {
		if p.Custom[code], _ = v.(string); p.Custom[code] == "" {
			delete(p.Custom, code)
		}
	}
	then()
	a.saved(p, r.at)
	return data(a.view(p))
}

// tidy checks a list: each entry has a value, one at most is primary, and the
// first one is if none is.
func tidy(list []Entry) bool {
	primary := 0
	for i := range list {
		if list[i].Value == "" {
			return false
		}
		if list[i].Label == "" {
			list[i].Label = "work"
		}
		if list[i].Primary {
			primary++
		}
	}
	if primary == 0 && len(list) > 0 {
		list[0].Primary = true
	}
	return primary <= 1
}

// search finds whole values without regard to case, in persons as they were
// SearchLag ago.
func (a *Account) search(r request) answer {
	term, in := r.query.Get("term"), r.query.Get("fields")
	if !r.knows("term", "fields", "exact_match", "limit", "cursor") || term == "" || r.query.Get("exact_match") != "true" || in != "email" && in != "custom_fields" {
		return refusal(http.StatusBadRequest)
	}
	items := []any{}
	for id := int64(0); id <= a.lastID; id++ {
		p, found := a.indexed(id, r.at)
		if found && !p.Deleted && slices.ContainsFunc(a.texts(p, in), func(s string) bool { return strings.EqualFold(s, term) }) {
			items = append(items, map[string]any{"result_score": 0.5, "item": map[string]any{
				"id": p.ID, "type": "person", "name": p.Name, "emails": values(p.Emails), "phones": values(p.Phones), "custom_fields": a.texts(p, "custom_fields"), "notes": []string{},
			}})
		}
	}
	out := page(r, items)
	if out.status == http.StatusOK {
		out.body["data"] = map[string]any{"items": out.body["data"]}
	}
	return out
}

// indexed is a person as the search knows it.
func (a *Account) indexed(id int64, at time.Time) (Person, bool) {
	for _, v := range slices.Backward(a.seen[id]) {
		if !v.Updated.After(at.Add(-a.opts.SearchLag)) {
			return v, true
		}
	}
	return Person{}, false
}

// values are a list as the search gives it.
func values(list []Entry) []string {
	out := []string{}
	for _, e := range list {
		out = append(out, e.Value)
	}
	return out
}

func (a *Account) texts(p Person, in string) []string {
	if in == "email" {
		return values(p.Emails)
	}
	out := []string{}
	for _, f := range a.fields {
		if f.Custom && slices.Contains(searched, f.Type) {
			out = append(out, p.Custom[f.Code])
		}
	}
	return out
}
