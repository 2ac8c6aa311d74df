package ingest_test

import (
	"fmt"
	"sync"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
)

// captured is one signed body under an ID that is not signed.
func captured(id, body string) ingest.Request {
	r := hooked("github", body)
	r.Headers["x-hub-signature-256"], r.Headers["x-github-delivery"] = "sha256="+r.Headers["x-sig"], id
	return r
}

func TestOneSignedBodyAtOnceUnderManyIDsIsOneEvent(t *testing.T) {
	t.Parallel()
	onEachSourceStore(t, func(b *bench) {
		const n = 8
		answers := make([]ingest.Response, n)
		var over sync.WaitGroup
		for i := range n {
			over.Go(func() { answers[i] = b.deliver(captured(fmt.Sprint("id-", i), `{"action":"opened"}`)) })
		}
		over.Wait()
		recorded := 0
		for _, a := range answers {
			if a.Status != 200 || a.Event != answers[0].Event {
				b.Errorf("answered %+v", a)
			}
			if a.Answer == "recorded" {
				recorded++
			}
		}
		if recorded != 1 {
			b.Errorf("%d recorded", recorded)
		}
		b.counts(1, n, 0)
	})
}

// Each call of the answer to a replay fails in each way: whatever happened,
// there is one event, and the next try is told so.
func TestAReplayUnderAnotherIDMayFailAnywhere(t *testing.T) {
	t.Parallel()
	calls := []string{"get event", "put", "commit", "get event", "commit"}
	for at := range calls {
		for _, f := range []flavour{FailNotPersist, FailButPersist, CrashBefore, CrashAfter} {
			b := newSources(t, onMem(t))
			b.answers(captured("one", `{"action":"opened"}`), 200, "recorded")
			b.arm(at, f)
			got, died := b.deliverAndMayDie(captured("two", `{"action":"opened"}`))
			if !died && got.Status != 503 && (f != FailButPersist || calls[at] == "commit") {
				t.Errorf("call %d, %s: answered %+v", at, f, got)
			}
			b.restart()
			b.store.reset(nil, nil)
			if got := b.answers(captured("two", `{"action":"opened"}`), 200, "duplicate"); got.Event != "github/code/one" {
				t.Errorf("call %d, %s: again answered %+v", at, f, got)
			}
			if n := len(b.of(ledger.Event)); n != 1 {
				t.Errorf("call %d, %s: %d events", at, f, n)
			}
			b.whole()
		}
	}
}
