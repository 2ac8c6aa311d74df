// Package local runs the whole system in one process: the HTTP API, the
// readers of the change feed, the sweeper, the fakes of SES and HubSpot, and
// the review page.
//
// Its invariant: a worker here lives no longer than its timeout, as in Lambda,
// and whatever kills the process, what was acknowledged is on disk. It serves
// one machine's loopback and is no server for the internet.
package local

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"onefold/internal/digest"
)

// Data is a folder with everything that the local system keeps.
//
//	ledger.db      the embedded ledger
//	raw/           raw content
//	secrets.json   the identifier key and the webhook secrets (mode 0600)
//	mail.jsonl     what the fake of SES has accepted
//	crm.jsonl      what the fake of HubSpot holds
//	running.json   how to reach the process that has the folder open
type Data struct{ Dir string }

func (d Data) path(name string) string { return filepath.Join(d.Dir, name) }

// Secrets is the content of secrets.json.
type Secrets struct {
	IdentifierKey string            `json:"identifier_key"` // base64, 32 bytes
	Webhooks      map[string]string `json:"webhooks"`       // tenant/name → whsec_…
}

// Key is the identifier key.
func (s Secrets) Key() (digest.Key, error) {
	b, err := base64.StdEncoding.DecodeString(s.IdentifierKey)
	if err != nil {
		return digest.Key{}, errors.New("secrets.json: identifier_key is not base64")
	}
	return digest.NewKey(b)
}

// Prepare makes the folder and reads its secrets, or makes new ones the first
// time. The identifier key is never made anew while a ledger exists: other
// keys would forget every opt-out and every follow-up.
func (d Data) Prepare() (Secrets, error) {
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return Secrets{}, fmt.Errorf("make the data folder: %w", err)
	}
	var s Secrets
	b, err := os.ReadFile(d.path("secrets.json"))
	switch {
	case err == nil:
		if err := json.Unmarshal(b, &s); err != nil {
			return s, fmt.Errorf("secrets.json in %s cannot be read: restore it, or start with a new -data folder", d.Dir)
		}
		return s, nil
	case !errors.Is(err, fs.ErrNotExist):
		return s, fmt.Errorf("read secrets.json: %w", err)
	}
	if _, err := os.Stat(d.path("ledger.db")); err == nil {
		return s, fmt.Errorf("%s has a ledger and no secrets.json: restore it, or start with a new -data folder", d.Dir)
	}
	var key [32]byte
	_, _ = rand.Read(key[:])
	s = Secrets{IdentifierKey: base64.StdEncoding.EncodeToString(key[:]), Webhooks: map[string]string{}}
	return s, d.Save(s)
}

// Save writes secrets.json whole or not at all.
func (d Data) Save(s Secrets) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(d.path("secrets.json"), append(b, '\n'))
}

// Secret is the webhook secret of a name, made the first time it is asked for.
func (s *Secrets) Secret(tenantID, name string) (text string, isNew bool) {
	k := tenantID + "/" + name
	if have := s.Webhooks[k]; have != "" {
		return have, false
	}
	var b [32]byte
	_, _ = rand.Read(b[:])
	if s.Webhooks == nil {
		s.Webhooks = map[string]string{}
	}
	s.Webhooks[k] = "whsec_" + base64.StdEncoding.EncodeToString(b[:])
	return s.Webhooks[k], true
}

// writeWhole puts a file in place only when it is complete and durable.
func writeWhole(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
