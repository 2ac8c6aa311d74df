package importrule_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"onefold/internal/proof/importrule"
)

// faults runs the real rules on one invented file.
func faults(t *testing.T, file, text string) []string {
	t.Helper()
	packages, err := importrule.Load(fstest.MapFS{file: {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return importrule.Check("onefold", packages, importrule.Rules(), importrule.Places())
}

// importing is a file of a package that imports the given path.
func importing(path string) string { return "package p\n\nimport _ \"" + path + "\"\n" }

// Each line is one import. The layer is the rule that must decide it.
func TestEachLayerRefusesWhatIsNotBelowIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		layer, from, path string
		ok                bool
	}{
		{"schema", "internal/schema", "onefold/internal/utc", false},
		{"schema", "internal/schema", "os", false},
		{"schema", "internal/schema", "strings", true},

		{"facts", "internal/address", "onefold/internal/utc", true},
		{"facts", "internal/address", "onefold/internal/schema", true},
		{"facts", "internal/address", "onefold/internal/ledger", false},
		{"facts", "internal/reading/wish/words", "onefold/internal/reading/wish", true},
		{"facts", "internal/address", "golang.org/x/net/idna", true},
		{"facts", "internal/address", "golang.org/x/net/http2", false},
		{"facts", "internal/reading/rawmail", "net/mail", true},
		{"facts", "internal/reading/rawmail", "net/textproto", true},
		{"facts", "internal/reading/rawmail", "net/url", true},
		{"facts", "internal/reading/rawmail", "net", false},
		{"facts", "internal/reading/rawmail", "net/http", false},
		{"facts", "internal/reading/rawmail", "os", false},
		{"facts", "internal/reading/rawmail", "os/exec", false},
		{"facts", "internal/reading/rawmail", "database/sql", false},
		{"facts", "internal/record/followup", "crypto/rand", false},
		{"facts", "internal/record/followup", "math/rand/v2", false},

		{"port", "internal/ledger", "onefold/internal/record/audit", true},
		{"port", "internal/decide", "onefold/internal/ledger", true},
		{"port", "internal/idempotency", "crypto/rand", true},
		{"port", "internal/ledger", "net/http", false},
		{"port", "internal/ledger", "onefold/internal/ledger/mem", false},
		{"port", "internal/mailer", "onefold/internal/send", false},

		{"conformance suite", "internal/ledger/ledgertest", "onefold/internal/ledger", true},
		{"conformance suite", "internal/ledger/ledgertest", "testing", true},
		{"conformance suite", "internal/ledger/ledgertest", "pgregory.net/rapid", true},
		{"conformance suite", "internal/ledger/ledgertest", "onefold/internal/ledger/mem", false},

		{"conformance suite", "internal/webhook/webhooktest", "testing", true},
		{"facts", "internal/webhook/signed", "onefold/internal/webhook", true},
		{"facts", "internal/webhook/signed", "testing", false},

		{"conformance suite", "internal/crm/crmtest", "onefold/internal/crm/hubspottest", false},
		{"conformance suite", "internal/mailer/mailertest", "onefold/internal/mailer/sestest", true}, // SES's wire is what it is the suite of

		{"wire fake", "internal/crm/hubspottest", "net/http", true},
		{"wire fake", "internal/crm/hubspottest", "testing", false},
		{"wire fake", "internal/mailer/sestest", "onefold/internal/mailer/ses", false},
		{"wire fake", "internal/reading/reader/bedrocktest", "net/http", true},
		{"wire fake", "internal/reading/reader/bedrocktest", "net/http/httptest", false},
		{"wire fake", "internal/reading/reader/bedrocktest", "onefold/internal/reading/reader/bedrock", false},

		{"samples", "events", "onefold/internal/webhook", true},
		{"samples", "events", "onefold/internal/local", false},

		{"adapter", "internal/ledger/dynamo", "onefold/internal/ledger", true},
		{"adapter", "internal/ledger/dynamo", "github.com/aws/aws-sdk-go-v2/service/dynamodb", true},
		{"adapter", "internal/ledger/dynamo", "onefold/internal/ledger/mem", false},
		{"adapter", "internal/mailer/ses", "onefold/internal/crm/hubspot", false},
		{"adapter", "internal/crm/hubspot", "onefold/internal/crm/hubspot/wire", true},
		{"adapter", "internal/crm/hubspot", "onefold/internal/crmsync", false},
		{"adapter", "internal/blob/dir", "os", true},
		{"adapter", "internal/fetch/resend", "onefold/internal/fetch", true},
		{"adapter", "internal/fetch/resend", "onefold/internal/ingest", false},
		{"adapter", "internal/ledger/mem", "testing", false},

		{"use case", "internal/send", "onefold/internal/mailer", true},
		{"use case", "internal/send", "onefold/internal/mailer/ses", false},
		{"use case", "internal/send", "onefold/internal/feedback", false},
		{"operation", "internal/operate/whatif", "onefold/internal/extract", false},
		{"use case", "internal/console", "onefold/internal/console/page", true},
		{"use case", "internal/console", "net/http", true},
		{"use case", "internal/send", "os", false},
		{"use case", "internal/send", "github.com/aws/aws-sdk-go-v2/service/sesv2", false},

		{"invariant", "internal/operate/verify", "onefold/internal/ledger", true},
		{"invariant", "internal/operate/verify", "onefold/internal/ledger/bolt", false},

		{"inbox audit", "internal/operate/mailbox", "onefold/internal/decide", true},
		{"inbox audit", "internal/operate/mailbox", "onefold/internal/operate/mailbox/mbox", true},
		{"inbox audit", "internal/operate/mailbox", "onefold/internal/reading/reader/rules", false},
		{"inbox audit", "internal/operate/mailbox/mbox", "os", false},
		{"inbox audit", "internal/operate/mailbox/report", "net/http", false},
		{"command line", "internal/cmd/onefold", "onefold/internal/operate/mailbox/report", true},
		{"command line", "internal/cmd/onefold", "onefold/internal/operate/eval", true},

		{"emulator", "internal/proof/localaws", "github.com/aws/aws-sdk-go-v2/aws", true},
		{"emulator", "internal/proof/localaws", "onefold/internal/schema", false},

		{"roles", "internal/proof/roles", "onefold/internal/ledger", true},
		{"roles", "internal/proof/roles", "onefold/internal/crmsync", false},

		{"real CRM", "internal/proof/localcrm", "net/http", true},
		{"real CRM", "internal/proof/localcrm", "onefold/internal/crm", false},
		{"adapter of the real CRM", "internal/proof/bottlecrm", "onefold/internal/crm", true},
		{"adapter of the real CRM", "internal/proof/bottlecrm", "onefold/internal/crm/hubspot", false},
		{"fault proxy", "internal/proof/faultproxy", "net/http", true},
		{"fault proxy", "internal/proof/faultproxy", "onefold/internal/ledger", false},
		{"fault proxy", "internal/proof/faultproxy", "github.com/aws/aws-sdk-go-v2/aws", false},

		{"composition", "internal/app", "onefold/internal/ledger/dynamo", true},
		{"composition", "internal/app", "onefold/internal/send", true},
		{"composition", "internal/app", "onefold/internal/operate/stage", false},
		{"local system", "internal/local", "onefold/internal/app", true},
		{"local system", "internal/local", "onefold/internal/cmd/onefold", false},
		{"composition", "internal/app", "onefold/internal/cmd/onefold", false},
		{"composition", "internal/lambdaio", "onefold/internal/proof/importrule", false},

		{"guard of the code", "internal/proof/importrule", "onefold/internal/schema", false},
		{"guard of the code", "internal/proof/mutation", "onefold/internal/proof/importrule", false},
		{"guard of the code", "internal/proof/mutation", "os/exec", true},
		{"guard of the code", "internal/proof/importrule", "golang.org/x/text/width", false},

		{"scenario", "internal/proof/scenario", "onefold/internal/ledger/mem", true},
		{"scenario", "internal/proof/scenario", "onefold/infra", false},

		{"stream reader", "internal/proof/streamreader", "onefold/internal/schema", true},
		{"stream reader", "internal/proof/streamreader", "onefold/internal/ledger", false},
		{"stage", "internal/operate/stage", "onefold/internal/app", true},
		{"stage", "internal/operate/stage", "onefold/internal/local", false},
		{"stage", "internal/proof/localdeploy", "onefold/internal/mailer/sestest", true},
		{"local deployment", "internal/cmd/deploylocal", "onefold/internal/proof/localdeploy", true},
		{"local deployment", "internal/cmd/deploylocal", "onefold/internal/ledger/dynamo", false},
		{"command line", "internal/cmd/onefold", "onefold/internal/local", true},
		{"command line", "internal/cmd/onefold", "onefold/internal/operate/explain", true},
		{"command line", "internal/cmd/onefold", "onefold/internal/ledger/bolt", false},

		{"function", "functions/send", "onefold/internal/app", true},
		{"function", "functions/send", "github.com/aws/aws-lambda-go/lambda", true},
		{"function", "functions/send", "onefold/internal/mailer/ses", false},
		{"function", "functions/send", "onefold/functions/sweep", false},

		{"infra", "infra", "onefold/internal/schema", true},
		{"infra", "infra", "github.com/aws/aws-cdk-go/awscdk/v2", true},
		{"infra", "infra", "onefold/internal/app", false},
		{"infra", "infra", "onefold/functions/send", false},
	}
	refusals := map[string]int{}
	for _, test := range tests {
		got := faults(t, test.from+"/p.go", importing(test.path))
		if test.ok && len(got) != 0 {
			t.Errorf("%s may import %s, but: %v", test.from, test.path, got)
		}
		if test.ok {
			continue
		}
		refusals[test.layer]++
		if !strings.Contains(strings.Join(got, "\n"), "layer "+test.layer) {
			t.Errorf("%s may not import %s by the rule of layer %s, found %v", test.from, test.path, test.layer, got)
		}
	}
	for _, rule := range importrule.Rules() {
		if refusals[rule.Layer] == 0 {
			t.Errorf("no line shows that layer %s refuses anything", rule.Layer)
		}
	}
}

func TestNobodyImportsTheTopInTestsEither(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"onefold/infra", "onefold/functions/send"} {
		if got := faults(t, "internal/app/p_test.go", importing(path)); len(got) != 1 {
			t.Errorf("a test imports %s: found %v, want one fault", path, got)
		}
	}
	if got := faults(t, "internal/app/p_test.go", importing("onefold/internal/proof/importrule")); len(got) != 0 {
		t.Errorf("tests are free below the top, found %v", got)
	}
	if got := faults(t, "infra/p_test.go", importing("onefold/infra")); len(got) != 0 {
		t.Errorf("the external test of infra imports infra, found %v", got)
	}
}

func TestAPackageWithoutARuleIsAFault(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", "pkg/x", "internal/helpers", "internal/cmd/other", "functions", "functions/send/deep"} {
		file := strings.TrimPrefix(dir+"/p.go", "/")
		got := faults(t, file, "package p\n")
		if len(got) != 1 || !strings.Contains(got[0], "no rule governs") {
			t.Errorf("package %q: found %v, want that no rule governs it", dir, got)
		}
	}
}
