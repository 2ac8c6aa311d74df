package webhooktest

import (
	"slices"
	"testing"

	"onefold/internal/webhook"
)

func row(t *testing.T, k Kit) {
	a := k.Source.About()
	for name, text := range map[string]string{"scheme": a.Scheme, "name": a.Name, "ID": a.ID, "authentication": a.Auth} {
		if text == "" {
			t.Errorf("no %s", name)
		}
	}
	switch {
	case len(a.Contents) == 0 || !slices.Contains(a.Contents, k.Content):
		t.Errorf("contents %v, and the kit's is %q", a.Contents, k.Content)
	case a.MaxBody < 1 || a.MaxBody > webhook.MaxBody:
		t.Errorf("at most %d bytes", a.MaxBody)
	case a.Past == 0 && a.Replay == "":
		t.Error("no window, and nothing said of what stands against a replay")
	}
}

// answers: see Answers and About.Final.
func answers(t *testing.T, k Kit) {
	about := k.Source.About()
	a := about.Answers
	for name, c := range map[string]struct {
		code    int
		success bool
	}{
		"recorded": {a.Recorded, true}, "duplicate": {a.Duplicate, true},
		"unauthenticated": {a.Unauthenticated, false}, "fault": {a.Fault, false}, "unknown endpoint": {a.UnknownEndpoint, false},
		"malformed": {a.Malformed, false}, "kind": {a.Kind, false}, "too large": {a.TooLarge, false},
	} {
		if c.code < 200 || c.code >= 300 && c.code < 400 || c.code > 599 {
			t.Errorf("%s: %d is no final answer", name, c.code)
		}
		if c.success != (c.code < 300) {
			t.Errorf("%s: %d; 2xx says that it is recorded, and nothing else does", name, c.code)
		}
	}
	// A conflict has been put before a person: 2xx where the source cannot bear
	// a 4xx.
	if a.Conflict < 200 || a.Conflict > 499 || a.Conflict >= 300 && a.Conflict < 400 {
		t.Errorf("conflict: %d", a.Conflict)
	}
	if a.Fault < 500 {
		t.Errorf("fault: %d is no fault of ours", a.Fault)
	}
	// What may be a mistake of ours: a bug, a route, a secret not yet changed.
	for name, code := range map[string]int{"fault": a.Fault, "unknown endpoint": a.UnknownEndpoint, "unauthenticated": a.Unauthenticated} {
		if slices.Contains(about.Final, code) || code == 410 {
			t.Errorf("%s: %d ends the source for good", name, code)
		}
	}
	if a.UnknownEndpoint != webhook.UnknownEndpoint {
		t.Errorf("unknown endpoint: %d, and whose sender it is cannot be known there", a.UnknownEndpoint)
	}
}
