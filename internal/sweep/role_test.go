package sweep_test

import (
	"os"
	"testing"

	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// role stands between the use case and its ports, as on AWS.
var role = roles.Of(schema.Sweep)

func TestMain(m *testing.M) {
	os.Exit(role.Main(m))
}
