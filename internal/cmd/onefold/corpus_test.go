package main

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"onefold/internal/match"
	"onefold/internal/tenant"
)

// corpus is a thousand records of people, of which several are one person: see
// the README beside it.
const corpus = "../../../../shared/corpora/contact-match/people.csv"

func TestNoTwoPeopleOfTheCorpusAreMerged(t *testing.T) {
	t.Parallel()
	f, err := os.Open(corpus)
	if err != nil {
		t.Skip("the corpus contact-match is not beside this checkout")
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	policy, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	people, err := newRegister(policy)
	if err != nil {
		t.Fatal(err)
	}
	trueOf := map[string]string{}
	merged := 0
	for _, row := range rows[1:] {
		rec := record{
			ID:   word(row[column["unique_id"]]),
			Name: word(strings.TrimSpace(row[column["first_name"]] + " " + row[column["surname"]])),
		}
		if email := row[column["email"]]; email != "" {
			rec.Emails = []word{word(email)}
		}
		trueOf[string(rec.ID)] = row[column["cluster"]]
		got := people.match(rec)
		switch {
		case got.Outcome != match.Matched:
		case trueOf[*got.Contact] != trueOf[got.ID]:
			t.Errorf("record %s was merged into record %s of another person", got.ID, *got.Contact)
		default:
			merged++
		}
	}
	if merged == 0 {
		t.Error("no record at all was matched: the test says nothing")
	}
	t.Logf("%d records, %d matched, none across people", len(rows)-1, merged)
}
