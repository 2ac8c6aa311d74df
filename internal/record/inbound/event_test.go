package inbound_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
)

func TestAnIDIsReadable(t *testing.T) {
	t.Parallel()
	got, err := inbound.ID("mail", "hello@demo.example", "a/b %")
	if err != nil || got != "mail/hello@demo.example/a%2Fb%20%25" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAnIDNeedsEachPartAndABound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", inbound.MaxIDPart)
	for name, p := range map[string][3]string{
		"no source": {"", "b", "c"}, "no mailbox": {"a", "", "c"}, "no delivery": {"a", "b", ""},
		"too long a part": {"a", "b", long + "x"}, "too long escaped": {"a", "b", strings.Repeat("é", 128)},
	} {
		if id, err := inbound.ID(p[0], p[1], p[2]); !errors.Is(err, inbound.ErrBadID) || id != "" {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
	if _, err := inbound.ID("a", "b", long); err != nil {
		t.Errorf("the longest part: %v", err)
	}
}

// TestEveryIDIsAKeyAndNamesOneDelivery: of the event and of its audit records;
// other words never give the same ID.
func TestEveryIDIsAKeyAndNamesOneDelivery(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.StringN(1, 40, 200), rapid.StringOf(rapid.RuneFrom([]rune("/%2F a\x00é"))), rapid.StringOfN(rapid.RuneFrom([]rune("aZ09-_.@+/% ")), 180, 256, -1))
		a := [3]string{part.Draw(t, "source"), part.Draw(t, "mailbox"), part.Draw(t, "delivery")}
		b := [3]string{part.Draw(t, "source 2"), part.Draw(t, "mailbox 2"), part.Draw(t, "delivery 2")}
		id, err := inbound.ID(a[0], a[1], a[2])
		if err != nil {
			return
		}
		k := ledger.Event.At("demo", id)
		if err := errors.Join(k.Validate(), ledger.AuditKey(k, 1).Validate()); err != nil {
			t.Fatalf("an ID of %d bytes: %v", len(id), err)
		}
		if other, err := inbound.ID(b[0], b[1], b[2]); err == nil && (other == id) != (a == b) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
