package reader

import "onefold/internal/utc"

// StoredSchema is the form that Stored has now. Attributes may be added;
// names never change.
const StoredSchema = 1

// Stored is one reader's believed answer to one event. Its key names the reader
// that was asked; Model and PromptVersion who answered, which may be another
// that the reader left it to. It is put if absent under (tenant, event, model,
// prompt version) before anything is decided; who loses that put uses the stored
// one, so that a second attempt at an event decides from the same words as the
// first. It is never changed: another model or prompt version makes another.
type Stored struct {
	Tenant        string   `json:"tenant"`
	Event         string   `json:"event"`
	Model         string   `json:"model"`
	PromptVersion string   `json:"prompt_version"`
	Record        Record   `json:"record"`  // as Validate returned it
	Reasons       []string `json:"reasons"` // as Validate returned them
	At            utc.Time `json:"at"`
	Version       int64    `json:"version"` // of the item; 1, since it is never changed
	Schema        int64    `json:"schema"`  // StoredSchema
}

// NewStored validates a reader's answer and makes the form to be stored.
func NewStored(tenant, event string, reader Reader, s Source, answer Record, at utc.Time) Stored {
	record, reasons := Validate(s, answer)
	if reasons == nil {
		reasons = []string{} // stored as an empty list, not as null
	}
	return Stored{
		Tenant: tenant, Event: event,
		Model: reader.Model(), PromptVersion: reader.PromptVersion(),
		Record: record, Reasons: reasons,
		At: at, Version: 1, Schema: StoredSchema,
	}
}
