package rules_test

import (
	"context"
	"testing"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

// A short last line, a wish, a heading, a vocative or a closing in words
// that no list has is no name, and the name below it is no company.
func TestReading07WhatIsNoNameUnderTheText(t *testing.T) {
	for _, c := range []struct{ from, text, name string }{
		{"jo@berger.example", "What does it cost?\n\nIn Vorfreude\nJo Berger", "Jo Berger"},
		{"jo@berger.example", "What does it cost?\n\nBesten Dank im Voraus\nJo Berger", "Jo Berger"},
		{"jo.berger@mail.example", "What does it cost?\n\nHappy trails\nJo Berger", "Jo Berger"},
		{"ida@holm.example", "Hvad koster teltet?\n\nDe allerbedste ønsker\nIda Holm", "Ida Holm"},
		{"eva@novak.example", "What does it cost?\n\nS pozdravem\nEva Novak", "Eva Novak"},
		{"nora.quist@customer.example", "We would like to book.\n\nHappy New Year,\nNora", "Nora"},
		{"nora.quist@customer.example", "I wrote twice.\n\nUnsubscribe", ""},
		{"nora.quist@customer.example", "Ich schrieb zweimal.\n\nAbmelden", ""},
		{"nora.quist@customer.example", "The list is attached.\n\nFYI", ""},
		{"nora.quist@customer.example", "Die Rechnung ist falsch.\n\nDRINGEND", ""},
		{"nora.quist@customer.example", "See the link\n\nSteve,\nplease take a look and I will walk you through the list\nnq", ""},
		{"nora.quist@customer.example", "AND I AM OUT ALL DAY TOMORROW. THANKS.", ""},
		{"nora.quist@customer.example", "What does it cost?\n\nNORA QUIST", "NORA QUIST"},
		{"nora.quist@customer.example", "The list is attached.\n\nOpening Hours", ""},
		{"nora.quist@customer.example", "The list is attached.\n\nNext Week", ""},
		{"nora.quist@customer.example", "Die Liste liegt bei.\n\nAnlage", ""},
		{"n.quist@customer.example", "The list is attached.\n\nNora", "Nora"},
		{"jo@berger.example", "Mennyibe kerül a sátor?\n\nÜdvözlettel", ""},
		{"info@berger.example", "What does it cost?\n\nJo Berger", "Jo Berger"},
		{"x@customer.example", "What does it cost?\n\nKind regards\nPeace Obi", "Peace Obi"},
		{"x@customer.example", "Was kostet das?\n\nViele Grüße\nNora Quist", "Nora Quist"},
	} {
		r, err := rules.New().Extract(context.Background(), reader.Source{Kind: "mail", FromAddress: c.from, Visible: c.text})
		if err != nil {
			t.Fatal(err)
		}
		if r.ContactName.Value != c.name || r.Company.Value != "" {
			t.Errorf("%q: name %q, company %q; want %q", c.text, r.ContactName.Value, r.Company.Value, c.name)
		}
	}
}
