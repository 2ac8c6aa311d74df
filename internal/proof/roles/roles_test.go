package roles_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

func TestAGrantCoversByIAMsWildcards(t *testing.T) {
	t.Parallel()
	secret := roles.Call{Function: "send", Action: "secretsmanager:GetSecretValue", Resource: "onefold/local/identifier-key"}
	grant := func(f schema.Function, action, resource string) roles.Grant {
		return roles.Grant{Function: f, Action: action, Resource: resource}
	}
	call := func(f, action, resource string) roles.Call {
		return roles.Call{Function: f, Action: action, Resource: resource}
	}
	for name, c := range map[string]struct {
		grant roles.Grant
		call  roles.Call
		want  bool
	}{
		"the very table":                     {grant("send", "dynamodb:GetItem", "table/t"), call("send", "dynamodb:GetItem", "table/t"), true},
		"another table":                      {grant("send", "dynamodb:GetItem", "table/t"), call("send", "dynamodb:GetItem", "table/u"), false},
		"a table is not its index":           {grant("send", "dynamodb:Query", "table/t"), call("send", "dynamodb:Query", "table/t/index/i"), false},
		"another function's":                 {grant("extract", "dynamodb:GetItem", "table/t"), call("send", "dynamodb:GetItem", "table/t"), false},
		"another action":                     {grant("send", "dynamodb:PutItem", "*"), call("send", "dynamodb:GetItem", "table/t"), false},
		"a star goes beyond slashes":         {grant("send", "s3:GetObject", "bucket/*"), call("send", "s3:GetObject", "bucket/demo/*"), true},
		"a secret's six characters":          {grant("send", "secretsmanager:GetSecretValue", "onefold/local/identifier-key-??????"), secret, true},
		"no more than six":                   {grant("send", "secretsmanager:GetSecretValue", "onefold/local/identifier-key-???????"), secret, false},
		"secrets below a prefix":             {grant("send", "secretsmanager:GetSecretValue", "onefold/local/*"), secret, true},
		"an action that the reader does not": {grant("send", "dynamodb:*", "*"), call("send", "ses:SendEmail", "identity/d"), false},
	} {
		if got := c.grant.Covers(c.call); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func create(keys ...ledger.Key) ledger.Commit {
	var c ledger.Commit
	for _, k := range keys {
		_ = c.Create("row", k, ledger.Item{"x": "y"}) // texts always encode
	}
	return c
}

// A refused call does nothing, is AWS's refusal to its caller, and is told.
func TestARefusedCallIsNotMade(t *testing.T) {
	t.Parallel()
	role, behind := roles.Of(schema.Sweep), mem.New()
	s := role.Store(behind)
	record, contact := ledger.AuditKey(ledger.Event.At("a", "e"), 1), ledger.Contact.At("a", "c")
	if err := s.Commit(t.Context(), create(record, contact)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a put of the ledger by sweep: %v", err)
	}
	if it, err := behind.Get(t.Context(), record); it != nil || err != nil {
		t.Errorf("%v, %v: half of a refused transaction was written", it, err)
	}
	if _, err := s.Get(t.Context(), contact); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a read of the ledger by sweep: %v", err)
	}
	want := []string{
		"sweep: dynamodb:GetItem on table/ledger was called, and its role has no such grant",
		"sweep: dynamodb:PutItem on table/ledger was called, and its role has no such grant",
	}
	if got := role.Faults(false); !slices.Equal(got, want) {
		t.Errorf("told is %q, want %q", got, want)
	}
}

// What a role is given beyond what its tests use is told, and so is a reason
// that has become needless.
func TestAGrantNeedsAUseOrAReason(t *testing.T) {
	t.Parallel()
	role := roles.Of(schema.Sweep)
	s := role.Store(mem.New())
	for _, table := range []schema.Table{schema.Events, schema.Outbox} {
		if _, err := s.Query(context.Background(), ledger.Query{Table: table, Index: schema.ByDue, Partition: "0", Limit: 1}); err != nil {
			t.Fatal(err)
		}
	}
	faults := role.Faults(true, roles.Unused{Action: schema.GetItem, Why: "a test"}, roles.Unused{Action: schema.UpdateItem, Resource: "events", Why: "a test"},
		roles.Unused{Action: schema.QueryItems, Why: "there is a use"})
	if len(faults) != 3 || !strings.Contains(faults[0], "UpdateItem on table/outbox is granted") ||
		!strings.Contains(faults[1], "PutItem on table/audit is granted") || !strings.Contains(faults[2], "dynamodb:Query on \"\" excuses nothing") {
		t.Errorf("told is %q", faults)
	}
}
