package tenant

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Diff says on one line each what differs between two policies, for the person
// who is about to apply the second; empty if nothing does. Lists of endpoints
// and rules are compared by name and ID, of addresses and intents as sets.
// Lines that begin with "warning:" come first and name a change that does less
// than it seems to, or that is refused. The lines hold addresses of the business: they are for its
// operator, not for a log.
func Diff(before, after Policy) []string {
	var lines []string
	compare(&lines, "", flat(before), flat(after))
	if a, b := order(before.Rules), order(after.Rules); a != b && sameWords(a, b) {
		lines = append(lines, fmt.Sprintf("rules are now tried in the order %s, before %s", b, a))
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return nil
	}
	return append(warnings(before, after), lines...)
}

// warnings compares what changed with what should have been raised with it.
func warnings(before, after Policy) []string {
	var lines []string
	if after.Version <= before.Version && before.Tenant == after.Tenant {
		lines = append(lines, fmt.Sprintf("warning: the policy changes but its version goes from %d to %d: raise it", before.Version, after.Version))
	}
	lines = append(lines, ruleWarnings(before, after)...)
	for _, e := range after.Endpoints {
		old, ok := before.Endpoint(e.Name)
		if ok && (old.Scheme != e.Scheme || old.Mailbox != e.Mailbox || !sameIDs(old, e)) {
			lines = append(lines, fmt.Sprintf("warning: endpoint %s changes how its events are identified: what was taken before and comes again is a new event", e.Name))
		}
	}
	for _, r := range after.Rules {
		old, ok := before.Rule(r.ID)
		if !ok {
			continue
		}
		if (old.Template.Subject != r.Template.Subject || old.Template.Text != r.Template.Text) && r.Template.Version <= old.Template.Version {
			lines = append(lines, fmt.Sprintf("warning: the template of rule %s changes but its version is %d: raise it", r.ID, r.Template.Version))
		}
		if r.Version < old.Version {
			lines = append(lines, fmt.Sprintf("warning: rule %s goes back from version %d to %d: versions only rise", r.ID, old.Version, r.Version))
		}
	}
	return lines
}

// sameIDs tells whether a scheme of the policy's own finds the same IDs.
func sameIDs(a, b Endpoint) bool {
	if a.HMAC == nil || b.HMAC == nil {
		return a.HMAC == b.HMAC
	}
	return reflect.DeepEqual(a.HMAC.ID, b.HMAC.ID)
}

// flat is the policy's JSON with lists turned into objects by what identifies
// their elements, so that every property there is, or will be, is compared.
func flat(p Policy) map[string]any {
	b, err := json.Marshal(p)
	if err != nil {
		return nil // unreachable: a policy holds nothing that cannot be encoded
	}
	var tree map[string]any
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil // unreachable: it was just encoded
	}
	tree["customer_ids"] = map[string]any{"use": p.Customers()} // said or not
	keyed(tree, "endpoints", "name")
	keyed(tree, "rules", "id")
	endpoints, _ := tree["endpoints"].(map[string]any)
	for _, e := range endpoints {
		for _, set := range []string{"mailboxes", "origins"} {
			if endpoint, ok := e.(map[string]any); ok && endpoint[set] != nil {
				keyed(endpoint, set, "")
			}
		}
	}
	for _, set := range []string{"own_addresses", "shared_addresses"} {
		keyed(tree, set, "")
	}
	if mail, ok := tree["mail"].(map[string]any); ok {
		keyed(mail, "blocked", "")
		keyed(mail, "accept", "")
	}
	rules, _ := tree["rules"].(map[string]any)
	for _, r := range rules {
		if rule, ok := r.(map[string]any); ok {
			keyed(rule, "intents", "")
		}
	}
	return tree
}

func keyed(object map[string]any, name, key string) {
	list, _ := object[name].([]any)
	byKey := make(map[string]any, len(list))
	for _, v := range list {
		if key == "" {
			byKey[fmt.Sprint(v)] = map[string]any{}
			continue
		}
		byKey[fmt.Sprint(member(v, key))] = v
	}
	object[name] = byKey
}

func compare(lines *[]string, path string, before, after map[string]any) {
	names := maps.Clone(before)
	maps.Copy(names, after)
	for name := range names {
		at := strings.TrimPrefix(path+" "+name, " ")
		a, hadA := before[name]
		b, hasB := after[name]
		objectA, isA := a.(map[string]any)
		objectB, isB := b.(map[string]any)
		switch {
		case !hadA:
			*lines = append(*lines, at+": added")
		case !hasB:
			*lines = append(*lines, at+": removed")
		case isA && isB:
			compare(lines, at, objectA, objectB)
		case !reflect.DeepEqual(a, b):
			*lines = append(*lines, fmt.Sprintf("%s: %s is now %s", at, shown(a), shown(b)))
		}
	}
}

// shown is a value on one line; long texts only by their length.
func shown(v any) string {
	s, ok := v.(string)
	if !ok {
		return fmt.Sprint(v)
	}
	if n := utf8.RuneCountInString(s); n > 60 || strings.Contains(s, "\n") {
		return fmt.Sprintf("a text of %d characters", n)
	}
	return fmt.Sprintf("%q", s)
}

func order(rules []Rule) string {
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = r.ID
	}
	return strings.Join(ids, ", ")
}

func sameWords(a, b string) bool {
	x, y := strings.Split(a, ", "), strings.Split(b, ", ")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
