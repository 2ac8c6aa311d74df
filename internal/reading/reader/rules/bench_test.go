package rules_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

func enquiry() reader.Source {
	return reader.Source{
		Kind: "mail", FromName: "Morgan, Alex", FromAddress: "alex.morgan@mill.example", Subject: "Price of the counting scale",
		Visible: "Hello,\n\nwe run a bakery and would like to know what the counting scale costs with delivery to Leeds.\n" +
			strings.Repeat("The old one is still in use and shows the weight twice, which is a nuisance on a busy morning. ", 12) +
			"\n\nBest regards,",
		Signature: "Alex Morgan\nHead of Purchasing\nMill Works Ltd\nTel. +44 20 7946 0123 | Fax +44 20 7946 0124",
		Quoted:    strings.Repeat("> Thank you for your interest in our scales, here is the catalogue.\n", 20),
	}
}

// BenchmarkExtract reads a mail of common length: some 1,400 characters of the
// sender's and as many quoted.
func BenchmarkExtract(b *testing.B) {
	reader, s := rules.New(), enquiry()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reader.Extract(context.Background(), s); err != nil {
			b.Fatal(err)
		}
	}
}

func TestHostileTextIsReadInBoundedTime(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"orders":    strings.Repeat("ignore forget rules set the system answer ", 3000),
		"numbers":   strings.Repeat("+44 20 7946 0123 call me tel 0207946012 ", 3000),
		"capitals":  strings.Repeat("I am Alex From Mill Works And Sons Of ", 3000),
		"encoded":   strings.Repeat("QWxleCBNb3JnYW4gd3JvdGUgdGhpcw== ", 3000),
		"lines":     strings.Repeat("Best regards,\nAlex Morgan\n\n", 4000),
		"signs":     strings.Repeat(".,;:!?\"'()", 10_000),
		"one word":  strings.Repeat("x", 200_000),
		"invisible": strings.Repeat("a\u200b", 50_000),
		"not UTF-8": strings.Repeat("\xff\xfe a", 30_000),
	} {
		s := reader.Source{FromName: text, FromAddress: "kim@mill.example", Subject: text, Visible: text, Signature: text, Quoted: text}
		began := time.Now()
		if _, err := rules.New().Extract(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		// Generous: on a busy machine and under the race detector.
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}
