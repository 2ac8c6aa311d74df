package webhook

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ReadJSON reads one JSON value in UTF-8 with nothing after it, numbers as
// json.Number; else it refuses with ErrMalformed. Of a member that stands twice
// the last counts.
func ReadJSON(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, Refuse(ErrMalformed, "body_not_utf8", "the body is JSON in UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, Refuse(ErrMalformed, "body_not_json", "the body is JSON")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, Refuse(ErrMalformed, "body_not_json", "the body is one JSON value")
	}
	return tree, nil
}

// At evaluates a JSON Pointer (RFC 6901, section 4); nil where nothing stands.
func At(tree any, pointer string) any {
	if pointer == "" {
		return tree
	}
	for _, token := range tokens(pointer) {
		switch v := tree.(type) {
		case map[string]any:
			tree = v[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(v) || strconv.Itoa(n) != token {
				return nil
			}
			tree = v[n]
		default:
			return nil
		}
	}
	return tree
}

// PartAt is the bytes that stand at a JSON Pointer in a body, nil where nothing
// does. Of a member named twice it is the last, as with At.
func PartAt(body []byte, pointer string) []byte {
	part := json.RawMessage(body)
	if pointer == "" {
		return part
	}
	for _, token := range tokens(pointer) {
		var members map[string]json.RawMessage
		if json.Unmarshal(part, &members) == nil {
			part = members[token]
			continue
		}
		list := PartsOf(part)
		n, err := strconv.Atoi(token)
		if err != nil || n < 0 || n >= len(list) || strconv.Itoa(n) != token {
			return nil
		}
		part = list[n]
	}
	return part
}

// PartsOf is the bytes of each element of a JSON array; nil of anything else.
func PartsOf(array []byte) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(array, &list) != nil {
		return nil
	}
	return list
}

// TextAt is the text or number at a JSON Pointer, "" for anything else.
func TextAt(tree any, pointer string) string {
	switch v := At(tree, pointer).(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// FingerprintWithout is the fingerprint of a JSON value without the members at
// the pointers: those that a sender changes from one try to the next. It is of
// the value and not of its bytes: members in order of their names, no space. It
// changes the tree.
func FingerprintWithout(tree any, pointers []string) (string, error) {
	for _, p := range pointers {
		all := tokens(p)
		last := len(all) - 1
		if last < 0 {
			continue
		}
		if parent, ok := At(tree, strings.TrimSuffix(p, "/"+rawLast(p))).(map[string]any); ok {
			delete(parent, all[last])
		}
	}
	b, err := json.Marshal(tree)
	if err != nil {
		return "", ErrMalformed // unreachable: it was read from JSON
	}
	return Fingerprint(b), nil
}

func rawLast(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

func tokens(pointer string) []string {
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil
	}
	plain := strings.NewReplacer("~1", "/", "~0", "~")
	all := strings.Split(rest, "/")
	for i := range all {
		all[i] = plain.Replace(all[i])
	}
	return all
}
