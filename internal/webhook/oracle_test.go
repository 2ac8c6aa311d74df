package webhook_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"pgregory.net/rapid"

	"onefold/internal/webhook"
)

// What is real: both implementations. The oracle is the Go library of the
// scheme's authors, without its clock (VerifyIgnoringTimestamp) and with the
// rule for time left to TestToleranceIsFiveMinutesAndExactlyFiveIsTooOld.
// Generated requests keep away from the differences that the package comment
// lists; within those bounds the verdicts are the same.
func TestVerdictIsThatOfTheReferenceLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 24, 64).Draw(t, "key")
		text := "whsec_" + base64.StdEncoding.EncodeToString(key)
		ours, err := webhook.ParseSecret(text)
		if err != nil {
			t.Fatalf("a secret of %d bytes: %v", len(key), err)
		}
		theirs, err := standardwebhooks.NewWebhook(text)
		if err != nil {
			t.Fatal(err)
		}
		id := rapid.StringMatching(`[!-~]{1,64}`).Draw(t, "id")
		at := time.Unix(rapid.Int64Range(1, 4_000_000_000).Draw(t, "at"), 0)
		content := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "body")

		signature := webhook.Sign(ours, id, at, content)
		reference, err := theirs.Sign(id, at, content)
		if err != nil || signature != reference {
			t.Fatalf("Sign = %q, the reference gives %q, %v", signature, reference, err)
		}

		// Offer it, spoilt or not, among others.
		offered := rapid.SliceOfN(rapid.SampledFrom([]string{
			signature, wrong, "v1,", "v1", "v2" + signature[2:], "v1a" + signature[2:], signature[3:],
			strings.ToLower(signature), signature[:len(signature)-1], "",
		}), 1, 4).Draw(t, "offered")
		if rapid.Bool().Draw(t, "spoil the body") {
			content = append(append([]byte(nil), content...), 'x')
		}
		h := webhook.Headers{ID: id, Timestamp: strconv.FormatInt(at.Unix(), 10), Signature: strings.Join(offered, " ")}
		header := http.Header{}
		header.Set("webhook-id", h.ID)
		header.Set("webhook-timestamp", h.Timestamp)
		header.Set("webhook-signature", h.Signature)

		got := webhook.Verify([]webhook.Secret{ours}, h, content, at)
		want := theirs.VerifyIgnoringTimestamp(content, header)
		if (got == nil) != (want == nil) {
			t.Fatalf("Verify = %v, the reference says %v; offered %q", got, want, offered)
		}
		if errors.Is(want, standardwebhooks.ErrRequiredHeaders) != errors.Is(got, webhook.ErrMissingHeader) {
			t.Fatalf("Verify = %v, the reference says %v", got, want)
		}
	})
}

// FuzzOnlyTheSignedRequestIsAccepted changes one signed request in every way
// the fuzzer finds: whatever is accepted has the signed ID, time and body.
func FuzzOnlyTheSignedRequestIsAccepted(f *testing.F) {
	good := webhook.ShortSecret(make([]byte, 24))
	sig := webhook.Sign(good, "msg_1", base, body)
	f.Add("msg_1", "1614265330", sig, body)
	f.Add("msg_1", "1614265330", wrong+","+sig, body)
	f.Add("msg_1.1614265330", "1614265330", sig, body)
	f.Add("", "", "v1,,v1 v1", []byte(nil))
	f.Fuzz(func(t *testing.T, id, ts, signature string, content []byte) {
		h := webhook.Headers{ID: id, Timestamp: ts, Signature: signature}
		if webhook.Verify([]webhook.Secret{good}, h, content, base) != nil {
			return
		}
		if id != "msg_1" || ts != "1614265330" || string(content) != string(body) {
			t.Fatalf("accepted what was never signed: id %q, timestamp %q", id, ts)
		}
	})
}
