package localdeploy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/ledger/mem"
	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// What use cases' own tests are refused by is what the adapter asks of DynamoDB
// on the wire. Nobody's role refuses everything, and so tells every call.
func TestARoleInTestsJudgesWhatTheAdapterAsks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, c := range callsOf(r, body) {
			asked = append(asked, fmt.Sprintf("%s on %s", c.Action, c.Resource))
		}
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(web.Close)
	wire := dynamo.New(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(web.URL), Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "not-a-secret", ""),
	}), dynamo.Options{})

	event, contact := ledger.Event.At("a", "e"), ledger.Contact.At("a", "c")
	commit := func(build func(*ledger.Commit) error) func(ledger.Store) error {
		return func(s ledger.Store) error {
			var c ledger.Commit
			if err := build(&c); err != nil {
				return err
			}
			return s.Commit(t.Context(), c)
		}
	}
	for name, do := range map[string]func(ledger.Store) error{
		"get":      func(s ledger.Store) error { _, err := s.Get(t.Context(), event); return err },
		"get many": func(s ledger.Store) error { _, err := s.GetMany(t.Context(), []ledger.Key{contact}); return err },
		"list": func(s ledger.Store) error {
			_, err := s.List(t.Context(), ledger.Extraction.At("a", "e"), "", 1)
			return err
		},
		"query": func(s ledger.Store) error {
			_, err := s.Query(t.Context(), ledger.Query{Table: schema.Outbox, Index: schema.ByWaitsFor, Partition: "p", Limit: 1})
			return err
		},
		"scan": func(s ledger.Store) error {
			_, err := s.Scan(t.Context(), ledger.Scan{Table: schema.Audit, Segments: 1, Limit: 1})
			return err
		},
		"create": commit(func(c *ledger.Commit) error { return c.Create("row", contact, ledger.Item{"x": "y"}) }),
		"update": commit(func(c *ledger.Commit) error { return c.Update("row", event, ledger.Cond{}, ledger.Item{"x": "y"}) }),
		"check":  commit(func(c *ledger.Commit) error { c.Check("row", contact, ledger.Missing()); return nil }),
	} {
		asked = nil
		if err := do(wire); err != nil {
			t.Errorf("%s on the wire: %v", name, err)
		}
		role := roles.Of("nobody")
		_ = do(role.Store(mem.New())) // refused
		var want []string
		for _, call := range asked {
			want = append(want, fmt.Sprintf("nobody: %s was called, and its role has no such grant", call))
		}
		if got := role.Faults(false); len(want) != 1 || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
