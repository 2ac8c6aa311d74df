package signed_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/signed"
	"onefold/internal/webhook/webhooktest"
)

func open(t *testing.T, k webhooktest.Kit, r webhook.Request) (webhook.Opened, error) {
	t.Helper()
	s, err := webhook.TextSecret(k.Secrets[0])
	if err != nil {
		t.Fatal(err)
	}
	return k.Source.Open(r, webhook.Setting{Content: k.Content, Secrets: []webhook.Secret{s}, Now: k.Now})
}

func TestASchemeThatCouldNotBeTrustedIsRefused(t *testing.T) {
	t.Parallel()
	list := "/events"
	id := signed.ID{Pointers: []string{"/id"}}
	for word, s := range map[string]signed.Scheme{
		"header must":      {ID: id},
		"in lower case":    {Header: "X-Sig", ID: id},
		"id is missing":    {Header: "x-sig"},
		"not both":         {Header: "x-sig", ID: signed.ID{Header: "x-id", Pointers: []string{"/id"}}},
		"prefix or stands": {Header: "x-sig", ID: id, Prefix: "a=", Pair: "v1"},
		"three or more":    {Header: "x-sig", ID: signed.ID{Pointers: []string{"/a", "/b"}}},
		"whole body":       {Header: "x-sig", ID: signed.ID{Pointers: []string{""}}},
		"begins with /":    {Header: "x-sig", ID: signed.ID{Pointers: []string{"id"}}},
		"must hold {body}": {Header: "x-sig", ID: id, Signed: "{timestamp}", Timestamp: &signed.Timestamp{Header: "x-t", Tolerance: 9}},
		"must be signed":   {Header: "x-sig", ID: id, Timestamp: &signed.Timestamp{Header: "x-t", Tolerance: 9}},
		"must be set up":   {Header: "x-sig", ID: id, Signed: "{timestamp}.{body}"},
		"text with {body}": {Header: "x-sig", ID: id, Signed: "{body}{secret}"},
		"{id} is":          {Header: "x-sig", ID: id, Signed: "{id}{body}"},
		"in a pair needs":  {Header: "x-sig", ID: id, Signed: "{timestamp}{body}", Timestamp: &signed.Timestamp{Pair: "t", Tolerance: 9}},
		"or in a pair":     {Header: "x-sig", ID: id, Signed: "{timestamp}{body}", Timestamp: &signed.Timestamp{Tolerance: 9}},
		"unit of":          {Header: "x-sig", ID: id, Signed: "{timestamp}{body}", Timestamp: &signed.Timestamp{Header: "x-t", Unit: "h", Tolerance: 9}},
		"86400":            {Header: "x-sig", ID: id, Signed: "{timestamp}{body}", Timestamp: &signed.Timestamp{Header: "x-t"}},
		"algorithm must":   {Header: "x-sig", ID: id, Algorithm: "md5"},
		"encoding must":    {Header: "x-sig", ID: id, Encoding: "base58"},
		"key must":         {Header: "x-sig", ID: id, Key: "rot13"},
		"each needs an id": {Header: "x-sig", ID: signed.ID{Header: "x-id"}, Events: &list},
		"without a kind":   {Header: "x-sig", ID: id, Kinds: []string{"x"}},
	} {
		if _, err := signed.New(s, signed.About()); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%+v: %v, want %q", s, err, word)
		}
	}
}

// A captured request of a sender that does not sign the ID, brought again under
// another: the word beside it shows that it is the same.
func TestAnUnsignedIDLeavesWhatIsSignedAsTheWordToUseOnce(t *testing.T) {
	t.Parallel()
	k := presetKits(t)["github"]
	first, err := open(t, k, k.Request(t, k.Secrets[0], k.Now, "one"))
	if err != nil {
		t.Fatal(err)
	}
	r := k.Request(t, k.Secrets[0], k.Now, "one")
	r.Headers["x-github-delivery"] = "another"
	second, err := open(t, k, r)
	if err != nil || second.Deliveries[0].ID == first.Deliveries[0].ID {
		t.Fatalf("%+v, %v", second, err)
	}
	once := first.Deliveries[0].Once
	if once == "" || once != second.Deliveries[0].Once {
		t.Errorf("once %q and %q", once, second.Deliveries[0].Once)
	}
	// A captured request with another signature before its own.
	r.Headers["x-hub-signature-256"] = "sha256=00," + r.Headers["x-hub-signature-256"]
	third, err := open(t, k, r)
	if err != nil || third.Deliveries[0].Once != once {
		t.Errorf("%+v, %v", third, err)
	}
	delete(r.Headers, "x-github-delivery")
	if _, err := open(t, k, r); !errors.Is(err, webhook.ErrBadID) {
		t.Errorf("without an ID: %v, want ErrBadID", err)
	}
}

func TestAKindThatIsNotTakenIsNoEvent(t *testing.T) {
	t.Parallel()
	scheme := signed.Scheme{Header: "x-sig", ID: signed.ID{Pointers: []string{"/id"}}, Kind: signed.Place{Pointer: "/type"}, Kinds: []string{"created"}}
	k := webhooktest.Kit{Source: source(t, scheme, signed.About()), Content: webhook.ContentForm, Secrets: texts()}
	for body, want := range map[string]int{`{"id":"1","type":"created"}`: 1, `{"id":"1","type":"ping"}`: 0, `{"id":"1"}`: 0} {
		got, err := open(t, k, post(body, webhook.Header{"x-sig": hexOf(mac(sha256.New, []byte(k.Secrets[0]), body))}))
		if err != nil || len(got.Deliveries) != want || got.Broken != 0 {
			t.Errorf("%s: %+v, %v; want %d", body, got, err, want)
		}
	}
}

func TestOneBrokenEventLeavesTheOthers(t *testing.T) {
	t.Parallel()
	list := ""
	scheme := signed.Scheme{Header: "x-sig", ID: signed.ID{Pointers: []string{"/id"}}, Events: &list}
	k := webhooktest.Kit{Source: source(t, scheme, signed.About()), Content: webhook.ContentForm, Secrets: texts()}
	send := func(body string) (webhook.Opened, error) {
		return open(t, k, post(body, webhook.Header{"x-sig": hexOf(mac(sha256.New, []byte(k.Secrets[0]), body))}))
	}
	got, err := send(`[{"id":"1"},{"no":"id"},"text",{"id":4}]`)
	if err != nil || len(got.Deliveries) != 2 || got.Broken != 2 || got.Deliveries[0].ID != "1" || got.Deliveries[1].ID != "4" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := send(`[` + strings.Repeat(`{"id":"1"},`, webhook.MaxDeliveries) + `{"id":"1"}]`); !errors.Is(err, webhook.ErrTooLarge) {
		t.Errorf("201 events: %v, want ErrTooLarge", err)
	}
	if _, err := send(`{"id":"1"}`); !errors.Is(err, webhook.ErrMalformed) {
		t.Errorf("no list: %v, want ErrMalformed", err)
	}
}

func TestADerivedIDNeedsEachOfItsParts(t *testing.T) {
	t.Parallel()
	k := presetKits(t)["calendly"]
	stamp := unix(k.Now)
	for _, body := range []string{
		`{"event":"invitee.created","created_at":"2026-03-04T05:06:07Z","payload":{}}`,
		`{"created_at":"2026-03-04T05:06:07Z","payload":{"uri":"u"}}`, `{"event":"invitee.created","payload":{"uri":"u"}}`, `{}`,
	} {
		r := post(body, webhook.Header{"calendly-webhook-signature": "t=" + stamp + ",v1=" + hexOf(mac(sha256.New, []byte(k.Secrets[0]), stamp, ".", body))})
		if _, err := open(t, k, r); !errors.Is(err, webhook.ErrBadID) {
			t.Errorf("%s: %v, want ErrBadID", body, err)
		}
	}
}

func TestTwoTimesInOneHeaderAreRefused(t *testing.T) {
	t.Parallel()
	k := presetKits(t)["stripe"]
	r := k.Request(t, k.Secrets[0], k.Now, "one")
	r.Headers["stripe-signature"] = "t=1," + r.Headers["stripe-signature"]
	if _, err := open(t, k, r); !errors.Is(err, webhook.ErrBadTimestamp) {
		t.Errorf("%v, want ErrBadTimestamp", err)
	}
}

// An ID and a time may be signed with nothing between them. A zero that goes
// over from the one to the other must not make the same time under another ID.
func TestATimeHasNoLeadingZero(t *testing.T) {
	t.Parallel()
	scheme := signed.Scheme{Header: "x-sig", Signed: "{id}{timestamp}{body}", ID: signed.ID{Header: "x-id"}, Timestamp: &signed.Timestamp{Header: "x-time", Tolerance: 300}}
	s, err := signed.New(scheme, signed.About())
	if err != nil {
		t.Fatal(err)
	}
	secret, err := webhook.TextSecret("sample secret of nobody")
	if err != nil {
		t.Fatal(err)
	}
	m := hmac.New(sha256.New, []byte(secret.Text()))
	m.Write([]byte("evt10" + "1772600000" + "{}"))
	set := webhook.Setting{Content: webhook.ContentForm, Secrets: []webhook.Secret{secret}, Now: time.Unix(1_772_600_000, 0)}
	for id, stamp := range map[string]string{"evt10": "1772600000", "evt1": "01772600000"} {
		_, err := s.Open(webhook.Request{Method: "POST", Body: []byte("{}"), Headers: webhook.Header{
			"x-sig": hex.EncodeToString(m.Sum(nil)), "x-id": id, "x-time": stamp,
		}}, set)
		if genuine := id == "evt10"; genuine != (err == nil) {
			t.Errorf("%s at %s: %v", id, stamp, err)
		}
	}
}
