package secret_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"onefold/internal/secret"
)

func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	s := secret.Secret{Current: "hunter2", Previous: "hunter1"}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "in", []secret.Secret{s}, "pointer", &s)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", s, "in", []secret.Secret{s})
	asJSON, err := json.Marshal(map[string]any{"s": s, "p": &s})
	if err != nil {
		t.Fatal(err)
	}
	printed := log.String() + string(asJSON) + fmt.Sprint(s, &s, []secret.Secret{s}) + fmt.Sprintf("%v %+v %#v %s %q %d %x %T", s, s, s, s, s, s, s, s) +
		fmt.Sprintf("%+v %#v", struct{ S secret.Secret }{s}, struct{ S *secret.Secret }{&s})
	for _, word := range []string{"hunter", "68756e746572"} { // plain, and hexadecimal
		if strings.Contains(printed, word) {
			t.Errorf("%q was printed: %s", word, printed)
		}
	}
}

type kept map[string]secret.Secret

func (k kept) Get(_ context.Context, name string) (secret.Secret, error) {
	s, ok := k[name]
	switch {
	case name == "webhook/demo/down":
		return s, secret.ErrUnavailable
	case !ok:
		return s, secret.ErrNone
	}
	return s, nil
}

func TestBothWebhookSecretsOfARotationAreGivenCurrentFirst(t *testing.T) {
	t.Parallel()
	const one, two = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "whsec_GBkaGxwdHh8gISIjJCUmJygpKissLS4v"
	ask := secret.Webhooks(kept{
		"webhook/demo/form":    {Current: one},
		"webhook/demo/rotated": {Current: two, Previous: one},
		"webhook/demo/mended":  {Current: one, Previous: "whsk_asymmetric"},
		"webhook/demo/broken":  {Current: "hunter2", Previous: one},
	})
	for name, want := range map[string]int{"form": 1, "rotated": 2, "mended": 1, "absent": 0} {
		got, err := ask(t.Context(), "demo", name)
		if err != nil || len(got) != want {
			t.Errorf("%s: %d, %v; want %d", name, len(got), err, want)
		}
	}
	if _, err := ask(t.Context(), "demo", "broken"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("broken: %v", err)
	}
	if _, err := ask(t.Context(), "demo", "down"); !errors.Is(err, secret.ErrUnavailable) {
		t.Errorf("down: %v", err)
	}
}
