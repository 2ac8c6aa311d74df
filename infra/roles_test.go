package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onefold/internal/schema"
)

// grant is one action on one resource of one role.
type grant struct {
	role, action, resource string
	condition              string
}

// grants takes every role of every stack apart.
func grants(t *testing.T, change map[string]any) []grant {
	t.Helper()
	a, err := assemble(change)
	if err != nil {
		t.Fatal(err)
	}
	var out []grant
	for _, tpl := range a.templates {
		for id, r := range tpl.Resources {
			if r.Type == "AWS::IAM::Policy" || r.Type == "AWS::IAM::ManagedPolicy" {
				t.Errorf("%s gives rights outside a role", id)
			}
			if r.Type != "AWS::IAM::Role" {
				continue
			}
			if r.Properties["ManagedPolicyArns"] != nil {
				t.Errorf("%s has rights that somebody else manages", id)
			}
			for _, p := range words(r.Properties["Policies"]) {
				for _, s := range words(at(p, "PolicyDocument", "Statement")) {
					if at(s, "Effect") != "Allow" || at(s, "NotAction") != nil || at(s, "NotResource") != nil {
						t.Errorf("%s: %s is no plain permission", id, written(s))
					}
					for _, action := range words(at(s, "Action")) {
						for _, resource := range words(at(s, "Resource")) {
							out = append(out, grant{id, written(action), written(resource), written(plain(at(s, "Condition")))})
						}
					}
				}
			}
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d permissions were found", len(out))
	}
	return out
}

// plain shows the references within a value by name.
func plain(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if s := written(m); !strings.HasPrefix(s, "{") {
		return s
	}
	out := map[string]any{}
	for key, inner := range m {
		out[key] = plain(inner)
	}
	return out
}

// words makes a list of what may be one value or a list.
func words(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	if v == nil {
		return nil
	}
	return []any{v}
}

func holders(gs []grant, fits func(grant) bool) []string {
	set := map[string]bool{}
	for _, g := range gs {
		if fits(g) {
			set[g.role] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func wantHolders(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func TestOnlySendSends(t *testing.T) {
	gs := grants(t, nil)
	wantHolders(t, "roles that may send", holders(gs, func(g grant) bool { return strings.HasPrefix(g.action, "ses:") }), "SendRole")
	for _, g := range gs {
		if !strings.HasPrefix(g.action, "ses:") {
			continue
		}
		// In the sandbox each recipient is an identity of the account, and SES asks
		// for the right to it: a role that named its sender's alone sent nothing.
		if g.action != "ses:SendEmail" || !strings.HasSuffix(g.resource, ":identity/*") &&
			!strings.HasSuffix(g.resource, ":configuration-set/onefold-prod") {
			t.Errorf("send may %s on %s", g.action, g.resource)
		}
		if g.condition != `{"StringLike":{"ses:FromAddress":["*@in.example.com","*@*.in.example.com"]}}` {
			t.Errorf("send may send from any address: %s", g.condition)
		}
	}
}

// Without a domain to send from nobody sends.
func TestWithoutADomainNobodySends(t *testing.T) {
	gs := grants(t, map[string]any{"mailDomain": "", "mailFrom": "", "probeFrom": "", "receiptRuleSet": ""})
	wantHolders(t, "roles that may send", holders(gs, func(g grant) bool { return strings.HasPrefix(g.action, "ses:") }))
}

// The console lists the readings of an event for its page, and for an answer.
// Without the right to it no question about an event could be seen or answered.
func TestAConsoleThatCannotListWhatWasRead(t *testing.T) {
	wantHolders(t, "roles that query a table itself", holders(grants(t, nil), func(g grant) bool {
		return g.action == "dynamodb:Query" && g.resource == "<EventsTable.Arn>"
	}), "ConsoleRole")
	for _, g := range grants(t, nil) {
		if g.action == "dynamodb:Query" && g.resource != "<EventsTable.Arn>" && !strings.Contains(g.resource, "/index/") {
			t.Errorf("%s may query %s", g.role, g.resource)
		}
	}
}

func TestAuditRecordsArePutAndNeverChanged(t *testing.T) {
	gs := grants(t, nil)
	wantHolders(t, "roles that put audit records", holders(gs, func(g grant) bool {
		return g.resource == "<AuditTable.Arn>" && g.action == "dynamodb:PutItem"
	}), "ConsoleRole", "CrmsyncRole", "ExtractRole", "FeedbackRole", "IngestRole", "OptoutRole", "SendRole", "SweepRole")
	for _, g := range gs {
		onAudit := strings.HasPrefix(g.resource, "<AuditTable.Arn>") || strings.Contains(g.resource, "onefold-prod-audit")
		reads := slices.Contains([]string{"dynamodb:GetItem", "dynamodb:Query"}, g.action) && g.role == "ConsoleRole"
		if onAudit && g.action != "dynamodb:PutItem" && !reads {
			t.Errorf("%s may %s on %s", g.role, g.action, g.resource)
		}
	}
}

func TestARoleThatReadsRawMailWithoutNeed(t *testing.T) {
	gs := grants(t, nil)
	in := func(bucket, action string) []string {
		return holders(gs, func(g grant) bool { return strings.Contains(g.resource, bucket) && g.action == action })
	}
	wantHolders(t, "readers of raw content", in("<RawBucket.Arn>/*", "s3:GetObject"), "ConsoleRole", "CrmsyncRole", "ExtractRole")
	wantHolders(t, "writers of raw content", in("<RawBucket.Arn>/*", "s3:PutObject"), "IngestRole")
	wantHolders(t, "readers of inbound mail", in(":s3:::onefold-prod-mail-", "s3:GetObject"), "IngestRole")
	for _, g := range gs {
		if strings.HasPrefix(g.action, "s3:") && !slices.Contains([]string{"s3:GetObject", "s3:PutObject", "s3:ListBucket"}, g.action) {
			t.Errorf("%s may %s", g.role, g.action)
		}
	}
}

// What no function does: remove an item, read through a table, write outside
// a transaction, make or change a table.
func TestARoleThatDoesMoreToTablesThanTheLedgerDoes(t *testing.T) {
	known := []string{
		"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem",
		"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams",
	}
	writes := known[3:6]
	for _, g := range grants(t, nil) {
		if !strings.HasPrefix(g.action, "dynamodb:") {
			continue
		}
		if !slices.Contains(known, g.action) {
			t.Errorf("%s may %s", g.role, g.action)
		}
		if slices.Contains(writes, g.action) && g.condition != `{"ForAnyValue:StringEquals":{"dynamodb:EnclosingOperation":"TransactWriteItems"}}` {
			t.Errorf("%s may %s outside a transaction: %s", g.role, g.action, g.condition)
		}
	}
}

func TestNoWildcardWithoutReason(t *testing.T) {
	var allowed []*regexp.Regexp
	for _, s := range stars() {
		// Written for cdk-nag, which puts "Resource::" before and escapes slashes.
		like := strings.ReplaceAll(strings.TrimPrefix(s.like, "^Resource::"), `\/`, "/")
		allowed = append(allowed, regexp.MustCompile("^"+like))
		if len(s.reason) < 30 {
			t.Errorf("%s: no reason", s.like)
		}
	}
	free := map[string]bool{"dynamodb:ListStreams": true, "xray:PutTelemetryRecords": true, "xray:PutTraceSegments": true}
	for _, g := range grants(t, map[string]any{"tracing": "true"}) {
		if strings.ContainsAny(g.action, "*?") {
			t.Errorf("%s may %s", g.role, g.action)
		}
		if g.resource == "*" && !free[g.action] {
			t.Errorf("%s may %s on everything", g.role, g.action)
		}
		if strings.Contains(g.resource, "*") && !slices.ContainsFunc(allowed, func(re *regexp.Regexp) bool { return re.MatchString(g.resource) }) {
			t.Errorf("%s may %s on %s", g.role, g.action, g.resource)
		}
	}
}

// A key that may be used by itself opens whatever ciphertext one has.
func TestTheKeyIsUsedThroughServicesAlone(t *testing.T) {
	for _, g := range grants(t, nil) {
		if strings.HasPrefix(g.action, "kms:") && !strings.Contains(g.condition, "kms:ViaService") {
			t.Errorf("%s may %s by itself", g.role, g.action)
		}
	}
}

func TestARoleThatReadsSecretsOfOthers(t *testing.T) {
	gs := grants(t, nil)
	of := func(secret string) []string {
		return holders(gs, func(g grant) bool {
			return g.action == "secretsmanager:GetSecretValue" && strings.Contains(g.resource, ":secret:onefold/prod/"+secret)
		})
	}
	wantHolders(t, "webhook secrets", of("webhook/"), "IngestRole")
	wantHolders(t, "CRM secrets", of("crm/"), "CrmsyncRole")
	wantHolders(t, "the session key", of("console-session"), "ConsoleRole")
	for _, g := range gs {
		if strings.HasPrefix(g.action, "secretsmanager:") && (g.action != "secretsmanager:GetSecretValue" || !strings.Contains(g.resource, ":secret:onefold/prod/")) {
			t.Errorf("%s may %s on %s", g.role, g.action, g.resource)
		}
	}
}

// A function that could make its log group would make one that never ends.
func TestLogsGoToTheFunctionsOwnGroup(t *testing.T) {
	for _, g := range grants(t, nil) {
		if !strings.HasPrefix(g.action, "logs:") {
			continue
		}
		own := "log-group:/aws/lambda/onefold-prod-" + strings.ToLower(strings.TrimSuffix(g.role, "Role")) + ":*"
		if !strings.HasSuffix(g.resource, own) || g.action == "logs:CreateLogGroup" {
			t.Errorf("%s may %s on %s", g.role, g.action, g.resource)
		}
	}
}

func TestEveryFunctionHasADutyAndARoleOfItsOwn(t *testing.T) {
	tpl := core(t, nil)
	seen := map[string]string{}
	for id, r := range tpl.each(t, "AWS::Lambda::Function") {
		role := written(r.Properties["Role"])
		if other, ok := seen[role]; ok {
			t.Errorf("%s and %s share a role", id, other)
		}
		seen[role] = id
	}
	for _, runs := range schema.Functions() {
		if len(schema.DutyOf(runs.Function).Tables) == 0 {
			t.Errorf("%s has no duty", runs.Function)
		}
	}
	if len(schema.Duties()) != len(schema.Functions()) {
		t.Errorf("%d duties for %d functions", len(schema.Duties()), len(schema.Functions()))
	}
}
