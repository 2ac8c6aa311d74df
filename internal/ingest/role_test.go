package ingest_test

import (
	"os"
	"testing"

	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// role stands between the use case and its ports, as on AWS.
var role = roles.Of(schema.Ingest)

type onEmulator struct{ *testing.M }

func (m onEmulator) Run() int { return localawstest.Main(m.M) }

func TestMain(m *testing.M) {
	os.Exit(role.Main(onEmulator{m},
		roles.Unused{Resource: schema.SecretIdentifierKey, Why: "package app reads it when the function starts"}))
}
