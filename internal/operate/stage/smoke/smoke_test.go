package smoke_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/ledger/dynamo"
	"onefold/internal/operate/stage"
	"onefold/internal/operate/stage/smoke"
	"onefold/internal/policy/tenant"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/secret/secrettest"
	"onefold/internal/webhook"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// Real: the SDK, MiniStack, tables and secrets of a stage. Fake: the API, of
// which the stack's output tells. Not there: functions, streams, mail.

// world is a stage with tables, secrets, a policy and an API.
func world(t *testing.T, name string, api http.HandlerFunc) (*stage.Cloud, *stage.Opened) {
	t.Helper()
	c, err := stage.Connect(t.Context(), stage.Place{Stage: name, Endpoint: localawstest.ForTest(t).Endpoint()})
	if err != nil {
		t.Fatal(err)
	}
	if err := dynamo.Create(t.Context(), dynamodb.NewFromConfig(c.Config), schema.Prefix(name)); err != nil {
		t.Fatal(err)
	}
	_, err = sm.NewFromConfig(c.Config).CreateSecret(t.Context(), &sm.CreateSecretInput{
		Name: aws.String(schema.SecretPrefix(name) + schema.SecretIdentifierKey), SecretString: aws.String(strings.Repeat("k", 64)),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	template, _ := json.Marshal(map[string]any{
		"Resources": map[string]any{"T": map[string]any{"Type": "AWS::SNS::Topic"}},
		"Outputs":   map[string]any{"ApiUrl": map[string]any{"Value": server.URL}},
	})
	stacks, stackName := cloudformation.NewFromConfig(c.Config), aws.String("onefold-"+name)
	if _, err := stacks.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: stackName, TemplateBody: aws.String(string(template))}); err != nil {
		t.Fatal(err)
	}
	wait := cloudformation.NewStackCreateCompleteWaiter(stacks, func(o *cloudformation.StackCreateCompleteWaiterOptions) {
		o.MinDelay, o.MaxDelay = 50*time.Millisecond, time.Second
	})
	if err := wait.Wait(t.Context(), &cloudformation.DescribeStacksInput{StackName: stackName}, time.Minute); err != nil {
		t.Fatal(err)
	}
	o, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Policies.Apply(t.Context(), tenant.Example(), "person:test"); err != nil {
		t.Fatal(err)
	}
	if err := o.Secrets.Put(t.Context(), secret.Webhook("demo", "form"), secrettest.First); err != nil {
		t.Fatal(err)
	}
	return c, o
}

func run(t *testing.T, c *stage.Cloud, o *stage.Opened, options smoke.Options) map[string]smoke.Line {
	t.Helper()
	options.HTTP, options.Pause = http.DefaultClient, func(context.Context, time.Duration) {}
	lines, err := smoke.Run(t.Context(), c, o, options)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]smoke.Line{}
	for _, l := range lines {
		if l.Found == "" || l.Fact == "" {
			t.Errorf("%+v says nothing", l)
		}
		found[l.ID] = l
	}
	if len(found) != len(smoke.Items()) {
		t.Errorf("%d items of %d", len(found), len(smoke.Items()))
	}
	return found
}

// api is the HTTP API: the second repetition finds the event decided, unless it
// is slow.
func api(t *testing.T, asked *atomic.Int32, slow bool) http.HandlerFunc {
	key, err := webhook.ParseSecret(secrettest.First)
	if err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h := webhook.HeadersFrom(map[string]string{
			"webhook-id": r.Header.Get("webhook-id"), "webhook-timestamp": r.Header.Get("webhook-timestamp"), "webhook-signature": r.Header.Get("webhook-signature"),
		})
		if r.URL.Path != "/v1/demo/form" || webhook.Verify([]webhook.Secret{key}, h, body, time.Now()) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if !strings.Contains(string(body), "@simulator.amazonses.com") {
			t.Errorf("mail would go to somebody: %s", body)
		}
		answer, state := "duplicate", "recorded"
		switch n := asked.Add(1); {
		case n == 1:
			answer = "recorded"
		case n >= 3 && !slow:
			state = "decided"
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"answer": answer, "event": "form/e", "state": state})
	}
}

func TestNothingIsVerifiedThatWasNotSeen(t *testing.T) {
	t.Parallel()
	c, o := world(t, "unseen", func(w http.ResponseWriter, _ *http.Request) { t.Error("asked without being told to") })
	got := run(t, c, o, smoke.Options{Tenant: "demo"})
	for _, l := range got {
		if l.Outcome == smoke.Verified {
			t.Errorf("%+v", l)
		}
	}
	for id, want := range map[string]smoke.Outcome{"functions": smoke.Failed, "streams": smoke.Failed, "given-up": smoke.Failed, "webhook": smoke.NotChecked, "conflict": smoke.NotChecked} {
		if got[id].Outcome != want {
			t.Errorf("%s: %+v", id, got[id])
		}
	}
}

func TestADeliveryIsSentOnlyWhereAskedAndFollowedToItsDecision(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c, o := world(t, "webhook", api(t, &asked, false))
	l := run(t, c, o, smoke.Options{Webhook: "demo/form", Wait: time.Minute})["webhook"]
	if l.Outcome != smoke.Verified || !strings.Contains(l.Found, "decided") || asked.Load() != 3 {
		t.Errorf("%+v after %d deliveries", l, asked.Load())
	}
	for name, words := range map[string]string{"demo/mail": "content form", "demo/none": "content form", "demo": "TENANT/ENDPOINT", "other/form": "no policy"} {
		if l := run(t, c, o, smoke.Options{Webhook: name})["webhook"]; l.Outcome != smoke.NotChecked || !strings.Contains(l.Found, words) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestAnEventThatIsNeverDecidedFails(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c, o := world(t, "undecided", api(t, &asked, true))
	if l := run(t, c, o, smoke.Options{Webhook: "demo/form", Wait: 0})["webhook"]; l.Outcome != smoke.Failed || !strings.Contains(l.Found, "still recorded") {
		t.Errorf("%+v", l)
	}
}

func TestAnAPIThatTakesAnySignatureFails(t *testing.T) {
	t.Parallel()
	c, o := world(t, "open", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"answer":"recorded"}`) })
	if l := run(t, c, o, smoke.Options{Webhook: "demo/form"})["webhook"]; l.Outcome != smoke.Failed || !strings.Contains(l.Found, "without a valid signature is answered 200") {
		t.Errorf("%+v", l)
	}
}

// The emulator never refuses with TransactionConflict: that is not verified
// there, and its table is removed all the same.
func TestTransactionsThatDoNotMeetProveNothing(t *testing.T) {
	t.Parallel()
	c, o := world(t, "conflict", http.NotFound)
	if l := run(t, c, o, smoke.Options{Conflict: true})["conflict"]; l.Outcome != smoke.NotChecked || !strings.Contains(l.Found, "of 320 transactions none") {
		t.Errorf("%+v", l)
	}
	_, err := dynamodb.NewFromConfig(c.Config).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("onefold-conflict-smoke")})
	var none *dynamotypes.ResourceNotFoundException
	if !errors.As(err, &none) {
		t.Errorf("the table is still there: %v", err)
	}
}

func TestAMailThatNeverCameFails(t *testing.T) {
	t.Parallel()
	c, o := world(t, "inbound", http.NotFound)
	for address, want := range map[string]smoke.Outcome{"ann@customer.example": smoke.Failed, "not an address": smoke.NotChecked} {
		if l := run(t, c, o, smoke.Options{Wrote: address, Tenant: "demo"})["inbound"]; l.Outcome != want {
			t.Errorf("%s: %+v", address, l)
		}
	}
}

func TestItemsHaveNamesOfTheirOwnAndSayEverything(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, i := range smoke.Items() {
		if seen[i.ID] || i.ID == "" || i.Fact == "" || i.Why == "" || i.How == "" || strings.ContainsAny(i.Fact+i.Why+i.How, "|\n") {
			t.Errorf("%+v", i)
		}
		seen[i.ID] = true
	}
}

// docs/deploy.md tells operators the same.
func TestTheTableOfTheDocumentIsThisList(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../../docs/deploy.md")
	if err != nil || !strings.Contains(string(b), smoke.Table()) {
		t.Errorf("docs/deploy.md lacks this table (%v):\n%s", err, smoke.Table())
	}
}
