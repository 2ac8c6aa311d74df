package local

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var errFull = errors.New("no space left on device")

// fullDisk is a file that writes only a part when it is told to.
type fullDisk struct {
	*os.File
	full, stuck, lost bool // writes are short; cannot be truncated; fsync fails
}

func (f *fullDisk) Write(b []byte) (int, error) {
	if !f.full {
		return f.File.Write(b)
	}
	n, err := f.File.Write(b[:len(b)/2])
	return n, errors.Join(err, errFull)
}

func (f *fullDisk) Truncate(size int64) error {
	if f.stuck {
		return errFull
	}
	return f.File.Truncate(size)
}

func (f *fullDisk) Sync() error {
	if f.lost {
		return errFull
	}
	return f.File.Sync()
}

func onDisk(t *testing.T) (*journal, *fullDisk, func() []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	j, err := openJournal(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	disk := &fullDisk{File: j.f.(*os.File)}
	j.f = disk
	t.Cleanup(func() { _ = j.close() })
	return j, disk, func() []string {
		var lines []string
		if _, err := readJournal(path, func(line []byte) error {
			lines = append(lines, string(line))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return lines
	}
}

func TestAShortWriteIsTakenBack(t *testing.T) {
	t.Parallel()
	j, disk, lines := onDisk(t)
	if err := j.append([]byte(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	disk.full = true
	if err := j.append([]byte(`{"n":2}`)); !errors.Is(err, errFull) {
		t.Fatalf("a short write: %v", err)
	}
	disk.full = false
	if err := j.append([]byte(`{"n":3}`)); err != nil || j.err() != nil {
		t.Fatalf("after space was freed: %v, %v", err, j.err())
	}
	if got := lines(); !slices.Equal(got, []string{`{"n":1}`, `{"n":3}`}) {
		t.Errorf("lines %q", got)
	}
}

func TestAJournalThatCannotBeRepairedStops(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(*fullDisk){
		"half a line stays": func(f *fullDisk) { f.full, f.stuck = true, true },
		"fsync failed":      func(f *fullDisk) { f.lost = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, disk, lines := onDisk(t)
			if err := j.append([]byte(`{"n":1}`)); err != nil {
				t.Fatal(err)
			}
			harm(disk)
			if err := j.append([]byte(`{"n":2}`)); !errors.Is(err, errFull) {
				t.Fatalf("the failing append: %v", err)
			}
			disk.full, disk.stuck, disk.lost = false, false, false
			if err := j.append([]byte(`{"n":3}`)); !errors.Is(err, errFull) || !errors.Is(j.err(), errFull) {
				t.Errorf("afterwards: %v, %v", err, j.err())
			}
			if got := lines(); !slices.Equal(got, []string{`{"n":1}`}) {
				t.Errorf("lines %q", got)
			}
		})
	}
}
