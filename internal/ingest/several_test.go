package ingest_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/blob"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/webhook/hubspot"
)

// slow makes each call to a store take a time.
func (b *bench) slow(took func() time.Duration) {
	b.store.reset(func(int, string) (bool, error) { time.Sleep(took()); return true, nil }, nil)
}

// HubSpot sends up to 100 events in one request and waits 5 seconds. At 10 ms a
// call of the stores, one after another took 3 of them.
func TestAHundredEventsOfHubSpotAreRecordedEightAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, onMem(t))
		b.slow(func() time.Duration { return 10 * time.Millisecond })
		ep := tenant.Endpoint{Name: "hubspot", Content: "form", Mailbox: "crm", Secret: "hubspot", PublicURL: "https://hooks.demo.example/v1/demo/hubspot"}
		send := func(from, to int) (ingest.Response, time.Duration) {
			var events []string
			for i := from; i < to; i++ {
				events = append(events, fmt.Sprintf(`{"portalId":1,"objectId":%d,"subscriptionType":"contact.creation","occurredAt":1772442000000,"subscriptionId":7}`, i))
			}
			body, stamp := "["+strings.Join(events, ",")+"]", strconv.FormatInt(b.now.UnixMilli(), 10)
			m := hmac.New(sha256.New, []byte(signingSecret))
			m.Write([]byte("POST" + ep.PublicURL + body + stamp))
			begun := time.Now()
			got := b.service.HandleBy(t.Context(), ingest.Request{Tenant: demo, Body: []byte(body), Headers: map[string]string{
				"x-hubspot-signature-v3": base64.StdEncoding.EncodeToString(m.Sum(nil)), "x-hubspot-request-timestamp": stamp,
			}}, ep, hubspot.New())
			return got, time.Since(begun)
		}
		var singly time.Duration
		for i := range 100 {
			got, took := send(i, i+1)
			if got.Status != 200 || got.Answer != "recorded" {
				t.Fatalf("one event: %+v", got)
			}
			singly += took
		}
		got, took := send(100, 200)
		if got.Status != 200 || got.Batch == nil || *got.Batch != (ingest.Batch{Recorded: 100}) {
			t.Fatalf("a hundred: %+v", got)
		}
		// Each event has three calls: read, content, commit.
		if singly != 3*time.Second || took != 13*30*time.Millisecond {
			t.Errorf("singly %s, together %s, want 3s and 390ms (13 times 8)", singly, took)
		}
		b.counts(200, 200, 0)
		b.whole()
	})
}

// Whatever the stores take for each call, a body is judged as if its events had
// been recorded one after another.
func TestOfOneIDInABodyTheFirstIsTheEvent(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			b := newSources(t, onMem(t))
			chance := rand.New(rand.NewPCG(seed, 1))
			first, want := map[int]int{}, ingest.Batch{}
			var events []string
			for range 40 {
				id, content := chance.IntN(12), chance.IntN(2)
				events = append(events, fmt.Sprintf(`{"id":"%d","n":%d}`, id, content))
				switch was, known := first[id]; {
				case !known:
					first[id] = content
					want.Recorded++
				case was == content:
					want.Duplicate++
				default:
					want.Conflict++
				}
			}
			took := make([]time.Duration, 400)
			for i := range took {
				took[i] = time.Duration(chance.IntN(50)) * time.Millisecond
			}
			b.store.reset(func(n int, _ string) (bool, error) { time.Sleep(took[n%len(took)]); return true, nil }, nil)
			got := b.answers(hooked("batch", `{"events":[`+strings.Join(events, ",")+`]}`), 200, "recorded")
			if *got.Batch != want {
				t.Errorf("seed %d: %+v, want %+v", seed, *got.Batch, want)
			}
			for _, it := range b.of(ledger.Event) {
				var content struct{ N int }
				id, err := strconv.Atoi(it.Text("delivery_id"))
				if err == nil {
					err = json.Unmarshal(b.blob.kept[blob.Ref(it.Text("raw"))], &content)
				}
				if err != nil || content.N != first[id] {
					t.Errorf("seed %d: event %d has content %d (%v), want that of the first, %d", seed, id, content.N, err, first[id])
				}
			}
			b.whole()
		})
	}
}

// Each call of a batch fails in each way. A process that dies leaves what the
// other calls did; whatever happened, the same request again has every event
// once.
func TestEachCallOfABatchMayFailInEachWay(t *testing.T) {
	t.Parallel()
	const n, calls = 5, 3
	body := `{"events":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5"}]}`
	for at := range n * calls {
		for _, f := range []flavour{FailNotPersist, FailButPersist, CrashBefore, CrashAfter} {
			b := newSources(t, onMem(t))
			if _, err := b.service.Policies.Current(t.Context(), demo); err != nil {
				t.Fatal(err)
			}
			b.arm(at, f)
			hook, after := b.store.hook, b.store.after
			if f == CrashBefore {
				hook = func(n int, _ string) (bool, error) { dieAt(n, at); return true, nil }
			}
			if f == CrashAfter {
				after = func(n int) { dieAt(n, at) }
			}
			b.store.reset(hook, after)
			got, died := b.deliverUnlessDead(hooked("batch", body))
			switch {
			case died != (f == CrashBefore || f == CrashAfter):
				t.Fatalf("call %d, %s: died: %v", at, f, died)
			case !died && (got.Status != 503 || *got.Batch != (ingest.Batch{Recorded: n - 1, Failed: 1})):
				t.Errorf("call %d, %s: answered %+v, %+v", at, f, got, got.Batch)
			}
			b.whole()
			b.restart()
			b.store.reset(nil, nil)
			if got := b.answers(hooked("batch", body), 200, "recorded"); got.Batch.Recorded+got.Batch.Duplicate != n {
				t.Errorf("call %d, %s: again %+v", at, f, got.Batch)
			}
			if events := len(b.of(ledger.Event)); events != n {
				t.Errorf("call %d, %s: %d events", at, f, events)
			}
			b.whole()
		}
	}
}

// dead is the end of a process, as a panic, which reaches the request's caller
// from whatever goroutine it is in.
type dead struct{}

func dieAt(n, at int) {
	if n == at {
		panic(dead{})
	}
}

func (b *bench) deliverUnlessDead(r ingest.Request) (got ingest.Response, died bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, died = v.(dead); !died {
				panic(v)
			}
		}
	}()
	return b.deliver(r), false
}
