package bottlecrm_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"onefold/internal/crm/crmtest"
	"onefold/internal/proof/localcrm"
)

// vendor is one organisation of the server, and what its people do there.
type vendor struct {
	*proxy
	t       *testing.T
	ctx     context.Context
	server  *localcrm.Server
	account *localcrm.Account
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
	all, _ := v.do("GET", path, nil)[key].([]any) // a list, or not there
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

var columns = map[string]string{crmtest.Email: "email", crmtest.Company: "organization", crmtest.Phone: "phone"}

// Put makes a contact; a person who knows no name types a dash, since the server
// asks for one.
func (v *vendor) Put(_ testing.TB, values map[string]string) string {
	first, last, _ := strings.Cut(values[crmtest.Name], " ")
	in := map[string]string{"first_name": cmp.Or(first, "-"), "last_name": cmp.Or(last, "-")}
	for field, column := range columns {
		if values[field] != "" {
			in[column] = values[field]
		}
	}
	return v.do("POST", "/api/contacts/", in).text("id")
}

// Edit changes fields. A person who empties a half of a name types a dash.
func (v *vendor) Edit(_ testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	in := map[string]string{}
	for field, value := range values {
		switch {
		case kind == crmtest.Contacts && field == crmtest.Name:
			first, last, _ := strings.Cut(value, " ")
			in["first_name"], in["last_name"] = cmp.Or(first, "-"), cmp.Or(last, "-")
		case kind == crmtest.Contacts && columns[field] != "":
			in[columns[field]] = value
		case kind == crmtest.Notes && field == crmtest.Body:
			in["body"] = value
		case kind == crmtest.Tasks && field == crmtest.Done && value == "yes":
			in["status"] = "Completed"
		default:
			v.t.Fatalf("no person edits %s of %s here", field, kind)
		}
	}
	path := map[crmtest.Kind]string{crmtest.Contacts: "contacts", crmtest.Notes: "interactions", crmtest.Tasks: "tasks"}[kind]
	v.do("PATCH", "/api/"+path+"/"+id+"/", in)
}

func (v *vendor) Archive(_ testing.TB, id string) { v.do("DELETE", "/api/contacts/"+id+"/", nil) }

func (v *vendor) Records(kind crmtest.Kind) []crmtest.Record {
	var out []crmtest.Record
	switch kind {
	case crmtest.Contacts:
		for _, o := range v.contacts() {
			name := strings.TrimSpace(strings.ReplaceAll(" "+o.text("first_name")+" "+o.text("last_name")+" ", " - ", " "))
			out = append(out, record(o, map[string]string{
				crmtest.Email: o.text("email"), crmtest.Name: name, crmtest.Company: o.text("organization"), crmtest.Phone: o.text("phone"),
			}))
		}
	case crmtest.Notes:
		for _, contact := range v.contacts() {
			for _, o := range v.list("/api/interactions/?limit=200&contact="+contact.text("id"), "interactions") {
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

func (v *vendor) contacts() []object { return v.list("/api/contacts/?limit=1000", "results") }

// record leaves out of the content what differs between two that were made alike.
func record(o object, values map[string]string) crmtest.Record {
	content := maps.Clone(o)
	for _, name := range []string{"id", "org", "created_at", "updated_at", "created_by", "logged_by", "logged_by_details", "contact", "contacts"} {
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
