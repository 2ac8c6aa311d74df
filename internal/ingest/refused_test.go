package ingest_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/webhook"
)

// Words that a refused delivery carries and no log line may hold.
const (
	plantedAddress = "planted.person@example.net"
	plantedWord    = "planted-word-of-the-body"
)

func plantedForm(id string) ingest.Request {
	return form(id, `{"data":{"email":"`+plantedAddress+`","message":"`+plantedWord+`"}}`)
}

func plantedMail() ingest.Request {
	return mailTo(plantedAddress, "help@demo.example", "From: "+plantedAddress+"\r\n\r\n"+plantedWord+"\r\n")
}

func body(text string) ingest.Request { return form("msg_1", text) }

func TestRefusedDeliveryIsAnsweredByItsFaultAndLeavesNothing(t *testing.T) {
	t.Parallel()
	with := func(r ingest.Request, change func(*ingest.Request)) ingest.Request {
		r.Headers = maps.Clone(r.Headers)
		change(&r)
		return r
	}
	without := func(header string) ingest.Request {
		return with(plantedForm("msg_1"), func(r *ingest.Request) { delete(r.Headers, header) })
	}
	at := func(at time.Time) ingest.Request { return signed("form", "msg_1", at, plantedForm("").Body) }
	for _, c := range []struct {
		name   string
		r      ingest.Request
		status int
		word   string
	}{
		{"unknown tenant", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Tenant = "nobody" }), 404, "unknown_endpoint"},
		{"tenant that is no name", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Tenant = "../" + plantedAddress }), 404, "unknown_endpoint"},
		{"no tenant", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Tenant = "" }), 404, "unknown_endpoint"},
		{"unknown endpoint", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Endpoint = plantedWord }), 503, "unknown_endpoint"},
		{"endpoint of another case", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Endpoint = "Form" }), 503, "unknown_endpoint"},

		{"no headers", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Headers = nil }), 401, "header_missing"},
		{"no id", without("webhook-id"), 401, "header_missing"},
		{"no timestamp", without("webhook-timestamp"), 401, "header_missing"},
		{"no signature", without("webhook-signature"), 401, "header_missing"},
		{"signature of another body", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Body = append(r.Body, ' ') }), 401, "signature_invalid"},
		{"signature of another id", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Headers["webhook-id"] = "msg_2" }), 401, "signature_invalid"},
		{"secret in the place of a signature", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Headers["webhook-signature"] = signingSecret }), 401, "signature_invalid"},
		{"not signed, and too old", with(at(start.Add(-time.Hour)), func(r *ingest.Request) { r.Headers["webhook-signature"] = "v1,AAAA" }), 401, "signature_invalid"},
		{"five minutes old", at(start.Add(-5 * time.Minute)), 401, "timestamp_too_old"},
		{"a day old", at(start.AddDate(0, 0, -1)), 401, "timestamp_too_old"},
		{"more than five minutes ahead", at(start.Add(5*time.Minute + time.Second)), 401, "timestamp_invalid"},
		{"timestamp that is no number", with(plantedForm("msg_1"), func(r *ingest.Request) { r.Headers["webhook-timestamp"] = plantedWord }), 401, "timestamp_invalid"},

		{"one byte too many", signed("form", "msg_1", start, make([]byte, ingest.MaxBody+1)), 413, "body_too_large"},
		{"one byte too many, not signed", ingest.Request{Tenant: demo, Endpoint: "form", Body: make([]byte, ingest.MaxBody+1)}, 413, "body_too_large"},
		{"no JSON", body(plantedWord), 400, "body_not_json"},
		{"JSON cut short", body(`{"email":"` + plantedAddress + `"`), 400, "body_not_json"},
		{"two objects", body(`{}{}`), 400, "body_not_json"},
		{"byte order mark", body("\ufeff{}"), 400, "body_not_json"},
		{"nested without end", body(strings.Repeat(`{"a":`, 100_000)), 400, "body_not_json"},
		{"no body", body(""), 400, "body_not_json"},
		{"array", body(`["` + plantedAddress + `"]`), 400, "body_no_object"},
		{"text", body(`"` + plantedAddress + `"`), 400, "body_no_object"},
		{"null", body(` null `), 400, "body_no_object"},
		{"invalid UTF-8", body(`{"message":"` + plantedWord + "\xff" + `"}`), 400, "body_not_utf8"},

		{"id of 10 kB", plantedForm(strings.Repeat("x", 10_000)), 400, "id_invalid"},
		{"id of 257 bytes", plantedForm(strings.Repeat("x", 257)), 400, "id_invalid"},
		{"id that is too long when written as a key", plantedForm(strings.Repeat("/", 256)), 400, "id_invalid"},
		{"id with a space", plantedForm("a b"), 400, "id_invalid"},
		{"id with a line feed", plantedForm("a\nb"), 400, "id_invalid"},
		{"id with NUL", plantedForm("a\x00"), 400, "id_invalid"},
		{"id with DEL", plantedForm("a\x7f"), 400, "id_invalid"},
		{"id that is not ASCII", plantedForm("é"), 400, "id_invalid"},

		{"mail without envelope", with(plantedMail(), func(r *ingest.Request) {
			delete(r.Headers, ingest.HeaderEnvelopeFrom)
			delete(r.Headers, ingest.HeaderEnvelopeTo)
		}), 400, "envelope_missing"},
		{"mail without recipient", mailTo(plantedAddress, "", plantedWord), 400, "envelope_missing"},
		{"mail with a recipient of 257 bytes", mailTo("", strings.Repeat("x", 257), plantedWord), 400, "envelope_missing"},
		{"mail whose recipient was changed", with(plantedMail(), func(r *ingest.Request) {
			r.Headers[ingest.HeaderEnvelopeTo] = "sales@demo.example"
		}), 400, "id_not_of_this_mail"},
		{"mail whose sender was taken away", with(plantedMail(), func(r *ingest.Request) {
			r.Headers[ingest.HeaderEnvelopeFrom] = ""
		}), 400, "id_not_of_this_mail"},
		{"mail whose sender is not stated", with(mailTo("", "help@demo.example", plantedWord), func(r *ingest.Request) {
			delete(r.Headers, ingest.HeaderEnvelopeFrom)
		}), 400, "envelope_missing"},
		{"mail under an id of its own", with(signed("mail", "msg_1", start, plantedMail().Body), func(r *ingest.Request) {
			r.Headers[ingest.HeaderEnvelopeFrom], r.Headers[ingest.HeaderEnvelopeTo] = plantedAddress, "help@demo.example"
		}), 400, "id_not_of_this_mail"},
		{"mail with a line feed in the envelope", mailTo("a@example.net\nb", "help@demo.example", plantedWord), 400, "envelope_invalid"},
		{"empty mail", mailTo(plantedAddress, "help@demo.example", ""), 400, "mail_empty"},
		{"mail to the form", with(plantedMail(), func(r *ingest.Request) { r.Endpoint = "form" }), 400, "body_not_json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, onMem(t))
			before := b.everything()
			got := b.deliver(c.r)
			if got.Status != c.status || got.Error != c.word || got.Hint == "" {
				t.Errorf("answered %+v, want %d %s with a hint", got, c.status, c.word)
			}
			if got.Answer != "" || got.Event != "" || got.State != "" {
				t.Errorf("a sender that is refused is told %+v", got)
			}
			b.leftNothing(before, c.r)
		})
	}
}

// leftNothing: nothing is stored, and the log speaks of the delivery without
// any of its words.
func (b *bench) leftNothing(before map[ledger.Key]ledger.Item, r ingest.Request) {
	b.Helper()
	b.onlyAdds(before)
	if refs := b.blob.refs(); len(refs) != 0 {
		b.Errorf("%d raw contents are stored", len(refs))
	}
	b.logIsSilentOf(r)
	if !strings.Contains(b.log.text(), "delivery answered") {
		b.Error("the delivery is not in the log")
	}
}

func (b *bench) logIsSilentOf(r ingest.Request) {
	b.Helper()
	planted := []string{plantedAddress, plantedWord, "demo.example", signingKey, signingSecret[len("whsec_"):]}
	if s := r.Headers["webhook-signature"]; len(s) > 8 {
		planted = append(planted, s[len("v1,"):])
	}
	for _, word := range planted {
		if strings.Contains(b.log.text(), word) {
			b.Errorf("the log holds %q", word)
		}
	}
}

func TestTakenDeliveriesAreNotInTheLogEither(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	named := plantedForm(plantedAddress) // an ID may be personal too
	for _, r := range []ingest.Request{plantedForm("msg_1"), plantedMail(), named, named} {
		if got := b.deliver(r); got.Status != http.StatusOK {
			t.Fatalf("answered %+v", got)
		}
		b.logIsSilentOf(r)
	}
	b.answers(form(plantedAddress, `{"other":"`+plantedWord+`"}`), 409, "conflict")
	b.logIsSilentOf(named)
}

func TestIDsAreTakenAsTheyAreAndNeverRunTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	// As package inbound states it: printable ASCII stays, but for the two
	// bytes that would part words or begin an escape.
	for id, want := range map[string]string{
		"a/b": "a%2Fb", "a%2Fb": "a%252Fb", "a#b": "a#b", "a%b": "a%25b", "..": "..", "a~b": "a~b", "!": "!", `a\b`: `a\b`,
		"website/msg_1": "website%2Fmsg_1", strings.Repeat("x", 256): strings.Repeat("x", 256),
	} {
		if got := b.answers(form(id, enquiry), 200, "recorded"); got.Event != "form/website/"+want {
			t.Errorf("id %q became the event %q", id, got.Event)
		}
		b.answers(form(id, enquiry), 200, "duplicate")
	}
	b.counts(10, 20, 0)
	b.whole()
}

func TestAnyBytesAreMail(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	for i, raw := range []string{
		"\x00", "no header at all", "From: <<<>>>\r\nContent-Type: multipart/mixed\r\n\r\n--", "\xff\xfe\xfd",
		"Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%", "From a@example.net\n\n",
	} {
		b.answers(mailTo("a@example.net", "help@demo.example", raw), 200, "recorded")
		b.counts(i+1, i+1, 0)
	}
	b.whole()
}

func TestSignatureIsTakenWithinFiveMinutes(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	for i, at := range []time.Duration{5 * time.Minute, -5*time.Minute + time.Second, 0} {
		b.answers(signed("form", strconv.Itoa(i), start.Add(at), []byte(enquiry)), 200, "recorded")
	}
	// The names that others give to the same headers.
	r := form("alias", enquiry)
	for _, name := range []string{"id", "timestamp", "signature"} {
		r.Headers["svix-"+name] = r.Headers["webhook-"+name]
		delete(r.Headers, "webhook-"+name)
	}
	b.answers(r, 200, "recorded")
}

func TestMissingSecretIsOurFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		secrets []webhook.Secret
		err     error
		word    string
	}{
		"none is set up":     {nil, nil, "secret_missing"},
		"only a zero secret": {[]webhook.Secret{{}}, nil, "secret_missing"},
		"it cannot be read":  {nil, errors.New("secrets are out of reach"), "not_recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, onMem(t))
			before := b.everything()
			works := b.service.Secrets
			var asked []string
			b.service.Secrets = func(_ context.Context, tenant, secret string) ([]webhook.Secret, error) {
				asked = append(asked, tenant+"/"+secret)
				return c.secrets, c.err
			}
			if got := b.deliver(plantedForm("msg_1")); got.Status != 503 || got.Error != c.word || got.Answer != "" {
				t.Errorf("answered %+v, want 503 %s", got, c.word)
			}
			if len(asked) != 1 || asked[0] != "demo/form" {
				t.Errorf("asked for %v", asked)
			}
			b.leftNothing(before, plantedForm("msg_1"))
			b.service.Secrets = works
			b.answers(plantedForm("msg_1"), 200, "recorded")
		})
	}
}
