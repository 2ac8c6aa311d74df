package localdeploy

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"onefold/internal/proof/roles"
)

// The requests are those of the API references: SigV4 Authorization header,
// X-Amz-Target of the JSON protocols, paths of S3's path style.
func TestARequestIsTheActionsThatIAMAsksFor(t *testing.T) {
	t.Parallel()
	const function = "aws-sdk-go-v2/1.48.0 ua/2.1 os/linux app/extract"
	for name, c := range map[string]struct {
		method, path, service, target, body string
		want                                []Call
	}{
		"one item": {"POST", "/", "dynamodb", "DynamoDB_20120810.GetItem", `{"TableName":"t"}`,
			[]Call{{"extract", "dynamodb:GetItem", "table/t"}}},
		"an index": {"POST", "/", "dynamodb", "DynamoDB_20120810.Query", `{"TableName":"t","IndexName":"by_due"}`,
			[]Call{{"extract", "dynamodb:Query", "table/t/index/by_due"}}},
		"a transaction is its items": {"POST", "/", "dynamodb", "DynamoDB_20120810.TransactWriteItems",
			`{"TransactItems":[{"Put":{"TableName":"a","Item":{"pk":{"S":"x"}}}},{"Update":{"TableName":"b"}},{"ConditionCheck":{"TableName":"c"}}]}`,
			[]Call{{"extract", "dynamodb:PutItem", "table/a"}, {"extract", "dynamodb:UpdateItem", "table/b"}, {"extract", "dynamodb:ConditionCheckItem", "table/c"}}},
		"a batch is its tables": {"POST", "/", "dynamodb", "DynamoDB_20120810.BatchGetItem", `{"RequestItems":{"t":{"Keys":[]}}}`,
			[]Call{{"extract", "dynamodb:BatchGetItem", "table/t"}}},
		"an object, without the rest of its key": {"GET", "/bucket/demo/secret-word", "s3", "", "",
			[]Call{{"extract", "s3:GetObject", "bucket/demo/*"}}},
		"a put object": {"PUT", "/bucket/demo/x?x-id=PutObject", "s3", "", "",
			[]Call{{"extract", "s3:PutObject", "bucket/demo/*"}}},
		"a secret": {"POST", "/", "secretsmanager", "secretsmanager.GetSecretValue", `{"SecretId":"onefold/local/crm/demo"}`,
			[]Call{{"extract", "secretsmanager:GetSecretValue", "onefold/local/crm/demo"}}},
		"a mail": {"POST", "/v2/email/outbound-emails", "ses", "", `{"FromEmailAddress":"\"A\" <a@demo.example>","ConfigurationSetName":"s"}`,
			[]Call{{"extract", "ses:SendEmail", "identity/demo.example"}, {"extract", "ses:SendEmail", "configuration-set/s"}}},
		"what is not known is no action": {"POST", "/", "rekognition", "X.Y", "", []Call{{"extract", "rekognition:?", "POST Y"}}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("User-Agent", function)
		r.Header.Set("X-Amz-Target", c.target)
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260115/us-east-1/"+c.service+"/aws4_request, SignedHeaders=host, Signature=0")
		if got := callsOf(r, []byte(c.body)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestGrantsAreReadFromEveryFormOfAPolicy(t *testing.T) {
	t.Parallel()
	got, err := grantsIn("send", []byte(`{"Statement":[
		{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"arn:aws:dynamodb:us-east-1:000000000000:table/t"},
		{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::b/*"],"Condition":{"StringEquals":{"a":"b"}}},
		{"Effect":"Deny","Action":"s3:*","Resource":"*"}]}`))
	want := []roles.Grant{
		{Function: "send", Action: "dynamodb:GetItem", Resource: "table/t"},
		{Function: "send", Action: "s3:GetObject", Resource: "b/*", Conditional: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	single, err := grantsIn("send", []byte(`{"Statement":{"Effect":"Allow","Action":"s3:GetObject","Resource":"*"}}`))
	if err != nil || len(single) != 1 || single[0].Resource != "*" {
		t.Errorf("a single statement: %v, %v", single, err)
	}
}

func TestFaultsOfTheCDKAreShownWithoutWhatWentWell(t *testing.T) {
	t.Parallel()
	got := faults(`onefold-local | 1/2 | 6:49:32 PM | CREATE_COMPLETE         | AWS::SNS::Topic | AlarmTopic
onefold-local | 2/2 | 6:49:32 PM | CREATE_FAILED           | AWS::CloudWatch::Alarm | X metric math is not supported
onefold-local | 1/2 | 6:49:32 PM | DELETE_SKIPPED          | AWS::KMS::Key | Key
`)
	if !strings.Contains(got, "metric math") || strings.Contains(got, "AlarmTopic") || strings.Contains(got, "KMS") {
		t.Errorf("shown is %q, want the failed resource alone", got)
	}
}

// The gate passes what is signed unchanged, says that TLS was used, records
// functions alone, and springs a trap once.
func TestGateRecordsFunctionsAndPassesEverything(t *testing.T) {
	t.Parallel()
	hosts := make(chan string, 10)
	emulator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts <- r.Host + " " + r.Header.Get("X-Forwarded-Proto")
		if strings.Contains(r.Header.Get("X-Amz-Target"), "DeleteItem") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"__type":"AccessDeniedException"}`))
		}
	}))
	t.Cleanup(emulator.Close)
	g, err := openGate()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	if err := g.lead(emulator.URL); err != nil {
		t.Fatal(err)
	}
	sprung := 0
	g.set("send", "dynamodb:PutItem", func() { sprung++ })
	for _, c := range []struct{ agent, operation string }{{"app/send", "PutItem"}, {"app/send", "PutItem"}, {"curl", "PutItem"}, {"app/send", "DeleteItem"}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url, strings.NewReader(`{"TableName":"t"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "signed.host"
		req.Header.Set("User-Agent", c.agent)
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+c.operation)
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=A/20260115/us-east-1/dynamodb/aws4_request")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := <-hosts; got != "signed.host https" {
			t.Errorf("the emulator saw %q, want the host that was signed, and TLS", got)
		}
	}
	want := map[recorded]int{
		{Call{"send", "dynamodb:PutItem", "table/t"}, false}:   2,
		{Call{"send", "dynamodb:DeleteItem", "table/t"}, true}: 1,
	}
	if got := g.recorded(); !maps.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	if sprung != 1 {
		t.Errorf("the trap was sprung %d times, want once", sprung)
	}
}

// A host beyond this machine is not reached, and that it was asked for is
// noted.
func TestGateReachesNothingBeyondThisMachine(t *testing.T) {
	t.Parallel()
	g, err := openGate()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	rec := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodConnect, "//issuer.example:443", http.NoBody)
	r.Host = "issuer.example:443"
	g.ServeHTTP(rec, r)
	if rec.Code != http.StatusForbidden || g.outside["issuer.example:443"] != 1 {
		t.Errorf("answered %d and noted %v, want 403 and the host", rec.Code, g.outside)
	}
}
