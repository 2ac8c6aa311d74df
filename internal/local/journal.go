package local

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// journal is a file of lines, each durable when append returns. A last line
// that a crash cut short is dropped: nobody was told that it was kept.
type journal struct {
	mu sync.Mutex
	f  *os.File
}

// maxLine is the longest line of a journal, in bytes.
const maxLine = 8 << 20

func openJournal(path string, each func(line []byte) error) (*journal, error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	whole := b[:bytes.LastIndexByte(b, '\n')+1]
	sc := bufio.NewScanner(bytes.NewReader(whole))
	sc.Buffer(nil, maxLine)
	for sc.Scan() {
		if err := each(sc.Bytes()); err != nil {
			return nil, fmt.Errorf("%s is damaged: move it away, or start with a new -data folder: %w", path, err)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(int64(len(whole))); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(0, 2); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &journal{f: f}, nil
}

func (j *journal) append(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.f.Write(append(bytes.TrimRight(line, "\n"), '\n')); err != nil {
		return err
	}
	return j.f.Sync()
}

func (j *journal) close() error { return j.f.Close() }
