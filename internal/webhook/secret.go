package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// The form of a symmetric secret: specification, "Signature scheme".
const (
	secretPrefix  = "whsec_"
	minSecretSize = 24 // bytes, 192 bits
	maxSecretSize = 64 // bytes, 512 bits
	redacted      = "webhook.Secret(redacted)"
)

// Secret is one shared secret. Whatever prints it prints a fixed word. The zero
// value signs nothing and verifies nothing.
//
// What a provider calls its secret is a text; how a key is made of it is the
// scheme's affair: Standard Webhooks decodes it, Stripe takes the same form as
// it stands, others decode hex. So a Secret holds the text, and the key of
// Standard Webhooks where the text is one.
type Secret struct {
	text string
	key  []byte // of Standard Webhooks
}

// maxSecretText bounds the text of a secret in bytes: room for a public key.
const maxSecretText = 4096

// TextSecret takes any secret text of 1 to 4,096 bytes. White space around it
// is dropped. The error never repeats any of it. Where the text is a secret of
// Standard Webhooks, it serves that scheme too; an asymmetric key of that
// scheme is refused.
func TextSecret(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxSecretText {
		return Secret{}, fmt.Errorf("webhook: a secret has 1 to %d bytes", maxSecretText)
	}
	if strings.HasPrefix(text, "whsk_") || strings.HasPrefix(text, "whpk_") {
		return Secret{}, errAsymmetric
	}
	s, err := ParseSecret(text)
	if err != nil {
		return Secret{text: text}, nil
	}
	return s, nil
}

var errAsymmetric = errors.New("webhook: an asymmetric key is not supported, use a whsec_ secret")

// Text is the secret itself, for a Source to make its key of; "" of the zero
// Secret. It goes nowhere else.
func (s Secret) Text() string { return s.text }

// ParseSecret reads "whsec_" followed by standard base64 of 24 to 64 bytes.
// White space around it is dropped, since a secret kept in a file often ends
// with a newline. The error never repeats any of the text; whoever configures
// the endpoint has to store another secret.
func ParseSecret(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(strings.TrimSpace(text), secretPrefix)
	if !ok {
		if strings.HasPrefix(encoded, "whsk_") || strings.HasPrefix(encoded, "whpk_") {
			return Secret{}, errAsymmetric
		}
		return Secret{}, errors.New("webhook: a secret begins with whsec_")
	}
	// The standard library's decoder skips line ends; a secret has none.
	if strings.ContainsAny(encoded, "\r\n") {
		return Secret{}, errors.New("webhook: a secret is one line")
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		// The decoder's error tells a position only, but is left out all the
		// same: no part of a secret's form belongs in a log.
		return Secret{}, errors.New("webhook: after whsec_ a secret is standard base64 with padding")
	}
	if len(key) < minSecretSize || len(key) > maxSecretSize {
		return Secret{}, fmt.Errorf("webhook: a secret has %d to %d bytes, this one has %d", minSecretSize, maxSecretSize, len(key))
	}
	return Secret{text: secretPrefix + encoded, key: key}, nil
}

// IsZero tells whether there is no secret.
func (s Secret) IsZero() bool { return s.text == "" && len(s.key) == 0 }

// isStandard tells whether it is a key of Standard Webhooks.
func (s Secret) isStandard() bool { return len(s.key) > 0 }

// String is a fixed word.
func (Secret) String() string { return redacted }

// GoString is the same fixed word.
func (Secret) GoString() string { return redacted }

// Format writes the fixed word for every verb. Without it %d would print the
// key's bytes, since fmt asks String only for the verbs of text.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue is the fixed word.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText is the fixed word: a secret is never stored by way of this type.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
