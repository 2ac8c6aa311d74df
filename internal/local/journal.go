package local

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// journal is a file of lines, each durable when append returns. A last line
// that a crash cut short is dropped: nobody was told that it was kept.
//
// A line that could not be written whole is taken back, so that the next does
// not end up behind half a line. Where it cannot be taken back, nothing is
// appended any more.
type journal struct {
	mu      sync.Mutex
	f       journalFile
	good    int64 // up to here the file is whole lines
	failure error // the first that could not be undone; final
}

// journalFile is what a journal needs of an os.File.
type journalFile interface {
	io.Writer
	io.Seeker
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// maxLine is the longest line of a journal, in bytes.
const maxLine = 8 << 20

// readJournal gives each whole line and the length of them all.
func readJournal(path string, each func(line []byte) error) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	whole := b[:bytes.LastIndexByte(b, '\n')+1]
	sc := bufio.NewScanner(bytes.NewReader(whole))
	sc.Buffer(nil, maxLine)
	for sc.Scan() {
		if err := each(sc.Bytes()); err != nil {
			return 0, fmt.Errorf("%s is damaged: move it away, or start with a new -data folder: %w", path, err)
		}
	}
	if err := sc.Err(); err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return int64(len(whole)), nil
}

// openJournal appends after the given length; what comes later is cut off.
func openJournal(path string, good int64) (*journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{f: f, good: good}
	if err := j.rewind(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
	}
	return j, nil
}

// append makes a line durable. After an error the line is not in the file, or
// the journal has failed and says so from then on.
func (j *journal) append(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failure != nil {
		return fmt.Errorf("the journal has stopped: %w", j.failure)
	}
	text := append(bytes.TrimRight(line, "\n"), '\n')
	if _, err := j.f.Write(text); err != nil {
		if undo := j.rewind(); undo != nil {
			j.failure = errors.Join(err, undo)
		}
		return err
	}
	if err := j.f.Sync(); err != nil {
		// A kernel may forget dirty pages after this: nothing tells what a
		// later fsync would prove.
		j.failure = errors.Join(err, j.rewind())
		return err
	}
	j.good += int64(len(text))
	return nil
}

func (j *journal) rewind() error {
	if err := j.f.Truncate(j.good); err != nil {
		return err
	}
	_, err := j.f.Seek(j.good, io.SeekStart)
	return err
}

// err is what has stopped the journal, or nil.
func (j *journal) err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failure
}

func (j *journal) close() error { return j.f.Close() }
