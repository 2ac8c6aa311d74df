package signed_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strconv"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/signed"
	"onefold/internal/webhook/webhooktest"
)

// mac is made here, from each provider's description.
func mac(alg func() hash.Hash, key []byte, parts ...string) []byte {
	m := hmac.New(alg, key)
	for _, p := range parts {
		m.Write([]byte(p))
	}
	return m.Sum(nil)
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }
func b64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
func unix(t time.Time) string {
	return strconv.FormatInt(t.Unix(), 10)
}

func post(body string, headers webhook.Header) webhook.Request {
	headers["content-type"] = "application/json"
	return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/x?k=1", Headers: headers, Body: []byte(body)}
}

func texts() [3]string {
	return [3]string{"whsec_of a provider, literal 1", "whsec_of a provider, literal 2", "whsec_of somebody else, literal"}
}

func hexes() [3]string {
	var all [3]string
	for i := range all {
		all[i] = hexOf([]byte("thirty-two bytes of a key, no. " + strconv.Itoa(i)))
	}
	return all
}

// presetKits speak as the five presets' senders do.
func presetKits(t testing.TB) map[string]webhooktest.Kit {
	now := time.Unix(1_772_600_000, 0)
	kits := map[string]webhooktest.Kit{
		"stripe": {Secrets: texts(), Needs: []string{"stripe-signature"}, Request: func(_ testing.TB, secret string, at time.Time, e ...string) webhook.Request {
			body := `{"id":"evt_` + e[0] + `","object":"event","type":"checkout.session.completed","pending_webhooks":` + strconv.Itoa(int(at.Unix()%3)) + `}`
			return post(body, webhook.Header{"stripe-signature": "t=" + unix(at) + ",v1=" + hexOf(mac(sha256.New, []byte(secret), unix(at), ".", body)) + ",v0=00"})
		}},
		"github": {
			Secrets: texts(), Needs: []string{"x-hub-signature-256", "x-github-delivery"}, Uncovered: []string{"x-github-delivery", "x-github-event"},
			Request: func(_ testing.TB, secret string, _ time.Time, e ...string) webhook.Request {
				body := `{"action":"opened","number":"` + e[0] + `"}`
				return post(body, webhook.Header{
					"x-hub-signature-256": "sha256=" + hexOf(mac(sha256.New, []byte(secret), body)), "x-github-delivery": "72d3162e-cc78-11e3-81ab-" + e[0], "x-github-event": "issues",
				})
			},
		},
		"typeform": {Secrets: texts(), Needs: []string{"typeform-signature"}, Request: func(_ testing.TB, secret string, _ time.Time, e ...string) webhook.Request {
			body := `{"event_id":"01HX` + e[0] + `","event_type":"form_response","form_response":{"token":"` + e[0] + `"}}`
			return post(body, webhook.Header{"typeform-signature": "sha256=" + b64Of(mac(sha256.New, []byte(secret), body))})
		}},
		"calendly": {Secrets: texts(), Needs: []string{"calendly-webhook-signature"}, Request: func(_ testing.TB, secret string, at time.Time, e ...string) webhook.Request {
			body := `{"event":"invitee.created","created_at":"2026-03-04T05:06:07.000000Z","payload":{"uri":"https://api.calendly.example/scheduled_events/a/invitees/` + e[0] + `"}}`
			return post(body, webhook.Header{"calendly-webhook-signature": "t=" + unix(at) + ",v1=" + hexOf(mac(sha256.New, []byte(secret), unix(at), ".", body))})
		}},
		"close": {Secrets: hexes(), Needs: []string{"close-sig-hash", "close-sig-timestamp"}, Request: func(t testing.TB, secret string, at time.Time, e ...string) webhook.Request {
			key, err := hex.DecodeString(secret)
			if err != nil {
				t.Fatal(err)
			}
			body := `{"subscription_id":"whsub_1","event":{"id":"ev_` + e[0] + `","action":"created","object_type":"lead"}}`
			return post(body, webhook.Header{"close-sig-timestamp": unix(at), "close-sig-hash": hexOf(mac(sha256.New, key, unix(at), body))})
		}},
	}
	presets := signed.Presets()
	if len(presets) != len(kits) {
		t.Fatalf("%d presets, %d kits", len(presets), len(kits))
	}
	for _, p := range presets {
		k, ok := kits[p.About.Scheme]
		if !ok {
			t.Fatalf("no kit for %s", p.About.Scheme)
		}
		k.Source, k.Content, k.Now = source(t, p.Scheme, p.About), webhook.ContentForm, now
		kits[p.About.Scheme] = k
	}
	return kits
}

func source(t testing.TB, s signed.Scheme, about webhook.About) signed.Source {
	t.Helper()
	made, err := signed.New(s, about)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// configuredKits are senders that nobody has a preset for.
func configuredKits(t testing.TB) map[string]webhooktest.Kit {
	now, list := time.Unix(1_772_600_000, 0), "/events"
	kits := map[string]webhooktest.Kit{
		"a batch, base64 of SHA-512, milliseconds": {
			Batch: true, Secrets: texts(), Needs: []string{"x-sig", "x-time"},
			Source: source(t, signed.Scheme{
				Algorithm: "sha512", Encoding: "base64", Header: "x-sig", Signed: "{timestamp}:{body}", Events: &list,
				Timestamp: &signed.Timestamp{Header: "x-time", Unit: "ms", Tolerance: 600}, Volatile: []string{"/attempt"},
				ID: signed.ID{Pointers: []string{"/object", "/what", "/at"}}, Kind: signed.Place{Pointer: "/what"},
			}, signed.About()),
			Request: func(_ testing.TB, secret string, at time.Time, e ...string) webhook.Request {
				body := `{"events":[`
				for i, name := range e {
					if i > 0 {
						body += ","
					}
					body += `{"object":"contact-` + name + `","what":"changed","at":1772599999123,"attempt":` + strconv.Itoa(int(at.Unix()%7)) + `}`
				}
				body += `]}`
				stamp := strconv.FormatInt(at.UnixMilli(), 10)
				return post(body, webhook.Header{"x-time": stamp, "x-sig": b64Of(mac(sha512.New, []byte(secret), stamp, ":", body))})
			},
		},
		"method, URL and ID signed": {
			Secrets: texts(), Needs: []string{"x-sig", "x-id"},
			Source: source(t, signed.Scheme{
				Header: "x-sig", Signed: "{method}\n{url}\n{id}\n{body}", ID: signed.ID{Header: "x-id"},
			}, signed.About()),
			Request: func(_ testing.TB, secret string, _ time.Time, e ...string) webhook.Request {
				body, id := `{"message":"`+e[0]+`"}`, "d-"+e[0]
				return post(body, webhook.Header{"x-id": id, "x-sig": hexOf(mac(sha256.New, []byte(secret), "POST\nhttps://hooks.demo.example/v1/demo/x?k=1\n"+id+"\n", body))})
			},
		},
	}
	for name, k := range kits {
		k.Content, k.Now = webhook.ContentForm, now
		kits[name] = k
	}
	return kits
}

func TestConformanceOfThePresets(t *testing.T) {
	t.Parallel()
	for name, k := range presetKits(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			webhooktest.Run(t, k)
		})
	}
}

func TestConformanceOfWhatAPolicyDescribes(t *testing.T) {
	t.Parallel()
	for name, k := range configuredKits(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			webhooktest.Run(t, k)
		})
	}
}

func FuzzStripe(f *testing.F)   { webhooktest.Fuzz(f, presetKits(f)["stripe"]) }
func FuzzGitHub(f *testing.F)   { webhooktest.Fuzz(f, presetKits(f)["github"]) }
func FuzzTypeform(f *testing.F) { webhooktest.Fuzz(f, presetKits(f)["typeform"]) }
func FuzzCalendly(f *testing.F) { webhooktest.Fuzz(f, presetKits(f)["calendly"]) }
func FuzzClose(f *testing.F)    { webhooktest.Fuzz(f, presetKits(f)["close"]) }
func FuzzBatch(f *testing.F) {
	webhooktest.Fuzz(f, configuredKits(f)["a batch, base64 of SHA-512, milliseconds"])
}
