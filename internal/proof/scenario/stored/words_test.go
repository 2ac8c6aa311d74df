package stored_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"onefold/internal/crm"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/operate/explain"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

// nouns makes the noun that the rows of an entity are read as. Entities that
// are missing are read attribute by attribute.
var nouns = map[ledger.Entity]func() any{
	ledger.Event: func() any { return new(inbound.Event) }, ledger.Delivery: func() any { return new(inbound.Delivery) },
	ledger.Extraction: func() any { return new(reader.Stored) }, ledger.ContactKey: func() any { return new(contact.Key) },
	ledger.Contact: func() any { return new(contact.Contact) }, ledger.Enquiry: func() any { return new(contact.Enquiry) },
	ledger.MatchDecision: func() any { return new(match.Decision) }, ledger.Intent: func() any { return new(followup.Intent) },
	ledger.Attempt: func() any { return new(followup.Attempt) }, ledger.ReviewTask: func() any { return new(review.Task) },
	ledger.Guard: func() any { return new(guard.Guard) }, ledger.Cadence: func() any { return new(followup.Cadence) },
	ledger.CRMMapping: func() any { return new(crm.Mapping) }, ledger.ProviderMessage: func() any { return new(followup.ProviderMessage) },
	ledger.Operation: func() any { return new(outbox.Operation) }, ledger.Audit: func() any { return new(audit.Record) },
	ledger.Migration: func() any { return new(contact.Migration) },
}

var tables = []schema.Table{schema.Events, schema.Ledger, schema.Outbox, schema.Audit}

// rowsOf lists what the rows hold. A row is read as its noun and written
// again, so that the lines hold the words of the code, not only those of the
// file: first each set of attributes that rows of an entity have, with those
// that the noun does not know or reads as something else; then each row with
// its state words.
func rowsOf(s *system) []byte {
	sets, lines := map[string]int{}, []string{}
	for _, table := range tables {
		for _, it := range s.scan(table) {
			set, line := rowOf(s, it)
			sets[set]++
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	var b bytes.Buffer
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprintf(&b, "%d rows: %s\n", sets[set], set)
	}
	b.WriteString(strings.Join(lines, "\n") + "\n")
	return b.Bytes()
}

// ofStore are the attributes that the store itself sets.
var ofStore = []string{schema.Entity, schema.Tenant, schema.ID, schema.Sub, schema.Version, schema.Revision}

// stateWords are the attributes whose values are words of the code.
var stateWords = []string{
	"state", "status", "kind", "outcome", "reason", "content_hash", "noun", "event", "from", "to", "by", "rule", "mode", "scope", "merged_into", "cause", "guard",
}

func rowOf(s *system, it ledger.Item) (set, line string) {
	k := ledger.KeyOf(it)
	again := it
	if noun, ok := nouns[k.Entity]; ok {
		n := noun()
		must(s.t, it.Decode(n))
		var err error
		again, err = ledger.Encode(n)
		must(s.t, err)
	}
	set = string(k.Entity) + ":"
	for _, attr := range slices.Sorted(maps.Keys(it)) {
		switch v, ok := again[attr]; {
		case slices.Contains(ofStore, attr):
		case ok && reflect.DeepEqual(v, it[attr]):
			set += " " + attr
		case ok:
			set += " " + attr + "(read as another value)"
		case it[attr] != any(int64(0)): // a zero is not written again
			set += " " + attr + "(not in the noun)"
		}
	}
	line = strings.TrimSpace(fmt.Sprintf("%s %s %s %s", k.Entity, k.Tenant, k.ID, k.Sub))
	for _, attr := range stateWords {
		if v := again.Text(attr); v != "" {
			line += " " + attr + "=" + v
		}
	}
	return set, line
}

// wordsOf is what explain says of each person, event and intent, without what
// it says in sentences.
func wordsOf(s *system) []byte {
	asked := map[string]explain.Query{}
	ask := func(q explain.Query) {
		q.Policy = s.Policies.Current
		asked[q.Tenant+" "+q.Email+q.Event+q.Intent] = q
	}
	for _, e := range decoded[inbound.Event](s, ledger.Event) {
		ask(explain.Query{Tenant: e.Tenant, Event: e.ID})
	}
	for _, i := range decoded[followup.Intent](s, ledger.Intent) {
		ask(explain.Query{Tenant: i.Tenant, Intent: i.ID})
	}
	for _, g := range decoded[guard.Guard](s, ledger.Guard) {
		if g.Address != "" { // erased
			ask(explain.Query{Tenant: g.Tenant, Email: g.Address})
		}
	}
	for _, x := range s.rows(ledger.ContactKey) {
		if a, ok := contact.AddressOf(x.Text(schema.ID)); ok {
			ask(explain.Query{Tenant: x.Text(schema.Tenant), Email: a.String()})
		}
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		t, err := explain.Explain(s.t.Context(), s.store, s.ids, asked[name])
		if err != nil {
			s.t.Errorf("explain %s: %v", name, err)
			continue
		}
		text, err := json.Marshal(t)
		must(s.t, err)
		var v any
		must(s.t, json.Unmarshal(text, &v))
		words, err := json.Marshal(wordsIn(v))
		must(s.t, err)
		fmt.Fprintf(&b, "%s %s\n", name, words)
	}
	return b.Bytes()
}

// sentences are the properties of explain that hold text for people.
var sentences = []string{"summary", "says", "what"}

// wordsIn takes the sentences out of a JSON value.
func wordsIn(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if v[name] = wordsIn(e); slices.Contains(sentences, name) {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = wordsIn(v[i])
		}
	}
	return v
}

func zipped(b []byte) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = zip.Write(b)
	err = errors.Join(err, zip.Close())
	return out.Bytes(), err
}

func unzipped(b []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}
