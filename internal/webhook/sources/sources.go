// Package sources lists the sources there are and makes one of an endpoint's
// options.
//
// Its invariant: every scheme that a policy may name is here once, so a policy
// that was checked names a source that can be made. It refuses options by which
// a request could not be trusted.
package sources

import (
	"errors"
	"fmt"

	"onefold/internal/webhook"
	"onefold/internal/webhook/hubspot"
	"onefold/internal/webhook/mailgun"
	"onefold/internal/webhook/ownform"
	"onefold/internal/webhook/postmark"
	"onefold/internal/webhook/sendgrid"
	"onefold/internal/webhook/signed"
	"onefold/internal/webhook/sns"
	"onefold/internal/webhook/standard"
)

// Options is what an endpoint may set up for its source.
type Options struct {
	Origins   []string // of own forms: the web origins whose pages may post
	Topics    []string // of SNS: the topics that may post
	PublicURL string   // the endpoint's address as the sender has it
	HMAC      *signed.Scheme
}

// ErrUnknown means that there is no such scheme.
var ErrUnknown = errors.New("sources: no such scheme")

// entry is one scheme.
type entry struct {
	scheme string
	make   func(Options) (webhook.Source, error)
	sample Options // with which its row in docs/sources.md is made
}

func entries() []entry {
	return []entry{
		{scheme: "standard-webhooks", make: plain(standard.Standard)},
		{scheme: "svix", make: plain(standard.Svix)},
		{scheme: "resend", make: plain(standard.Resend)},
		{scheme: "sns", make: snsTopics, sample: Options{Topics: []string{"arn:aws:sns:eu-west-1:123456789012:mail"}}},
		{scheme: "postmark", make: plain(postmark.New)},
		{scheme: "mailgun", make: plain(mailgun.New)},
		{scheme: "sendgrid", make: plain(sendgrid.New)},
		{scheme: "hubspot", make: plain(hubspot.New)},
		{scheme: "own-form", make: ownForm, sample: Options{Origins: []string{"https://www.demo.example"}}},
		{scheme: "hmac", make: configured, sample: Options{HMAC: &signed.Scheme{Header: "x-signature", ID: signed.ID{Header: "x-delivery"}}}},
		{scheme: "stripe", make: preset(signed.Stripe)},
		{scheme: "github", make: preset(signed.GitHub)},
		{scheme: "typeform", make: preset(signed.Typeform)},
		{scheme: "calendly", make: preset(signed.Calendly)},
		{scheme: "close", make: preset(signed.Close)},
	}
}

// preset is a source whose options are known.
func preset(known func() signed.Preset) func(Options) (webhook.Source, error) {
	return func(Options) (webhook.Source, error) {
		p := known()
		return signed.New(p.Scheme, p.About)
	}
}

func ownForm(o Options) (webhook.Source, error) { return ownform.New(o.Origins) }

func snsTopics(o Options) (webhook.Source, error) { return sns.New(o.Topics) }

func configured(o Options) (webhook.Source, error) {
	if o.HMAC == nil {
		return nil, errors.New("hmac is missing: it says how the sender signs")
	}
	return signed.New(*o.HMAC, signed.About())
}

// plain is a source without options.
func plain[S webhook.Source](made func() S) func(Options) (webhook.Source, error) {
	return func(Options) (webhook.Source, error) { return made(), nil }
}

// New makes the source of a scheme. The error is ErrUnknown, or says which
// option is wrong, in words for the policy's writer.
func New(scheme string, o Options) (webhook.Source, error) {
	for _, e := range entries() {
		if e.scheme == scheme {
			return e.make(o)
		}
	}
	return nil, fmt.Errorf("%w", ErrUnknown)
}

// All are the sources there are, each with sample options, in the order of the
// documentation.
func All() ([]webhook.Source, error) {
	var all []webhook.Source
	for _, e := range entries() {
		s, err := e.make(e.sample)
		if err != nil {
			return nil, fmt.Errorf("make %s: %w", e.scheme, err)
		}
		all = append(all, s)
	}
	return all, nil
}
