package events_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/url"
	"strconv"
	"testing"
	"time"

	samples "onefold/events"
)

// hooks are the requests of other sources, each signed as its provider
// describes and not by the code that reads it.
func addHooks(t *testing.T, into map[string]any) {
	t.Helper()
	at := signedAt()
	put := func(name, endpoint string, came time.Time, headers map[string]string, body string) {
		into["hooks/"+name+".json"] = request(endpoint, "application/json", came, headers, []byte(body), false)
	}
	key := []byte(samples.SecretHook)

	svix := func(id, body string) map[string]string {
		h := map[string]string{}
		for name, v := range signature(t, samples.SecretForm, id, at, []byte(body)) {
			h["svix"+name[len("webhook"):]] = v
		}
		return h
	}
	put("svix", "svix", at, svix("msg_sample_svix", enquiryBody), enquiryBody)
	const mail = `{"type":"email.received","created_at":"2026-01-15T09:00:00.000Z","data":{"email_id":"4ef9a417-02e9-4d39-ad75-9611e0fcc33c","from":"Alex Morgan <alex.morgan@customer.example>","to":["hello@demo.example"],"subject":"Hut tour in July","attachments":[]}}`
	put("resend", "resend", at, svix("msg_sample_resend", mail), mail)

	pairs := func(header string, at time.Time, body string) map[string]string {
		stamp := strconv.FormatInt(at.Unix(), 10)
		return map[string]string{header: "t=" + stamp + ",v1=" + hex.EncodeToString(sha(key, stamp+"."+body))}
	}
	stripe := func(pending string) string {
		return `{"id":"evt_sample_0001","object":"event","type":"checkout.session.completed","pending_webhooks":` + pending + `,"data":{"object":{"customer_details":{"email":"jamie.quinn@garden.example","name":"Jamie Quinn"}}}}`
	}
	put("stripe", "stripe", at, pairs("stripe-signature", at, stripe("2")), stripe("2"))
	later := at.Add(time.Hour)
	put("stripe-again", "stripe", later, pairs("stripe-signature", later, stripe("1")), stripe("1"))
	const invitee = `{"event":"invitee.created","created_at":"2026-01-15T08:59:58.000000Z","payload":{"uri":"https://api.calendly.example/scheduled_events/AAAA/invitees/BBBB","email":"jamie.quinn@garden.example","name":"Jamie Quinn"}}`
	put("calendly", "calendly", at, pairs("calendly-webhook-signature", at, invitee), invitee)

	const issue = `{"action":"opened","issue":{"number":7,"title":"A question about the hut tour"}}`
	github := func(delivery string) map[string]string {
		return map[string]string{"x-hub-signature-256": "sha256=" + hex.EncodeToString(sha(key, issue)), "x-github-delivery": delivery, "x-github-event": "issues"}
	}
	put("github", "github", at, github("72d3162e-cc78-11e3-81ab-4c9367dc0958"), issue)
	put("github-replayed", "github", later, github("00000000-0000-4000-8000-000000000001"), issue)

	const answers = `{"event_id":"01HSAMPLE0001","event_type":"form_response","form_response":{"token":"sampletoken","answers":[{"type":"email","email":"jamie.quinn@garden.example"}]}}`
	put("typeform", "typeform", at, map[string]string{"typeform-signature": "sha256=" + base64.StdEncoding.EncodeToString(sha(key, answers))}, answers)

	const lead = `{"subscription_id":"whsub_sample","event":{"id":"ev_sample_0001","action":"created","object_type":"lead","data":{"display_name":"Quinn Gardens Ltd"}}}`
	stamp := strconv.FormatInt(at.Unix(), 10)
	put("close", "close", at, map[string]string{"close-sig-timestamp": stamp, "close-sig-hash": hex.EncodeToString(sha(key, stamp+lead))}, lead)

	const batch = `{"events":[{"id":"b-1","type":"contact.created"},{"id":"b-2","type":"contact.created"},{"type":"contact.created"}]}`
	put("batch-with-a-broken-part", "batch", at, map[string]string{"x-signature": hex.EncodeToString(sha(key, batch))}, batch)

	addOwnForms(into, at)
}

// addOwnForms are what a browser sends for a page of ours.
func addOwnForms(into map[string]any, at time.Time) {
	const id, page = "0b9f6c1e-6f3a-4d0e-9a3b-7d1f5b0c2a11", "https://www.demo.example"
	submission := func(message string) string {
		return `{"email":"jamie.quinn@garden.example","message":"` + message + `","name":"Jamie Quinn","submission_id":"` + id + `"}`
	}
	post := func(name, origin, body string) {
		into["hooks/"+name+".json"] = request("contact", "application/json", at, map[string]string{"origin": origin}, []byte(body), false)
	}
	const message = "Do you offer guided walks in May?"
	post("own-form", page, submission(message))
	post("own-form-changed", page, submission("Something else"))
	post("own-form-of-another-page", "https://elsewhere.example", submission(message))
	fields := url.Values{"email": {"jamie.quinn@garden.example"}, "name": {"Jamie Quinn"}, "message": {message}, "submission_id": {id}}.Encode()
	into["hooks/own-form-fields.json"] = request("contact", "application/x-www-form-urlencoded", at, map[string]string{"origin": page}, []byte(fields), true)

	preflight := request("contact", "", at, map[string]string{
		"origin": page, "access-control-request-method": "POST", "access-control-request-headers": "content-type",
	}, nil, false)
	for _, name := range []string{"content-type", "content-length"} {
		delete(preflight["headers"].(map[string]string), name)
	}
	context := maps.Clone(preflight["requestContext"].(map[string]any))
	http := maps.Clone(context["http"].(map[string]string))
	http["method"], context["http"] = "OPTIONS", http
	context["routeKey"] = "OPTIONS /v1/{tenant}/{endpoint}"
	context["http"], preflight["requestContext"], preflight["routeKey"] = http, context, context["routeKey"]
	into["hooks/own-form-preflight.json"] = preflight
}

func sha(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}
