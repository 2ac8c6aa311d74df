package bolt

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"onefold/internal/ledger"

	"pgregory.net/rapid"
)

// TestKeysSortAsTheirWordsDo: List and Query rest on it, and that no two lists
// of words give one key.
func TestKeysSortAsTheirWordsDo(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.SampledFrom([]rune("\x00\x01\x02a#\u00ff\U0001F600")), 0, 4, -1)
	words := rapid.SliceOfN(word, 3, 3)
	key := func(ws []string) (k []byte) {
		for _, w := range ws {
			k = appendWord(k, w)
		}
		return k
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		want := slices.CompareFunc(a, b, cmp.Compare)
		if got := bytes.Compare(key(a), key(b)); got != want {
			t.Fatalf("%q and %q: keys compare %d, words %d", a, b, got, want)
		}
		if a[0] != b[0] && bytes.HasPrefix(key(b), key(a[:1])) {
			t.Fatalf("%q lies under the parent %q", b, a[0])
		}
	})
}

// TestReadIsAnsweredOnlyWhenWhatItSawIsDurable: a read may see a transaction
// whose fsync has not returned; it waits for it, and learns if it fails.
func TestReadIsAnsweredOnlyWhenWhatItSawIsDurable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &progress{durable: 4, changed: make(chan struct{})}
		if err := p.await(4); err != nil {
			t.Errorf("what is durable: %v", err)
		}
		answered := make(chan error, 1)
		go func() { answered <- p.await(5) }()
		synctest.Wait()
		if len(answered) != 0 {
			t.Fatal("answered before the fsync")
		}
		p.advance(5)
		if err := <-answered; err != nil {
			t.Errorf("after the fsync: %v", err)
		}
		go func() { answered <- p.await(6) }()
		synctest.Wait()
		p.fail(errors.New("fsync failed"))
		if err := <-answered; !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "fsync failed") {
			t.Errorf("after a failed fsync: %v", err)
		}
	})
}
