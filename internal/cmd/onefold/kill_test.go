package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"onefold/internal/local"
	"onefold/internal/webhook"
)

var (
	killsFlag      = flag.Int("kills", 4, "how often the process is killed (make kill: 50)")
	deliveriesFlag = flag.Int("deliveries", 160, "how many deliveries are sent (make kill: 2000)")
	killSeed       = flag.Uint64("kill-seed", 0, "seed of the moments of death; 0 takes a new one")
)

// TestSIGKILLAtAnyMomentLosesNothing sends mixed deliveries to a real `onefold
// dev` and kills it at random moments, with SIGKILL and no warning.
//
// Real: the process, its store on disk, HTTP, signatures, retries of the
// sender, the wire fakes of SES and HubSpot with what they keep on disk. Not
// real: SES and HubSpot themselves. Asserted from outside the process: every
// delivery that was acknowledged has its event, decided or owned; no intent
// has two mails in the provider's own journal; no address has two contacts in
// the CRM's; and `onefold verify` finds nothing.
func TestSIGKILLAtAnyMomentLosesNothing(t *testing.T) {
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d: repeat with -kill-seed %d", seed, seed)
	random := rand.New(rand.NewPCG(seed, 1))

	k := newVictim(t)
	jobs := mixed(*deliveriesFlag)
	acked := make([]string, len(jobs)) // event IDs
	var next, done int
	for round := range *killsFlag + 1 {
		last := round == *killsFlag
		k.start()
		upTo := len(jobs) * (round + 1) / (*killsFlag + 1)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		work := make(chan int)
		for range 8 {
			wg.Go(func() { k.deliver(jobs, acked, work, stop) })
		}
		wg.Go(func() {
			defer close(work)
			for n := next; n < upTo; n++ {
				select {
				case work <- n:
				case <-stop:
					return
				}
			}
		})
		if last {
			wg.Wait()
			break
		}
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		k.kill()
		close(stop)
		wg.Wait()
		// What was not acknowledged is sent again in the next life, as a
		// provider would.
		next = 0
		for next < upTo && acked[next] != "" {
			next++
		}
	}
	for n := range acked {
		if acked[n] == "" {
			k.retry(jobs, acked, n)
		}
		done++
	}
	k.settle()
	k.verify()
	k.stop()
	k.inspect(acked)
	t.Logf("%d kills, %d deliveries acknowledged", *killsFlag, done)
}

// job is one delivery and what it is.
type job struct{ out local.Outgoing }

// mixed makes n deliveries, each person of a domain of his own, so that the cap
// of a domain's day refers none of them: forms of new and known people, repeated forms,
// mails, one mail in two mailboxes, opt-outs, bounces, and recipients whose
// provider throttles, refuses or answers into the void.
func mixed(n int) []job {
	jobs := make([]job, n)
	for i := range jobs {
		person := i / 3
		switch i % 12 {
		case 0, 3, 6:
			jobs[i] = form(fmt.Sprintf("f-%d", i), fmt.Sprintf("person%[1]d@c%[1]d.example", person), "How much is a tent?")
		case 1: // the same person again, at nearly the same moment
			jobs[i] = form(fmt.Sprintf("f-%d", i), fmt.Sprintf("Person%[1]d@c%[1]d.example", person), "And do you deliver?")
		case 2: // the same form again
			jobs[i] = form(fmt.Sprintf("f-%d", i-2), fmt.Sprintf("person%[1]d@c%[1]d.example", person), "How much is a tent?")
		case 4, 5: // one mail in two mailboxes
			jobs[i] = mail(i-i%12, fmt.Sprintf("writer%[1]d@w%[1]d.example", i/12), []string{"sales", "info"}[i%2], "Question", "Do you sell boots in size 43?")
		case 7:
			jobs[i] = mail(i, fmt.Sprintf("person%[1]d@c%[1]d.example", person-1), "hello", "Unsubscribe", "Please remove me from your mailing list.")
		case 8:
			jobs[i] = form(fmt.Sprintf("f-%d", i), fmt.Sprintf("timeout-sent@lost%d.example", i), "What does it cost?")
		case 9:
			jobs[i] = form(fmt.Sprintf("f-%d", i), fmt.Sprintf("bounce@gone%d.example", i), "What does it cost?")
		case 10:
			jobs[i] = form(fmt.Sprintf("f-%d", i), fmt.Sprintf("throttle-once@busy%d.example", i), "What does it cost?")
		default:
			jobs[i] = mail(i, "office@riverside.example", "hello", "Question", "Do you sell tents?")
		}
	}
	return jobs
}

func form(id, email, message string) job {
	body, _ := json.Marshal(map[string]any{"data": map[string]any{"email": email, "message": message}})
	return job{local.Outgoing{Endpoint: "form", ID: id, Body: body}}
}

func mail(n int, from, box, subject, text string) job {
	body := fmt.Sprintf("Received: from mx.%s.demo.example\r\nFrom: %s\r\nTo: %s@demo.example\r\nSubject: %s\r\nMessage-ID: <m%d@customer.example>\r\n"+
		"Date: Thu, 15 Jan 2026 09:00:00 +0000\r\n\r\n%s\r\n", box, from, "hello", subject, n, text)
	return job{local.Outgoing{Endpoint: "mail", EnvelopeFrom: from, EnvelopeTo: box + "@demo.example", Body: []byte(body)}}
}

// victim is the process, its folder, and what is known of it from outside.
type victim struct {
	t      *testing.T
	binary string
	folder string
	policy string
	cmd    *exec.Cmd
	ended  chan struct{}
	mu     sync.Mutex
	sender local.Sender
}

func newVictim(t *testing.T) *victim {
	dir := t.TempDir()
	k := &victim{t: t, binary: filepath.Join(dir, "onefold"), folder: filepath.Join(dir, "data"), policy: filepath.Join(dir, "policy.json")}
	build := exec.Command("go", "build", "-o", k.binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.WriteFile(k.policy, local.DemoPolicy(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.kill)
	return k
}

// start brings the process up and waits until it answers.
func (k *victim) start() {
	_ = os.Remove(filepath.Join(k.folder, "running.json"))
	k.cmd = exec.Command(k.binary, "dev", "-data", k.folder, "-listen", "127.0.0.1:0", "-policy", k.policy, "-quiet")
	log, err := os.OpenFile(k.folder+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		k.t.Fatal(err)
	}
	k.cmd.Stdout, k.cmd.Stderr = log, log
	if err := k.cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	ended := make(chan struct{})
	k.ended = ended
	cmd := k.cmd
	go func() { _ = cmd.Wait(); _ = log.Close(); close(ended) }()
	deadline := time.Now().Add(20 * time.Second)
	for {
		if r, ok := local.FindRunning(k.folder); ok {
			if resp, err := http.Get(r.URL + "/-/health"); err == nil {
				_ = resp.Body.Close()
				k.aim(r.URL)
				return
			}
		}
		select {
		case <-ended:
			k.fatalWithLog("the process ended by itself")
		default:
		}
		if time.Now().After(deadline) {
			k.fatalWithLog("the process did not come up")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (k *victim) fatalWithLog(what string) {
	k.t.Helper()
	out, _ := os.ReadFile(k.folder + ".log")
	k.t.Fatalf("%s\n%s", what, out)
}

// aim points the sender at the process's present address.
func (k *victim) aim(url string) {
	s, err := local.Data{Dir: k.folder}.Prepare()
	if err != nil {
		k.t.Fatal(err)
	}
	secrets := map[string]webhook.Secret{}
	for _, name := range []string{"form", "mail"} {
		if secrets[name], err = webhook.ParseSecret(s.Webhooks["demo/"+name]); err != nil {
			k.t.Fatal(err)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sender = local.Sender{URL: url, Tenant: "demo", Secrets: secrets, Now: time.Now, Client: &http.Client{Timeout: 20 * time.Second}}
}

func (k *victim) kill() {
	if k.cmd == nil {
		return
	}
	_ = k.cmd.Process.Kill() // SIGKILL
	<-k.ended
	k.cmd = nil
}

// stop ends the process in order.
func (k *victim) stop() {
	if err := k.cmd.Process.Signal(os.Interrupt); err != nil {
		k.t.Fatal(err)
	}
	select {
	case <-k.ended:
		k.cmd = nil
	case <-time.After(20 * time.Second):
		k.fatalWithLog("the process did not stop on an interrupt")
	}
}

// deliver sends what comes in; what is not acknowledged stays so.
func (k *victim) deliver(jobs []job, acked []string, work <-chan int, stop <-chan struct{}) {
	for n := range work {
		if acked[n] != "" {
			continue
		}
		k.once(jobs, acked, n)
		select {
		case <-stop:
			return
		default:
		}
	}
}

func (k *victim) once(jobs []job, acked []string, n int) bool {
	k.mu.Lock()
	sender := k.sender
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r, err := sender.Send(ctx, jobs[n].out)
	if err != nil || r.Status != http.StatusOK {
		return false
	}
	acked[n] = r.Event
	return true
}

func (k *victim) retry(jobs []job, acked []string, n int) {
	for range 50 {
		if k.once(jobs, acked, n) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	k.t.Fatalf("delivery %d is not taken", n)
}
