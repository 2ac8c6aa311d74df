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
		roles.Unused{Resource: schema.SecretIdentifierKey, Why: "package app reads it at the start"},
		roles.Unused{Resource: schema.SecretCRM, Why: "package app reads it for the account"}))
}
