// Package secrettest is what every secret.Keeper must pass: the contract of
// the port, as tests.
package secrettest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"onefold/internal/schema"
	"onefold/internal/secret"
)

// Valid webhook secrets, made for tests.
const (
	First  = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
	Second = "whsec_GBkaGxwdHh8gISIjJCUmJygpKissLS4v"
	Third  = "whsec_MDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZH"
)

// Suite runs the contract. open gives an empty keeper, for each test another.
func Suite(t *testing.T, open func(t *testing.T) secret.Keeper) {
	for _, part := range []struct {
		name string
		test func(*testing.T, secret.Keeper)
	}{
		{"AnAbsentSecretIsNone", absent},
		{"AFirstValueHasNoPrevious", first},
		{"TheReplacedValueStaysValidUntilTheNextReplacement", rotation},
		{"TheSameValueAgainKeepsThePrevious", same},
		{"ARevokedValueIsValidNoMore", revoke},
		{"SecretsAreListedWithoutTheirValues", list},
		{"WhatCannotBeASecretIsRefused", refused},
		{"AnEndedContextPutsNothing", ended},
		{"ConcurrentCallsAgree", concurrent},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, open(t))
		})
	}
}

var form = secret.Webhook("demo", "form")

func put(t *testing.T, k secret.Keeper, name string, values ...string) {
	t.Helper()
	for _, v := range values {
		if err := k.Put(t.Context(), name, v); err != nil {
			t.Fatalf("put %s: %v", name, err)
		}
	}
}

func holds(t *testing.T, k secret.Store, name string, want ...string) {
	t.Helper()
	got, err := k.Get(t.Context(), name)
	if err != nil || !slices.Equal(got.Values(), want) {
		t.Errorf("%s: %d values, %v; want %d", name, len(got.Values()), err, len(want))
	}
}

func none(t *testing.T, k secret.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		if got, err := k.Get(t.Context(), name); !errors.Is(err, secret.ErrNone) || errors.Is(err, secret.ErrUnavailable) || got != (secret.Secret{}) {
			t.Errorf("%s: %v, want ErrNone and no value", name, err)
		}
	}
}

func absent(t *testing.T, k secret.Keeper) {
	put(t, k, form, First)
	none(t, k, secret.Webhook("demo", "mail"), secret.Webhook("other", "form"), secret.CRM("demo"), "webhook/demo", "", "../x", "a b")
	if err := k.Revoke(t.Context(), secret.CRM("demo")); !errors.Is(err, secret.ErrNone) {
		t.Errorf("revoke: %v, want ErrNone", err)
	}
}

func first(t *testing.T, k secret.Keeper) {
	put(t, k, form, First)
	put(t, k, secret.CRM("demo"), "pat-eu1-é")
	holds(t, k, form, First)
	holds(t, k, secret.CRM("demo"), "pat-eu1-é")
}

func rotation(t *testing.T, k secret.Keeper) {
	put(t, k, form, First, Second)
	holds(t, k, form, Second, First)
	put(t, k, form, Third)
	holds(t, k, form, Third, Second)
	put(t, k, form, Second) // back to the one before
	holds(t, k, form, Second, Third)
}

func same(t *testing.T, k secret.Keeper) {
	put(t, k, form, First, First)
	holds(t, k, form, First)
	put(t, k, form, Second, Second)
	holds(t, k, form, Second, First)
}

func revoke(t *testing.T, k secret.Keeper) {
	put(t, k, form, First, Second)
	for range 2 {
		if err := k.Revoke(t.Context(), form); err != nil {
			t.Fatal(err)
		}
		holds(t, k, form, Second)
	}
	put(t, k, form, Third)
	holds(t, k, form, Third, Second)
}

func list(t *testing.T, k secret.Keeper) {
	if got, err := k.List(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("empty: %v, %v", got, err)
	}
	put(t, k, form, First, Second)
	put(t, k, secret.CRM("demo"), "token")
	got, err := k.List(t.Context())
	if err != nil || len(got) != 2 || got[0].Name != secret.CRM("demo") || got[0].Previous || got[1].Name != form || !got[1].Previous {
		t.Errorf("%v, %v", got, err)
	}
}

func refused(t *testing.T, k secret.Keeper) {
	for name, value := range map[string]string{
		schema.SecretIdentifierKey: strings.Repeat("A", 44),
		form:                       "fifteen-bytes-x",
		secret.CRM("a"):            "",
		secret.CRM("b"):            "token\n",
		secret.CRM("c"):            strings.Repeat("x", 65537),
		"crm/../x":                 "token",
		"":                         "token",
	} {
		err := k.Put(t.Context(), name, value)
		if !errors.Is(err, secret.ErrRefused) {
			t.Errorf("put %q: %v, want ErrRefused", name, err)
		}
		if value != "" && strings.Contains(err.Error(), value) {
			t.Errorf("put %q: the error repeats the value", name)
		}
		none(t, k, name)
	}
}

func ended(t *testing.T, k secret.Keeper) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.Put(ctx, form, First); err == nil {
		t.Error("put after the context ended")
	}
	none(t, k, form)
}

func concurrent(t *testing.T, k secret.Keeper) {
	put(t, k, form, First)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				got, err := k.Get(t.Context(), form)
				if err != nil || got.Current != First {
					t.Errorf("get: %v", err)
				}
			}
		})
	}
	for _, tenant := range []string{"a", "b", "c", "d"} {
		wg.Go(func() {
			if err := k.Put(t.Context(), secret.CRM(tenant), "token-"+tenant); err != nil {
				t.Errorf("put: %v", err)
			}
		})
	}
	wg.Wait()
	for _, tenant := range []string{"a", "b", "c", "d"} {
		holds(t, k, secret.CRM(tenant), "token-"+tenant)
	}
}
