package tenant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxTwice bounds the list of repeated members: each holds a whole path.
const maxTwice = 20

// readTree reads JSON into maps, slices, strings, json.Number, bool and nil,
// and lists the paths of the first members that stand twice in one object, of
// which the last counts. The error says where the syntax breaks, for the document's
// writer.
func readTree(doc []byte) (tree any, twice [][]string, err error) {
	if !utf8.Valid(doc) {
		return nil, nil, errors.New("is not UTF-8")
	}
	// Unmarshal checks the whole syntax, and bounds the depth (10,000), before
	// the recursion below.
	var whole json.RawMessage
	if err := json.Unmarshal(doc, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			before := doc[:min(int(syntax.Offset), len(doc))]
			line := bytes.Count(before, []byte("\n")) + 1
			column := len(before) - bytes.LastIndexByte(before, '\n') - 1
			return nil, nil, fmt.Errorf("is not JSON: %s at line %d, column %d", syntax.Error(), line, column)
		}
		return nil, nil, errors.New("is not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	tree, err = readValue(dec, nil, &twice)
	if err != nil {
		// unreachable: the syntax was checked above.
		return nil, nil, errors.New("is not JSON")
	}
	return tree, twice, nil
}

func readValue(dec *json.Decoder, path []string, twice *[][]string) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ := key.(string)
			path := append(path, name)
			if _, ok := object[name]; ok && len(*twice) < maxTwice {
				*twice = append(*twice, slices.Clone(path))
			}
			if object[name], err = readValue(dec, path, twice); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := readValue(dec, append(path, strconv.Itoa(len(list))), twice)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	default:
		return token, nil
	}
}

// Bounds that no part of a policy comes near: what is beyond is not looked at.
const (
	policyDepth = 10
	policyItems = 200 // the longest list that the schema allows
)

// tame takes out of a tree what the schema library would be slow on. It cuts
// lists at one element more than any may have, and replaces each number that
// is not written in up to 16 plain digits by 1: every number of a policy is a
// small whole number, and an exponent would be written out in full. It reports
// such numbers, unless so deep that they are in an unknown property anyway.
func tame(v any, path []string, report func(path []string)) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = tame(v[k], append(path, k), report)
		}
	case []any:
		v = v[:min(len(v), policyItems+1)]
		for i := range v {
			v[i] = tame(v[i], append(path, strconv.Itoa(i)), report)
		}
		return v
	case json.Number:
		if _, err := strconv.ParseInt(v.String(), 10, 64); err != nil || len(v) > 16 {
			if len(path) <= policyDepth {
				report(slices.Clone(path))
			}
			return json.Number("1")
		}
	}
	return v
}

// prune takes the value at a path out of the tree: a member is deleted, an
// element becomes nil so that the others keep their index.
func prune(tree any, path []string) {
	for i, token := range path {
		last := i == len(path)-1
		switch v := tree.(type) {
		case map[string]any:
			if last {
				delete(v, token)
			}
			tree = v[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(v) {
				return
			}
			if last {
				v[n] = nil
			}
			tree = v[n]
		default:
			return
		}
	}
}
