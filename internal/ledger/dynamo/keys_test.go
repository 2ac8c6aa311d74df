package dynamo

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/ledger"
)

// every is one key of each entity.
var every = []ledger.Key{
	{Entity: ledger.Event, Tenant: "acme", ID: "mail:intake:0101"},
	{Entity: ledger.Delivery, Tenant: "acme", ID: "mail:intake:0101", Sub: "2026-01-02T03:04:05.000Z k7"},
	{Entity: ledger.Extraction, Tenant: "acme", ID: "mail:intake:0101", Sub: "rules@3"},
	{Entity: ledger.ContactKey, Tenant: "acme", ID: "email:ann@example.com"},
	{Entity: ledger.Contact, Tenant: "acme", ID: "c1"},
	{Entity: ledger.Enquiry, Tenant: "acme", ID: "c1", Sub: "mail:intake:0101"},
	{Entity: ledger.MatchDecision, Tenant: "acme", ID: "mail:intake:0101"},
	{Entity: ledger.Intent, Tenant: "acme", ID: "i1"},
	{Entity: ledger.Attempt, Tenant: "acme", ID: "i1", Sub: "0001"},
	{Entity: ledger.ReviewTask, Tenant: "acme", ID: "r1"},
	{Entity: ledger.Guard, Tenant: "acme", ID: "g1"},
	{Entity: ledger.Cadence, Tenant: "acme", ID: "c1", Sub: "reply"},
	{Entity: ledger.LoopCap, Tenant: "acme", ID: "h1"},
	{Entity: ledger.CRMMapping, Tenant: "acme", ID: "c1", Sub: "hubspot"},
	{Entity: ledger.CRMConnection, Tenant: "acme", ID: "crm", Sub: "hubspot"},
	{Entity: ledger.ProviderMessage, Tenant: ledger.NoTenant, ID: "m1"},
	{Entity: ledger.Feedback, Tenant: ledger.NoTenant, ID: "f1"},
	{Entity: ledger.FeedProbe, Tenant: ledger.NoTenant, ID: "feed"},
	{Entity: ledger.Deployment, Tenant: ledger.NoTenant, ID: "deployment"},
	{Entity: ledger.Idempotency, Tenant: "acme", ID: "order-7", Sub: "import"},
	{Entity: ledger.Policy, Tenant: "acme", ID: "policy", Sub: "7"},
	{Entity: ledger.PolicyCurrent, Tenant: "acme", ID: "policy"},
	{Entity: ledger.MailRoute, Tenant: ledger.NoTenant, ID: "sales@demo.example"},
	{Entity: ledger.Stop, Tenant: ledger.NoTenant, ID: "stop"},
	{Entity: ledger.Spending, Tenant: "acme", ID: "2026-03-04"},
	{Entity: ledger.IdentityRule, Tenant: "acme", ID: "rule", Sub: "00000002"},
	{Entity: ledger.Migration, Tenant: "acme", ID: "rule", Sub: "00000002"},
	{Entity: ledger.Operation, Tenant: "acme", ID: "o1"},
	{Entity: ledger.Audit, Tenant: "acme", ID: "intent/i1", Sub: "00000003"},
	{Entity: ledger.ContactKey, Tenant: "acme", ID: "email.v2:ann@example.com"},
	{Entity: ledger.Contact, Tenant: "a#b~c", ID: "##~-~h"},
	{Entity: ledger.Enquiry, Tenant: "acme", ID: "c#1", Sub: "a#b~c"},
}

// Support staff and old rows depend on these texts: a line that changes here
// is a migration.
func TestKeysAreAsRecorded(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, k := range every {
		p := placeOf(k)
		fmt.Fprintf(&got, "%s | %s | %s\n", k.Entity.Table(), p.pk, p.sk)
	}
	if got.String() != string(want) {
		t.Errorf("keys are\n%s\nwant\n%s", got.String(), want)
	}
}

// anyKey draws from few words that are rich in what could be confused.
func anyKey() *rapid.Generator[ledger.Key] {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("a#~-$\"%|é")), 1, 4, -1)
	return rapid.Custom(func(t *rapid.T) ledger.Key {
		return ledger.Key{
			Entity: rapid.SampledFrom(every).Draw(t, "entity").Entity,
			Tenant: word.Draw(t, "tenant"),
			ID:     word.Draw(t, "id"),
			Sub:    rapid.OneOf(rapid.Just(""), word).Draw(t, "sub"),
		}
	})
}

func TestDistinctKeysHaveDistinctPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyKey().Draw(t, "a"), anyKey().Draw(t, "b")
		same := a.Entity.Table() == b.Entity.Table() && placeOf(a) == placeOf(b)
		if same != (a == b) {
			t.Fatalf("%v lies at %v, %v at %v", a, placeOf(a), b, placeOf(b))
		}
		if back, err := keyAt(placeOf(a)); err != nil || back != a {
			t.Fatalf("%v comes back as %v, %v", a, back, err)
		}
	})
}

// leaks tells whether a list holds what is not of its parent's entity, tenant
// and ID, or misses what is.
func leaks(parent, k ledger.Key) bool {
	first, last := childrenOf(parent.Entity)
	p := placeOf(k)
	listed := k.Entity.Table() == parent.Entity.Table() && p.pk == partitionOf(parent) && first <= p.sk && p.sk <= last
	belongs := k.Entity == parent.Entity && k.Tenant == parent.Tenant && k.ID == parent.ID
	return listed != belongs
}

func TestListsDoNotLeak(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parent, k := anyKey().Draw(t, "parent"), anyKey().Draw(t, "key")
		if leaks(parent, k) {
			t.Fatalf("%v in a list of %v", k, parent)
		}
	})
}

// policy begins policy_current too, and both lie in one partition.
func TestListsDoNotLeakWithinAPartition(t *testing.T) {
	t.Parallel()
	for _, a := range every {
		for _, b := range every {
			for _, sub := range []string{"", "$", "#", "\"", "_", "é"} {
				parent := ledger.Key{Entity: a.Entity, Tenant: "acme", ID: "x"}
				k := ledger.Key{Entity: b.Entity, Tenant: "acme", ID: "x", Sub: sub}
				if leaks(parent, k) {
					t.Errorf("%v in a list of %v", k, parent)
				}
			}
		}
	}
}

func TestListsFollowTheBytesOfSub(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyKey().Draw(t, "a"), anyKey().Draw(t, "b")
		b.Entity, b.Tenant, b.ID = a.Entity, a.Tenant, a.ID
		if (a.Sub < b.Sub) != (placeOf(a).sk < placeOf(b).sk) {
			t.Fatalf("%q and %q sort otherwise at %v and %v", a.Sub, b.Sub, placeOf(a), placeOf(b))
		}
	})
}

// DynamoDB holds 2,048 bytes of partition key and 1,024 of sort key.
func TestTheLongestKeyFits(t *testing.T) {
	t.Parallel()
	for _, k := range every {
		k.Tenant = strings.Repeat("#", ledger.MaxTenantBytes)
		k.ID = strings.Repeat("~", ledger.MaxIDBytes)
		k.Sub = strings.Repeat("#", ledger.MaxSubBytes)
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		if p := placeOf(k); len(p.pk) > 2048 || len(p.sk) > 1024 {
			t.Errorf("%s: pk of %d bytes, sk of %d", k.Entity, len(p.pk), len(p.sk))
		}
	}
}

func TestForeignPlacesAreRefused(t *testing.T) {
	t.Parallel()
	for _, p := range []place{{}, {"acme#event", "event"}, {"acme#contact#c1", "event"}, {"acme#event#a#b", "event"}} {
		if k, err := keyAt(p); err == nil {
			t.Errorf("%v was read as %v", p, k)
		}
	}
}

// Every entity that has a table is among the keys above, so that a new one
// cannot miss the record.
func TestEveryEntityHasARecordedKey(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../key.go")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for line := range strings.Lines(string(src)) {
		f := strings.Fields(line)
		if len(f) > 3 && f[1] == "Entity" && f[2] == "=" {
			want = append(want, strings.Trim(f[3], `"`))
		}
	}
	for _, k := range every[:len(every)-3] {
		got = append(got, string(k.Entity))
	}
	sort.Strings(want)
	sort.Strings(got)
	if len(want) < 20 || strings.Join(want, " ") != strings.Join(got, " ") {
		t.Errorf("recorded %v, want %v", got, want)
	}
}
