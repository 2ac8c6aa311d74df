package ingest_test

import (
	"fmt"
	"net/url"
	"strconv"
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

// routed is a mail as Mailgun posts it, which signs time and token alone.
func routed(b *bench, token, message string) ingest.Request {
	stamp := strconv.FormatInt(b.now.Unix(), 10)
	form := url.Values{
		"timestamp": {stamp}, "token": {token}, "signature": {sha(stamp + token)},
		"recipient": {"sales@demo.example"}, "sender": {"ann@example.org"}, "body-mime": {message},
	}
	return ingest.Request{
		Tenant: demo, Endpoint: "mailgun", Body: []byte(form.Encode()), RequestID: "r",
		Headers: map[string]string{"content-type": "application/x-www-form-urlencoded"},
	}
}

// Each try may have a proof of its own. That of a repeat is used up too: with
// other content it would else be good for another event.
func TestTheProofOfARepeatIsGoodForNoOtherEvent(t *testing.T) {
	t.Parallel()
	onEachSourceStore(t, func(b *bench) {
		const first, second, third = "sample-token-of-the-first-try", "sample-token-of-the-second-try", "sample-token-of-the-third-try"
		genuine, forged := rawMail, "From: eve@example.org\r\nSubject: pay\r\n\r\nNow.\r\n"
		event := b.answers(routed(b, first, genuine), 200, "recorded").Event
		b.answers(routed(b, second, genuine), 200, "duplicate")
		if got := b.answers(routed(b, second, forged), 200, "conflict"); got.Event != event {
			b.Errorf("the proof of a repeat with other content is of %q", got.Event)
		}
		b.counts(1, 3, 1)
		b.answers(routed(b, second, genuine), 200, "duplicate") // the repeat's own repeat
		b.answers(routed(b, first, genuine), 200, "duplicate")
		b.answers(routed(b, third, forged), 200, "recorded") // which Mailgun signed
		b.counts(2, 6, 1)
	})
}
