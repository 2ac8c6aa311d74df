package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/schema"
)

// children are the processes that die in these tests.
var children = map[string]func(path string){"commit": commitForever, "full": fillTheDisk}

func startChild(t *testing.T, name, path string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BOLT_TEST_CHILD="+name, "BOLT_TEST_FILE="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

func contact(id string) ledger.Key {
	return ledger.Key{Entity: ledger.Contact, Tenant: "t", ID: id}
}

// commitForever commits pairs in several goroutines, and prints the number of
// each once it is acknowledged. A consumer follows the feed meanwhile.
func commitForever(path string) {
	s, err := bolt.Open(path, bolt.Options{Flush: 5 * time.Millisecond})
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	ctx := context.Background()
	start := time.Now().UnixNano()
	var next atomic.Int64
	for range 6 {
		go func() {
			for {
				id := strconv.FormatInt(start+next.Add(1), 10)
				c := create(event(id), contact(id))
				if err := s.Commit(ctx, c); err != nil {
					fmt.Println("commit:", err)
					return
				}
				fmt.Println(id)
			}
		}()
	}
	for {
		batch, err := s.Next(ctx, schema.Events, "worker", 3)
		if err != nil {
			fmt.Println("next:", err)
			return
		}
		if err := s.Done(ctx, schema.Events, "worker", batch[len(batch)-1]); err != nil {
			fmt.Println("done:", err)
			return
		}
	}
}

// TestKilledProcessLosesNothingItAcknowledged kills a process at random moments
// and then looks at its file: every acknowledged commit is there, every pair
// is whole, and feed and index hold exactly the events.
func TestKilledProcessLosesNothingItAcknowledged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	acknowledged := map[string]bool{}
	for round := range 12 {
		cmd, out := startChild(t, "commit", path)
		lines := bufio.NewScanner(out)
		for left := rand.IntN(150); left >= 0 && lines.Scan(); left-- {
			if round == 0 && left == 0 {
				break
			}
			acknowledge(t, acknowledged, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died counts too
			acknowledge(t, acknowledged, lines.Text())
		}
		_ = cmd.Wait() // killed, as it should be
		s := open(t, path, bolt.Options{MustExist: true})
		checkPairs(t, s, round, acknowledged)
		closed(t, s)
	}
	if len(acknowledged) < 100 {
		t.Errorf("only %d commits were acknowledged: the test shows too little", len(acknowledged))
	}
}

func acknowledge(t *testing.T, acknowledged map[string]bool, line string) {
	t.Helper()
	if _, err := strconv.ParseInt(line, 10, 64); err != nil {
		t.Fatalf("the process says: %s", line)
	}
	acknowledged[line] = true
}

func checkPairs(t *testing.T, s *bolt.Store, round int, acknowledged map[string]bool) {
	t.Helper()
	events, contacts := scan(t, s, schema.Events), scan(t, s, schema.Ledger)
	for id := range acknowledged {
		if !events[id] || !contacts[id] {
			t.Errorf("round %d: %s was acknowledged; event %t, contact %t", round, id, events[id], contacts[id])
		}
	}
	for id := range contacts {
		if !events[id] {
			t.Errorf("round %d: half a pair: %s", round, id)
		}
	}
	if len(events) != len(contacts) {
		t.Errorf("round %d: %d events, %d contacts", round, len(events), len(contacts))
	}
	fed := map[string]bool{}
	if len(events) > 0 {
		for _, c := range read(t, s, "checker", len(events)) {
			if !events[c.Key.ID] || fed[c.Key.ID] || c.Item.Text("mark") != c.Key.ID {
				t.Errorf("round %d: the feed has %s wrongly or twice", round, c.Key.ID)
			}
			fed[c.Key.ID] = true
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if more, err := s.Next(ctx, schema.Events, "checker", 1); err == nil {
		t.Errorf("round %d: the feed has more than the events: %v", round, more)
	}
	indexed := 0
	for q := (ledger.Query{Table: schema.Events, Index: schema.ByDue, Partition: "p", Limit: 1000}); ; {
		p, err := s.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		indexed += len(p.Items)
		if q.Cursor = p.Next; q.Cursor == "" {
			break
		}
	}
	if indexed != len(events) {
		t.Errorf("round %d: %d events, %d in the index", round, len(events), indexed)
	}
}

func scan(t *testing.T, s *bolt.Store, table schema.Table) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for sc := (ledger.Scan{Table: table, Segments: 1, Limit: 1000}); ; {
		p, err := s.Scan(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range p.Items {
			ids[it.Text("id")] = true
		}
		if sc.Cursor = p.Next; sc.Cursor == "" {
			return ids
		}
	}
}

// fillTheDisk commits until the file may not grow any more, and prints what the
// store says.
func fillTheDisk(path string) {
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	limitFileSize(256 * 1024)
	ctx := context.Background()
	for n := 0; ; n++ {
		id := fmt.Sprint(n)
		c := create(event(id), contact(id))
		c.Writes[0].Item["fill"] = strings.Repeat("x", 5000)
		err := s.Commit(ctx, c)
		if err == nil {
			fmt.Println("accepted", id)
			continue
		}
		fmt.Println("unknown", errors.Is(err, ledger.ErrUnknown) && !ledger.NotWritten(err))
		break
	}
	err = s.Commit(ctx, create(event("later")))
	fmt.Println("refuses", errors.Is(err, ledger.ErrUnavailable) && ledger.NotWritten(err))
	_, err = s.Get(ctx, event("0"))
	fmt.Println("reads not", errors.Is(err, ledger.ErrUnavailable))
	_, err = s.Next(ctx, schema.Events, "c", 1)
	fmt.Println("feeds not", errors.Is(err, ledger.ErrUnavailable))
	fmt.Println("tells", s.Err() != nil && s.Close() != nil)
}

func TestStoreStopsAfterAWriteError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	cmd, out := startChild(t, "full", path)
	said, err := io.ReadAll(out)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"accepted 0", "unknown true", "refuses true", "reads not true", "feeds not true", "tells true"} {
		if !strings.Contains(string(said), want+"\n") {
			t.Errorf("said %q, want %q in it", said, want)
		}
	}
	s := open(t, path, bolt.Options{MustExist: true})
	acknowledged := map[string]bool{}
	for line := range strings.Lines(string(said)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "accepted "); ok {
			acknowledged[id] = true
		}
	}
	checkPairs(t, s, 0, acknowledged)
	must(t, s, create(event("again")))
}
