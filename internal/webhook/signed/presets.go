package signed

import (
	"time"

	"onefold/internal/webhook"
)

// Preset is a scheme of a known sender.
type Preset struct {
	Scheme Scheme
	About  webhook.About
}

// Presets are the senders that are set up by their names alone.
func Presets() []Preset {
	return []Preset{Stripe(), GitHub(), Typeform(), Calendly(), Close()}
}

// About is what is known of a scheme that the policy itself describes.
func About() webhook.About {
	return webhook.About{
		Scheme: "hmac", Name: "any HMAC scheme", ID: "as configured: a header, a member of the body, or object, kind and version",
		Auth: "HMAC over what is configured, the body always in it", Answers: webhook.StandardWebhooks(), Final: []int{404, 410},
		MaxBody: webhook.MaxBody, Replay: "as configured; without a signed timestamp the ID alone stands against a replay",
		Limits: "JSON bodies; 200 events in one payload",
	}
}

// Stripe signs time and body, with its secret as it stands.
func Stripe() Preset {
	a := about("stripe", "Stripe", "`id` of the body (`evt_…`)", "HMAC-SHA256 hex over `t.body`, secret as it stands", "https://docs.stripe.com/webhooks")
	a.Replay = "each try is signed anew; live mode tries for 3 days"
	a.Limits = "a time of signing more than 5 minutes ahead is refused too, which Stripe's own library takes"
	a.Unverified = []string{
		"that `pending_webhooks` differs between tries: it is no part of what makes two deliveries the same",
	}
	return Preset{Scheme{
		Header: "stripe-signature", Pair: "v1", Signed: "{timestamp}.{body}", Timestamp: &Timestamp{Pair: "t", Tolerance: 300},
		ID: ID{Pointers: []string{"/id"}}, Kind: Place{Pointer: "/type"}, Volatile: []string{"/pending_webhooks"},
	}, a}
}

// GitHub signs the body alone, and not the ID beside it.
func GitHub() Preset {
	a := about("github", "GitHub", "`X-GitHub-Delivery`, not signed: so one signed body is one event, whatever its ID",
		"HMAC-SHA256 hex over the body", "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries")
	a.Replay = "no timestamp: the ID and the hash of the body stand against a replay, for as long as they are kept"
	a.Limits = "25 MB, of which this endpoint takes 4; JSON, or JSON in the field `payload` of a form; `ping` is answered and not recorded"
	a.Unverified = []string{
		"that it never tries again by itself: what was answered 503 has to be redelivered by hand",
		"that a redelivery by hand has the same ID: if not, it is a duplicate by its body",
	}
	return Preset{Scheme{
		Header: "x-hub-signature-256", Prefix: "sha256=", ID: ID{Header: "x-github-delivery"}, Kind: Place{Header: "x-github-event"},
		field: "payload", tests: []string{"ping"},
	}, a}
}

// Typeform signs the body alone, in base64.
func Typeform() Preset {
	a := about("typeform", "Typeform", "`event_id` of the body", "HMAC-SHA256 base64 over the body", "https://www.typeform.com/developers/webhooks/")
	a.Final = []int{404, 410}
	a.Replay = "no timestamp: the ID, which is signed, stands against a replay; 503 is tried for 10 hours, other codes 5 times"
	a.Unverified = []string{"all of it was read with others and not at Typeform: that `event_id` is the same on each try, and the codes"}
	return Preset{Scheme{
		Header: "typeform-signature", Prefix: "sha256=", Encoding: "base64", ID: ID{Pointers: []string{"/event_id"}}, Kind: Place{Pointer: "/event_type"},
	}, a}
}

// Calendly signs time and body, and gives no ID.
func Calendly() Preset {
	a := about("calendly", "Calendly", "derived of `payload.uri`, `event` and `created_at`", "HMAC-SHA256 hex over `t.body`", "https://developer.calendly.com/docs/webhooks/overview")
	a.Final = []int{410}
	a.Replay = "each try is signed anew"
	a.Unverified = []string{"that it tries for about 24 hours", "that `created_at` is the same on each try: if not, a repeat is a second event"}
	return Preset{Scheme{
		Header: "calendly-webhook-signature", Pair: "v1", Signed: "{timestamp}.{body}", Timestamp: &Timestamp{Pair: "t", Tolerance: 180},
		ID: ID{Pointers: []string{"/payload/uri", "/event", "/created_at"}}, Kind: Place{Pointer: "/event"},
	}, a}
}

// Close signs time and body, with a secret in hex.
func Close() Preset {
	a := about("close", "Close", "`event.id` of the body (`ev_…`)", "HMAC-SHA256 hex over timestamp and body, secret in hex", "https://developer.close.com/topics/webhooks/")
	a.Unverified = []string{
		"the tolerance: Close names none", "that it tries for 72 hours and then pauses the subscription", "the codes after which it gives up",
		"whether a try is signed anew: if not, a try after 5 minutes is refused, and Close shows it as failed",
	}
	return Preset{Scheme{
		Key: "hex", Header: "close-sig-hash", Signed: "{timestamp}{body}", Timestamp: &Timestamp{Header: "close-sig-timestamp", Tolerance: 300},
		ID: ID{Pointers: []string{"/event/id"}}, Kind: Place{Pointer: "/event/action"},
	}, a}
}

func about(scheme, name, id, auth, facts string) webhook.About {
	return webhook.About{
		Scheme: scheme, Name: name, ID: id, Auth: auth, Facts: []string{facts},
		Answers: webhook.StandardWebhooks(), MaxBody: webhook.MaxBody,
	}
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
