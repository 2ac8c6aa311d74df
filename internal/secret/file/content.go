// Package file keeps secrets in one JSON file of one machine, for the local
// process.
//
// Its invariant: the file is replaced whole or not at all, belongs to its owner
// alone (mode 0600), and never gets another identifier key. It refuses to be
// shared: who writes it holds the data folder's ledger, which lets one process
// in.
package file

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"onefold/internal/digest"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// Content is the content of the file.
type Content struct {
	IdentifierKey string            `json:"identifier_key"`     // base64, 32 bytes
	Webhooks      map[string]string `json:"webhooks"`           // tenant/name → whsec_…
	CRM           map[string]string `json:"crm,omitempty"`      // tenant → token
	Previous      map[string]string `json:"previous,omitempty"` // whole name → the value replaced
}

// Read reads a file. The error is that of os.ReadFile, or says that the text
// is no content.
func Read(path string) (Content, error) {
	var c Content
	b, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(b, &c); err != nil {
		// The decoder's error may quote a value.
		return Content{}, errors.New("the file of secrets is not readable JSON")
	}
	return c, nil
}

// New is the content of a new deployment: an identifier key and nothing else.
func New() Content {
	return Content{IdentifierKey: random(), Webhooks: map[string]string{}}
}

func random() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
	return base64.StdEncoding.EncodeToString(b[:])
}

// Text is the content as it is written.
func (c Content) Text() []byte {
	b, _ := json.MarshalIndent(c, "", "  ") // texts always encode
	return append(b, '\n')
}

// Key is the identifier key.
func (c Content) Key() (digest.Key, error) {
	b, err := base64.StdEncoding.DecodeString(c.IdentifierKey)
	if err != nil {
		return digest.Key{}, errors.New("secrets.json: identifier_key is not base64")
	}
	return digest.NewKey(b)
}

// Secret is the webhook secret of a name, made the first time it is asked for.
func (c *Content) Secret(tenantID, name string) (text string, isNew bool) {
	k := tenantID + "/" + name
	if have := c.Webhooks[k]; have != "" {
		return have, false
	}
	if c.Webhooks == nil {
		c.Webhooks = map[string]string{}
	}
	c.Webhooks[k] = "whsec_" + random()
	return c.Webhooks[k], true
}

// find is the map in which a secret is kept, and its key there; nil where the
// file keeps no such secret.
func (c *Content) find(name string) (in *map[string]string, key string) {
	if key, ok := strings.CutPrefix(name, schema.SecretWebhooks); ok {
		return &c.Webhooks, key
	}
	if key, ok := strings.CutPrefix(name, schema.SecretCRM); ok {
		return &c.CRM, key
	}
	return nil, ""
}

func (c *Content) get(name string) (secret.Secret, error) {
	current := ""
	if name == schema.SecretIdentifierKey {
		current = c.IdentifierKey
	} else if in, key := c.find(name); in != nil {
		current = (*in)[key]
	}
	if current == "" {
		return secret.Secret{}, fmt.Errorf("%w: %s", secret.ErrNone, name)
	}
	return secret.Secret{Current: current, Previous: c.Previous[name]}, nil
}
