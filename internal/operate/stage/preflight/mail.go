package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/operate/stage"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// sending looks at SES where mail is sent from.
func (q *inquiry) sending(ctx context.Context) {
	const id = "sending"
	region := q.sesRegion()
	client := sesv2.NewFromConfig(q.cloud.Config, func(o *sesv2.Options) { o.Region = region })
	a, err := client.GetAccount(ctx, nil)
	if err != nil {
		q.unknown(id, err, "reading it needs ses:GetAccount")
		return
	}
	rate := ""
	if a.SendQuota != nil {
		rate = fmt.Sprintf(", %s in 24 hours, %.0f a second", quota(a.SendQuota.Max24HourSend), a.SendQuota.MaxSendRate)
	}
	status := aws.ToString(a.EnforcementStatus)
	switch {
	case !a.SendingEnabled || status == "SHUTDOWN":
		q.add(id, Attention, fmt.Sprintf("SES in %s sends nothing for this account (%s)", region, status), "open the case that SES's account page shows; until then every send is refused")
	case !a.ProductionAccessEnabled:
		q.add(id, Attention, fmt.Sprintf("SES in %s is in its sandbox: mail goes to verified addresses and the simulator only%s", region, rate),
			"request production access on SES's account page; docs/deploy.md says what to write")
	default:
		q.add(id, OK, fmt.Sprintf("SES in %s sends to everybody%s", region, rate), "")
	}
	for _, domain := range q.domains() {
		q.identity(ctx, region, "-ses", domain)
	}
	if d := q.settings["mailDomain"]; d != "" && q.mailRegion() != region {
		q.identity(ctx, q.mailRegion(), "-mail", d)
	}
}

func quota(n float64) string {
	if n < 0 {
		return "without limit"
	}
	return fmt.Sprintf("%.0f", n)
}

// domains are those that mail is sent from or comes to.
func (q *inquiry) domains() []string {
	var all []string
	for d := range strings.SplitSeq(q.settings["sendDomains"]+","+q.settings["mailDomain"], ",") {
		if d = strings.TrimSpace(d); d != "" {
			all = append(all, d)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// identity looks at a domain's proof in a region. A stack of the stage makes
// that of the mail domain, and fails where somebody else has made it.
func (q *inquiry) identity(ctx context.Context, region, stack, domain string) {
	const id = "identity"
	if region == q.mailRegion() {
		stack = "-mail" // it sends, too
	}
	client := sesv2.NewFromConfig(q.cloud.Config, func(o *sesv2.Options) { o.Region = region })
	ours := domain == q.settings["mailDomain"]
	out, err := client.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: aws.String(domain)})
	var none *types.NotFoundException
	switch {
	case errors.As(err, &none) && ours:
		q.add(id, OK, domain+" will be made known to SES; its outputs name the DNS records to set", "")
		return
	case errors.As(err, &none):
		q.add(id, Attention, fmt.Sprintf("%s is not known to SES in %s: nothing can be sent from it", domain, region),
			"`aws sesv2 create-email-identity --email-identity "+domain+" --region "+region+"`, then set the DNS records that it prints")
		return
	case err != nil:
		q.unknown(id, err, "reading it needs ses:GetEmailIdentity")
		return
	}
	if ours {
		s, err := q.stack(ctx, region, q.core()+stack)
		if err == nil && s == nil {
			q.add(id, Stop, fmt.Sprintf("%s is known to SES in %s already, and not by this stage: stack %s could not make it", domain, region, q.core()+stack),
				"take another mailDomain, such as a subdomain; or delete that identity, if nobody else sends with it")
			return
		}
	}
	if !out.VerifiedForSendingStatus {
		q.add(id, Attention, fmt.Sprintf("%s is not verified in %s: nothing can be sent from it", domain, region), "set its three DKIM records; SES looks for them for 72 hours")
		return
	}
	q.add(id, OK, fmt.Sprintf("%s is verified in %s", domain, region), "")
}

// receiving looks at the one active receipt rule set of the region.
func (q *inquiry) receiving(ctx context.Context) {
	const id = "receiving"
	if q.settings["mailDomain"] == "" {
		q.add(id, OK, "not needed: no mailDomain is given", "")
		return
	}
	region := q.mailRegion()
	var set struct {
		Name  string `xml:"DescribeActiveReceiptRuleSetResult>Metadata>Name"`
		Rules []struct {
			Name string `xml:"Name"`
		} `xml:"DescribeActiveReceiptRuleSetResult>Rules>member"`
	}
	err := q.cloud.Query(ctx, stage.SESReceiving(), region, "DescribeActiveReceiptRuleSet", nil, &set)
	switch {
	case stage.RefusedWith(err, "AccessDenied", "AccessDeniedException"):
		q.unknown(id, err, "reading it needs ses:DescribeActiveReceiptRuleSet")
		return
	case err != nil:
		q.add(id, Stop, fmt.Sprintf("SES in %s does not tell of receipt rules: %s", region, reason(err)),
			"if the region does not receive mail (\"Email receiving endpoints\" in AWS's General Reference lists those that do), name one that does by mailRegion")
		return
	case set.Name == "":
		q.add(id, Stop, region+" has no active receipt rule set, so no mail is received there",
			fmt.Sprintf("`aws ses create-receipt-rule-set --rule-set-name inbound --region %[1]s && aws ses set-active-receipt-rule-set --rule-set-name inbound --region %[1]s`", region))
		return
	}
	q.ReceiptRuleSet = set.Name
	others := 0
	for _, rule := range set.Rules {
		if rule.Name != q.core() {
			others++
		}
	}
	found := fmt.Sprintf("%s's active receipt rule set is %s, with %d rules of others, which stay as they are", region, set.Name, others)
	if given := q.settings["receiptRuleSet"]; given != "" && given != set.Name {
		q.add(id, Stop, fmt.Sprintf("%s; the context says %s, which is not active", found, given), "give receiptRuleSet="+set.Name)
		return
	}
	q.add(id, OK, found, "")
}
