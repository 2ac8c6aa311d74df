package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"onefold/internal/ledger"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// lockWait is how long another process may take to let go of the file.
const lockWait = 300 * time.Millisecond

// Open opens the ledger in a file, and makes it if there is none. Errors:
// ledger.ErrInUse if another process has it; ledger.ErrDamaged if it cannot be
// read, which goes to a person with a backup; ErrFormat if another version
// made it; else what the operating system says.
//
// The file is read through once, so that damage shows here and not in the
// middle of work. What that cannot see: a changed byte within a value that is
// still JSON, and one damaged meta page of the two, which looks like the torn
// last write of a crash and is passed over as such.
func Open(path string, opt Options) (*Store, error) {
	if err := provide(path, opt.MustExist); err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	db, err := attach(path)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	s := &Store{
		db:       db,
		queue:    make(chan *pending, maxGroup),
		stopped:  make(chan struct{}),
		life:     lifetime{ending: make(chan struct{})},
		progress: &progress{changed: make(chan struct{})},
		readers: &readers{known: opt.Consumers, handed: map[string]uint64{}, worked: map[string]uint64{},
			stored: map[string]uint64{}},
	}
	if err := guarded(s.examine); err != nil {
		_ = guarded(db.Close) // the first error says more
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	removeLeftovers(path)
	if opt.Flush == 0 {
		opt.Flush = time.Second
	}
	go s.run(opt.Flush)
	return s, nil
}

// provide makes the file if there is none. bbolt would take an empty file for
// a new one; since this store makes a file whole before it gives it its name,
// an empty file is one that has lost its content.
func provide(path string, mustExist bool) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Size() < 2*4096: // two meta pages of the smallest kind
		return fmt.Errorf("%w: a file of %d bytes", ledger.ErrDamaged, info.Size())
	case errors.Is(err, fs.ErrNotExist) && !mustExist:
		err = create(path)
	}
	if err != nil {
		return err
	}
	// Also if the file was there: whoever made it may have been killed before
	// its name was on the disk.
	return syncDir(filepath.Dir(path))
}

func create(path string) error {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // left over, it harms nothing
	if err := temp.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(temp.Name(), 0o600, nil)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		if _, err := tx.CreateBucket(doneBucket); err != nil {
			return err
		}
		return meta.Put(formatKey, []byte(format))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	// Link, not rename: of two processes that make the file at once, the later
	// must not replace what the earlier already works on. It then opens that.
	if err := os.Link(temp.Name(), path); err != nil {
		if _, there := os.Stat(path); there != nil {
			return err
		}
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// removeLeftovers removes what a crash in create left. Whoever is in create
// now has lost to the file that is open here.
func removeLeftovers(path string) {
	left, _ := filepath.Glob(path + ".new-*") // a bad pattern finds nothing, and harms nobody
	for _, name := range left {
		_ = os.Remove(name)
	}
}

// attach opens and locks the file.
func attach(path string) (*bbolt.DB, error) {
	var db *bbolt.DB
	var file *os.File
	err := guarded(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:      lockWait,
			FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				file, err = os.OpenFile(name, flag&^os.O_CREATE, mode)
				return file, err
			},
		})
		return err
	})
	var system *fs.PathError
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, ledger.ErrInUse
	case errors.Is(err, ledger.ErrDamaged):
		if file != nil { // a panic left it open and locked
			_ = unlock(file)
			_ = file.Close()
		}
		return nil, err
	case errors.As(err, &system):
		return nil, err
	default:
		return nil, fmt.Errorf("%w: %w", ledger.ErrDamaged, err)
	}
}
