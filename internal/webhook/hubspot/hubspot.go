// Package hubspot is the source for the webhooks of HubSpot apps, signed by
// version 3 of its scheme.
//
// Its invariant: an event is what happened to which object when, by which
// subscription; neither HubSpot's eventId, which it does not promise to be one
// event's own, nor a batch, which a further try may group otherwise. It refuses
// the older signatures, which no time is part of.
package hubspot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"onefold/internal/webhook"
)

const (
	headerSignature = "x-hubspot-signature-v3"
	headerTimestamp = "x-hubspot-request-timestamp"
	window          = 5 * time.Minute
	maxEvents       = 100 // of one request ("Webhooks", legacy guide)
)

// Source is HubSpot.
type Source struct{}

// New makes the source.
func New() Source { return Source{} }

// About is the source's row.
func (Source) About() webhook.About {
	return webhook.About{
		Scheme: "hubspot", Name: "HubSpot", Contents: []string{webhook.ContentForm},
		ID:   "derived of `portalId`, `objectId`, `subscriptionType` or `eventType`, `occurredAt`, `subscriptionId`, `propertyName` and `propertyValue`; `eventId` is not safe",
		Auth: "`X-HubSpot-Signature-v3`: HMAC-SHA256 base64 over method, address, body and timestamp with the app's client secret",
		Past: window, Future: window,
		Replay: "10 tries in 24 hours",
		Answers: webhook.Answers{
			Recorded: 200, Duplicate: 200,
			// It is before a person; every 4xx is tried again for 24 hours.
			Conflict:        200,
			Unauthenticated: 401, Kind: 415, Malformed: 400, TooLarge: 413, UnknownEndpoint: webhook.UnknownEndpoint, Fault: 503,
		},
		JSON: true,
		IDs: []string{"/portalId", "/objectId", "/fromObjectId", "/toObjectId", "/associationType", "/associationRemoved", "/subscriptionType", "/eventType",
			"/occurredAt", "/subscriptionId", "/propertyName", "/propertyValue"},
		MaxBody: 1 << 20,
		Limits:  "100 events in one request; HubSpot waits 5 seconds. The address is signed: behind a domain or path of its own the endpoint needs `public_url`. An event has IDs and one value, and no address unless that value is one",
		Facts: []string{
			"https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation",
			"https://developers.hubspot.com/docs/api-reference/legacy/webhooks/guide",
		},
		Unverified: []string{
			"that each try is signed anew: if not, a try after 5 minutes is refused",
			"that every app's webhooks have the signature of version 3: those without it are refused",
			"whether the address is signed decoded, as the page says, or as it stands: both are taken",
			"that `occurredAt` is the same on each try: if not, a repeat is a second event",
		},
	}
}

// Open verifies a request and gives its events.
func (Source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	if err := verify(r, set); err != nil {
		return webhook.Opened{}, err
	}
	tree, err := webhook.ReadJSON(r.Body)
	if err != nil {
		return webhook.Opened{}, err
	}
	list, ok := tree.([]any)
	if !ok {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "body_no_list", "the body is a list of events")
	}
	if len(list) > maxEvents {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrTooLarge, "too_many_events", "at most 100 events at once")
	}
	var out webhook.Opened
	parts := webhook.PartsOf(r.Body)
	for i, event := range list {
		d, err := read(event)
		if err != nil {
			out.Broken++
			continue
		}
		d.JSON = parts[i]
		out.Deliveries = append(out.Deliveries, d)
	}
	return out, nil
}

func verify(r webhook.Request, set webhook.Setting) error {
	offered, stamp := r.Headers.Get(headerSignature), r.Headers.Get(headerTimestamp)
	if offered == "" || stamp == "" {
		return webhook.Refuse(webhook.ErrMissingHeader, "header_missing", "X-HubSpot-Signature-v3 and X-HubSpot-Request-Timestamp are needed")
	}
	at, ok := readTime(stamp)
	if !ok {
		return webhook.ErrBadTimestamp
	}
	got, err := base64.StdEncoding.Strict().DecodeString(offered)
	if err != nil || strings.ContainsAny(offered, "\r\n") {
		return webhook.ErrBadSignature
	}
	known, fits := false, false
	for _, s := range set.Secrets {
		if s.IsZero() {
			continue
		}
		known = true
		for _, address := range []string{decoded(r.URL), r.URL} {
			m := hmac.New(sha256.New, []byte(s.Text()))
			m.Write([]byte(r.Method + address))
			m.Write(r.Body)
			m.Write([]byte(stamp))
			fits = hmac.Equal(got, m.Sum(nil)) || fits
		}
	}
	switch {
	case !known:
		return webhook.ErrNoSecret
	case !fits:
		return webhook.Refuse(webhook.ErrBadSignature, "signature_invalid", "sign with the app's client secret; if it is the right one, public_url is not the address that HubSpot has")
	case set.Now.Sub(at) > window:
		return webhook.ErrTooOld
	case at.Sub(set.Now) > window:
		return webhook.ErrTooNew
	}
	return nil
}

// readTime reads Unix milliseconds: 13 digits until the year 2286, and no
// fewer, since the body stands right before them in what is signed.
func readTime(text string) (time.Time, bool) {
	if len(text) != 13 {
		return time.Time{}, false
	}
	var n int64
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return time.Time{}, false
		}
		n = n*10 + int64(text[i]-'0')
	}
	return time.UnixMilli(n), true
}

// decoded is an address as HubSpot signs it: the escapes of its table
// ("Validating requests", version 3) are characters, all others stay.
func decoded(address string) string {
	return strings.NewReplacer(
		"%3A", ":", "%3a", ":", "%2F", "/", "%2f", "/", "%3F", "?", "%3f", "?", "%40", "@", "%21", "!", "%24", "$", "%27", "'",
		"%28", "(", "%29", ")", "%2A", "*", "%2a", "*", "%2C", ",", "%2c", ",", "%3B", ";", "%3b", ";",
	).Replace(address)
}

// read is one event. Its try and eventId are no part of what makes two the same.
func read(event any) (webhook.Delivery, error) {
	d := webhook.Delivery{Content: webhook.ContentForm}
	text := func(name string) string { return webhook.TextAt(event, "/"+name) }
	if d.Kind = text("subscriptionType"); d.Kind == "" {
		d.Kind = text("eventType")
	}
	portal, object := text("portalId"), text("objectId")
	// A changed association is of two objects and has no objectId ("Webhooks",
	// legacy guide: associationType, fromObjectId, toObjectId, associationRemoved).
	if from, to := text("fromObjectId"), text("toObjectId"); object == "" && from != "" && to != "" {
		object = strings.Join([]string{from, to, text("associationType")}, "/")
		if webhook.At(event, "/associationRemoved") == true {
			object += "/removed"
		}
	}
	if portal == "" || object == "" || d.Kind == "" {
		return d, webhook.ErrBadID
	}
	raw, err := json.Marshal(event)
	if err != nil {
		return d, webhook.ErrMalformed // unreachable: it was read from JSON
	}
	d.Raw = raw
	if d.ID, err = webhook.DerivedID(portal+"/"+object, d.Kind, text("occurredAt"), text("subscriptionId"), text("propertyName"), text("propertyValue")); err != nil {
		return d, err
	}
	if len(d.Kind) > 100 || !webhook.ValidID(d.Kind) {
		d.Kind = ""
	}
	d.Volatile = []string{"/attemptNumber", "/eventId"}
	d.Fingerprint, err = webhook.FingerprintWithout(event, d.Volatile)
	return d, err
}
