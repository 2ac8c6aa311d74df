package hubspot_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/hubspot"
	"onefold/internal/webhook/webhooktest"
)

const (
	secret  = "sample-client-secret-of-nobody-1"
	address = "https://hooks.demo.example/v1/demo/hubspot"
)

func now() time.Time { return time.UnixMilli(1_772_600_000_000) }

// signed signs by HubSpot's page: method, address, body and time.
func signed(secret, address, body string, at time.Time) webhook.Request {
	stamp := strconv.FormatInt(at.UnixMilli(), 10)
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte("POST" + address + body + stamp))
	return webhook.Request{Method: "POST", URL: address, Body: []byte(body), Headers: webhook.Header{
		"content-type": "application/json", "x-hubspot-signature-v3": base64.StdEncoding.EncodeToString(m.Sum(nil)), "x-hubspot-request-timestamp": stamp,
	}}
}

func event(value string, attempt int) string {
	return fmt.Sprintf(`{"eventId":%d,"subscriptionId":12345,"portalId":62515,"occurredAt":1772599999000,"subscriptionType":"contact.propertyChange","attemptNumber":%d,"objectId":123,"changeSource":"CRM","propertyName":"email","propertyValue":%q,"appId":54321}`, 100+attempt, attempt, value)
}

func kit() webhooktest.Kit {
	return webhooktest.Kit{
		Source: hubspot.New(), Content: webhook.ContentForm, Now: now(), Batch: true,
		Secrets: [3]string{secret, "sample-client-secret-of-nobody-2", "of-a-stranger-0000000000000000"},
		Needs:   []string{"x-hubspot-signature-v3", "x-hubspot-request-timestamp"},
		Request: func(_ testing.TB, secret string, at time.Time, events ...string) webhook.Request {
			var all []string
			for _, e := range events { // the number of the try, as it goes by the time
				all = append(all, event(e, int(at.Sub(now()).Minutes())%10+10))
			}
			return signed(secret, address, "["+strings.Join(all, ",")+"]", at)
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	webhooktest.Run(t, kit())
}

func FuzzHubSpot(f *testing.F) { webhooktest.Fuzz(f, kit()) }

func open(t *testing.T, r webhook.Request, secret string, now time.Time) (webhook.Opened, error) {
	t.Helper()
	s, err := webhook.TextSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	return hubspot.New().Open(r, webhook.Setting{Content: webhook.ContentForm, Secrets: []webhook.Secret{s}, Now: now})
}

func TestTheVectorsAreAuthentic(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ Source, Origin, Secret, URL, Body, Timestamp, Signature string }
	if err := json.Unmarshal(raw, &all); err != nil || len(all) < 3 {
		t.Fatalf("%d vectors, %v", len(all), err)
	}
	for _, v := range all {
		r := webhook.Request{Method: "POST", URL: v.URL, Body: []byte(v.Body), Headers: webhook.Header{"x-hubspot-signature-v3": v.Signature, "x-hubspot-request-timestamp": v.Timestamp}}
		if _, err := open(t, r, v.Secret, time.UnixMilli(1614265330000)); err != nil && !errors.Is(err, webhook.ErrMalformed) {
			t.Errorf("%s: %v, want it authentic", v.URL, err)
		}
		r.URL = strings.Replace(v.URL, "https", "http", 1)
		if _, err := open(t, r, v.Secret, time.UnixMilli(1614265330000)); !errors.Is(err, webhook.ErrBadSignature) {
			t.Errorf("%s at another address: %v, want ErrBadSignature", v.URL, err)
		}
	}
}

func TestTheAddressMayBeSignedAsItStandsToo(t *testing.T) {
	t.Parallel()
	if _, err := open(t, signed(secret, address+"?to=a%40b", "[]", now()), secret, now()); err != nil {
		t.Error(err)
	}
}

func TestAnEventIsWhatHappenedAndNotItsNumber(t *testing.T) {
	t.Parallel()
	read := func(body string) webhook.Delivery {
		got, err := open(t, signed(secret, address, "["+body+"]", now()), secret, now())
		if err != nil || len(got.Deliveries) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.Deliveries[0]
	}
	one := read(event("ann@example.org", 0))
	if again := read(event("ann@example.org", 3)); again.ID != one.ID || again.Fingerprint != one.Fingerprint {
		t.Error("another try, with another eventId, is another event")
	}
	for _, change := range [][2]string{
		{"62515", "62516"}, {`"objectId":123`, `"objectId":124`}, {"1772599999000", "1772599999001"}, {"12345", "12346"}, {"propertyChange", "creation"}, {`"email"`, `"phone"`}, {"ann@", "bob@"},
	} {
		if other := read(strings.Replace(event("ann@example.org", 0), change[0], change[1], 1)); other.ID == one.ID {
			t.Errorf("%s for %s is the same event", change[1], change[0])
		}
	}
	if other := read(strings.Replace(event("ann@example.org", 0), `"CRM"`, `"API"`, 1)); other.ID != one.ID || other.Fingerprint == one.Fingerprint {
		t.Error("other content of the same event is not told apart")
	}
	if one.Kind != "contact.propertyChange" {
		t.Errorf("kind %q", one.Kind)
	}
}

func TestABatchHasAHundredEventsAndTheGoodOnesAreTaken(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 100 {
		all = append(all, event(strconv.Itoa(i), 0))
	}
	got, err := open(t, signed(secret, address, "["+strings.Join(all, ",")+"]", now()), secret, now())
	if err != nil || len(got.Deliveries) != 100 {
		t.Errorf("%d deliveries, %v", len(got.Deliveries), err)
	}
	all = append(all, event("100", 0))
	if _, err := open(t, signed(secret, address, "["+strings.Join(all, ",")+"]", now()), secret, now()); !errors.Is(err, webhook.ErrTooLarge) {
		t.Errorf("101: %v, want ErrTooLarge", err)
	}
	mixed := "[" + event("a", 0) + `,7,null,{"portalId":1},` + event("b", 0) + "]"
	if got, err := open(t, signed(secret, address, mixed, now()), secret, now()); err != nil || len(got.Deliveries) != 2 || got.Broken != 3 {
		t.Errorf("%d deliveries, %d broken, %v", len(got.Deliveries), got.Broken, err)
	}
	if _, err := open(t, signed(secret, address, "{}", now()), secret, now()); !errors.Is(err, webhook.ErrMalformed) {
		t.Errorf("an object: %v", err)
	}
}

func TestTheSecretIsTheTextAsItStands(t *testing.T) {
	t.Parallel()
	for _, text := range []string{secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "00112233445566778899aabbccddeeff"} {
		if _, err := open(t, signed(text, address, "["+event("a", 0)+"]", now()), text, now()); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// A changed association is of two objects (legacy webhooks guide): it is an
// event of its own, and spoils no batch that it comes in.
func TestAChangedAssociationIsAnEventOfTwoObjects(t *testing.T) {
	t.Parallel()
	link := func(from, to string, removed bool) string {
		return fmt.Sprintf(`{"eventId":7,"subscriptionId":12346,"portalId":62515,"occurredAt":1772599999000,"subscriptionType":"contact.associationChange","attemptNumber":0,"changeSource":"USER","associationType":"CONTACT_TO_COMPANY","fromObjectId":%s,"toObjectId":%s,"associationRemoved":%t,"isPrimaryAssociation":false}`, from, to, removed)
	}
	body := "[" + strings.Join([]string{event("kim@example.com", 0), link("1", "2", false), link("1", "2", false), link("1", "2", true), link("1", "3", false), link("12", "", false), link("2", "1", false)}, ",") + "]"
	body = strings.Replace(body, `"toObjectId":,`, "", 1)
	got, err := open(t, signed(secret, address, body, now()), secret, now())
	if err != nil || len(got.Deliveries) != 6 || got.Broken != 1 {
		t.Fatalf("%v, %d deliveries, %d broken", err, len(got.Deliveries), got.Broken)
	}
	ids := map[string]bool{}
	for _, d := range got.Deliveries {
		ids[d.ID] = true
	}
	if len(ids) != 5 || got.Deliveries[1].ID != got.Deliveries[2].ID {
		t.Errorf("%d different events of 5", len(ids))
	}
}
