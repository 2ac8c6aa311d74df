package bedrock_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/bedrock"
	"onefold/internal/reading/reader/bedrocktest"
)

const model = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"

// Real: adapter, SDK, HTTP. Fake: the service, on loopback.
func serve(t *testing.T, reply func(n int, r bedrocktest.Request) bedrocktest.Reply, change func(*bedrock.Config)) (*bedrock.Reader, *bedrocktest.Server) {
	t.Helper()
	fake := &bedrocktest.Server{Reply: reply}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	cfg := config(server.URL)
	if change != nil {
		change(&cfg)
	}
	r, err := bedrock.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, fake
}

func config(endpoint string) bedrock.Config {
	return bedrock.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "not-a-secret", ""),
		Now: time.Now, Model: model, Output: bedrock.Schema, InputUSD: 1.10, OutputUSD: 5.50, Endpoint: endpoint,
	}
}

func always(r bedrocktest.Reply) func(int, bedrocktest.Request) bedrocktest.Reply {
	return func(int, bedrocktest.Request) bedrocktest.Reply { return r }
}

// outputs are both ways in which a model gives its answer.
func outputs() []bedrock.Output { return []bedrock.Output{bedrock.Schema, bedrock.Tool} }

func by(o bedrock.Output) func(*bedrock.Config) {
	return func(c *bedrock.Config) { c.Output = o }
}

func enquiry() reader.Source {
	return reader.Source{
		Kind: "mail", FromName: "Ada King", FromAddress: "ada@example.org", ReplyTo: "office@example.net", Subject: "Huts in May",
		Visible: "Hello, what is the price for six of us?", Signature: "Ada King\nExample Tools Ltd\n+44 20 7946 0958",
		Quoted: "On Monday we wrote: come along.", Attachments: []string{"plan of the hut.pdf"},
	}
}
