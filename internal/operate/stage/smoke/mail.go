package smoke

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"onefold/internal/operate/explain"
	"onefold/internal/operate/stage"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
)

// mailDomainName is whose mail the stage receives, as its mail stack tells in
// the MX record to set: "in.example.com. MX 10 …".
func (l *look) mailDomainName() string {
	name, _, ok := strings.Cut(l.mail["MX"], ". MX ")
	if !ok {
		return ""
	}
	return name
}

// mailDomain asks SES whether the domain is proved, and DNS where its mail
// goes.
func mailDomain(ctx context.Context, l *look) (Outcome, string) {
	name := l.mailDomainName()
	if name == "" {
		return notChecked("no mail stack: deploy with mailDomain, and name mailRegion with -mail-region")
	}
	if l.noAWS {
		return notChecked("the emulator's domains are not in DNS")
	}
	client := sesv2.NewFromConfig(l.cloud.Config, func(o *sesv2.Options) { o.Region = l.MailRegion })
	id, err := client.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: aws.String(name)})
	switch {
	case err != nil:
		return notChecked("reading it needs ses:GetEmailIdentity: %s", said(err))
	case !id.VerifiedForSendingStatus:
		return failed("%s is not proved yet: set the three DKIM records that the stack tells", name)
	}
	mx, err := net.DefaultResolver.LookupMX(ctx, name)
	if err != nil {
		return failed("%s has no MX record that can be read: %s", name, said(err))
	}
	want := fmt.Sprintf("inbound-smtp.%s.amazonaws.com", l.MailRegion)
	for _, record := range mx {
		if strings.TrimSuffix(strings.ToLower(record.Host), ".") == want {
			return verified("%s is proved, and its MX leads to %s", name, want)
		}
	}
	return failed("the MX of %s does not lead to %s", name, want)
}

// mailRule looks for the stage's rule in the active set.
func mailRule(ctx context.Context, l *look) (Outcome, string) {
	if l.mailDomainName() == "" {
		return notChecked("no mail stack: deploy with mailDomain, and name mailRegion with -mail-region")
	}
	var set struct {
		Name  string `xml:"DescribeActiveReceiptRuleSetResult>Metadata>Name"`
		Rules []struct {
			Name    string `xml:"Name"`
			Enabled bool   `xml:"Enabled"`
		} `xml:"DescribeActiveReceiptRuleSetResult>Rules>member"`
	}
	if err := l.cloud.Query(ctx, stage.SESReceiving(), l.MailRegion, "DescribeActiveReceiptRuleSet", nil, &set); err != nil {
		return notChecked("reading it needs ses:DescribeActiveReceiptRuleSet: %s", said(err))
	}
	for _, r := range set.Rules {
		if r.Name == l.core() && r.Enabled {
			return verified("rule %s is in the active set %s", r.Name, set.Name)
		}
	}
	return failed("the active set %q has no enabled rule %s: mail is not received", set.Name, l.core())
}

// inboundMail looks for what somebody has written.
func inboundMail(ctx context.Context, l *look) (Outcome, string) {
	if l.Wrote == "" {
		return notChecked("write to the inbound address from a mailbox outside, then name that mailbox: -wrote ADDRESS [-tenant T]")
	}
	t, err := explain.Explain(ctx, l.opened.Store, l.opened.IDs, explain.Query{Tenant: l.Tenant, Email: l.Wrote, Policy: l.opened.Policies.Current})
	switch {
	case errors.Is(err, explain.ErrQuery):
		return notChecked("-wrote takes an address")
	case errors.Is(err, explain.ErrNoSuch):
		return failed("nothing of that address is known to tenant %s", l.Tenant)
	case err != nil:
		return notChecked("the ledger cannot be read: %s", said(err))
	}
	for _, e := range t.Events {
		if strings.Contains(e.ID, "/ses:") { // source/mailbox/delivery ID
			return verified("a mail of that address is an event, %s", e.State)
		}
	}
	return failed("no mail of that address has become an event: look at the queue %s-mail and its dead one", l.core())
}
