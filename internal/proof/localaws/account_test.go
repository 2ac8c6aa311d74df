package localaws_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"onefold/internal/proof/localaws/localawstest"
)

func TestAccountsSeeNothingOfOneAnother(t *testing.T) {
	t.Parallel()
	newTable(t) // in an account of its own
	stack := localawstest.ForTest(t)
	other := dynamodb.NewFromConfig(stack.Config(stack.NewAccount()))
	out, err := other.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.TableNames) != 0 {
		t.Errorf("a fresh account lists %v, want no tables", out.TableNames)
	}
}
