package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"onefold/internal/crm/hubspottest"
	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
	"onefold/internal/schema"
)

// settle gives the system time to work off what is not claimed by a dead
// worker. The long run also waits until those claims have lapsed.
func (k *victim) settle() {
	if *killsFlag >= 20 {
		k.t.Log("waiting for the leases of killed workers to lapse")
		time.Sleep(100 * time.Second)
	}
	// Quiet is when the counts of rows stand still; what a dead worker had
	// claimed stands still until the lapse.
	last, since := "", time.Now()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end) && time.Since(since) < 2*time.Second; time.Sleep(200 * time.Millisecond) {
		out, _ := exec.Command(k.binary, "verify", "-data", k.folder, "-json").Output()
		var rep struct {
			Counts map[string]int `json:"counts"`
		}
		_ = json.Unmarshal(out, &rep)
		if now := fmt.Sprint(rep.Counts); now != last || len(rep.Counts) == 0 {
			last, since = now, time.Now()
		}
	}
}

// verify asks the running process to check every invariant.
func (k *victim) verify() {
	out, err := exec.Command(k.binary, "verify", "-data", k.folder).CombinedOutput()
	if err != nil {
		k.t.Errorf("verify: %v\n%s", err, out)
	}
}

// inspect compares what was acknowledged, and what the outside took, with the
// ledger on disk.
func (k *victim) inspect(acked []string) {
	opened, err := local.Open(k.folder)
	if err != nil {
		k.t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	states := map[string]int{}
	for n, id := range acked {
		it, err := opened.Store.Get(k.t.Context(), ledger.Event.At("demo", id))
		if err != nil || it == nil {
			k.t.Errorf("delivery %d was acknowledged and has no event (%v)", n, err)
			continue
		}
		state := it.Text("state")
		states[state]++
		if state != "decided" && state != "in_review" && it.Text(schema.DueAt) == "" {
			k.t.Errorf("delivery %d: its event is %s and nobody's", n, state)
		}
		if *killsFlag >= 20 && state == "recorded" {
			k.t.Errorf("delivery %d: its event is still undecided", n)
		}
	}
	k.t.Logf("events of the acknowledged deliveries: %v", states)
	k.mailsPerIntent()
	k.contactsPerAddress()
}

// mailsPerIntent reads the provider's own journal: what it accepted, whatever
// we know of it.
func (k *victim) mailsPerIntent() {
	seen := map[string]string{} // message ID → intent
	for _, line := range k.lines("mail.jsonl") {
		var m sestest.SentMail
		if err := json.Unmarshal(line, &m); err != nil {
			k.t.Fatal(err)
		}
		if m.Tag(mailer.TagProbe) == "" {
			seen[m.MessageID] = m.Tag(mailer.TagIntent)
		}
	}
	mails := map[string]int{}
	for _, intent := range seen {
		mails[intent]++
	}
	for intent, n := range mails {
		if n > 1 {
			k.t.Errorf("intent %s: the provider took %d mails", intent, n)
		}
	}
	k.t.Logf("%d mails, one for each of %d intents", len(seen), len(mails))
}

// contactsPerAddress reads the CRM's own journal.
func (k *victim) contactsPerAddress() {
	server := hubspottest.New(hubspottest.Options{})
	for _, line := range k.lines("crm.jsonl") {
		if err := server.Restore(line); err != nil {
			k.t.Fatal(err)
		}
	}
	contacts := map[string]int{}
	for _, r := range server.Contacts() {
		contacts[strings.ToLower(r.Properties["email"])]++
	}
	for email, n := range contacts {
		if n > 1 {
			k.t.Errorf("%s has %d contacts in the CRM", email, n)
		}
	}
	k.t.Logf("%d contacts in the CRM, one for each address", len(contacts))
	if len(contacts) == 0 {
		k.t.Error("the CRM holds no contact: this check checks nothing")
	}
}

func (k *victim) lines(name string) [][]byte {
	f, err := os.Open(filepath.Join(k.folder, name))
	if err != nil {
		k.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out [][]byte
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 8<<20)
	for sc.Scan() {
		out = append(out, append([]byte(nil), sc.Bytes()...))
	}
	return out
}
