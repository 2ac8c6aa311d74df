package crmtest_test

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
)

func TestAcmeKeepsTheContract(t *testing.T) {
	t.Parallel()
	crmtest.Suite(t, func(t *testing.T) (crmtest.Vendor, crm.CRM) {
		vendor, transport := startAcme(t), &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections) // connections of one test must not serve another
		token := func(context.Context) (string, error) { return acmeToken, nil }
		a, err := NewAcme(vendor.URL(), token, &http.Client{Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		return vendor, a
	})
}

var _ crm.Vendor = (*Acme)(nil)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestTheGuideShowsTheAdapterThatRuns: every Go block of the page is, letter for
// letter, in the files of this folder, which run.
func TestTheGuideShowsTheAdapterThatRuns(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, name := range []string{"acme_test.go", "acme_suite_test.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	page, err := os.ReadFile("../../../docs/add-a-crm.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 5 {
		t.Fatalf("%d Go blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(source.String(), b[1]) {
			t.Errorf("the page shows what does not run:\n%s", b[1])
		}
	}
}
