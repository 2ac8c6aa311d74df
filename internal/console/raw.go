package console

import (
	"context"
	"fmt"
	"net/http"

	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
)

// RawOf reads an event's raw content.
type RawOf func(ctx context.Context, e inbound.Event) ([]byte, error)

// maxRaw is the most raw content that is handed out here: what a function's
// answer may have.
const maxRaw = 4 << 20

// HasRaw tells whether the raw content may be handed out. A virus is not.
func (v *View) HasRaw() bool { return v.Event != nil && !v.Event.IsVirus() }

// raw hands out an event's raw content as a file: nothing of it is shown or run
// here.
func (p pages) raw(w http.ResponseWriter, r *http.Request) {
	v, err := p.s.See(r.Context(), p.tenant, r.PathValue("task"))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	if p.s.Raw == nil || !v.HasRaw() {
		p.problem(w, http.StatusNotFound, "There is no raw content to look at", "Content with a virus is not handed out.")
		return
	}
	e := *v.Event
	if v.Task.Raw != "" {
		e.Raw = v.Task.Raw
	}
	content, err := p.s.Raw(r.Context(), e)
	switch {
	case err != nil:
		p.fail(w, r, fmt.Errorf("read raw content: %w", err))
		return
	case len(content) > maxRaw:
		p.problem(w, http.StatusOK, "It is too large to be handed out here", "It is stored whole. The operator finds it by the event’s ID.")
		return
	}
	name := "message.eml"
	if e.Content == tenant.ContentForm {
		name = "form.json"
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	_, _ = w.Write(content)
}
