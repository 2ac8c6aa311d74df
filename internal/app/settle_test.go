package app_test

import (
	"testing"
	"time"

	"onefold/internal/app"
	"onefold/internal/schema"
)

// A function that read the policy before just before it changed remembers it for
// ten seconds (the runbook says so) and may then run for as long as Lambda lets
// it.
func TestAPolicySettlesWhenTheSlowestFunctionCanNoLongerKnowTheOneBefore(t *testing.T) {
	t.Parallel()
	for _, r := range schema.Functions() {
		if app.PolicySettles() < 10*time.Second+r.Timeout+time.Minute {
			t.Errorf("%s may still work under the policy before after %s", r.Function, app.PolicySettles())
		}
	}
	if app.PolicySettles() > 5*time.Minute {
		t.Errorf("an operator waits %s", app.PolicySettles())
	}
}
