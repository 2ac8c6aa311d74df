package scenario_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"onefold/internal/console"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/webhook"
)

// play runs the whole script.
func (w *world) play() {
	steps := w.file.steps
	for len(steps) > 0 {
		if steps[0].quiet {
			w.untilQuiet(false)
			w.do(steps[0])
			steps = steps[1:]
			continue
		}
		// Together until the next that waits for quiet.
		for len(steps) > 0 && !steps[0].quiet {
			s := steps[0]
			at := began.Add(s.at)
			if at.After(w.now()) {
				w.timers = append(w.timers, timer{at, func() { w.do(s) }})
			} else {
				w.do(s)
			}
			steps = steps[1:]
		}
	}
	w.untilQuiet(true)
}

func (w *world) do(s step) {
	switch s.verb {
	case "form", "mail":
		times, _ := strconv.Atoi(s.args["times"])
		for range max(times, 1) {
			w.deliver(s)
		}
	case "answer":
		w.answer(s)
	case "policy":
		w.file.policy = append(w.file.policy[:len(w.file.policy):len(w.file.policy)], strings.Join(s.words, " "))
		w.applyPolicy(w.file.policy)
	case "rule":
		w.rule(s)
	case "migrate":
		w.migrate()
	case "stop", "resume":
		if w.stopped == nil {
			w.stopped = map[string]bool{}
		}
		w.stopped[s.words[0]] = s.verb == "stop"
		w.stop(s.words[0], s.verb == "stop")
	case "provider":
		w.post = append(w.post, s.words...)
	case "crm":
		w.cab = append(w.cab, s.words...)
	case "model":
		w.model = append(w.model, s.words...)
	case "events":
		w.events = s.words[0]
		if w.events == "normal" {
			w.events = ""
		}
	case "hold": // the provider's events come so long after what they tell of
		d, err := time.ParseDuration(s.words[0])
		w.must(err)
		w.hold = d
	case "feed":
		w.silent = s.words[0] == "off"
	case "complaint", "bounce":
		kind := mailer.EventBounced
		if s.verb == "complaint" {
			kind = mailer.EventComplained
		}
		if w.postbox.last != nil {
			last := w.postbox.took[len(w.postbox.took)-1]
			w.report(mailer.Event{Type: kind, Permanent: true, MessageID: last.message, At: w.now(), Tags: w.postbox.last, DedupeKey: last.message + string(kind)})
		}
	case "merge", "split", "alias", "address", "erase":
		w.people(s.verb, s.words)
	case "record", "import":
		w.dayOne(s)
	case "hook":
		w.hook()
	case "lose":
		w.onlySweeper = s.words[0] == "streams"
	default:
		w.must(fmt.Errorf("no such step: %s", s.verb))
	}
}

// deliver sends one delivery until it is answered for good, signed anew each
// time, as senders do.
func (w *world) deliver(s step) {
	body := w.file.body(s)
	if intents := w.intents(); len(intents) > 0 {
		// What a report gives back bears the mark of our mail.
		body = bytes.ReplaceAll(body, []byte("{{mark}}"), []byte(followup.Mark(w.ids, tenantID, intents[0].ID)))
	}
	id := s.args["id"]
	headers := map[string]string{}
	if s.verb == "mail" {
		headers[ingest.HeaderEnvelopeFrom], headers[ingest.HeaderEnvelopeTo] = s.args["from"], s.args["to"]
		id = webhook.MailID(s.args["from"], s.args["to"], body)
	}
	if found := s.args["dmarc"]; found != "" {
		w.dmarc[id] = found
	}
	j := &job{role: "ingest", key: fmt.Sprintf("ingest/%d", len(w.trace)+len(w.jobs)), tries: 200, wait: 7 * time.Second}
	j.work = func(ctx context.Context) error {
		keys, _ := secrets(ctx, tenantID, "")
		at := w.now()
		h := map[string]string{"webhook-id": id, "webhook-timestamp": strconv.FormatInt(at.Unix(), 10), "webhook-signature": webhook.Sign(keys[0], id, at, body)}
		for k, v := range headers {
			h[k] = v
		}
		r := w.sys.Ingest.Handle(ctx, ingest.Request{Tenant: tenantID, Endpoint: s.verb, Headers: h, Body: body, RequestID: "r"})
		switch {
		case r.Status/100 == 2:
			w.journal.accepted = append(w.journal.accepted, r.Event)
		case r.Status >= 500:
			return errNoAnswer
		}
		return nil
	}
	w.jobs = append(w.jobs, j)
}

// open lists the open tasks, oldest first.
func (w *world) open() (tasks []review.Task) {
	for _, it := range w.scan(schema.Ledger) {
		if it.Text(schema.Entity) == string(ledger.ReviewTask) && it.Text("state") == review.Open {
			var t review.Task
			w.must(it.Decode(&t))
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// answer has a person answer the first open task of a kind, as he sees it now.
// He tries again when he gets an error, as people do.
func (w *world) answer(s step) {
	for _, t := range w.open() {
		if kind := s.args["kind"]; kind != "" && kind != t.Kind {
			continue
		}
		w.jobs = append(w.jobs, w.answerTo(t, s))
		if s.args["all"] == "" {
			return
		}
	}
}

func (w *world) answerTo(t review.Task, s step) *job {
	return &job{role: "console", key: "console/" + t.ID, tries: 5, wait: time.Minute, work: func(ctx context.Context) error {
		err := w.sys.Console.Answer(ctx, tenantID, t.ID, console.Form{
			Action: s.words[0], By: "kim", Transition: t.Transition, ContentHash: t.ContentHash, Address: s.args["address"],
		})
		if errors.Is(err, console.ErrMoved) || errors.Is(err, console.ErrStillOpen) || errors.Is(err, console.ErrNoSuchAction) {
			return nil
		}
		return err
	}}
}

// stop puts or lifts the stop of the tenant or of all, as the command does.
func (w *world) stop(who string, on bool) {
	k := ledger.Stop.At(tenantID, "stop")
	if who == "all" {
		k.Tenant = ledger.NoTenant
	}
	var c ledger.Commit
	if it := w.get(k); it == nil {
		w.must(c.Create("stop", k, ledger.Item{"stopped": on}))
	} else {
		w.must(c.Update("stop", k, ledger.AtVersion(it.Version()), ledger.Item{"stopped": on}))
	}
	w.must(w.apply(context.Background(), "", c))
}
