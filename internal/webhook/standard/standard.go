// Package standard holds the sources that sign by Standard Webhooks: the scheme
// itself, Svix, and Resend's inbound mail.
//
// Its invariant: the delivery ID is signed, so a captured request is good for
// nothing but its own repetition. It refuses to mix the header sets of two
// senders, and raw mail whose envelope is not the one that was signed.
package standard

import "onefold/internal/webhook"

// Source is one of the three.
type Source struct {
	about webhook.About
	read  func(map[string]string) webhook.Headers
	split func(r webhook.Request, content, id string) (webhook.Opened, error)
}

// About is the source's row.
func (s Source) About() webhook.About { return s.about }

// Standard is the scheme as specified, and Svix's names for its headers where
// a sender uses those alone. It carries forms, and raw mail of a gateway.
func Standard() Source {
	return Source{about: aboutStandard(), read: webhook.HeadersFrom, split: deliver}
}

// Svix is the scheme with Svix's names first: a sender behind Svix may pass a
// webhook-* set of somebody else.
func Svix() Source {
	a := aboutStandard()
	a.Scheme, a.Name, a.ID = "svix", "Svix", "`svix-id`, signed; of raw mail it is the hash of envelope and message"
	a.Facts = []string{"https://docs.svix.com/receiving/verifying-payloads/how-manual", "https://docs.svix.com/retries"}
	a.Replay = "Svix tries 8 times in 27.6 hours and disables an endpoint after 5 days of failures; each try is signed anew"
	return Source{about: a, read: svixHeaders, split: deliver}
}

// Open verifies a request and gives its one delivery.
func (s Source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	// Whoever signs with a current secret that nobody can read would be told
	// that he signs wrongly, and that is our fault.
	for _, secret := range set.Secrets[:min(1, len(set.Secrets))] {
		if !secret.IsZero() && webhook.Sign(secret, "x", set.Now, nil) == "" {
			return webhook.Opened{}, webhook.Refuse(webhook.ErrNoSecret, "secret_missing", "the endpoint's secret is none of this scheme (whsec_ and base64 of 24 to 64 bytes); the delivery will be taken when it is")
		}
	}
	h := s.read(r.Headers)
	if err := webhook.Verify(set.Secrets, h, r.Body, set.Now); err != nil {
		return webhook.Opened{}, told(err)
	}
	return s.split(r, set.Content, h.ID)
}

func svixHeaders(all map[string]string) webhook.Headers {
	h := webhook.Headers{ID: all["svix-id"], Timestamp: all["svix-timestamp"], Signature: all["svix-signature"]}
	if h.ID != "" && h.Timestamp != "" && h.Signature != "" {
		return h
	}
	return webhook.HeadersFrom(all)
}

func deliver(r webhook.Request, content, id string) (webhook.Opened, error) {
	d := webhook.Delivery{ID: id, Content: content, Raw: r.Body, Fingerprint: webhook.Fingerprint(r.Body)}
	var err error
	if content == webhook.ContentMail {
		err = readMail(r, &d)
	} else {
		err, d.JSON = webhook.CheckForm(r.Body), r.Body
	}
	if err != nil {
		return webhook.Opened{}, err
	}
	return webhook.Opened{Deliveries: []webhook.Delivery{d}}, nil
}

// told says the refusals of Verify in this scheme's words.
func told(err error) error {
	word, hint := webhook.Told(err)
	switch word {
	case "header_missing":
		hint = "webhook-id, webhook-timestamp and webhook-signature are needed"
	case "timestamp_too_old":
		hint = "sign each attempt anew; clocks may differ by 5 minutes"
	case "timestamp_invalid":
		hint = "webhook-timestamp is the time of the attempt in Unix seconds"
	case "id_invalid":
		hint = "webhook-id has 1 to 256 printable ASCII characters and no space"
	case "signature_invalid":
		hint = "sign id.timestamp.body with the endpoint's secret"
	}
	return webhook.Refuse(err, word, hint)
}

func aboutStandard() webhook.About {
	return webhook.About{
		Scheme: "standard-webhooks", Name: "Standard Webhooks",
		Contents: []string{webhook.ContentForm, webhook.ContentMail},
		ID:       "`webhook-id`, signed; of raw mail it is the hash of envelope and message",
		Auth:     "HMAC-SHA256 over `id.timestamp.body`, base64",
		Past:     webhook.Tolerance, Future: webhook.Tolerance,
		Replay: "each try is signed anew", JSON: true,
		Answers: webhook.StandardWebhooks(), Final: []int{410}, MaxBody: webhook.MaxBody,
		Limits: "the specification recommends 20 KB; `v1` signatures alone: a sender that makes only `v1a` (ed25519) is refused",
		Facts:  []string{"https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md"},
	}
}
