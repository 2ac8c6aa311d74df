package extract_test

import (
	"os"
	"testing"

	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// Roles stand between the use case and its ports, as on AWS. Answers and
// previews are given in the console's function.
var (
	role        = roles.Of(schema.Extract)
	consoleRole = roles.Of(schema.Console)
)

type inConsole struct{ *testing.M }

func (m inConsole) Run() int {
	const pages = "the tests of package console use it"
	return consoleRole.Main(m.M,
		roles.Unused{Action: schema.BatchGetItem, Resource: "events", Why: pages},
		roles.Unused{Action: schema.GetItem, Resource: "ledger", Why: pages},
		roles.Unused{Action: schema.GetItem, Resource: "audit", Why: pages},
		roles.Unused{Resource: schema.ByOpenReview, Why: pages},
		roles.Unused{Resource: schema.SecretIdentifierKey, Why: "package app reads it when the function starts"},
		roles.Unused{Resource: schema.SecretConsole, Why: "package app reads it to sign people in"})
}

func TestMain(m *testing.M) {
	os.Exit(role.Main(inConsole{m},
		roles.Unused{Resource: schema.SecretIdentifierKey, Why: "package app reads it when the function starts"}))
}
