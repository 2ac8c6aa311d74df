package basicauth_test

import (
	"errors"
	"testing"

	"onefold/internal/webhook"
	"onefold/internal/webhook/basicauth"
)

func secrets(t *testing.T, texts ...string) []webhook.Secret {
	t.Helper()
	var all []webhook.Secret
	for _, text := range texts {
		s, err := webhook.TextSecret(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// The first two headers are those that RFC 7617 shows in sections 2 and 2.1,
// the latter with a pound sign in UTF-8.
func TestOnlyTheWholePairPasses(t *testing.T) {
	t.Parallel()
	both := secrets(t, "Aladdin:open sesame", "test:123£")
	for value, want := range map[string]error{
		"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==":  nil,
		"Basic dGVzdDoxMjPCow==":              nil,
		"basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==":  nil,
		"BASIC  QWxhZGRpbjpvcGVuIHNlc2FtZQ==": nil,
		"":                                    webhook.ErrMissingHeader,
		"Basic":                               webhook.ErrBadSignature,
		"Basic ":                              webhook.ErrBadSignature,
		"Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==": webhook.ErrBadSignature,
		"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ":    webhook.ErrBadSignature,
		"Basic QWxhZGRpbjpvcGVuIHNlc2FtZR==":  webhook.ErrBadSignature, // other unused bits
		"Basic QWxhZGRpbjo=":                  webhook.ErrBadSignature, // Aladdin:
		"Basic OQ==":                          webhook.ErrBadSignature,
		"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==,Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==": webhook.ErrBadSignature,
		"Basic QWxhZGRpbjpvcGVuIHNl\nc2FtZQ==":                                  webhook.ErrBadSignature,
	} {
		if err := basicauth.Check(webhook.Header{"authorization": value}, both); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", value, err, want)
		}
	}
}

func TestASecretWithoutAPairIsNoSecret(t *testing.T) {
	t.Parallel()
	h := webhook.Header{"authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}
	for _, text := range []string{"Aladdin", ":open sesame", "Aladdin:"} {
		if err := basicauth.Check(h, append(secrets(t, text), webhook.Secret{})); !errors.Is(err, webhook.ErrNoSecret) {
			t.Errorf("%q: %v, want ErrNoSecret", text, err)
		}
	}
}
