package verify

import (
	"strconv"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

// view is what a scan kept of a ledger.
type view struct {
	ids      *digest.Key
	versions map[ledger.Key]int64 // of every row but audit records
	counts   map[string]int

	events     map[ref]*eventRow
	deliveries map[ref]*deliveries
	keys       map[ref]*keyRow
	contacts   map[ref]*contactRow
	enquiries  []*linkRow
	cadences   []*linkRow
	mappings   []*linkRow
	decisions  map[ref]*decisionRow
	intents    map[ref]*intentRow
	attempts   map[ref][]*attemptRow // by intent, in order
	tasks      map[ref]*taskRow
	guards     map[ref]*guardRow
	messages   []*messageRow
	providers  map[string]bool
	operations map[ref]*operationRow
	timers     map[ref][]*operationRow // send operations by intent
	nouns      map[ref]*nounRow        // by the ID of their audit records
	trails     map[ref][]step          // the same, in order
	routes     map[string]*routeRow    // by address or @domain
	claimed    map[string]*claimed     // by tenant
	ruled      map[string]*ruled       // by tenant
	migrations map[ledger.Key]string   // states
	words      map[string]string
}

func newView(ids *digest.Key) *view {
	return &view{
		ids:      ids,
		versions: map[ledger.Key]int64{}, counts: map[string]int{},
		events: map[ref]*eventRow{}, deliveries: map[ref]*deliveries{}, keys: map[ref]*keyRow{},
		contacts: map[ref]*contactRow{}, decisions: map[ref]*decisionRow{}, intents: map[ref]*intentRow{},
		attempts: map[ref][]*attemptRow{}, tasks: map[ref]*taskRow{}, guards: map[ref]*guardRow{},
		providers: map[string]bool{}, operations: map[ref]*operationRow{}, timers: map[ref][]*operationRow{},
		routes: map[string]*routeRow{}, claimed: map[string]*claimed{},
		ruled: map[string]*ruled{}, migrations: map[ledger.Key]string{},
		nouns: map[ref]*nounRow{}, trails: map[ref][]step{}, words: map[string]string{},
	}
}

func (v *view) has(k ledger.Key) bool { return v.versions[k] > 0 }

// version is the one in which a row was scanned; 0 when it was not there.
func (v *view) version(k ledger.Key) int64 {
	if k.Entity != ledger.Audit {
		return v.versions[k]
	}
	n, err := strconv.ParseInt(k.Sub, 10, 64)
	if err != nil {
		return 0
	}
	for _, s := range v.trails[refOf(k)] {
		if s.n == n {
			return s.version
		}
	}
	return 0
}

// trail is the audit of a noun.
func (v *view) trail(k ledger.Key) []step {
	return v.trails[ref{k.Tenant, ledger.AuditKey(k, 1).ID}]
}

// survivor follows merges. chain holds every contact passed; ok is false when
// one is missing or the chain is a ring.
func (v *view) survivor(tenant, id string) (last *contactRow, chain []ledger.Key, ok bool) {
	seen := map[string]bool{}
	for {
		chain = append(chain, contactKey(tenant, id))
		c := v.contacts[ref{tenant, id}]
		if c == nil || seen[id] {
			return last, chain, false
		}
		seen[id] = true
		last = c
		if c.status != contact.Merged {
			return c, chain, true
		}
		id = c.mergedInto
	}
}

// word keeps one copy of a text that many rows repeat.
func (v *view) word(s string) string {
	if w, ok := v.words[s]; ok {
		return w
	}
	v.words[s] = s
	return s
}

func contactKey(tenant, id string) ledger.Key {
	return ledger.Contact.At(tenant, id)
}

func intentKey(tenant, id string) ledger.Key {
	return ledger.Intent.At(tenant, id)
}

func eventKey(tenant, id string) ledger.Key {
	return ledger.Event.At(tenant, id)
}

func taskKey(tenant, id string) ledger.Key {
	return ledger.ReviewTask.At(tenant, id)
}
