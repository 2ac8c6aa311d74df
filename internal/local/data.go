// Package local runs the whole system in one process: the HTTP API, the
// readers of the change feed, the sweeper, the fakes of SES and HubSpot, and
// the review page.
//
// Its invariant: a worker here lives no longer than its timeout, as in Lambda,
// and whatever kills the process, what was acknowledged is on disk. It serves
// one machine's loopback and is no server for the internet.
package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// make makes the folder where there is none.
func (d Data) make() error {
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", d.explain(err))
	}
	return nil
}

// openToOthers tells whether other users of this machine may look into the
// folder. It is told and not changed: the folder may hold other things of its
// owner's, and every file that is made here is its owner's alone anyway.
func (d Data) openToOthers() bool {
	info, err := os.Stat(d.Dir)
	return err == nil && info.Mode().Perm()&0o077 != 0
}

// explain says what a refusal by the operating system means here.
func (d Data) explain(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: the folder %s belongs to another user, or is not open to you: "+
			"run as its owner, or name another folder with -data", err, d.Dir)
	}
	return err
}

// writeWhole puts a file in place only when it is complete and durable, name
// included.
func writeWhole(path string, content []byte) error {
	folder := filepath.Dir(path)
	f, err := os.CreateTemp(folder, filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes the names in a folder durable.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
