package preflight

import (
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/tenant"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/record/audit"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/utc"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// Real: the SDK, MiniStack's DynamoDB, Secrets Manager and STS.
func TestACRMThatIsDownIsTold(t *testing.T) {
	t.Parallel()
	cloud, err := stage.Connect(t.Context(), stage.Place{Stage: "doctor", Endpoint: localawstest.ForTest(t).Endpoint()})
	if err != nil {
		t.Fatal(err)
	}
	if err := dynamo.Create(t.Context(), dynamodb.NewFromConfig(cloud.Config), schema.Prefix(cloud.Stage)); err != nil {
		t.Fatal(err)
	}
	if _, err := sm.NewFromConfig(cloud.Config).CreateSecret(t.Context(), &sm.CreateSecretInput{
		Name:         aws.String(schema.SecretPrefix(cloud.Stage) + schema.SecretIdentifierKey),
		SecretString: aws.String("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ab"),
	}); err != nil {
		t.Fatal(err)
	}
	o, err := cloud.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo", "nobody"} {
		if err := o.Secrets.Put(t.Context(), secret.CRM(name), "token"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.Policies.Apply(t.Context(), tenant.Example(), "person:test"); err != nil {
		t.Fatal(err)
	}
	told := func() map[Result]string {
		q := &inquiry{&Report{Stage: cloud.Stage}, cloud, nil}
		q.connections(t.Context())
		out := map[Result]string{}
		for _, c := range q.Checks {
			out[c.Result] += c.Found + " -> " + c.Do + "\n"
		}
		return out
	}
	const nobody = "tenant nobody has a token, and its policy names no CRM -> name one by crm.kind in the policy, or take the token away\n"
	if got := told(); got[OK] != "hubspot of tenant demo is available -> \n" || got[Attention] != nobody {
		t.Errorf("up: %v", got)
	}

	since := utc.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	var c ledger.Commit
	err = c.Insert(ledger.Step{
		Key: ledger.CRMConnection.Under("demo", "crm", "hubspot"), Machine: outbox.ConnectionMachine(), Event: outbox.Fail,
		Audit: audit.Record{At: since, By: "crmsync", Reasons: []string{crm.ReasonAuth}},
	}, outbox.Connection{Tenant: "demo", CRM: "hubspot", State: outbox.Down, Transition: 1, Reason: crm.ReasonAuth, Since: since}, outbox.Down)
	if err == nil {
		err = o.Store.Commit(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	const down = "hubspot of tenant demo has not been available since 2026-03-02T09:00:00.000Z: the CRM refused the token" +
		" -> set a token that is good: `onefold secret set -stage doctor crm/demo`; what waits is brought in by itself\n"
	if got := told(); got[Attention] != down+nobody || got[OK] != "" {
		t.Errorf("down: %v", got)
	}
}
