package crmsync_test

import (
	"os"
	"testing"

	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// role stands between the use case and its ports, as on AWS.
var role = roles.Of(schema.CRMSync)

func TestMain(m *testing.M) {
	os.Exit(role.Main(m,
		roles.Unused{Action: schema.GetItem, Resource: "ledger", Why: "package app reads the policy for the text of a note"},
		roles.Unused{Resource: schema.SecretCRM, Why: "package app reads it for the account"}))
}
