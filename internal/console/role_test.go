package console_test

import (
	"os"
	"testing"

	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// role stands between the use case and its ports, as on AWS.
var role = roles.Of(schema.Console)

func TestMain(m *testing.M) {
	os.Exit(role.Main(m,
		roles.Unused{Action: schema.ConditionCheck, Resource: "events", Why: "the tests of extract's answers use it: a report stops its addresses one by one"},
		roles.Unused{Resource: schema.SecretIdentifierKey, Why: "package app reads it when the function starts"},
		roles.Unused{Resource: schema.SecretConsole, Why: "package app reads it to sign people in"}))
}
