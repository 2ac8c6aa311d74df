package whatif_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/operate/whatif"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/utc"
)

func parsed(t *testing.T, doc string) tenant.Policy {
	t.Helper()
	p, err := tenant.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheWindowIsOfReceiptAndOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	p := &planted{newWorld(t, document()), map[string][]string{}}
	for i := range 5 {
		p.plant("all", question(i, fmt.Sprintf("p%d@firm.example", i), "Huts?"))
	}
	policy := parsed(t, document())
	from := p.event(p.groups["all"][1]).ReceivedAt
	until := p.event(p.groups["all"][3]).ReceivedAt
	r, err := p.replayer().Run(t.Context(), whatif.Options{Policy: policy, From: from, Until: until})
	p.must(err)
	if r.Seen != 3 || r.Same != 3 {
		t.Errorf("%d seen, %d same", r.Seen, r.Same)
	}
	policy.Tenant = "other"
	r, err = p.replayer().Run(t.Context(), whatif.Options{Policy: policy, From: from, Until: until})
	if p.must(err); r.Seen != 0 || !r.Complete {
		t.Errorf("of another tenant: %+v", r)
	}
}

func TestAnInterruptedReplaySaysHowFarItCame(t *testing.T) {
	t.Parallel()
	p := &planted{newWorld(t, document()), map[string][]string{}}
	for i := range 12 {
		p.plant("all", question(i, fmt.Sprintf("p%d@firm.example", i), "Huts?"))
	}
	policy := parsed(t, edited(t, document(), func(d map[string]any) { at(d, "rules", questionRule)["mode"] = "auto" }))
	ctx, cancel := context.WithCancel(t.Context())
	pages := 0
	o := whatif.Options{Policy: policy, From: utc.At(start), Until: utc.At(p.now), Segments: 4, Progress: func(whatif.Report) {
		if pages++; pages == 2 {
			cancel()
		}
	}}
	r, err := p.replayer().Run(ctx, o)
	if err == nil || r.Complete || r.Segment != 2 || r.Segments != 4 || r.Rows == 0 || r.Seen == 0 || r.Seen == 12 || r.Seen != r.Changed {
		t.Errorf("%v: %+v", err, r)
	}
	// What is kept of a list is its beginning; the counts are of all.
	o.Progress, o.Keep = nil, 3
	r, err = p.replayer().Run(t.Context(), o)
	p.must(err)
	if r.Changed != 12 || len(r.Changes) != 3 || r.Changes[0].Event != p.groups["all"][0] || r.Changes[2].Event != p.groups["all"][2] || r.Groups[0].Count != 12 {
		t.Errorf("%+v", r)
	}
}

// odd is a ledger of which the first pages fail, or whose rows come twice.
type odd struct {
	whatif.Store
	calls, fail int
	twice       bool
}

func (o *odd) Scan(ctx context.Context, s ledger.Scan) (ledger.Page, error) {
	if o.calls++; o.calls <= o.fail {
		return ledger.Page{}, ledger.ErrUnavailable
	}
	p, err := o.Store.Scan(ctx, s)
	if o.twice {
		p.Items = append(p.Items, p.Items...)
	}
	return p, err
}

func TestAPageThatFailsIsAskedForAgainAndARowThatComesTwiceIsOneEvent(t *testing.T) {
	t.Parallel()
	p := &planted{newWorld(t, document()), map[string][]string{}}
	p.plant("all", question(1, "ann@firm.example", "Huts?"))
	o := whatif.Options{Policy: parsed(t, document()), From: utc.At(start), Until: utc.At(p.now)}
	for fail, want := range map[int]int{0: 1, 3: 1, 4: 0} {
		replayer := p.replayer()
		replayer.Store = &odd{Store: p.store, fail: fail, twice: true}
		r, err := replayer.Run(t.Context(), o)
		if r.Same != want || r.Seen != want || (err == nil) != (want == 1) || err != nil && !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("%d failures: %d same, %v", fail, r.Same, err)
		}
	}
}

// TestAReplayCannotWrite: its ports have no way to.
func TestAReplayCannotWrite(t *testing.T) {
	t.Parallel()
	r := reflect.TypeFor[whatif.Replayer]()
	for field, want := range map[string][]string{"Store": {"GetMany", "List", "Scan"}, "Content": {"Get"}, "Policies": {"Version"}} {
		f, _ := r.FieldByName(field)
		var has []string
		for i := range f.Type.NumMethod() {
			has = append(has, f.Type.Method(i).Name)
		}
		if f.Type.Kind() != reflect.Interface || !slices.Equal(has, want) {
			t.Errorf("%s can do %v, want %v", field, has, want)
		}
	}
	var _ whatif.Store = ledger.Store(nil)
	var _ whatif.Policies = (*versions.Book)(nil)
}

func TestAReportHoldsNoPersonalValue(t *testing.T) {
	t.Parallel()
	p := &planted{newWorld(t, document()), map[string][]string{}}
	p.plant("all", question(1, "ann@firm.example", "Huts?\nName: Ann Bell\nPhone: +44 20 7946 0101"))
	p.plant("all", question(2, "ann@firm.example", "Huts?\nName: Ivy Bell\nPhone: +44 20 7946 0102"))
	for _, rule := range []string{"never", "always"} {
		r := p.replays(edited(t, document(), func(d map[string]any) {
			d["contact_fields"] = map[string]any{"name": rule, "phone": "never"}
		}))
		b, err := json.Marshal(r)
		p.must(err)
		for _, word := range []string{"firm", "Bell", "7946", "@", "Huts"} {
			if strings.Contains(string(b), word) {
				t.Errorf("a report says %q: %s", word, b)
			}
		}
		if r.Changed == 0 {
			t.Error("nothing has changed")
		}
	}
}

// TestAGroundIsSmall: docs/costs.md and ADR 0029 say what it costs.
func TestAGroundIsSmall(t *testing.T) {
	t.Parallel()
	m := newMix(newWorld(t, document()), 60)
	m.goes(400)
	var grounds, rows []int
	over := 0
	for _, id := range m.came {
		it := m.item(eventKey(id))
		ground := len(it.Text(decide.GroundAttr))
		// DynamoDB counts names and values in UTF-8, a number by its digits, and the
		// keys, which hold the ID once more.
		row := 2*len(id) + 40
		for attr, v := range it {
			row += len(attr) + len(fmt.Sprint(v))
		}
		grounds, rows = append(grounds, ground), append(rows, row)
		if (row+1023)/1024 > (row-ground-len(decide.GroundAttr)+1023)/1024 {
			over++
		}
	}
	slices.Sort(grounds)
	slices.Sort(rows)
	at := func(list []int, percent int) int { return list[(len(list)-1)*percent/100] }
	t.Logf("ground: median %d, 90 of 100 below %d, largest %d bytes; row: median %d, largest %d; a kilobyte more in %d of %d",
		at(grounds, 50), at(grounds, 90), at(grounds, 100), at(rows, 50), at(rows, 100), over, len(rows))
	if at(grounds, 50) > 600 || at(grounds, 99) > 2000 {
		t.Errorf("half of the grounds have more than %d bytes, 1 in 100 more than %d", at(grounds, 50), at(grounds, 99))
	}
}
