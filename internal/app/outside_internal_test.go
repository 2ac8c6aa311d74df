package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/blob"
	"onefold/internal/blob/s3"
	"onefold/internal/fetch"
	"onefold/internal/policy/tenant"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// oneSecret is a store of one secret.
type oneSecret struct{ name, value string }

func (k oneSecret) Get(_ context.Context, name string) (secret.Secret, error) {
	if name != k.name {
		return secret.Secret{}, secret.ErrNone
	}
	return secret.Secret{Current: k.value}, nil
}

// asked is a provider that says with which key it was asked for what.
type asked struct{}

func (asked) Raw(_ context.Context, key, id string) ([]byte, error) {
	return []byte(key + " " + id), nil
}

func TestContentIsFetchedWithTheEndpointsOwnKey(t *testing.T) {
	t.Parallel()
	c := contents{secrets: oneSecret{"webhook/demo/inbox-api", "re_sample_key_of_nobody"}, by: map[string]fetch.Mail{"resend": asked{}}}
	ep := tenant.Endpoint{Name: "mail", Scheme: "resend", Secret: "inbox"}
	if got, err := c.fetch(t.Context(), "demo", ep, "id1"); err != nil || string(got) != "re_sample_key_of_nobody id1" {
		t.Errorf("%q, %v", got, err)
	}
	// A key that is not set yet is no reason to give the content up.
	for _, other := range []struct{ tenant, secret string }{{"other", "inbox"}, {"demo", "outbox"}} {
		ep.Secret = other.secret
		_, err := c.fetch(t.Context(), other.tenant, ep, "id1")
		if !errors.Is(err, fetch.ErrRefused) || strings.Contains(err.Error(), "re_sample") {
			t.Errorf("%+v: %v", other, err)
		}
	}
}

func TestMailIsReadFromTheDeploymentsOwnBucket(t *testing.T) {
	t.Parallel()
	c := contents{bucket: "sample-mail", object: func(_ context.Context, key string) ([]byte, error) {
		switch key {
		case "demo/large":
			return nil, fmt.Errorf("get: %w", s3.ErrTooLarge)
		case "demo/missing":
			return nil, fmt.Errorf("get: %w", blob.ErrMissing)
		case "demo/empty":
			return nil, nil
		}
		return []byte(key), nil
	}}
	ep := tenant.Endpoint{Scheme: tenant.SchemeSNS}
	for id, want := range map[string]error{
		"s3://sample-mail/demo/a": nil, "s3://another/demo/a": fetch.ErrGone, "s3://sample-mail": fetch.ErrGone, "": fetch.ErrGone,
		// Whose topic it is tells nothing of whose mail it is.
		"s3://sample-mail/other/a": fetch.ErrGone, "s3://sample-mail/demonstration/a": fetch.ErrGone, "s3://sample-mail/a": fetch.ErrGone,
		"s3://sample-mail/demo/large": fetch.ErrTooLarge, "s3://sample-mail/demo/missing": fetch.ErrUnavailable, "s3://sample-mail/demo/empty": fetch.ErrUnavailable,
	} {
		got, err := c.fetch(t.Context(), "demo", ep, id)
		if !errors.Is(err, want) || want == nil && string(got) != "demo/a" {
			t.Errorf("%q: %q, %v, want %v", id, got, err, want)
		}
	}
	if _, err := (contents{}).fetch(t.Context(), "demo", ep, "s3://sample-mail/demo/a"); !errors.Is(err, fetch.ErrGone) {
		t.Errorf("without a bucket: %v", err)
	}
}

// slow is a provider that answers no sooner than it is asked to stop.
type slow struct{}

func (slow) Raw(ctx context.Context, _, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("%w: %w", fetch.ErrUnavailable, ctx.Err())
}

// A provider may need several calls for one mail: together they end before the
// function does.
func TestAllCallsForOneContentEndWithinTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := contents{secrets: oneSecret{"webhook/demo/mail-api", "re_sample_key_of_nobody"}, by: map[string]fetch.Mail{"resend": slow{}}}
		limit, _ := schema.RunsOf(schema.Ingest)
		begun := time.Now()
		_, err := c.fetch(t.Context(), "demo", tenant.Endpoint{Scheme: "resend", Secret: "mail"}, "id")
		if !errors.Is(err, fetch.ErrUnavailable) {
			t.Errorf("%v", err)
		}
		if waited := time.Since(begun); waited != outsideTime || waited >= limit.Timeout {
			t.Errorf("waited %s", waited)
		}
	})
}
