package crm_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/utc"
)

func TestMappingWithoutClaimStoresNoClaimAttributes(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(crm.Mapping{Tenant: "acme", CRM: "hubspot", Contact: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"owner", "in_flight_until", "crm_id", "created_at"} {
		if _, ok := got[name]; ok {
			t.Errorf("attribute %s is stored though empty", name)
		}
	}
	for _, name := range []string{"tenant", "crm", "contact", "sent_version", "attempt", "transition", "version"} {
		if _, ok := got[name]; !ok {
			t.Errorf("attribute %s is missing", name)
		}
	}
}

func TestMappingSurvivesStorage(t *testing.T) {
	t.Parallel()
	at := utc.At(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	want := crm.Mapping{
		Tenant: "acme", CRM: "hubspot", Contact: "c1", CRMID: "51", SentVersion: 3, Wrote: map[crm.Field]string{crm.FieldPhone: "d1"},
		Tried: map[crm.Field][]string{crm.FieldName: {"d2", "d3"}}, Left: []crm.Field{crm.FieldEmail}, Owner: "o", Attempt: 2,
		InFlightUntil: at, Transition: 4, Version: 9, CreatedAt: at, UpdatedAt: at.Add(time.Second),
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got crm.Mapping
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
