package main

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"onefold/internal/decide/match"
	"onefold/internal/operate/register"
	"onefold/internal/policy/tenant"
)

// corpus is a thousand records of people, of which several are one person: see
// the README beside it.
const corpus = "../../../../shared/corpora/contact-match/people.csv"

func TestNoTwoPeopleOfTheCorpusAreMerged(t *testing.T) {
	t.Parallel()
	rows, column := readCorpus(t)
	for _, use := range []string{"", tenant.CustomersIgnore, tenant.CustomersReview, tenant.CustomersWin} {
		// By address alone, and with the customer number that every third record
		// has besides: it is the true person's.
		for _, numbered := range []bool{false, true} {
			merged := mergedOf(t, rows, column, use, numbered)
			if merged == 0 {
				t.Errorf("customer IDs %q: no record at all was matched: the test says nothing", use)
			}
			t.Logf("customer IDs %q, numbered %v: %d records, %d matched, none across people", use, numbered, len(rows), merged)
		}
	}
}

func readCorpus(t *testing.T) (rows [][]string, column map[string]int) {
	t.Helper()
	f, err := os.Open(corpus)
	if err != nil {
		t.Skip("the corpus contact-match is not beside this checkout")
	}
	defer func() { _ = f.Close() }()
	rows, err = csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column = map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	return rows[1:], column
}

func mergedOf(t *testing.T, rows [][]string, column map[string]int, use string, numbered bool) (merged int) {
	t.Helper()
	policy, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	policy.CustomerIDs.Use = use
	people, err := register.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	trueOf := map[string]string{}
	for n, row := range rows {
		rec := register.Record{
			ID:   register.Word(row[column["unique_id"]]),
			Name: register.Word(strings.TrimSpace(row[column["first_name"]] + " " + row[column["surname"]])),
		}
		if email := row[column["email"]]; email != "" {
			rec.Emails = []register.Word{register.Word(email)}
		}
		trueOf[string(rec.ID)] = row[column["cluster"]]
		if numbered && n%3 == 0 {
			rec.CustomerID = register.Word("K-" + row[column["cluster"]])
		}
		got := people.Match(rec)
		switch {
		case got.Outcome != match.Matched:
		case trueOf[*got.Contact] != trueOf[got.ID]:
			t.Errorf("customer IDs %q: record %s was merged into record %s of another person", use, got.ID, *got.Contact)
		default:
			merged++
		}
	}
	return merged
}
