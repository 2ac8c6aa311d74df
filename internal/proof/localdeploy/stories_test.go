package localdeploy_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
	"onefold/internal/optout"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
)

// oneDeliveryTwentyTimes: twenty concurrent deliveries of one ID are one event.
func (w *world) oneDeliveryTwentyTimes() {
	who := w.person("quinn")
	all := make([]local.Outgoing, 20)
	for n := range all {
		all[n] = form("e2e-twenty", who, "How much is the two-person tent?")
	}
	answers, err := w.together(all...)
	w.must(err)
	var faults []string
	recorded := 0
	for _, a := range answers {
		if a.Event != answers[0].Event {
			faults = append(faults, "two deliveries were told of different events")
		}
		if a.Answer == inbound.AnswerRecorded {
			recorded++
		}
	}
	if recorded != 1 {
		faults = append(faults, fmt.Sprintf("%d of twenty were told that they recorded the event, want one", recorded))
	}
	if !w.until(60*time.Second, func() bool { return len(w.mails(who)) > 0 && w.inCRM(who) > 0 }) {
		faults = append(faults, "no follow-up or no CRM contact in a minute")
	}
	w.pass("one ID, twenty at once", "one event, one mail", faults...)
}

// twoSourcesAtOnce: E-43 and E-44, a form and a mail of one person at the same
// moment. She is one contact and gets one mail.
func (w *world) twoSourcesAtOnce() {
	var faults []string
	for n := range 4 {
		who := w.person("sasha")
		_, err := w.together(form(fmt.Sprintf("E-43-%d", n), who, "Do you hire out tents?"), mail(fmt.Sprintf("E-44-%d", n), who, "Tents", "Do you rent out tents in May?"))
		w.must(err)
		if !w.until(60*time.Second, func() bool { return w.enquiries(who) == 2 && len(w.mails(who)) > 0 }) {
			faults = append(faults, fmt.Sprintf("round %d: %d enquiries and %d mails in a minute, want 2 and 1", n, w.enquiries(who), len(w.mails(who))))
		}
	}
	w.pass("two sources at once", "one contact, two enquiries, one mail, four times", faults...)
}

// contact is the ID of the only contact with an address; "" if there is not
// exactly one.
func (w *world) contact(address string) string {
	id, n := "", 0
	for _, it := range w.all(ledger.Contact) {
		if strings.EqualFold(it.Text("email"), address) {
			id, n = it.Text("id"), n+1
		}
	}
	if n != 1 {
		return ""
	}
	return id
}

func (w *world) enquiries(address string) int {
	id, n := w.contact(address), 0
	for _, it := range w.all(ledger.Enquiry) {
		if id != "" && it.Text("contact") == id {
			n++
		}
	}
	return n
}

// intents are the states of the intents of an address.
func (w *world) intents(address string) []string {
	id := w.contact(address)
	var states []string
	for _, it := range w.all(ledger.Intent) {
		if id != "" && it.Text("contact") == id {
			states = append(states, it.Text("state"))
		}
	}
	return states
}

// optOutBeforeSending: Lambda's reading of the outbox for send is paused, so
// that the wish comes between decision and sending.
func (w *world) optOutBeforeSending() {
	who := w.person("toni")
	w.must(w.d.Pause(w.ctx, schema.Send, true))
	_, err := w.deliver(form("e2e-before", who, "What does the loft cost?"))
	w.must(err)
	var faults []string
	if !w.until(60*time.Second, func() bool { s := w.intents(who); return len(s) == 1 && s[0] == followup.Ready }) {
		faults = append(faults, fmt.Sprintf("intents %v, want one that is ready", w.intents(who)))
	}
	wish, err := w.deliver(mail("e2e-stop-before", who, "Re: enquiry", "Please unsubscribe me."))
	w.must(err)
	if !w.until(60*time.Second, func() bool { return w.stoppedBy(wish.Event) }) {
		faults = append(faults, "the opt-out was not decided in a minute")
	}
	w.must(w.d.Pause(w.ctx, schema.Send, false))
	ended := func() bool {
		s := w.intents(who)
		return len(s) == 1 && (s[0] == followup.Suppressed || s[0] == followup.Cancelled)
	}
	if !w.until(60*time.Second, ended) {
		faults = append(faults, fmt.Sprintf("intents %v, want one that is stopped", w.intents(who)))
	}
	if n := len(w.mails(who)); n != 0 {
		faults = append(faults, fmt.Sprintf("%d mails after the opt-out", n))
	}
	w.pass("opt-out before sending", "the follow-up that was ready is not sent", faults...)
}

// event is what has become of an event: its state and its outcome.
func (w *world) event(id string) (state, outcome string) {
	it, err := w.d.Store.Get(w.ctx, ledger.Event.At(w.d.Seeded.Tenant, id))
	w.must(err)
	return it.Text("state"), it.Text("outcome")
}

func (w *world) stoppedBy(event string) bool {
	_, outcome := w.event(event)
	return outcome == inbound.OptedOut
}

func (w *world) decided(event string) bool {
	state, _ := w.event(event)
	return state == inbound.Decided
}

// optOutAfterSending: she who opted out after her mail gets none again.
func (w *world) optOutAfterSending() {
	who := w.person("uli")
	var faults []string
	_, err := w.deliver(form("e2e-after-1", who, "What does the loft cost?"))
	w.must(err)
	if !w.until(60*time.Second, func() bool { return len(w.mails(who)) == 1 }) {
		faults = append(faults, "no follow-up in a minute")
	}
	wish, err := w.deliver(mail("e2e-stop-after", who, "Re: enquiry", "Please unsubscribe me."))
	w.must(err)
	if !w.until(60*time.Second, func() bool { return w.stoppedBy(wish.Event) }) {
		faults = append(faults, "the opt-out was not decided in a minute")
	}
	second, err := w.deliver(form("e2e-after-2", who, "And in June?"))
	w.must(err)
	if !w.until(60*time.Second, func() bool { return w.decided(second.Event) }) {
		faults = append(faults, "the second enquiry was not decided in a minute")
	}
	if n := len(w.mails(who)); n != 1 {
		faults = append(faults, fmt.Sprintf("%d mails, want the first alone", n))
	}
	w.pass("opt-out after sending", "a later enquiry is decided and not answered", faults...)
}

// optOutByLink: the link of a mail's List-Unsubscribe header, posted to as RFC
// 8058 section 3.1 has it, stops the address; looking at it does not.
func (w *world) optOutByLink() {
	who := w.person("viola")
	_, err := w.deliver(form("e2e-link-1", who, "What does the loft cost?"))
	w.must(err)
	var faults []string
	if !w.until(60*time.Second, func() bool { return len(w.mails(who)) == 1 }) {
		w.pass("opt-out by link", "one click stops the address", "no follow-up in a minute")
		return
	}
	target := w.link(w.mails(who)[0])
	if status := w.request(http.MethodGet, target, ""); status != http.StatusOK {
		faults = append(faults, fmt.Sprintf("looking at the link answered %d, want 200", status))
	}
	before := w.stopped()
	if status := w.request(http.MethodPost, target, "List-Unsubscribe=One-Click"); status != http.StatusOK {
		faults = append(faults, fmt.Sprintf("the click answered %d, want 200", status))
	}
	if after := w.stopped(); after != before+1 {
		faults = append(faults, fmt.Sprintf("%d addresses are stopped, want %d", after, before+1))
	}
	second, err := w.deliver(form("e2e-link-2", who, "And in June?"))
	w.must(err)
	if !w.until(60*time.Second, func() bool { return w.decided(second.Event) }) {
		faults = append(faults, "the second enquiry was not decided in a minute")
	}
	if n := len(w.mails(who)); n != 1 {
		faults = append(faults, fmt.Sprintf("%d mails, want the first alone", n))
	}
	w.pass("opt-out by link", "a look changes nothing, one click stops the address", faults...)
}

var target = regexp.MustCompile(`<(https?://[^>]+)>`)

// link is the opt-out link of a mail: of its header, or, while mails carry
// none, as it would be.
func (w *world) link(m sestest.SentMail) string {
	for _, h := range m.Headers {
		if found := target.FindStringSubmatch(h.Value); found != nil && strings.EqualFold(h.Name, "List-Unsubscribe") {
			return found[1]
		}
	}
	return w.d.URL + "/optout/" + optout.Link(w.d.IDs, w.d.Seeded.Tenant, m.Tag(mailer.TagIntent))
}

func (w *world) request(method, target, body string) int {
	req, err := http.NewRequestWithContext(w.ctx, method, target, strings.NewReader(body))
	w.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// stopped counts the addresses that may not be mailed.
func (w *world) stopped() int {
	n := 0
	for _, it := range w.all(ledger.Guard) {
		if it.Text(guard.StopAttr(guard.ScopeAll)) != "" {
			n++
		}
	}
	return n
}

// mailThroughTheQueue: a mail that SES put into the bucket and announced is
// taken in as one that came by HTTP.
func (w *world) mailThroughTheQueue() {
	who := w.person("wim")
	m := mail("e2e-received", who, "Tents", "Do you rent out tents in May?")
	// SES announces at least once.
	for range 2 {
		w.must(w.d.ReceiveMail(w.ctx, who, office, m.Body))
	}
	var faults []string
	if !w.until(60*time.Second, func() bool { return len(w.mails(who)) > 0 && w.inCRM(who) > 0 }) {
		faults = append(faults, "no follow-up or no CRM contact in a minute")
	}
	w.pass("received mail", "S3 and SNS, twice under two SES IDs: one mail", faults...)
}

// sameIDOtherContent: an ID that comes again with another content is refused,
// and a person is asked.
func (w *world) sameIDOtherContent() {
	who := w.person("xenia")
	_, err := w.deliver(form("e2e-conflict", who, "What does the loft cost?"))
	w.must(err)
	before := len(w.all(ledger.ReviewTask))
	r, err := w.sender().Send(w.ctx, form("e2e-conflict", who, "And in June?"))
	w.must(err)
	var faults []string
	if r.Status != http.StatusConflict {
		faults = append(faults, fmt.Sprintf("answered %d, want 409", r.Status))
	}
	if n := len(w.all(ledger.ReviewTask)); n != before+1 {
		faults = append(faults, fmt.Sprintf("%d review tasks, want %d", n, before+1))
	}
	w.pass("one ID, other content", "409 and a review task", faults...)
}

// complaint: who complains of our mail to her provider is stopped.
func (w *world) complaint() {
	w.people++
	who := fmt.Sprintf("%s@yael-%d.example", sestest.Complain, w.people)
	before := w.stopped()
	_, err := w.deliver(form("e2e-complaint", who, "What does the loft cost?"))
	w.must(err)
	var faults []string
	if !w.until(60*time.Second, func() bool { return w.stopped() == before+1 }) {
		faults = append(faults, fmt.Sprintf("%d addresses are stopped, want %d", w.stopped(), before+1))
	}
	w.pass("complaint", "SES, SNS, SQS, feedback: the address is stopped", faults...)
}

// doubtfulWish: words that may be a wish not to be mailed hold the address, and
// a person is asked.
func (w *world) doubtfulWish() {
	who := w.person("zoe")
	r, err := w.deliver(mail("e2e-doubtful", who, "Re: newsletter", "How do I unsubscribe?"))
	w.must(err)
	var faults []string
	in := func() bool { state, _ := w.event(r.Event); return state == inbound.InReview }
	if !w.until(60*time.Second, in) {
		faults = append(faults, "the event is not in review after a minute")
	}
	if n := len(w.mails(who)); n != 0 {
		faults = append(faults, fmt.Sprintf("%d mails, want none", n))
	}
	w.pass("doubtful wish", "the address is held and a person is asked", faults...)
}

// console: nobody who is not signed in sees a task.
func (w *world) console() {
	var faults []string
	noFollow := http.Client{Timeout: client.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, path := range []string{"/console", "/console/", "/console/task/x"} {
		req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.d.URL+path, http.NoBody)
		w.must(err)
		resp, err := noFollow.Do(req)
		w.must(err)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			faults = append(faults, path+" answered 200 without a session")
		}
	}
	w.pass("console", "closed to who is not signed in", faults...)
}
