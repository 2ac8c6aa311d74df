package tenant_test

import (
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

func TestClassIsTakenForAnEnquiryOnlyWherePolicySaysSo(t *testing.T) {
	t.Parallel()
	p, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	if p.Accepts(tenant.ClassPitch) || p.Accepts("") {
		t.Error("accepted without a word")
	}
	p.Mail.Accept = []string{tenant.ClassJobApplication}
	if !p.Accepts(tenant.ClassJobApplication) || p.Accepts(tenant.ClassPitch) {
		t.Errorf("%v", p.Mail.Accept)
	}
}

func TestUnknownClassIsRefused(t *testing.T) {
	t.Parallel()
	text := strings.Replace(string(tenant.Example()), "{", `{ "mail": { "accept": ["enquiry"] },`, 1)
	if _, err := tenant.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "accept") {
		t.Errorf("got %v", err)
	}
}
