package events_test

import (
	"context"
	"encoding/hex"
	"io/fs"
	"slices"
	"strings"
	"testing"

	samples "onefold/events"
	"onefold/internal/ingest"
	"onefold/internal/webhook"
)

// hookEndpoints are the endpoints that the samples of hooks/ are for.
const hookEndpoints = `"endpoints": [
	{"name":"svix","content":"form","scheme":"svix","secret":"svix","mailbox":"website"},
	{"name":"resend","content":"mail","scheme":"resend","secret":"resend","mailbox":"hello@demo.example"},
	{"name":"sns","content":"mail","scheme":"sns","topics":["` + hookTopic + `"]},
	{"name":"postmark","content":"mail","scheme":"postmark","secret":"postmark"},
	{"name":"mailgun-mime","content":"mail","scheme":"mailgun","secret":"mailgun"},
	{"name":"sendgrid","content":"mail","scheme":"sendgrid","secret":"sendgrid"},
	{"name":"sendgrid-signed","content":"mail","scheme":"sendgrid","secret":"sendgrid-signed"},
	{"name":"hubspot","content":"form","scheme":"hubspot","secret":"hubspot","mailbox":"crm","fields":{"email":"/propertyValue"}},
	{"name":"stripe","content":"form","scheme":"stripe","secret":"stripe","mailbox":"shop","fields":{"email":"/data/object/customer_details/email"}},
	{"name":"github","content":"form","scheme":"github","secret":"github","mailbox":"code"},
	{"name":"typeform","content":"form","scheme":"typeform","secret":"typeform","mailbox":"survey","fields":{"email":"/form_response/answers/0/email"}},
	{"name":"calendly","content":"form","scheme":"calendly","secret":"calendly","mailbox":"bookings","fields":{"email":"/payload/email","name":"/payload/name"}},
	{"name":"close","content":"form","scheme":"close","secret":"close","mailbox":"crm"},
	{"name":"batch","content":"form","scheme":"hmac","secret":"batch","mailbox":"crm",
		"hmac":{"header":"x-signature","id":{"pointers":["/id"]},"kind":{"pointer":"/type"},"events":"/events"}},
	{"name":"contact","content":"form","scheme":"own-form","mailbox":"website","origins":["https://www.demo.example"]},`

// hookSecrets are the secrets of the endpoints, each in its provider's form.
func hookSecrets(t *testing.T) ingest.Secrets {
	_, public := sendGridKey(t)
	return func(_ context.Context, _, name string) ([]webhook.Secret, error) {
		s, err := webhook.TextSecret(hookSecret(name, public))
		return []webhook.Secret{s}, err
	}
}

func hookSecret(name, sendGrid string) string {
	switch name {
	case "postmark", "sendgrid":
		return hookPair
	case "sendgrid-signed":
		return sendGrid
	case "svix", "resend":
		return samples.SecretForm
	case "close": // whose secrets are hex
		return hex.EncodeToString([]byte(samples.SecretHook))
	}
	return samples.SecretHook
}

func TestEachSourceIsAnsweredAsItNeeds(t *testing.T) {
	t.Parallel()
	document := strings.Replace(string(exampleDocument(t)), `"endpoints": [`, hookEndpoints, 1)
	g := newGatewayOf(t, []byte(document), hookSecrets(t))
	var visited []string
	g.service.Visit = func(_ context.Context, url string) error { visited = append(visited, url); return nil }
	g.service.Fetch = func(context.Context, string) ([]byte, error) { return snsCertificate(t), nil }
	var used []string
	for _, s := range []struct {
		file   string
		status int
		answer string // or the error's word
		event  string // "" where the sender is told nothing
	}{
		{"svix", 200, "recorded", "svix/website/msg_sample_svix"},
		{"resend", 200, "recorded", "resend/hello@demo.example/4ef9a417-02e9-4d39-ad75-9611e0fcc33c"},
		{"sns-subscription", 200, "", ""},
		{"sns", 200, "recorded", "sns/hello@demo.example/ses:sampleses00000000000000000000byhttps01"},
		{"sns-of-another-topic", 500, "topic_not_allowed", ""},
		{"sns-subscription-ended", 200, "", ""},
		{"postmark", 200, "recorded", "postmark/hello@demo.example/73e6d360-66eb-11e1-8e72-a8904824019b"},
		{"postmark-parts", 200, "recorded", "postmark/hello@demo.example/73e6d360-66eb-11e1-8e72-a8904824019c"},
		{"postmark-wrong-password", 401, "password_invalid", ""},
		{"mailgun", 200, "recorded", "mailgun-mime/hello@demo.example/mail_"},
		{"mailgun-token-used-again", 200, "conflict", "mailgun-mime/hello@demo.example/mail_"},
		{"mailgun-stored", 200, "recorded", "mailgun-mime/hello@demo.example/key_"},
		{"sendgrid", 200, "recorded", "sendgrid/hello@demo.example/mail_"},
		{"sendgrid-signed", 200, "recorded", ""},
		{"hubspot", 200, "recorded", ""},
		{"hubspot-again", 200, "recorded", ""},
		{"stripe", 200, "recorded", "stripe/shop/evt_sample_0001"},
		{"stripe-again", 200, "duplicate", "stripe/shop/evt_sample_0001"},
		{"github", 200, "recorded", "github/code/72d3162e-cc78-11e3-81ab-4c9367dc0958"},
		{"github-replayed", 200, "duplicate", "github/code/72d3162e-cc78-11e3-81ab-4c9367dc0958"},
		{"typeform", 200, "recorded", "typeform/survey/01HSAMPLE0001"},
		{"calendly", 200, "recorded", "calendly/bookings/key_"},
		{"close", 200, "recorded", "close/crm/ev_sample_0001"},
		{"batch-with-a-broken-part", 400, "parts_malformed", ""},
		{"own-form-preflight", 204, "", ""},
		{"own-form", 200, "recorded", ""},
		{"own-form-fields", 200, "duplicate", ""},
		{"own-form-changed", 409, "conflict", ""},
		{"own-form-of-another-page", 403, "origin_not_allowed", ""},
	} {
		used = append(used, "hooks/"+s.file+".json")
		status, resp := g.send(t, "hooks/"+s.file+".json")
		if status != s.status || resp.Answer != s.answer && resp.Error != s.answer || !strings.HasPrefix(resp.Event, s.event) || s.event == "" && resp.Event != "" {
			t.Errorf("%s: %d %q %q %q, want %d %q %q", s.file, status, resp.Answer, resp.Error, resp.Event, s.status, s.answer, s.event)
		}
	}
	if want := "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=" + hookTopic + "&Token=sampletoken"; !slices.Equal(visited, []string{want}) {
		t.Errorf("visited %v, want the confirmation alone", visited)
	}
	names, err := fs.Glob(samples.Files(), "hooks/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !slices.Contains(used, name) {
			t.Errorf("%s is not sent", name)
		}
	}
}
