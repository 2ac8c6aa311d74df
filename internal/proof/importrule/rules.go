// Package importrule holds the shape of the module as data and checks that the
// code has it: which package may import which, which may do I/O, and the few
// places that may read the clock or the environment or know AWS.
//
// Its invariant: imports point downward only, and every package belongs to
// exactly one layer. It reads source text, not builds, so it judges the files
// of every platform and works while the code does not compile. It refuses to
// know exceptions for single files: a place is a package.
package importrule

import "strings"

// Rule says what one layer may import. Paths in it are relative to the module.
type Rule struct {
	// Layer is the name used in findings.
	Layer string
	// Packages are the patterns of the packages it governs. Of several rules
	// the first that fits decides.
	Packages []string
	// Imports are the patterns of packages of this module it may import.
	Imports []string
	// Unit counts the leading segments by which packages are one unit: those
	// may import one another. Zero: no package of the layer may, unless Imports
	// says so.
	Unit int
	// Outside are the patterns of other modules' packages it may import.
	Outside []string
	// Refused are the patterns of the standard library it may not import.
	Refused []string
}

// internal makes patterns for packages below internal/.
func internal(names ...string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = "internal/" + name
	}
	return paths
}

// union joins lists into a new one.
func union(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// below adds everything below each path.
func below(paths []string) []string {
	deep := make([]string, len(paths))
	for i, path := range paths {
		deep[i] = strings.TrimSuffix(path, "/**") + "/**"
	}
	return deep
}

func schema() []string { return internal("schema") }

// facts are values and rules without I/O: rows and their states, the policy
// document, what a text says, what a request is.
func facts() []string {
	return below(internal("record", "policy/tenant", "reading/ours", "reading/rawmail", "reading/older", "reading/htmltext", "reading/charsets", "reading/wish", "reading/phrases", "reading/diagnosis", "reading/unattended",
		"webhook", "decide/match",
		"address", "digest", "utc"))
}

// ports are the contracts, and the protocols that several use cases share and
// that need nothing but contracts.
func ports() []string {
	return internal("ledger", "blob", "reading/reader", "reading/reader/prompts", "crm", "mailer", "queue",
		"idempotency", "decide", "decide/content", "decide/kept", "decide/people", "policy/versions", "send/evidence", "secret", "metric", "fetch")
}

func suites() []string {
	return internal("ledger/ledgertest", "blob/blobtest", "operate/eval", "crm/crmtest", "mailer/mailertest",
		"secret/secrettest", "proof/localaws/localawstest", "webhook/webhooktest", "reading/phrases/phrasestest")
}

// fakes stand in for a provider on the wire. The local system runs them too,
// so they know no test.
func fakes() []string {
	return internal("crm/hubspottest", "crm/pipedrivetest", "crm/salesforcetest", "reading/reader/bedrocktest", "mailer/sestest")
}

// adapters of the ports that have a folder of their own.
func adapters() []string {
	return below(internal("ledger/*", "blob/*", "crm/*", "mailer/*", "queue/*", "secret/*", "metric/*", "fetch/*"))
}

// readers are the adapters of the port to the reader.
func readers() []string { return below(internal("reading/reader/*")) }

func useCases() []string {
	return below(internal("ingest", "extract", "crmsync", "send", "feedback", "sweep", "console", "optout"))
}

// operations are the commands of operators that work on ports alone.
func operations() []string {
	return below(internal("operate/explain", "operate/contacts", "operate/rekey", "operate/whatif", "operate/register", "operate/inspect", "operate/intake"))
}

// stages are the parts of operate and proof that open or deploy a whole stage.
func stages() []string { return below(internal("operate/stage", "proof/localdeploy")) }

// effects are the parts of the standard library by which a package would reach
// outside. Not among them: io and io/fs (contracts), log/slog (a type says how
// it is logged), net/url, net/mail and net/textproto (texts).
func effects() []string {
	return []string{
		"os/**", "net", "net/http/**", "net/smtp", "net/rpc/**", "database/**", "log", "log/syslog",
		"io/ioutil", "syscall/**", "plugin", "unsafe", "testing/**", "flag", "expvar",
	}
}

// randomness is refused where the same input must give the same answer.
func randomness() []string { return []string{"crypto/rand", "math/rand/**"} }

// texts are the libraries that turn texts into texts.
func texts() []string {
	return []string{
		"golang.org/x/net/idna", "golang.org/x/net/html/**", "golang.org/x/net/publicsuffix",
		"golang.org/x/text/**", "github.com/nyaruka/phonenumbers", "github.com/jhillyerd/enmime/v2/**",
		"github.com/inbucket/html2text/**", "github.com/santhosh-tekuri/jsonschema/v6/**",
		"github.com/standard-webhooks/standard-webhooks/libraries/**",
	}
}

// Rules is the shape, from the bottom up. A package that no rule governs is a
// finding, so a new package begins with a line here.
func Rules() []Rule {
	anything := []string{"**"}
	core := union(schema(), facts(), ports())
	return []Rule{
		{
			Layer: "schema", Packages: schema(),
			Refused: union(effects(), randomness()),
		},
		{
			// Before the layers in whose folders they stand.
			Layer: "conformance suite", Packages: suites(), Imports: union(core, internal("mailer/sestest", "proof/localaws")),
			Outside: union(texts(), []string{"pgregory.net/rapid/**", "github.com/anishathalye/porcupine"}),
		},
		{
			Layer: "facts", Packages: facts(), Imports: union(schema(), facts()),
			Outside: texts(), Refused: union(effects(), randomness()),
		},
		{
			Layer: "port", Packages: ports(), Imports: core,
			Outside: texts(), Refused: effects(),
		},
		{
			Layer: "wire fake", Packages: fakes(), Imports: core,
			Outside: texts(), Refused: []string{"testing/**", "net/http/httptest"},
		},
		{
			Layer: "adapter", Packages: adapters(), Imports: union(core, internal("crm/onecall")), Unit: 3,
			Outside: anything, Refused: []string{"testing/**"},
		},
		{
			Layer: "adapter", Packages: readers(), Imports: core, Unit: 4,
			Outside: anything, Refused: []string{"testing/**"},
		},
		{
			Layer: "use case", Packages: useCases(), Imports: core, Unit: 2,
			Outside: union(texts(), []string{"github.com/coreos/go-oidc/**", "golang.org/x/oauth2/**"}),
			Refused: []string{"os/**", "testing/**"},
		},
		{
			Layer: "operation", Packages: operations(), Imports: core, Unit: 3,
			Outside: texts(), Refused: []string{"os/**", "testing/**"},
		},
		{
			// Whole-ledger check: a fact about all facts.
			Layer: "invariant", Packages: below(internal("operate/verify")), Imports: core, Unit: 3,
			Outside: texts(), Refused: effects(),
		},
		{
			// What the product would say of a mailbox: all of it is decided by
			// facts and ports, on a ledger that is thrown away.
			Layer: "inbox audit", Packages: below(internal("operate/mailbox")), Imports: core, Unit: 3,
			Outside: texts(), Refused: union(effects(), randomness()),
		},
		{
			// The emulator is a thing of its own: it knows nothing of Onefold.
			Layer: "emulator", Packages: internal("proof/localaws"), Outside: anything,
		},
		{
			// Bytes in and bytes out: it knows AWS's wire and nothing else.
			Layer: "fault proxy", Packages: internal("proof/faultproxy"), Refused: []string{"testing/**", "net/http/httptest"},
		},
		{
			// A real CRM on this machine: it knows nothing of Onefold.
			Layer: "real CRM", Packages: internal("proof/localcrm"), Refused: []string{"testing/**", "net/http/httptest"},
		},
		{
			// The adapter to it, which no composition offers.
			Layer: "adapter of the real CRM", Packages: internal("proof/bottlecrm"), Imports: union(core, internal("crm/onecall")), Unit: 3, Refused: []string{"os/**", "testing/**"},
		},
		{
			// Lambda's reading of streams, by AWS's documented rules.
			Layer: "stream reader", Packages: internal("proof/streamreader"), Imports: schema(), Unit: 3, Refused: []string{"testing/**"},
		},
		{
			// What a role allows, before the ports that a use case's tests give it.
			Layer: "roles", Packages: internal("proof/roles"), Imports: core, Refused: []string{"testing/**"},
		},
		{
			Layer: "composition", Packages: below(internal("app", "lambdaio")),
			Imports: union(core, adapters(), readers(), useCases(), below(internal("app", "lambdaio"))),
			Outside: anything, Refused: []string{"testing/**"},
		},
		{
			// A whole stage: opened by an operator, or deployed on this machine.
			Layer: "stage", Packages: stages(),
			Imports: union(core, adapters(), readers(), useCases(), operations(), fakes(), stages(), []string{"events"},
				below(internal("app", "lambdaio", "operate/verify")), internal("proof/localaws", "proof/faultproxy")),
			Outside: anything, Refused: []string{"testing/**"},
		},
		{
			// The whole system in one process, with fakes of what is outside.
			Layer: "local system", Packages: below(internal("local")),
			Imports: union(core, adapters(), readers(), useCases(), operations(), fakes(), stages(), []string{"events"},
				below(internal("app", "lambdaio", "local", "operate/verify")), internal("proof/localaws")),
			Outside: anything, Refused: []string{"testing/**"},
		},
		{
			Layer: "guard of the code", Packages: internal("proof/importrule", "proof/mutation"), Unit: 3,
		},
		{
			Layer: "scenario", Packages: below(internal("proof/scenario")), Imports: []string{"internal/**"},
			Outside: anything,
		},
		{
			// Adapters are chosen by composition, never by the command line.
			Layer: "command line", Packages: below(internal("cmd/onefold")),
			Imports: union(core, useCases(), below(internal("app", "local", "operate", "proof/scenario")),
				internal("proof/localaws"), []string{"events"}),
			Unit: 3, Outside: anything, Refused: []string{"testing/**"},
		},
		{
			Layer: "local deployment", Packages: internal("cmd/deploylocal"),
			Imports: union(core, below(internal("app", "proof/localdeploy"))), Unit: 3, Refused: []string{"testing/**"},
		},
		{
			Layer: "samples", Packages: []string{"events/**"}, Imports: union(schema(), facts()), Unit: 1,
			Refused: []string{"testing/**", "net", "net/http/**"},
		},
		{
			Layer: "function", Packages: []string{"functions/*"},
			Imports: union(schema(), useCases(), below(internal("app", "lambdaio"))),
			Outside: []string{"github.com/aws/aws-lambda-go/**"},
			Refused: []string{"testing/**"},
		},
		{
			Layer: "infra", Packages: []string{"infra/**"}, Imports: schema(), Unit: 1, Outside: anything,
		},
	}
}
