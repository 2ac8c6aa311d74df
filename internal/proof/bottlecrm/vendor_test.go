package bottlecrm_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"onefold/internal/crm/crmtest"
	"onefold/internal/proof/bottlecrm"
	"onefold/internal/proof/localcrm"
)

// vendor is one organisation of the server, and what its people do there.
type vendor struct {
	*proxy
	t       *testing.T
	ctx     context.Context
	server  *localcrm.Server
	account *localcrm.Account
	intake  *bottlecrm.Intake // people are leads, taken in by it
}

var _ crmtest.Vendor = (*vendor)(nil)

// object is a record as the server gives it.
type object map[string]any

func (o object) text(name string) string {
	s, _ := o[name].(string) // a text, or null
	return s
}

// do is what a person does, past the proxy.
func (v *vendor) do(method, path string, in any) object {
	v.t.Helper()
	out := object{}
	if err := v.server.Do(v.ctx, v.account, method, path, in, &out); err != nil {
		v.t.Fatal(err)
	}
	return out
}

// list gives the objects below a key of an answer.
func (v *vendor) list(path, key string) []object {
	v.t.Helper()
	return v.objects(path, v.do("GET", path, nil), key)
}

func (v *vendor) objects(path string, in object, key string) []object {
	v.t.Helper()
	all, _ := in[key].([]any) // a list, or not there
	out := make([]object, 0, len(all))
	for _, one := range all {
		o, isObject := one.(map[string]any)
		if !isObject {
			v.t.Fatalf("%s has %v among its %s", path, one, key)
		}
		out = append(out, o)
	}
	return out
}

// takesIn has people be leads.
func (v *vendor) takesIn() {
	v.do("POST", "/api/custom-fields/", map[string]string{"target_model": "Lead", "key": "onefold_ref", "label": "Reference", "field_type": "text"})
	o := v.do("POST", "/api/leads/intakes/", map[string]any{
		"name": "onefold", "preset": "generic", "mapping": []map[string]string{{"from": "onefold_ref", "to": "custom_fields.onefold_ref"}},
	})
	v.intake = &bottlecrm.Intake{ID: o.text("id"), Key: o.text("key")}
}

func (v *vendor) path() string {
	if v.intake != nil {
		return "/api/leads/"
	}
	return "/api/contacts/"
}

func (v *vendor) columns() map[string]string {
	company := "organization"
	if v.intake != nil {
		company = "company_name"
	}
	return map[string]string{crmtest.Email: "email", crmtest.Company: company, crmtest.Phone: "phone"}
}

// Put makes a contact; a person who knows no name types a dash, since the server
// asks for one.
func (v *vendor) Put(_ testing.TB, values map[string]string) string {
	first, last, _ := strings.Cut(values[crmtest.Name], " ")
	in := map[string]string{"first_name": cmp.Or(first, "-"), "last_name": cmp.Or(last, "-")}
	for field, column := range v.columns() {
		if values[field] != "" {
			in[column] = values[field]
		}
	}
	if v.intake == nil {
		return v.do("POST", v.path(), in).text("id")
	}
	in["title"], in["status"] = "Enquiry", "assigned"
	before := v.people()
	v.do("POST", v.path(), in)
	for _, o := range v.people() { // the answer names no ID
		if !slices.ContainsFunc(before, func(b object) bool { return b.text("id") == o.text("id") }) {
			return o.text("id")
		}
	}
	v.t.Fatal("no lead was made")
	return ""
}

// Edit changes fields. A person who empties a half of a name types a dash.
func (v *vendor) Edit(_ testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	in := map[string]string{}
	for field, value := range values {
		switch {
		case kind == crmtest.Contacts && field == crmtest.Name:
			first, last, _ := strings.Cut(value, " ")
			in["first_name"], in["last_name"] = cmp.Or(first, "-"), cmp.Or(last, "-")
		case kind == crmtest.Contacts && v.columns()[field] != "":
			in[v.columns()[field]] = value
		case kind == crmtest.Notes && field == crmtest.Body:
			in["body"] = value
		case kind == crmtest.Tasks && field == crmtest.Done && value == "yes":
			in["status"] = "Completed"
		default:
			v.t.Fatalf("no person edits %s of %s here", field, kind)
		}
	}
	path := map[crmtest.Kind]string{crmtest.Contacts: v.path(), crmtest.Notes: "/api/interactions/", crmtest.Tasks: "/api/tasks/"}[kind]
	v.do("PATCH", path+id+"/", in)
}

func (v *vendor) Archive(_ testing.TB, id string) { v.do("DELETE", v.path()+id+"/", nil) }

func (v *vendor) Records(kind crmtest.Kind) []crmtest.Record {
	var out []crmtest.Record
	switch kind {
	case crmtest.Contacts:
		for _, o := range v.people() {
			name := strings.TrimSpace(strings.ReplaceAll(" "+o.text("first_name")+" "+o.text("last_name")+" ", " - ", " "))
			out = append(out, record(o, map[string]string{
				crmtest.Email: o.text("email"), crmtest.Name: name, crmtest.Company: o.text(v.columns()[crmtest.Company]), crmtest.Phone: o.text("phone"),
			}))
		}
	case crmtest.Notes:
		link := strings.TrimSuffix(strings.TrimPrefix(v.path(), "/api/"), "s/")
		for _, contact := range v.people() {
			for _, o := range v.list("/api/interactions/?limit=200&"+link+"="+contact.text("id"), "interactions") {
				if o.text("kind") == "enquiry" { // the server's own, of an intake
					continue
				}
				r := record(o, map[string]string{crmtest.Body: o.text("body")})
				r.Contacts = []string{contact.text("id")}
				out = append(out, r)
			}
		}
	case crmtest.Tasks:
		for _, row := range v.list("/api/tasks/?slim=true&limit=1000", "tasks") {
			o, _ := v.do("GET", "/api/tasks/"+row.text("id")+"/", nil)["task_obj"].(map[string]any) // an object
			r := record(o, map[string]string{crmtest.Title: object(o).text("title")})
			if object(o).text("status") == "Completed" {
				r.Values[crmtest.Done] = "yes"
			}
			if lead, _ := o["lead"].(map[string]any); lead != nil { // an object, or null
				r.Contacts = append(r.Contacts, object(lead).text("id"))
			}
			people, _ := o["contacts"].([]any) // a list
			for _, one := range people {
				person, _ := one.(map[string]any) // an object
				r.Contacts = append(r.Contacts, object(person).text("id"))
			}
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b crmtest.Record) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (v *vendor) people() []object {
	if v.intake == nil {
		return v.list("/api/contacts/?limit=1000", "results")
	}
	out := v.do("GET", "/api/leads/?limit=1000", nil)
	open, _ := out["open_leads"].(map[string]any) // an object
	return v.objects("/api/leads/", open, "open_leads")
}

// record leaves out of the content what differs between two that were made alike.
func record(o object, values map[string]string) crmtest.Record {
	content := maps.Clone(o)
	for _, name := range []string{"id", "org", "created_at", "updated_at", "created_by", "logged_by", "logged_by_details", "contact", "contacts",
		"lead", "external_source", "last_enquiry_at", "waiting_since", "kanban_order"} {
		delete(content, name)
	}
	maps.DeleteFunc(values, func(_, value string) bool { return value == "" })
	return crmtest.Record{ID: o.text("id"), Values: values, Content: content}
}

func (v *vendor) RefuseToken() {
	if err := v.server.Revoke(v.ctx, v.account); err != nil {
		v.t.Fatal(err)
	}
}
