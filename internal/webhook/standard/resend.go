package standard

import "onefold/internal/webhook"

// kindReceived is the one event of Resend that is mail for us.
const kindReceived = "email.received"

// Resend is inbound mail by Resend: Svix's scheme, and of the mail the metadata
// alone. Its content has to be fetched, which is done before the event is
// recorded and only once: the ID is Resend's of the mail, so a repeat is known
// as a duplicate before anything is fetched.
func Resend() Source {
	a := Svix().about
	a.Scheme, a.Name, a.Contents = "resend", "Resend inbound", []string{webhook.ContentMail}
	a.NoMailbox = true
	a.ID = "`data.email_id`, Resend's ID of the mail; `svix-id` is one for each webhook"
	a.Replay = "each try is signed anew, for 27.6 hours; a webhook can be replayed by hand without end"
	a.Limits = "metadata alone: the mail is fetched from Resend, with the API key that is the secret `…-api` beside the endpoint's; until it is set, deliveries are answered 503"
	a.Checks = "nothing beside the mail. In the mail itself the field of `amazonses.com` was seen, whose host has another name in `Received`: named as `authserv_id`, a failed DMARC counts"
	a.Facts = []string{"https://resend.com/docs/webhooks/retries-and-replays", "https://github.com/resend/resend-openapi"}
	a.Unverified = []string{
		"whether a mail for several of our addresses is one event: it is filed under the endpoint's mailbox, once for each `email_id`",
		"that Amazon SES receives for Resend and writes its field into each mail: if not, there is no verdict",
		"how long Resend keeps a mail: where the fetch fails for longer than Resend tries, the mail has to be replayed by hand",
	}
	return Source{about: a, read: svixHeaders, split: received}
}

func received(r webhook.Request, _, _ string) (webhook.Opened, error) {
	tree, err := webhook.ReadJSON(r.Body)
	if err != nil {
		return webhook.Opened{}, err
	}
	kind := webhook.TextAt(tree, "/type")
	if kind != "" && kind != kindReceived {
		return webhook.Opened{}, nil // what became of our own mail: not taken here
	}
	id := webhook.TextAt(tree, "/data/email_id")
	if kind == "" || !webhook.ValidID(id) {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrBadID, "email_id_invalid", "the body is an email.received event with data.email_id")
	}
	fingerprint, err := webhook.FingerprintWithout(webhook.At(tree, "/data"), nil)
	if err != nil {
		return webhook.Opened{}, err
	}
	return webhook.Opened{Deliveries: []webhook.Delivery{{
		ID: id, Content: webhook.ContentMail, Kind: kind, Raw: r.Body, Fingerprint: fingerprint, JSON: webhook.PartAt(r.Body, "/data"), Fetch: id,
	}}}, nil
}
