package hubspot

import (
	"strings"

	"onefold/internal/crm"
)

// Limits in characters.
const (
	bodyLimit = 65536 // hs_note_body, notes guide; hs_task_body taken as alike
	lineLimit = 255   // ours, for one-line properties: longer is not a name or title
)

// properties are the values in HubSpot's words. An empty one is never sent:
// HubSpot clears a property that is set to "".
func properties(values crm.Values) map[string]string {
	first, last := crm.SplitName(values[crm.FieldName])
	out := map[string]string{}
	for name, value := range map[string]string{
		"email": strings.TrimSpace(values[crm.FieldEmail]), "firstname": first, "lastname": last,
		"company": crm.OneLine(values[crm.FieldCompany]), "phone": crm.OneLine(values[crm.FieldPhone]),
	} {
		if value != "" {
			out[name] = crm.Cut(value, lineLimit, "…")
		}
	}
	return out
}

// values are what a record has. Of several addresses it has the contact's, if
// that is among them. A name counts as one field: half a name is not completed.
func values(ct crm.Contact, r record) crm.Values {
	has := crm.Values{
		crm.FieldEmail: r.prop("email"), crm.FieldCompany: r.prop("company"), crm.FieldPhone: r.prop("phone"),
		crm.FieldName: strings.TrimSpace(r.prop("firstname") + " " + r.prop("lastname")),
	}
	if hasAddress(r, ct.Email) {
		has[crm.FieldEmail] = ct.Email
	}
	return has
}
