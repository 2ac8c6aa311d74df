package ingest_test

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onefold/internal/blob/s3"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/proof/localaws/localawstest"

	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// What a delivery may cost once its policy is remembered: a new one two
// requests to the ledger and one of content, a duplicate two in all.
func TestDeliveriesCostFewCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	b.answers(form("warm", enquiry), 200, "recorded")
	for _, c := range []struct {
		r      ingest.Request
		answer string
		calls  []string
	}{
		{form("msg_1", enquiry), "recorded", []string{"get event", "put", "commit"}},
		{form("msg_1", enquiry), "duplicate", []string{"get event", "commit"}},
		{mailTo("a@example.net", "help@demo.example", "x"), "recorded", []string{"get event", "put", "commit"}},
		{mailTo("a@example.net", "help@demo.example", "x"), "duplicate", []string{"get event", "commit"}},
	} {
		b.store.reset(nil, nil)
		b.answers(c.r, 200, c.answer)
		if got := b.store.seen(); !slices.Equal(got, c.calls) {
			t.Errorf("%s: calls %v, want %v", c.answer, got, c.calls)
		}
	}
	// A stranger costs nothing.
	b.store.reset(nil, nil)
	stranger := form("msg_2", enquiry)
	stranger.Headers["webhook-signature"] = "v1,AAAA"
	b.answers(stranger, 401, "")
	if got := b.store.seen(); len(got) != 0 {
		t.Errorf("a stranger made the calls %v", got)
	}
}

// wire counts the HTTP requests that leave for AWS.
type wire struct {
	aws.HTTPClient
	mu   sync.Mutex
	sent []string
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	what := r.Header.Get("X-Amz-Target")
	if what == "" {
		what = "S3." + r.Method
	}
	w.mu.Lock()
	w.sent = append(w.sent, what[strings.LastIndexByte(what, '.')+1:])
	w.mu.Unlock()
	return w.HTTPClient.Do(r)
}

// take gives the requests since it was last asked.
func (w *wire) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := w.sent
	w.sent = nil
	return sent
}

// Real: the service, both adapters, the SDK, HTTP. Emulated: DynamoDB and S3,
// by MiniStack. Asserted: how many requests leave, the answers, what is stored.
func TestDeliveriesCostFewRequestsOnAWS(t *testing.T) {
	t.Parallel()
	b, sent := onAWS(t)
	b.answers(form("warm", enquiry), 200, "recorded")
	recorded := []string{"GetItem", "PUT", "TransactWriteItems"}
	duplicate := []string{"GetItem", "TransactWriteItems"}
	mail := mailTo("a@example.net", "help@demo.example", "x")
	sent.take()
	for i, c := range []struct {
		r      ingest.Request
		status int
		answer string
		want   []string
	}{
		{form("msg_1", enquiry), 200, "recorded", recorded},
		{form("msg_1", enquiry), 200, "duplicate", duplicate},
		{mail, 200, "recorded", recorded},
		{mail, 200, "duplicate", duplicate},
		{form("msg_1", `{"other":1}`), 409, "conflict", recorded},
		{form("msg_1", enquiry), 200, "duplicate", duplicate},
	} {
		b.answers(c.r, c.status, c.answer)
		if got := sent.take(); !slices.Equal(got, c.want) {
			t.Errorf("delivery %d, %s: requests %v, want %v", i+1, c.answer, got, c.want)
		}
	}
	b.counts(3, 7, 1)
}

// onAWS is a bench whose service works on the adapters of AWS.
func onAWS(t *testing.T) (*bench, *wire) {
	t.Helper()
	stack := localawstest.ForTest(t)
	account := stack.NewAccount()
	cfg := stack.Config(account)
	sent := &wire{HTTPClient: awshttp.NewBuildableClient()}
	cfg.HTTPClient = sent
	tables := dynamodb.NewFromConfig(cfg)
	objects := awss3.NewFromConfig(cfg, func(o *awss3.Options) { o.UsePathStyle = true })
	bucket := "raw-" + account
	if err := dynamo.Create(t.Context(), tables, "onefold-"); err != nil {
		t.Fatal(err)
	}
	if _, err := objects.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	store := dynamo.New(tables, dynamo.Options{Prefix: "onefold-"})
	b := newBench(t, store)
	b.service.Blob = s3.New(objects, bucket)
	return b, sent
}

// TestDeliveriesAtOnceOnAWS: of the same delivery to several functions at once
// one is recorded. MiniStack serialises, so this shows what the adapters make
// of a refusal, not contention.
func TestDeliveriesAtOnceOnAWS(t *testing.T) {
	t.Parallel()
	b, _ := onAWS(t)
	b.answers(form("warm", enquiry), 200, "recorded")
	var over sync.WaitGroup
	answers := make([]ingest.Response, 8)
	for i := range answers {
		over.Go(func() { answers[i] = b.deliver(form("msg_1", enquiry)) })
	}
	over.Wait()
	recorded := 0
	for _, a := range answers {
		if a.Answer == "recorded" {
			recorded++
		}
		if a.Status != 200 {
			t.Errorf("answered %+v", a)
		}
	}
	if recorded != 1 {
		t.Errorf("%d answers of recorded, want 1", recorded)
	}
	b.counts(2, 1+len(answers), 0)
	if at := b.of(ledger.Event)[0].Text("received_at"); !strings.HasPrefix(at, strconv.Itoa(start.Year())) {
		t.Errorf("received at %q", at)
	}
}
