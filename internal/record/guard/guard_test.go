package guard_test

import (
	"testing"

	"onefold/internal/record/guard"
)

func TestWhatBlocksAScope(t *testing.T) {
	t.Parallel()
	const at = "2026-03-02T09:00:00.000Z"
	for name, c := range map[string]struct {
		attrs map[string]any
		want  string
	}{
		"no guard":              {nil, ""},
		"clear guard":           {map[string]any{"bounces": int64(3), "erased_at": at}, ""},
		"stop of all":           {map[string]any{"stop_all": at}, "suppressed_all"},
		"stop of the scope":     {map[string]any{"stop_follow_up": at}, "suppressed_follow_up"},
		"stop of another scope": {map[string]any{"stop_newsletter": at}, ""},
		"hold":                  {map[string]any{"hold": at}, "opt_out_in_doubt"},
		"stop before hold":      {map[string]any{"hold": at, "stop_follow_up": at}, "suppressed_follow_up"},
		"all before the scope":  {map[string]any{"stop_all": at, "stop_follow_up": at}, "suppressed_all"},
	} {
		if got := guard.Blocks(c.attrs, "follow_up"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// A scope that this code does not know by name.
	if got := guard.Blocks(map[string]any{guard.StopAttr("spring_sale"): at}, "spring_sale"); got != "suppressed_spring_sale" {
		t.Errorf("unknown scope: %q", got)
	}
}
