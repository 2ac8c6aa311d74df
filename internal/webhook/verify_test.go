package webhook_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
)

const (
	secretA = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	secretB = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX" // bytes 0 to 23
	wrong   = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
)

var (
	base = time.Unix(1614265330, 0)
	body = []byte(`{"test": 2432232314}`)
)

// signed is a valid request of secret A at the base time.
func signed(t *testing.T) webhook.Headers {
	t.Helper()
	return signedID(t, "msg_1")
}

func signedID(t *testing.T, id string) webhook.Headers {
	t.Helper()
	return webhook.Headers{
		ID: id, Timestamp: strconv.FormatInt(base.Unix(), 10),
		Signature: webhook.Sign(secret(t, secretA), id, base, body),
	}
}

func TestRequestsThatAreNotAuthenticAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*webhook.Headers)
		want   error
	}{
		{"unchanged", func(*webhook.Headers) {}, nil},
		{"no id", func(h *webhook.Headers) { h.ID = "" }, webhook.ErrMissingHeader},
		{"no timestamp", func(h *webhook.Headers) { h.Timestamp = "" }, webhook.ErrMissingHeader},
		{"no signature", func(h *webhook.Headers) { h.Signature = "" }, webhook.ErrMissingHeader},
		{"wrong signature", func(h *webhook.Headers) { h.Signature = wrong }, webhook.ErrBadSignature},
		{"empty v1", func(h *webhook.Headers) { h.Signature = "v1," }, webhook.ErrBadSignature},
		{"bare v1", func(h *webhook.Headers) { h.Signature = "v1" }, webhook.ErrBadSignature},
		{"only separators", func(h *webhook.Headers) { h.Signature = " , ," }, webhook.ErrBadSignature},
		{"right bytes under v2", func(h *webhook.Headers) { h.Signature = "v2" + h.Signature[2:] }, webhook.ErrBadSignature},
		{"right bytes under v1a", func(h *webhook.Headers) { h.Signature = "v1a" + h.Signature[2:] }, webhook.ErrBadSignature},
		{"right bytes, no version", func(h *webhook.Headers) { h.Signature = h.Signature[3:] }, webhook.ErrBadSignature},
		{"version apart from the signature", func(h *webhook.Headers) { h.Signature = "v1, " + h.Signature[3:] }, webhook.ErrBadSignature},
		{"v1 in the place of a signature", func(h *webhook.Headers) { h.Signature = "v2," + h.Signature }, webhook.ErrBadSignature},
		{"header three times, joined", func(h *webhook.Headers) { h.Signature = wrong + "," + "v1a" + wrong[2:] + "," + h.Signature }, nil},
		{"cut short", func(h *webhook.Headers) { h.Signature = h.Signature[:len(h.Signature)-4] }, webhook.ErrBadSignature},
		{"one byte more", func(h *webhook.Headers) { h.Signature += "A" }, webhook.ErrBadSignature},
		{"other id", func(h *webhook.Headers) { h.ID = "msg_2" }, webhook.ErrBadSignature},
		{"id twice, joined by a gateway", func(h *webhook.Headers) { h.ID += "," + h.ID }, webhook.ErrBadSignature},
		{"other timestamp", func(h *webhook.Headers) { h.Timestamp = "1614265331" }, webhook.ErrBadSignature},
		{"an old timestamp of a stranger tells only that it is not signed", func(h *webhook.Headers) { h.Timestamp = "946684800" }, webhook.ErrBadSignature},
		{"a bad id of a stranger tells only that it is not signed", func(h *webhook.Headers) { h.ID = "a b" }, webhook.ErrBadSignature},
		{"several, one valid", func(h *webhook.Headers) {
			h.Signature = strings.Join([]string{wrong, "v2" + wrong[2:], h.Signature, wrong}, " ")
		}, nil},
		{"v1a beside it", func(h *webhook.Headers) {
			h.Signature = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5B " + h.Signature
		}, nil},
		{"header twice, joined by a comma", func(h *webhook.Headers) { h.Signature = wrong + "," + h.Signature }, nil},
		{"header twice, joined by comma and space", func(h *webhook.Headers) { h.Signature = wrong + ", " + h.Signature }, nil},
		{"spaces around", func(h *webhook.Headers) { h.Signature = "  " + h.Signature + "  " }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := signed(t)
			c.change(&h)
			if err := webhook.Verify([]webhook.Secret{secret(t, secretA)}, h, body, base); !errors.Is(err, c.want) {
				t.Fatalf("Verify = %v, want %v", err, c.want)
			}
		})
	}
}

func TestEveryByteOfTheBodyIsSigned(t *testing.T) {
	t.Parallel()
	h := signed(t)
	for i := range body {
		changed := append([]byte(nil), body...)
		changed[i] ^= 1
		if err := webhook.Verify([]webhook.Secret{secret(t, secretA)}, h, changed, base); !errors.Is(err, webhook.ErrBadSignature) {
			t.Fatalf("byte %d: Verify = %v, want ErrBadSignature", i, err)
		}
	}
	for _, other := range [][]byte{nil, body[1:], append([]byte(" "), body...)} {
		if err := webhook.Verify([]webhook.Secret{secret(t, secretA)}, h, other, base); !errors.Is(err, webhook.ErrBadSignature) {
			t.Fatalf("%d bytes: Verify = %v, want ErrBadSignature", len(other), err)
		}
	}
}

func TestToleranceIsFiveMinutesAndExactlyFiveIsTooOld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		now  time.Time
		want error
	}{
		{"4:59 old", base.Add(5*time.Minute - time.Second), nil},
		{"a nanosecond short of 5:00 old", base.Add(5*time.Minute - 1), nil},
		{"exactly 5:00 old", base.Add(5 * time.Minute), webhook.ErrTooOld},
		{"5:01 old", base.Add(5*time.Minute + time.Second), webhook.ErrTooOld},
		{"a year old", base.AddDate(1, 0, 0), webhook.ErrTooOld},
		{"4:59 ahead", base.Add(-5*time.Minute + time.Second), nil},
		{"exactly 5:00 ahead", base.Add(-5 * time.Minute), nil},
		{"5:01 ahead", base.Add(-5*time.Minute - time.Second), webhook.ErrTooNew},
		{"centuries ahead", time.Time{}, webhook.ErrTooNew},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := webhook.Verify([]webhook.Secret{secret(t, secretA)}, signed(t), body, c.now); !errors.Is(err, c.want) {
				t.Fatalf("Verify = %v, want %v", err, c.want)
			}
		})
	}
}

func TestTimestampIsPlainDigits(t *testing.T) {
	t.Parallel()
	for _, ts := range []string{
		"+1614265330", "-1", "01614265330", "0", "1614265330.0", "1614265330 ", " 1614265330", "1e9", "0x1", "1_000",
		"1614265330,1614265330", "١٦١٤", "9223372036854775808", "1614265330000", "now",
	} {
		h := signed(t)
		h.Timestamp = ts
		// Even a signature over exactly this text does not help.
		if err := webhook.Verify([]webhook.Secret{secret(t, secretA)}, h, body, base); !errors.Is(err, webhook.ErrBadTimestamp) {
			t.Errorf("%q: Verify = %v, want ErrBadTimestamp", ts, err)
		}
	}
}

func TestIDIsPrintableAndBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, id string
		want     error
	}{
		{"first and last printable", "!~", nil},
		{"256 bytes", strings.Repeat("a", 256), nil},
		{"257 bytes", strings.Repeat("a", 257), webhook.ErrBadID},
		{"space", "a b", webhook.ErrBadID},
		{"newline", "a\nb", webhook.ErrBadID},
		{"delete", "a\x7f", webhook.ErrBadID},
		{"not ASCII", "msg_é", webhook.ErrBadID},
		{"NUL", "\x00", webhook.ErrBadID},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := webhook.Verify([]webhook.Secret{secret(t, secretA)}, signedID(t, c.id), body, base); !errors.Is(err, c.want) {
				t.Fatalf("Verify = %v, want %v", err, c.want)
			}
		})
	}
}

func TestCurrentAndPreviousSecretBothVerify(t *testing.T) {
	t.Parallel()
	a, b := secret(t, secretA), secret(t, secretB)
	for _, c := range []struct {
		name    string
		secrets []webhook.Secret
		want    error
	}{
		{"signed by the current", []webhook.Secret{a, b}, nil},
		{"signed by the previous", []webhook.Secret{b, a}, nil},
		{"the same twice", []webhook.Secret{a, a}, nil},
		{"no previous", []webhook.Secret{a, {}}, nil},
		{"another secret only", []webhook.Secret{b}, webhook.ErrBadSignature},
		{"none", nil, webhook.ErrNoSecret},
		{"only the zero secret", []webhook.Secret{{}}, webhook.ErrNoSecret},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := webhook.Verify(c.secrets, signed(t), body, base); !errors.Is(err, c.want) {
				t.Fatalf("Verify = %v, want %v", err, c.want)
			}
		})
	}
}

func TestTheZeroSecretSignsNothing(t *testing.T) {
	t.Parallel()
	if got := webhook.Sign(webhook.Secret{}, "msg_1", base, body); got != "" {
		t.Errorf("Sign = %q, want nothing", got)
	}
}

func TestHeaderSetsAreNeverMixed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   map[string]string
		want webhook.Headers
	}{
		{"standard", map[string]string{"webhook-id": "i", "webhook-timestamp": "1", "webhook-signature": "s"}, webhook.Headers{ID: "i", Timestamp: "1", Signature: "s"}},
		{"alias", map[string]string{"svix-id": "i", "svix-timestamp": "1", "svix-signature": "s"}, webhook.Headers{ID: "i", Timestamp: "1", Signature: "s"}},
		{"both", map[string]string{"webhook-id": "i", "webhook-timestamp": "1", "webhook-signature": "s", "svix-id": "j", "svix-timestamp": "2", "svix-signature": "u"}, webhook.Headers{ID: "i", Timestamp: "1", Signature: "s"}},
		{"standard with its id stripped beside a whole alias", map[string]string{"webhook-timestamp": "1", "webhook-signature": "s", "svix-id": "j", "svix-timestamp": "2", "svix-signature": "u"}, webhook.Headers{ID: "j", Timestamp: "2", Signature: "u"}},
		{"halves of both", map[string]string{"webhook-id": "i", "svix-timestamp": "2", "svix-signature": "u"}, webhook.Headers{ID: "i"}},
		{"none", nil, webhook.Headers{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := webhook.HeadersFrom(c.in); got != c.want {
				t.Errorf("HeadersFrom = %+v, want %+v", got, c.want)
			}
		})
	}
}
