package scenario_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/proof/localaws/localawstest"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// outside is a store whose work is done by a goroutine outside of the bubble:
// files and sockets know nothing of its clock, and a connection that one
// schedule opens may outlive it.
type outside struct {
	ledger.Store
	ask  chan func()
	done chan struct{}
}

func newOutside(s ledger.Store) outside {
	o := outside{s, make(chan func()), make(chan struct{})}
	go func() {
		for do := range o.ask {
			do()
			o.done <- struct{}{}
		}
	}()
	return o
}

func (o outside) do(f func()) {
	o.ask <- f
	<-o.done
}

func (o outside) Get(_ context.Context, k ledger.Key) (it ledger.Item, err error) {
	o.do(func() { it, err = o.Store.Get(context.Background(), k) })
	return it, err
}

func (o outside) GetMany(_ context.Context, keys []ledger.Key) (items []ledger.Item, err error) {
	o.do(func() { items, err = o.Store.GetMany(context.Background(), keys) })
	return items, err
}

func (o outside) Commit(_ context.Context, c ledger.Commit) (err error) {
	o.do(func() { err = o.Store.Commit(context.Background(), c) })
	return err
}

func (o outside) List(_ context.Context, parent ledger.Key, cursor string, limit int) (p ledger.Page, err error) {
	o.do(func() { p, err = o.Store.List(context.Background(), parent, cursor, limit) })
	return p, err
}

func (o outside) Query(_ context.Context, q ledger.Query) (p ledger.Page, err error) {
	o.do(func() { p, err = o.Store.Query(context.Background(), q) })
	return p, err
}

func (o outside) Scan(_ context.Context, s ledger.Scan) (p ledger.Page, err error) {
	o.do(func() { p, err = o.Store.Scan(context.Background(), s) })
	return p, err
}

// sample plays n schedules, half of them of several faults and half of several
// workers, each on a store of its own.
func sample(t *testing.T, c *tally, name string, list []known, n int, open func(*testing.T, int) (ledger.Store, func())) {
	t.Helper()
	r := rng(*seed, name)
	for i := 0; i < n; {
		k := list[weighted(r, list)]
		draw := []func(*rand.Rand, known) schedule{several, woven}[i%2]
		s := draw(r, k)
		base, done := open(t, i)
		o := newOutside(base)
		res := run(t, k.file, s, o, nil)
		close(o.ask)
		done()
		if c.count("sample", name, s, res) {
			i++
		}
		if len(res.broken) > 0 {
			c.fail(t, s, res.broken, func(schedule) bool { return false })
		}
	}
}

func onBolt(t *testing.T, c *tally, list []known, n int) {
	dir := t.TempDir()
	made := 0
	sample(t, c, "bolt", list, n, func(t *testing.T, _ int) (ledger.Store, func()) {
		made++
		path := filepath.Join(dir, fmt.Sprint(made))
		s, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s, func() {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			_ = os.RemoveAll(path)
		}
	})
}

func onDynamo(t *testing.T, c *tally, list []known, n int) {
	stack := localawstest.ForTest(t)
	sample(t, c, "DynamoDB", list, n, func(t *testing.T, _ int) (ledger.Store, func()) {
		client := dynamodb.NewFromConfig(stack.Config(stack.NewAccount()))
		if err := dynamo.Create(context.Background(), client, "p-"); err != nil {
			t.Fatal(err)
		}
		return dynamo.New(client, dynamo.Options{Prefix: "p-"}), func() {}
	})
}
