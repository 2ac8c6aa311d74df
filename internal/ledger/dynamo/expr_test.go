package dynamo

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
)

// plain puts names and values back into an expression, to be read.
func plain(text string, names map[string]string, values attributes) string {
	return regexp.MustCompile(`[#:][nv][0-9]+`).ReplaceAllStringFunc(text, func(p string) string {
		if p[0] == '#' {
			return names[p]
		}
		switch v := values[p].(type) {
		case *types.AttributeValueMemberS:
			return `"` + v.Value + `"`
		case *types.AttributeValueMemberN:
			return v.Value
		case *types.AttributeValueMemberBOOL:
			return map[bool]string{true: "true", false: "false"}[v.Value]
		default:
			return "?"
		}
	})
}

var contact = ledger.Key{Entity: ledger.Contact, Tenant: "acme", ID: "c1"}

func TestConditionsAsDynamoDBReadsThem(t *testing.T) {
	t.Parallel()
	yes := ledger.Cond{}
	for _, c := range []struct {
		cond ledger.Cond
		want string
	}{
		{ledger.Missing(), `attribute_not_exists(pk)`},
		{ledger.Absent("a.b"), `attribute_not_exists(a.b)`},
		{ledger.Present("a"), `attribute_exists(a)`},
		{ledger.Is("a", "x"), `a = "x"`},
		{ledger.Is("a", true), `a = true`},
		{ledger.Less("a", 5), `a < 5`},
		{ledger.AtMost("a", -5), `a <= -5`},
		{ledger.More("a", "x"), `a > "x"`},
		{ledger.AtLeast("size", "x"), `size >= "x"`},
		{ledger.AtVersion(0), `attribute_not_exists(pk)`},
		{ledger.AtVersion(7), `version = 7`},
		{ledger.All(ledger.Is("a", 1)), `a = 1`},
		{ledger.All(ledger.Is("a", 1), ledger.Is("a", 2)), `a = 1 AND a = 2`},
		{ledger.All(yes, ledger.Is("a", 1)), `a = 1`},
		{ledger.All(yes, ledger.OneOf("a", "x", "y")), `(a = "x" OR a = "y")`},
		{ledger.OneOf("a", "x"), `a = "x"`},
		{ledger.All(ledger.OneOf("a", "x", "y"), ledger.Any(ledger.Absent("b"), ledger.All(ledger.Is("c", 1), ledger.Is("d", 2)))),
			`(a = "x" OR a = "y") AND (attribute_not_exists(b) OR (c = 1 AND d = 2))`},
		{ledger.All(ledger.All(ledger.Any(ledger.Is("a", 1), ledger.Is("b", 2)))), `a = 1 OR b = 2`},
		{ledger.All(yes, yes), `attribute_exists(pk) OR attribute_not_exists(pk)`},
		{ledger.Any(ledger.Is("a", 1), yes), `attribute_exists(pk) OR attribute_not_exists(pk)`},
		{ledger.Any(ledger.Is("a", 1), ledger.All(yes), ledger.Is("b", 1)), `attribute_exists(pk) OR attribute_not_exists(pk)`},
	} {
		a, err := action("t", ledger.Write{Op: ledger.OpCheck, Key: contact, If: c.cond})
		if err != nil {
			t.Fatal(err)
		}
		check := a.ConditionCheck
		if got := plain(*check.ConditionExpression, check.ExpressionAttributeNames, check.ExpressionAttributeValues); got != c.want {
			t.Errorf("%+v is %s, want %s", c.cond, got, c.want)
		}
		used(t, *check.ConditionExpression, check.ExpressionAttributeNames, check.ExpressionAttributeValues)
	}
}

// used refuses placeholders that are not in the text: DynamoDB would refuse
// the request for them.
func used(t *testing.T, text string, names map[string]string, values attributes) {
	t.Helper()
	for _, p := range append(slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(values))...) {
		if !regexp.MustCompile(regexp.QuoteMeta(p) + `\b`).MatchString(text) {
			t.Errorf("%s is not used in %s", p, text)
		}
	}
	if values != nil && len(values) == 0 {
		t.Errorf("an empty map of values, which DynamoDB refuses")
	}
}

func TestWritesAsDynamoDBReadsThem(t *testing.T) {
	t.Parallel()
	either := ledger.Any(ledger.Is("a", 1), ledger.Absent("a"))
	for name, c := range map[string]struct {
		w            ledger.Write
		update, cond string
	}{
		"create":              {ledger.Write{Op: ledger.OpCreate, Item: ledger.Item{"a": "x"}}, ``, `attribute_not_exists(pk)`},
		"create if":           {ledger.Write{Op: ledger.OpCreate, Item: ledger.Item{"a": "x"}, If: either}, ``, `attribute_not_exists(pk) AND (a = 1 OR attribute_not_exists(a))`},
		"set":                 {ledger.Write{Op: ledger.OpUpdate, Set: ledger.Item{"b": int64(2), "a": "x"}}, `SET version = version + 1, a = "x", b = 2`, `attribute_exists(pk)`},
		"set and remove if":   {ledger.Write{Op: ledger.OpUpdate, Set: ledger.Item{"a": "x"}, Remove: []string{"z", "y"}, If: ledger.AtVersion(4)}, `SET version = version + 1, a = "x" REMOVE y, z`, `attribute_exists(pk) AND version = 4`},
		"remove":              {ledger.Write{Op: ledger.OpUpdate, Remove: []string{"a"}, If: either}, `SET version = version + 1 REMOVE a`, `attribute_exists(pk) AND (a = 1 OR attribute_not_exists(a))`},
		"words DynamoDB owns": {ledger.Write{Op: ledger.OpUpdate, Set: ledger.Item{"name": "x", "#n0": ":v0"}}, `SET version = version + 1, #n0 = ":v0", name = "x"`, `attribute_exists(pk)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.w.Key = contact
			a, err := action("t", c.w)
			if err != nil {
				t.Fatal(err)
			}
			if p := a.Put; p != nil {
				if got := plain(*p.ConditionExpression, p.ExpressionAttributeNames, p.ExpressionAttributeValues); got != c.cond {
					t.Errorf("condition %s, want %s", got, c.cond)
				}
				used(t, *p.ConditionExpression, p.ExpressionAttributeNames, p.ExpressionAttributeValues)
				old(t, p.ReturnValuesOnConditionCheckFailure)
				want := ledger.Item{"a": "x", "entity": "contact", "tenant": "acme", "id": "c1", "version": int64(1), "schema": int64(1)}
				if got, err := decode(p.Item); err != nil || len(got) != len(want) || got["a"] != "x" || got["version"] != int64(1) {
					t.Errorf("item %v, %v; want %v", got, err, want)
				}
				if placeIn(p.Item) != placeOf(contact) {
					t.Errorf("put at %v", placeIn(p.Item))
				}
				return
			}
			u := a.Update
			if got := plain(*u.UpdateExpression, u.ExpressionAttributeNames, u.ExpressionAttributeValues); got != c.update {
				t.Errorf("update %s, want %s", got, c.update)
			}
			if got := plain(*u.ConditionExpression, u.ExpressionAttributeNames, u.ExpressionAttributeValues); got != c.cond {
				t.Errorf("condition %s, want %s", got, c.cond)
			}
			used(t, *u.UpdateExpression+" "+*u.ConditionExpression, u.ExpressionAttributeNames, u.ExpressionAttributeValues)
			old(t, u.ReturnValuesOnConditionCheckFailure)
			if placeIn(u.Key) != placeOf(contact) {
				t.Errorf("update at %v", placeIn(u.Key))
			}
		})
	}
}

func old(t *testing.T, v types.ReturnValuesOnConditionCheckFailure) {
	t.Helper()
	if v != types.ReturnValuesOnConditionCheckFailureAllOld {
		t.Errorf("a refusal would return %q", v)
	}
}

// A repeated request must be the same text, or its token would be refused.
func TestTheSameWriteIsAlwaysTheSameText(t *testing.T) {
	t.Parallel()
	w := ledger.Write{Op: ledger.OpUpdate, Key: contact, Remove: []string{"y", "x"},
		Set: ledger.Item{"a": int64(1), "b": int64(2), "c": int64(3), "d": int64(4), "e": int64(5)}}
	first, err := action("t", w)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		again, err := action("t", w)
		if err != nil || *again.Update.UpdateExpression != *first.Update.UpdateExpression ||
			!maps.Equal(again.Update.ExpressionAttributeNames, first.Update.ExpressionAttributeNames) {
			t.Fatalf("got %s, then %s (%v)", *first.Update.UpdateExpression, *again.Update.UpdateExpression, err)
		}
	}
}
