package hubspottest

import "net/http"

type wireProperty struct {
	Name           string `json:"name"`
	Label          string `json:"label"`
	GroupName      string `json:"groupName"`
	Type           string `json:"type"`
	FieldType      string `json:"fieldType"`
	HasUniqueValue bool   `json:"hasUniqueValue"`
}

// uniqueLimit is how many custom unique properties an object type may have.
const uniqueLimit = 10

func readProperty(_ *Server, t *tx, r request) (int, any, *apiError) {
	d, ok := t.defs[r.kind][r.PathValue("name")]
	if !ok {
		return 0, nil, notFound()
	}
	return http.StatusOK, wireDefinition(d), nil
}

func createProperty(_ *Server, t *tx, r request) (int, any, *apiError) {
	var in wireProperty
	if failed := r.decode(&in); failed != nil {
		return 0, nil, failed
	}
	if in.Name == "" || in.Label == "" || in.Type == "" || in.FieldType == "" {
		return 0, nil, invalid("name, label, type and fieldType are required", "REQUIRED_FIELD")
	}
	if !t.groups[r.kind][in.GroupName] {
		return 0, nil, invalid("Property group does not exist", "")
	}
	if _, ok := t.defs[r.kind][in.Name]; ok {
		return 0, nil, taken("A property of this name already exists.")
	}
	d := Definition{Type: r.kind, Name: in.Name, Group: in.GroupName, Unique: in.HasUniqueValue}
	custom := 0
	for _, other := range t.defs[r.kind] {
		if other.Unique && other.Name != "email" {
			custom++
		}
	}
	if d.Unique && custom >= uniqueLimit {
		return 0, nil, invalid("The limit of unique properties is reached", "")
	}
	t.define(d)
	t.log.Defined = append(t.log.Defined, d)
	t.undo = append(t.undo, func() { delete(t.defs[d.Type], d.Name) })
	return http.StatusCreated, wireDefinition(d), nil
}

func readGroup(_ *Server, t *tx, r request) (int, any, *apiError) {
	name := r.PathValue("name")
	if !t.groups[r.kind][name] {
		return 0, nil, notFound()
	}
	return http.StatusOK, map[string]any{"name": name, "archived": false}, nil
}

func createGroup(_ *Server, t *tx, r request) (int, any, *apiError) {
	var in struct {
		Name  string `json:"name"`
		Label string `json:"label"`
	}
	if failed := r.decode(&in); failed != nil {
		return 0, nil, failed
	}
	if in.Name == "" || in.Label == "" {
		return 0, nil, invalid("name and label are required", "REQUIRED_FIELD")
	}
	if t.groups[r.kind][in.Name] {
		return 0, nil, taken("A property group of this name already exists.")
	}
	t.groups[r.kind][in.Name] = true
	t.log.Groups = append(t.log.Groups, [2]string{r.kind, in.Name})
	t.undo = append(t.undo, func() { delete(t.groups[r.kind], in.Name) })
	return http.StatusCreated, map[string]any{"name": in.Name, "label": in.Label}, nil
}

func taken(message string) *apiError {
	return &apiError{Code: http.StatusConflict, Status: "error", Category: "OBJECT_ALREADY_EXISTS", Message: message}
}

func wireDefinition(d Definition) wireProperty {
	return wireProperty{
		Name: d.Name, Label: d.Name, GroupName: d.Group, Type: "string", FieldType: "text", HasUniqueValue: d.Unique,
	}
}
