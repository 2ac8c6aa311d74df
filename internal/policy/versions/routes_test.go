package versions_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
)

// receiving is the example of a tenant whose endpoint "inbox" receives for the
// mailboxes; none: without that endpoint.
func receiving(of string, version int, mailboxes ...string) []byte {
	doc := strings.Replace(string(document(version, "One")), `"tenant": "demo"`, fmt.Sprintf("%q: %q", "tenant", of), 1)
	doc = strings.Replace(doc, `"own_addresses": [`, `"own_addresses": ["@post.example", "@mail.example", `, 1)
	if len(mailboxes) == 0 {
		return []byte(doc)
	}
	return []byte(strings.Replace(doc, `"endpoints": [`,
		`"endpoints": [{"name": "inbox", "content": "mail", "scheme": "ses", "mailboxes": ["`+strings.Join(mailboxes, `", "`)+`"]},`, 1))
}

func leadsTo(t *testing.T, b *versions.Book, want map[string]string) {
	t.Helper()
	for address, of := range want {
		r, ok, err := b.Route(t.Context(), address)
		if err != nil || ok != (of != "") || r.Tenant != of {
			t.Errorf("%s leads to %+v, %v, %v; want tenant %q", address, r, ok, err, of)
		}
		if ok && (r.Endpoint != "inbox" || r.Mailbox != strings.ToLower(address)) {
			t.Errorf("%s leads to endpoint %q, mailbox %q", address, r.Endpoint, r.Mailbox)
		}
	}
}

func TestAMailboxLeadsToItsTenantFromTheCommitOfThePolicy(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		leadsTo(t, b, map[string]string{"sales@post.example": "", "nonsense": "", "@post.example": ""})
		apply(t, b, receiving("demo", 1, "Sales@post.example", "info@post.example"))
		apply(t, b, receiving("acme", 1, "@mail.example"))
		leadsTo(t, b, map[string]string{
			"sales@post.example": "demo", "SALES+spring@Post.example": "demo", "info@post.example": "demo", "other@post.example": "",
			"any@mail.example": "acme", "any@sub.mail.example": "",
		})
		// Let go, kept and new in one version; what was let go is anybody's.
		apply(t, b, receiving("demo", 2, "info@post.example", "new@post.example"))
		leadsTo(t, b, map[string]string{"sales@post.example": "", "info@post.example": "demo", "new@post.example": "demo"})
		apply(t, b, receiving("acme", 2, "@mail.example", "sales@post.example"))
		leadsTo(t, b, map[string]string{"sales@post.example": "acme"})
		apply(t, b, receiving("demo", 3))
		leadsTo(t, b, map[string]string{"info@post.example": "", "new@post.example": "", "sales@post.example": "acme"})
		apply(t, b, receiving("demo", 4, "info@post.example"))
		leadsTo(t, b, map[string]string{"info@post.example": "demo"})
	})
}

func TestAMailboxOfAnotherTenantIsRefusedWithTheWholeDocument(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		apply(t, b, receiving("acme", 1, "sales@post.example", "@mail.example"))
		for name, doc := range map[string][]byte{
			"the same address":       receiving("demo", 1, "new@post.example", "SALES@post.example"),
			"the same domain":        receiving("demo", 1, "new@post.example", "@mail.example"),
			"an address in a domain": receiving("demo", 1, "new@post.example", "me@mail.example"),
			// Mail to a +tag of a mailbox is that mailbox's (Route): taken by another
			// it would be read by strangers.
			"a tag of an address": receiving("demo", 1, "new@post.example", "Sales+spring@post.example"),
		} {
			_, err := b.Apply(t.Context(), doc, "person:kim")
			if !errors.Is(err, versions.ErrMailboxTaken) || !strings.Contains(err.Error(), "/endpoints/0/mailboxes/1") || strings.Contains(err.Error(), "@") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := b.Fresh(t.Context(), "demo"); !errors.Is(err, versions.ErrNone) {
			t.Errorf("a refused policy is in force: %v", err)
		}
		leadsTo(t, b, map[string]string{"new@post.example": "", "sales@post.example": "acme", "me@mail.example": "acme"})
	})
}

// As with a domain: who takes an address gets of its tags what nobody holds.
func TestATagStaysWithItsTenantWhenAnotherTakesTheAddress(t *testing.T) {
	t.Parallel()
	b := newBook(mem.New())
	apply(t, b, receiving("demo", 1, "sales+spring@post.example"))
	apply(t, b, receiving("acme", 1, "sales@post.example", "sales+own@post.example"))
	leadsTo(t, b, map[string]string{"sales+spring@post.example": "demo", "sales+other@post.example": "acme", "sales+own@post.example": "acme", "sales@post.example": "acme"})
	apply(t, b, receiving("demo", 2, "sales+spring@post.example", "info@mail.example"))
	leadsTo(t, b, map[string]string{"sales+spring@post.example": "demo", "info@mail.example": "demo"})
	if _, err := b.Apply(t.Context(), receiving("demo", 3, "sales+spring@post.example", "sales+more@post.example"), "person:kim"); !errors.Is(err, versions.ErrMailboxTaken) {
		t.Errorf("another tag of it: %v", err)
	}
}

// The most rows that one version reads: former and new mailboxes, and of each
// new one its address without the tag and its domain.
func TestAllMailboxesMayBeReplacedByTaggedOnes(t *testing.T) {
	t.Parallel()
	b := newBook(mem.New())
	list := func(form string) (out []string) {
		for i := range tenant.MaxMailboxes {
			out = append(out, fmt.Sprintf(form, i))
		}
		return out
	}
	owned := func(doc []byte) []byte {
		return []byte(strings.Replace(string(doc), `"own_addresses": [`, `"own_addresses": ["`+strings.Join(append(list("@a%d.example"), list("@b%d.example")...), `", "`)+`", `, 1))
	}
	apply(t, b, owned(receiving("demo", 1, list("sales@a%d.example")...)))
	apply(t, b, owned(receiving("demo", 2, list("sales+x@b%d.example")...)))
	leadsTo(t, b, map[string]string{"sales@a7.example": "", "sales+x@b29.example": "demo", "sales@b29.example": ""})
}

// Who takes a domain gets the rest of it, and the other can go on changing his
// policy.
func TestAnAddressStaysWithItsTenantWhenAnotherTakesTheDomain(t *testing.T) {
	t.Parallel()
	b := newBook(mem.New())
	apply(t, b, receiving("demo", 1, "sales@post.example"))
	apply(t, b, receiving("acme", 1, "@post.example"))
	leadsTo(t, b, map[string]string{"sales@post.example": "demo", "other@post.example": "acme"})
	apply(t, b, receiving("demo", 2, "sales@post.example", "info@mail.example"))
	leadsTo(t, b, map[string]string{"sales@post.example": "demo", "info@mail.example": "demo"})
}

func TestAllMailboxesMayBeReplacedInOneVersion(t *testing.T) {
	t.Parallel()
	b := newBook(mem.New())
	// Each in a domain of its own: the most writes that there can be.
	list := func(word string) (out []string) {
		for i := range tenant.MaxMailboxes {
			out = append(out, fmt.Sprintf("sales@%s%d.example", word, i))
		}
		return out
	}
	owned := func(doc []byte, word string) []byte {
		return []byte(strings.Replace(string(doc), `"own_addresses": [`, `"own_addresses": ["`+strings.Join(list(word), `", "`)+`", `, 1))
	}
	apply(t, b, owned(receiving("demo", 1, list("a")...), "a"))
	apply(t, b, owned(receiving("demo", 2, list("b")...), "b"))
	leadsTo(t, b, map[string]string{"sales@a7.example": "", "sales@b7.example": "demo", "sales@b29.example": "demo"})
}

// meeting lets two go on only when both have read the routes.
type meeting struct {
	ledger.Store
	both *sync.WaitGroup
	once sync.Once
}

func (m *meeting) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	items, err := m.Store.GetMany(ctx, keys)
	if keys[0].Entity == ledger.MailRoute {
		m.once.Do(func() { m.both.Done(); m.both.Wait() })
	}
	return items, err
}

// TestOfTwoTenantsAtOnceOneGetsTheMailbox, both having seen that it is nobody's.
// Of a mailbox there may be no row yet, or one that was let go.
func TestOfTwoTenantsAtOnceOneGetsTheMailbox(t *testing.T) {
	t.Parallel()
	for _, formerly := range []bool{false, true} {
		for name, wants := range map[string][2]string{
			"address": {"sales@post.example", "sales@post.example"}, "domain": {"@post.example", "@post.example"}, "address and its domain": {"sales@post.example", "@post.example"},
		} {
			store := mem.New()
			if formerly {
				apply(t, newBook(store), receiving("first", 1, "sales@post.example", "@post.example"))
				apply(t, newBook(store), receiving("first", 2))
			}
			var won [2]bool
			var wait, both sync.WaitGroup
			both.Add(2)
			for n, of := range []string{"demo", "acme"} {
				wait.Go(func() {
					_, err := newBook(&meeting{Store: store, both: &both}).Apply(context.Background(), receiving(of, 1, wants[n]), "person:kim")
					won[n] = err == nil
					if err != nil && !errors.Is(err, versions.ErrMailboxTaken) {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			wait.Wait()
			if wants[0] != wants[1] {
				// The domain may be taken with an address of another in it, never the
				// address in a domain of another: whichever came first.
				if !won[1] || won[0] != (tenantOf(t, store, "sales@post.example") == "demo") {
					t.Errorf("%s: who got it: %v, the address is of %s", name, won, tenantOf(t, store, "sales@post.example"))
				}
				continue
			}
			if won[0] == won[1] {
				t.Errorf("%s, formerly another's %v: who got it: %v, want exactly one", name, formerly, won)
			}
			if got, want := tenantOf(t, store, "sales@post.example"), map[bool]string{true: "demo", false: "acme"}[won[0]]; got != want {
				t.Errorf("%s: leads to %s, want %s", name, got, want)
			}
		}
	}
}

func tenantOf(t *testing.T, store ledger.Store, address string) string {
	t.Helper()
	r, _, err := newBook(store).Route(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return r.Tenant
}
