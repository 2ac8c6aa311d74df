package localdeploy_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"onefold/events"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// office is where the sample tenant takes mail.
const office = "hello@demo.example"

var client = &http.Client{Timeout: 40 * time.Second}

// person is a new one, with a domain of its own, so that no cap on a domain is
// met.
func (w *world) person(name string) string {
	w.people++
	return fmt.Sprintf("%s@%s-%d.example", name, name, w.people)
}

func (w *world) sender() local.Sender {
	return local.Sender{URL: w.d.URL, Tenant: w.d.Seeded.Tenant, Secrets: w.d.Seeded.Secrets, Now: time.Now, Client: client}
}

// deliver sends until it is taken, as a provider would.
func (w *world) deliver(o local.Outgoing) (ingest.Response, error) {
	var last error
	for wait := 200 * time.Millisecond; w.ctx.Err() == nil; wait = min(2*wait, 3*time.Second) {
		r, err := w.sender().Send(w.ctx, o)
		switch {
		case err == nil && r.Status == http.StatusOK:
			return r, nil
		case err == nil && r.Status/100 == 4 && r.Status != http.StatusTooManyRequests:
			return r, fmt.Errorf("answered %d %s", r.Status, r.Error)
		}
		last = errors.Join(err, fmt.Errorf("answered %d %s", r.Status, r.Error))
		w.sleep(wait)
	}
	return ingest.Response{}, errors.Join(w.ctx.Err(), last)
}

// together delivers all at the same moment.
func (w *world) together(all ...local.Outgoing) ([]ingest.Response, error) {
	answers, faults := make([]ingest.Response, len(all)), make([]error, len(all))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for n, o := range all {
		wg.Go(func() {
			<-start
			answers[n], faults[n] = w.deliver(o)
		})
	}
	close(start)
	wg.Wait()
	return answers, errors.Join(faults...)
}

func (w *world) sleep(d time.Duration) {
	select {
	case <-w.ctx.Done():
	case <-time.After(d):
	}
}

func form(id, email, message string) local.Outgoing {
	body := fmt.Sprintf(`{"type":"enquiry","data":{"email":%q,"name":"Robin Reed","message":%q}}`, email, message)
	return local.Outgoing{Endpoint: "form", ID: id, Body: []byte(body)}
}

func mail(id, from, subject, text string) local.Outgoing {
	body := strings.Join([]string{
		"From: Robin Reed <" + from + ">", "To: " + office, "Subject: " + subject,
		"Date: " + time.Now().Format(time.RFC1123Z), "Message-ID: <" + id + "@" + from[strings.Index(from, "@")+1:] + ">",
		"MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "", text, "",
	}, "\r\n")
	return local.Outgoing{Endpoint: "mail", EnvelopeFrom: from, EnvelopeTo: office, Body: []byte(body)}
}

// until waits for something to be seen; false when it is not in that time.
func (w *world) until(patience time.Duration, seen func() bool) bool {
	for end := time.Now().Add(patience); w.ctx.Err() == nil && time.Now().Before(end); w.sleep(200 * time.Millisecond) {
		if seen() {
			return true
		}
	}
	return false
}

// all reads every item of an entity.
func (w *world) all(e ledger.Entity) []ledger.Item {
	w.t.Helper()
	var out []ledger.Item
	for cursor := ""; ; {
		page, err := w.d.Store.Scan(w.ctx, ledger.Scan{Table: e.Table(), Segments: 1, Cursor: cursor, Limit: 500})
		w.must(err)
		for _, it := range page.Items {
			if it.Text(schema.Entity) == string(e) {
				out = append(out, it)
			}
		}
		if cursor = page.Next; cursor == "" {
			return out
		}
	}
}

// moving names what goes on by itself within the horizon.
func (w *world) moving(horizon time.Duration) []string {
	w.t.Helper()
	soon := utc.At(time.Now().Add(horizon)).String()
	var left []string
	note := func(it ledger.Item) {
		left = append(left, strings.Join([]string{it.Text(schema.Entity), it.Text("kind"), it.Text("state"), it.Text("reason"), it.Text(schema.DueAt)}, " "))
	}
	for _, it := range w.all(ledger.Event) {
		if it.Text("state") == inbound.Recorded && it.Text("not_before") <= soon {
			note(it)
		}
	}
	for _, it := range w.all(ledger.Operation) {
		if s := it.Text("state"); (s == outbox.Open || s == outbox.Waiting) && it.Text("not_before") <= soon {
			note(it)
		}
	}
	for _, it := range w.all(ledger.Intent) {
		if it.Text("state") == followup.Sending {
			note(it)
		}
	}
	return left
}

// settleTime is how long what is not killed may take; the machine may be
// loaded, and the emulator's readers of streams work one after the other.
const settleTime = 90 * time.Second

// settled waits until nothing moves; what is left is the answer.
func (w *world) settled(patience, horizon time.Duration) []string {
	var left []string
	w.until(patience, func() bool {
		left = w.moving(horizon)
		return len(left) == 0
	})
	return left
}

// mails are the follow-ups that the provider took for an address; for all if
// it is "". Probes of the feed are none.
func (w *world) mails(address string) []sestest.SentMail {
	var out []sestest.SentMail
	for _, m := range w.d.SES.Sent() {
		mine := address == "" || slices.ContainsFunc(m.To, func(to string) bool { return strings.Contains(strings.ToLower(to), strings.ToLower(address)) })
		if m.Tag(mailer.TagProbe) == "" && mine {
			out = append(out, m)
		}
	}
	return out
}

// inCRM counts the CRM's contacts of an address.
func (w *world) inCRM(address string) int {
	n := 0
	for _, r := range w.d.CRM.Contacts() {
		if strings.EqualFold(r.Properties["email"], address) {
			n++
		}
	}
	return n
}

// script delivers the samples in order.
func (w *world) script() error {
	steps := events.Demo()
	for i := 0; i < len(steps); {
		j := i + 1
		for j < len(steps) && steps[j].Together {
			j++
		}
		if steps[i].AfterQuiet {
			w.settled(settleTime, horizon)
		}
		var all []local.Outgoing
		for _, s := range steps[i:j] {
			for range max(s.Repeat, 1) {
				all = append(all, local.Outgoing{Endpoint: s.Endpoint, ID: s.ID, EnvelopeFrom: s.EnvelopeFrom, EnvelopeTo: s.EnvelopeTo, Body: s.Body})
			}
		}
		if _, err := w.together(all...); err != nil {
			return fmt.Errorf("%s: %w", steps[i].Name, err)
		}
		i = j
	}
	return nil
}
