package ingest_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"onefold/internal/blob"
	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/webhook"
)

func (b *bench) everything() map[ledger.Key]ledger.Item {
	b.Helper()
	return everything(b.T, b.store.Store)
}

// of lists what is stored of an entity, in the order of the keys.
func (b *bench) of(e ledger.Entity) []ledger.Item {
	b.Helper()
	all := b.everything()
	keys := slices.SortedFunc(maps.Keys(all), func(x, y ledger.Key) int {
		return strings.Compare(x.Tenant+"\x00"+x.ID+"\x00"+x.Sub, y.Tenant+"\x00"+y.ID+"\x00"+y.Sub)
	})
	var items []ledger.Item
	for _, k := range keys {
		if k.Entity == e {
			items = append(items, all[k])
		}
	}
	return items
}

// counts fails the test unless there are so many events, deliveries and tasks.
func (b *bench) counts(events, deliveries, tasks int) {
	b.Helper()
	e, d, r := len(b.of(ledger.Event)), len(b.of(ledger.Delivery)), len(b.of(ledger.ReviewTask))
	if e != events || d != deliveries || r != tasks {
		b.Errorf("%d events, %d deliveries, %d tasks; want %d, %d, %d", e, d, r, events, deliveries, tasks)
	}
}

// onlyAdds fails the test if anything that was there changed, or if something
// of another entity came.
func (b *bench) onlyAdds(before map[ledger.Key]ledger.Item, allowed ...ledger.Entity) {
	b.Helper()
	after := b.everything()
	for k, it := range before {
		if !reflect.DeepEqual(after[k], it) {
			b.Errorf("a %s changed from %v to %v", k.Entity, it, after[k])
		}
	}
	for k := range after {
		if _, was := before[k]; !was && !slices.Contains(allowed, k.Entity) {
			b.Errorf("a %s came", k.Entity)
		}
	}
}

// whole is what must hold at every moment, whatever failed: an event has its
// raw content, its first delivery and its audit record; a delivery has its
// event; a task of a conflict has the other content and its audit record.
func (b *bench) whole() {
	b.Helper()
	all := b.everything()
	deliveries, recorded := map[ledger.Key]int{}, map[ledger.Key]int{}
	for k, it := range all {
		if k.Entity != ledger.Delivery {
			continue
		}
		event := ledger.Event.At(k.Tenant, k.ID)
		if all[event] == nil {
			b.Errorf("a delivery has no event")
		}
		deliveries[event]++
		if it.Text("answer") == inbound.AnswerRecorded {
			recorded[event]++
		}
	}
	for k, it := range all {
		switch k.Entity {
		case ledger.Event:
			if recorded[k] != 1 {
				b.Errorf("an event has %d deliveries, %d of them recorded it", deliveries[k], recorded[k])
			}
			fingerprint := it.Text("content_fingerprint")
			if slices.Contains([]string{"batch", "contact", "hubspot", "resend"}, it.Text("source")) {
				fingerprint = "" // is of the values, not of the bytes
			}
			b.hasRaw(it, fingerprint)
			b.isAudited(all, k)
		case ledger.ReviewTask:
			if it.Text("kind") != review.IDConflict || it.Text("state") != review.Open || it.Text("open_for") != k.Tenant {
				b.Errorf("a task of kind %s in state %s for %q", it.Text("kind"), it.Text("state"), it.Text("open_for"))
			}
			b.hasRaw(it, "")
			b.isAudited(all, k)
		default:
		}
	}
}

func (b *bench) hasRaw(it ledger.Item, fingerprint string) {
	b.Helper()
	content, err := b.blob.Get(b.Context(), blob.Ref(it.Text("raw")))
	if err != nil {
		b.Errorf("raw content of a %s: %v", it.Text("entity"), err)
	}
	if bytes := it.Text("content_bytes"); bytes != "" && fingerprint != "" {
		fingerprint = bytes // of JSON the fingerprint is by its value
	}
	if fingerprint != "" && webhook.Fingerprint(content) != fingerprint {
		b.Errorf("the raw content of an event is not what it was made of")
	}
}

func (b *bench) isAudited(all map[ledger.Key]ledger.Item, k ledger.Key) {
	b.Helper()
	if all[ledger.AuditKey(k, 1)] == nil {
		b.Errorf("the first transition of a %s has no audit record", k.Entity)
	}
}
