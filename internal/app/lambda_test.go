package app_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"onefold/internal/app"
	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// built are the functions that there are.
func built() []schema.Function {
	return []schema.Function{schema.Ingest, schema.Extract, schema.CRMSync, schema.Send, schema.Feedback, schema.Sweep, schema.Console, schema.Optout}
}

// What a role must allow before the first call.
func TestAStartAsksOfAWSWhatItsFunctionNeeds(t *testing.T) {
	t.Parallel()
	keyed := []string{"GetItem onefold-test-ledger", "GetSecretValue onefold/test/identifier-key", "TransactWriteItems onefold-test-ledger"}
	for _, f := range built() {
		want := keyed
		if f == schema.Sweep {
			want = nil
		}
		// A function may read the key if and only if its start does.
		if slices.Contains(schema.DutyOf(f).Secrets, schema.SecretIdentifierKey) != (want != nil) {
			t.Errorf("%s may read %v", f, schema.DutyOf(f).Secrets)
		}
		c := newCloud()
		started(t, f, c, variables(f))
		if got := c.made(); !slices.Equal(got, want) {
			t.Errorf("the first %s asks %v, want %v", f, got, want)
		}
		for _, action := range []string{schema.GetItem, schema.PutItem} {
			if err := roles.Of(f).Ask(action, "table/ledger"); err != nil && want != nil {
				t.Errorf("the first %s: %v", f, err)
			}
		}
		// Of a ledger that knows its key, nothing is written.
		c.calls = nil
		started(t, f, c, variables(f))
		if got := c.made(); slices.Contains(got, "TransactWriteItems onefold-test-ledger") {
			t.Errorf("the second %s asks %v", f, got)
		}
	}
}

func TestAFunctionStartsWithItsVariablesAlone(t *testing.T) {
	t.Parallel()
	for _, f := range built() {
		asked := map[string]bool{}
		vars := variables(f)
		h := host(newCloud(), vars, io.Discard)
		h.Variable = func(name string) (string, bool) { asked[name] = true; v, ok := vars[name]; return v, ok }
		if _, err := app.Assemble(t.Context(), f, h); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		for _, e := range schema.Environment() {
			if asked[e.Name] != slices.Contains(e.For, f) {
				t.Errorf("%s asks for %s: %v", f, e.Name, asked[e.Name])
			}
		}
	}
}

// A variable that is listed and never used would be a setting without effect.
func TestEveryVariableOfAFunctionIsUsed(t *testing.T) {
	t.Parallel()
	for _, f := range built() {
		got, err := app.VariablesRead(t.Context(), f, host(newCloud(), variables(f), io.Discard))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range schema.Environment() {
			if used := slices.Contains(got, e.Name); used != slices.Contains(e.For, f) {
				t.Errorf("%s uses %s: %v", f, e.Name, used)
			}
		}
	}
}

func TestAFunctionStartsWithTheNeededVariablesAlone(t *testing.T) {
	t.Parallel()
	for _, f := range built() {
		vars := variables(f)
		for _, e := range schema.Environment() {
			if !e.Needed {
				delete(vars, e.Name)
			}
		}
		started(t, f, newCloud(), vars)
	}
}

func TestOneErrorNamesEverythingThatIsMissing(t *testing.T) {
	t.Parallel()
	for _, f := range built() {
		c := newCloud()
		_, err := app.Assemble(t.Context(), f, host(c, nil, io.Discard))
		if err == nil {
			t.Errorf("%s starts without a variable", f)
			continue
		}
		for _, e := range schema.Environment() {
			if needed := e.Needed && slices.Contains(e.For, f); needed != strings.Contains(err.Error(), e.Name) {
				t.Errorf("%s, which needs %s (%v), says %v", f, e.Name, needed, err)
			}
		}
		if len(c.calls) > 0 {
			t.Errorf("%s asked %v", f, c.calls)
		}
	}
}

func TestAVariableOfAnotherFormIsRefusedUnseen(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{schema.EnvStage: "No Stage", schema.EnvLogLevel: "verbose"} {
		vars := variables(schema.Sweep)
		vars[name] = value
		_, err := app.Assemble(t.Context(), schema.Sweep, host(newCloud(), vars, io.Discard))
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFunctionThatIsNoneDoesNotStart(t *testing.T) {
	t.Parallel()
	if _, err := app.Assemble(t.Context(), "novelty", host(newCloud(), nil, io.Discard)); err == nil {
		t.Error("started")
	}
}

// Another key would forget every opt-out.
func TestNoFunctionStartsUnderAnotherKey(t *testing.T) {
	t.Parallel()
	for _, f := range []schema.Function{schema.Ingest, schema.Extract, schema.Send, schema.Feedback, schema.Console} {
		c := newCloud()
		started(t, f, c, variables(f))
		for name, value := range map[string]string{"another": strings.Repeat("another secret ", 4), "a short one": "short", "none": ""} {
			c.secrets["onefold/test/identifier-key"] = value
			if value == "" {
				delete(c.secrets, "onefold/test/identifier-key")
			}
			_, err := app.Assemble(t.Context(), f, host(c, variables(f), io.Discard))
			if err == nil || value != "" && strings.Contains(err.Error(), value) {
				t.Errorf("%s with %s: %v", f, name, err)
			}
		}
	}
}

// Payloads of each other's triggers: taken by those alone who have them.
func TestEachFunctionTakesItsTriggersAlone(t *testing.T) {
	t.Parallel()
	const (
		request = `{"version":"2.0","rawPath":"/x","requestContext":{"http":{"method":"GET"},"stage":"$default"}}`
		removal = `{"Records":[{"eventSource":"aws:dynamodb","eventName":"REMOVE","dynamodb":{"SequenceNumber":"1","Keys":{"pk":{"S":"a#stop#b"},"sk":{"S":"stop"}}}}]}`
		letter  = `{"Records":[{"eventSource":"aws:sqs","messageId":"m","body":"?"}]}`
		tick    = `{"version":"0","detail-type":"Scheduled Event","source":"aws.scheduler"}`
	)
	takes := map[schema.Function][]string{
		schema.Ingest:   {request, letter},
		schema.Extract:  {removal},
		schema.CRMSync:  {removal},
		schema.Send:     {removal, `{"onefold":"probe"}`},
		schema.Feedback: {letter},
		schema.Sweep:    {tick, `{"onefold":"sweep"}`},
		schema.Console:  {request},
		schema.Optout:   {request},
	}
	for _, f := range built() {
		vars := variables(f)
		delete(vars, schema.EnvProbeFrom) // else a probe would go to the network
		fn, _ := started(t, f, newCloud(), vars)
		for _, payload := range []string{request, removal, letter, tick, `{"onefold":"probe"}`, `{"onefold":"sweep"}`, `{"onefold":"stop"}`, `{}`} {
			_, err := fn.Invoke(t.Context(), []byte(payload))
			if taken := err == nil; taken != slices.Contains(takes[f], payload) {
				t.Errorf("%s takes %s: %v (%v)", f, payload, taken, err)
			}
		}
	}
}

func TestWithoutAMailBucketNoMailQueueIsRead(t *testing.T) {
	t.Parallel()
	vars := variables(schema.Ingest)
	delete(vars, schema.EnvMailBucket)
	fn, _ := started(t, schema.Ingest, newCloud(), vars)
	if _, err := fn.Invoke(t.Context(), []byte(`{"Records":[{"eventSource":"aws:sqs","messageId":"m","body":"?"}]}`)); err == nil {
		t.Error("the queue was read")
	}
}

// An address under which people come is needed to sign them in.
func TestTheConsoleIsNeverOpen(t *testing.T) {
	t.Parallel()
	ask := func(path string, vars map[string]string) string {
		fn, _ := started(t, schema.Console, newCloud(), vars)
		out, err := fn.Invoke(t.Context(), []byte(`{"version":"2.0","rawPath":"`+path+`","requestContext":{"http":{"method":"GET"},"stage":"$default"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	closed := variables(schema.Console)
	delete(closed, schema.EnvPublicURL)
	for _, path := range []string{"/console/", "/console/demo/", "/console/-/callback", "/", "/console"} {
		if got := ask(path, closed); !strings.Contains(got, `"statusCode":503`) || !strings.Contains(got, schema.EnvPublicURL) {
			t.Errorf("%s is answered %s", path, got)
		}
		if got := ask(path, variables(schema.Console)); strings.Contains(got, `"statusCode":200`) {
			t.Errorf("%s is open: %s", path, got)
		}
	}
}

func TestALogLineHasTheNamesOfPowertools(t *testing.T) {
	t.Parallel()
	fn, out := started(t, schema.Sweep, newCloud(), variables(schema.Sweep))
	if _, err := fn.Invoke(t.Context(), []byte(`{}`)); err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{`"level":"ERROR"`, `"message":"the call failed"`, `"service":"sweep"`, `"function_name":"onefold-test-sweep"`, `"stage":"test"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}
