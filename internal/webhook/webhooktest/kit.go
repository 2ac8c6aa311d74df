// Package webhooktest holds the rules that every webhook.Source keeps, as tests
// that run on any: Run for the rules, Fuzz for any bytes.
//
// Its invariant: a source that passes takes what its sender sends, in every
// form in which HTTP may bring it, and nothing else. What a valid request looks
// like comes from the source's own test, which signs by the provider's
// description; published vectors belong beside it, since a suite that signs by
// the code under test proves nothing of the algorithm.
package webhooktest

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"testing"
	"time"

	"onefold/internal/webhook"
)

// Kit is a source with what is needed to speak to it.
type Kit struct {
	Source   webhook.Source
	Content  string    // of the endpoint
	Document []byte    // of a DocumentSource
	Secrets  [3]string // current, previous, a stranger's, as an operator stores them; unused of a public source
	Now      time.Time
	// Request is what the provider sends at a time, signed with a secret, for
	// events named by words that are theirs alone. More than one only if Batch.
	Request func(t testing.TB, secret string, at time.Time, events ...string) webhook.Request
	Batch   bool // one payload may carry several events
	// Needs are the headers, in lower case, without any of which there is no
	// proof.
	Needs []string
	// Uncovered are headers that the proof does not cover, by the provider's
	// design, although they say something: an ID beside a signed body.
	Uncovered []string
	// BodyUncovered: the proof does not cover the body, by the provider's design.
	BodyUncovered bool
	// InBody gives the texts in a request's body that make up the proof, of a
	// source whose proof stands there. BodyUncovered then says that the rest is
	// not covered.
	InBody func(r webhook.Request) []string
}

// Run runs the rules.
func Run(t *testing.T, k Kit) {
	t.Helper()
	t.Run("TheRowIsWhole", func(t *testing.T) { row(t, k) })
	t.Run("NoAnswerDisconnectsTheSender", func(t *testing.T) { answers(t, k) })
	t.Run("WhatTheSenderSendsIsTaken", func(t *testing.T) { valid(t, k) })
	t.Run("ARepeatIsTheSameEvent", func(t *testing.T) { repeated(t, k) })
	t.Run("SeveralEventsAreSplitInOrder", func(t *testing.T) { batch(t, k) })
	t.Run("HeadersMayComeInAnyCaseAndTwice", func(t *testing.T) { headers(t, k) })
	t.Run("AnotherContentTypeIsTakenOrRefusedByKind", func(t *testing.T) { mediaType(t, k) })
	t.Run("WhatIsEmptyOrLargeIsAnswered", func(t *testing.T) { sizes(t, k) })
	t.Run("TheRequestIsLeftAsItWas", func(t *testing.T) { untouched(t, k) })
	if k.Source.About().Public {
		return
	}
	if !k.Source.About().Keyless {
		t.Run("WithoutASecretNothingIsTaken", func(t *testing.T) { withoutSecret(t, k) })
	}
	t.Run("CurrentAndPreviousSecretAreTakenAndNoOther", func(t *testing.T) { rotation(t, k) })
	t.Run("WithoutAHeaderThereIsNoProof", func(t *testing.T) { missing(t, k) })
	t.Run("WhatWasChangedIsRefused", func(t *testing.T) { tampered(t, k) })
	t.Run("TheBytesAsSentAreVerified", func(t *testing.T) { encoded(t, k) })
	t.Run("OldAndFutureAreRefusedByTheWindow", func(t *testing.T) { window(t, k) })
	t.Run("NoErrorHoldsASecretOrTheContent", func(t *testing.T) { silent(t, k) })
}

// secret reads a secret as the deployment does.
func secret(t testing.TB, text string) webhook.Secret {
	t.Helper()
	s, err := webhook.TextSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// setting has the secrets named by their texts, current first.
func (k Kit) setting(t testing.TB, secrets ...string) webhook.Setting {
	t.Helper()
	s := webhook.Setting{Content: k.Content, Document: k.Document, Now: k.Now}
	for _, text := range secrets {
		s.Secrets = append(s.Secrets, secret(t, text))
	}
	return s
}

// usual is the setting of an endpoint without a rotation.
func (k Kit) usual(t testing.TB) webhook.Setting {
	if !k.Source.About().NeedsSecret() {
		return k.setting(t)
	}
	return k.setting(t, k.Secrets[0])
}

func (k Kit) request(t testing.TB, events ...string) webhook.Request {
	t.Helper()
	return k.Request(t, k.Secrets[0], k.Now, events...)
}

// opens opens a request that has to be taken.
func (k Kit) opens(t testing.TB, r webhook.Request, set webhook.Setting) []webhook.Delivery {
	t.Helper()
	got, err := k.Source.Open(r, set)
	if err != nil {
		t.Fatalf("Open = %v, want it taken", err)
	}
	if got.Broken > 0 || got.Reply != nil || got.Visit != "" || len(got.Deliveries) == 0 {
		t.Fatalf("Open gives %d deliveries, %d broken, a reply: %v", len(got.Deliveries), got.Broken, got.Reply != nil)
	}
	for _, d := range got.Deliveries {
		whole(t, d)
	}
	return got.Deliveries
}

func whole(t testing.TB, d webhook.Delivery) {
	t.Helper()
	switch {
	case !webhook.ValidID(d.ID):
		t.Errorf("the ID has %d bytes and is none", len(d.ID))
	case d.Content != webhook.ContentForm && d.Content != webhook.ContentMail:
		t.Errorf("content %q", d.Content)
	case len(d.Raw) == 0, len(d.Fingerprint) != 64:
		t.Errorf("%d bytes of content with fingerprint %q", len(d.Raw), d.Fingerprint)
	case len(d.Kind) > 100:
		t.Errorf("a kind of %d bytes", len(d.Kind))
	case d.Content == webhook.ContentForm && webhook.CheckForm(d.Raw) != nil:
		t.Error("the content of a form is no JSON object")
	case len(d.JSON) > 0 && !json.Valid(d.JSON):
		t.Error("what is compared as JSON is not JSON")
	}
}

// same tells whether two lists are of the same events.
func same(a, b []webhook.Delivery) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].Fingerprint != b[i].Fingerprint || a[i].Mailbox != b[i].Mailbox ||
			a[i].EnvelopeFrom != b[i].EnvelopeFrom || a[i].Kind != b[i].Kind {
			return false
		}
	}
	return true
}

func clone(r webhook.Request) webhook.Request {
	r.Headers, r.Body = maps.Clone(r.Headers), bytes.Clone(r.Body)
	return r
}

func untouched(t *testing.T, k Kit) {
	r := k.request(t, "one")
	before := clone(r)
	k.opens(t, r, k.usual(t))
	if !reflect.DeepEqual(r, before) {
		t.Error("Open changed the request")
	}
}
