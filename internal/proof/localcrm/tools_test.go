package localcrm_test

import (
	"context"
	"strings"
	"testing"

	"onefold/internal/proof/localcrm"
)

// On a machine that has everything else, the CRM itself is what is missing.
func TestAStartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := localcrm.Start(context.Background(), localcrm.Options{Root: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "the CRM is not installed: run `make test-crm`") {
		t.Errorf("got %v", err)
	}
}
