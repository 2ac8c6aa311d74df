package stage_test

import (
	"errors"
	"os"
	"testing"

	"onefold/internal/app"
	"onefold/internal/blob"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/tenant"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/schema"
	"onefold/internal/secret"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// Real: the SDK, MiniStack's DynamoDB, S3, Secrets Manager and STS. Not shown:
// permissions, keys, other regions.

func connect(t *testing.T, name string) *stage.Cloud {
	t.Helper()
	c, err := stage.Connect(t.Context(), stage.Place{Stage: name, Endpoint: localawstest.ForTest(t).Endpoint()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const someKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ab"

// deploy makes of a stage what commands need.
func deploy(t *testing.T, c *stage.Cloud) {
	t.Helper()
	if err := dynamo.Create(t.Context(), dynamodb.NewFromConfig(c.Config), schema.Prefix(c.Stage)); err != nil {
		t.Fatal(err)
	}
	buckets := s3.NewFromConfig(c.Config, func(o *s3.Options) { o.UsePathStyle = true })
	if _, err := buckets.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(schema.RawBucket(c.Stage, c.Account, c.Region))}); err != nil {
		t.Fatal(err)
	}
	setKey(t, c, someKey)
}

func setKey(t *testing.T, c *stage.Cloud, key string) {
	t.Helper()
	client, name := sm.NewFromConfig(c.Config), aws.String(schema.SecretPrefix(c.Stage)+schema.SecretIdentifierKey)
	if _, err := client.CreateSecret(t.Context(), &sm.CreateSecretInput{Name: name, SecretString: aws.String(key)}); err == nil {
		return
	}
	if _, err := client.PutSecretValue(t.Context(), &sm.PutSecretValueInput{SecretId: name, SecretString: aws.String(key)}); err != nil {
		t.Fatal(err)
	}
}

func TestADeployedStageOpensWithEverythingThatCommandsNeed(t *testing.T) {
	t.Parallel()
	c := connect(t, "opens")
	deploy(t, c)
	o, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.Policies.Apply(t.Context(), tenant.Example(), "person:test")
	if err != nil || p.Tenant != "demo" {
		t.Errorf("apply: %v", err)
	}
	ref := blob.RefOf("demo", "e", []byte("x"))
	if err := o.Blob.Put(t.Context(), ref, []byte("x")); err != nil {
		t.Errorf("put: %v", err)
	}
	if err := o.Secrets.Put(t.Context(), secret.CRM("demo"), "token"); err != nil {
		t.Errorf("secret: %v", err)
	}
	want, err := app.DeriveKey(someKey)
	if err != nil || o.IDs.ID("x") != want.ID("x") {
		t.Errorf("another key than the functions': %v", err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStageUnderAnotherKeyDoesNotOpen(t *testing.T) {
	t.Parallel()
	c := connect(t, "otherkey")
	deploy(t, c)
	o, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// As a function does at its start.
	if err := app.ClaimLedger(t.Context(), o.Store, o.IDs); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context()); err != nil {
		t.Errorf("its own key: %v", err)
	}
	setKey(t, c, someKey+"x")
	if _, err := c.Open(t.Context()); !errors.Is(err, app.ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
}

func TestAStageThatIsNotThereIsToldFromAFault(t *testing.T) {
	t.Parallel()
	if _, err := connect(t, "absent").Open(t.Context()); !errors.Is(err, stage.ErrNotDeployed) {
		t.Errorf("not deployed: %v", err)
	}
	half := connect(t, "half")
	setKey(t, half, someKey)
	if _, err := half.Open(t.Context()); err == nil || errors.Is(err, stage.ErrNotDeployed) {
		t.Errorf("a key without tables: %v", err)
	}
}

func TestCredentialsGoToAWSOrThisMachineOnly(t *testing.T) {
	t.Parallel()
	for _, p := range []stage.Place{
		{Stage: "prod", Endpoint: "https://aws.example"},
		{Stage: "prod", Endpoint: "http://127.0.0.1.example:4566"},
		{Stage: "prod", Endpoint: "127.0.0.1:4566"},
		{Stage: "Prod", Endpoint: "http://127.0.0.1:1"},
		{Stage: "p", Endpoint: "http://127.0.0.1:1"},
		{Stage: "prod/../x", Endpoint: "http://127.0.0.1:1"},
		{Stage: "", Endpoint: "http://127.0.0.1:1"},
	} {
		if _, err := stage.Connect(t.Context(), p); !errors.Is(err, stage.ErrPlace) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

func TestQueriesTellARefusalFromAnAnswer(t *testing.T) {
	t.Parallel()
	c := connect(t, "queries")
	var who struct {
		Account string `xml:"GetCallerIdentityResult>Account"`
	}
	sts := stage.API{Host: "sts", Service: "sts", Version: "2011-06-15"}
	if err := c.Query(t.Context(), sts, c.Region, "GetCallerIdentity", nil, &who); err != nil || who.Account != c.Account {
		t.Errorf("account %q, %v", who.Account, err)
	}
	if err := c.Query(t.Context(), sts, c.Region, "Frobnicate", nil, &who); !stage.RefusedWith(err, "InvalidAction") {
		t.Errorf("no such action: %v", err)
	}
}
