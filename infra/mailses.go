package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsses"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
)

// addRule adds one rule to the region's active receipt rule set.
//
// A region has one active set, for everybody in the account. This stack owns a
// rule in it and never the set: the set's name is a setting, which `make
// deploy` finds out. So no permission to make or activate a set outlives the
// deployment, and deleting this stack takes no mail from others. The rule
// stands first and stops nothing: others' rules for the same address go on
// working.
func (p *Post) addRule() {
	topic, first := p.addTopic("Mail", topicMail, p.ruleARN(), queueMail)
	tls := "Optional"
	if p.Cfg.MailTLS {
		tls = "Require"
	}
	rule := awsses.NewCfnReceiptRule(p.Stack, text("Rule"), &awsses.CfnReceiptRuleProps{
		RuleSetName: text(p.Cfg.ReceiptRuleSet),
		Rule: &awsses.CfnReceiptRule_RuleProperty{
			Name: text(p.Cfg.whole()), Enabled: true, ScanEnabled: true, TlsPolicy: text(tls),
			Recipients: texts(p.Cfg.MailDomain),
			// The notification belongs to the S3 action: it comes after the
			// object, names it and carries no content. An SNS action of its
			// own would bounce mail of more than 150 KB. No KMS key here: it
			// would encrypt before S3, for SDKs that Go's is none of; the
			// bucket encrypts.
			Actions: []*awsses.CfnReceiptRule_ActionProperty{{
				S3Action: &awsses.CfnReceiptRule_S3ActionProperty{
					BucketName: p.Mail.Ref(), ObjectKeyPrefix: text(inboundPrefix), TopicArn: topic.Ref(),
				},
			}},
		},
	})
	// SES tries bucket, key and topic when the rule is made. And the rule goes
	// before any of them: mail that is stored and not announced would expire
	// unseen.
	for _, r := range first {
		rule.AddResourceDependency(r, nil)
	}
	if doc, ok := p.Stack.Node().FindChild(text("MailBucketPolicy")).(awscdk.CfnResource); ok {
		rule.AddResourceDependency(doc, nil)
	}
	p.output("MX", fmt.Sprintf("%s. MX 10 inbound-smtp.%s.amazonaws.com.", p.Cfg.MailDomain, *p.Stack.Region()), "DNS: who takes the domain's mail")
}

func (p *Post) ruleARN() string {
	return p.arn("ses", *p.Stack.Region(), "receipt-rule-set/"+p.Cfg.ReceiptRuleSet+":receipt-rule/"+p.Cfg.whole())
}

// addIdentity is the domain's proof in this region: DKIM by three records whose
// keys SES rotates. The identity of a domain that is sent from and receives
// nothing is the operator's.
func (p *Post) addIdentity() {
	if p.Cfg.MailDomain == "" {
		return
	}
	props := &awsses.CfnEmailIdentityProps{
		EmailIdentity:  text(p.Cfg.MailDomain),
		DkimAttributes: &awsses.CfnEmailIdentity_DkimAttributesProperty{SigningEnabled: true},
		DkimSigningAttributes: &awsses.CfnEmailIdentity_DkimSigningAttributesProperty{
			NextSigningKeyLength: text("RSA_2048_BIT"),
		},
		// Bounces come as events. Sent on by mail they would come in again.
		FeedbackAttributes: &awsses.CfnEmailIdentity_FeedbackAttributesProperty{EmailForwardingEnabled: false},
	}
	if p.Cfg.MailFrom != "" {
		props.MailFromAttributes = &awsses.CfnEmailIdentity_MailFromAttributesProperty{
			MailFromDomain: text(p.Cfg.MailFrom), BehaviorOnMxFailure: text("USE_DEFAULT_VALUE"),
		}
		p.output("MailFromMX", fmt.Sprintf("%s. MX 10 feedback-smtp.%s.amazonses.com.", p.Cfg.MailFrom, *p.Stack.Region()), "DNS: envelope sender")
		p.output("MailFromSPF", p.Cfg.MailFrom+`. TXT "v=spf1 include:amazonses.com ~all"`, "DNS: envelope sender")
	}
	id := awsses.NewCfnEmailIdentity(p.Stack, text("Identity"), props)
	p.keep(id)
	for n, record := range [][2]*string{
		{id.AttrDkimDnsTokenName1(), id.AttrDkimDnsTokenValue1()},
		{id.AttrDkimDnsTokenName2(), id.AttrDkimDnsTokenValue2()},
		{id.AttrDkimDnsTokenName3(), id.AttrDkimDnsTokenValue3()},
	} {
		p.output(fmt.Sprint("DKIM", n+1), *record[0]+". CNAME "+*record[1]+".", "DNS: proves the domain and signs its mail")
	}
	p.output("DMARC", "_dmarc."+p.Cfg.MailDomain+`. TXT "v=DMARC1; p=quarantine"`, "DNS: where there is none yet")
}

// addConfigurationSet has SES tell what becomes of each mail. By SNS, not by
// EventBridge, which SES serves on best effort: this feed is the one evidence
// of an unknown outcome.
func (p *Post) addConfigurationSet() {
	name := p.Cfg.configurationSet()
	topic, first := p.addTopic("Feedback", topicFeedback, p.arn("ses", *p.Stack.Region(), "configuration-set/"+name), queueFeedback)
	set := awsses.NewCfnConfigurationSet(p.Stack, text("ConfigurationSet"), &awsses.CfnConfigurationSetProps{
		Name:              text(name),
		ReputationOptions: &awsses.CfnConfigurationSet_ReputationOptionsProperty{ReputationMetricsEnabled: true},
		SendingOptions:    &awsses.CfnConfigurationSet_SendingOptionsProperty{SendingEnabled: true},
		// SES's own list is a second net under the address guards, which alone
		// decide. A mail to an address on it is taken and bounces as
		// OnAccountSuppressionList, which stops the address here too.
		SuppressionOptions: &awsses.CfnConfigurationSet_SuppressionOptionsProperty{SuppressedReasons: texts("BOUNCE", "COMPLAINT")},
	})
	events := awsses.NewCfnConfigurationSetEventDestination(p.Stack, text("FeedbackEvents"), &awsses.CfnConfigurationSetEventDestinationProps{
		ConfigurationSetName: set.Ref(),
		EventDestination: &awsses.CfnConfigurationSetEventDestination_EventDestinationProperty{
			Name: text("feedback"), Enabled: true,
			SnsDestination: &awsses.CfnConfigurationSetEventDestination_SnsDestinationProperty{TopicArn: topic.Ref()},
			// Not open and click: they would follow people.
			MatchingEventTypes: texts("send", "delivery", "bounce", "complaint", "reject", "deliveryDelay", "renderingFailure"),
		},
	})
	for _, r := range first {
		events.AddResourceDependency(r, nil)
	}
	p.output("ConfigurationSetName", name, "the configuration set that a tenant's policy may name")
}

// addLostPolicy lets SNS put what it could not deliver, once for the stack.
func (p *Post) addLostPolicy() awscdk.CfnResource {
	if p.lostPolicy != nil {
		return p.lostPolicy
	}
	topics := p.arn("sns", *p.Stack.Region(), p.Cfg.whole()+"-*")
	take := p.allow("sns", topics, *p.Lost.AttrArn(), "sqs:SendMessage")
	p.lostPolicy = awssqs.NewCfnQueuePolicy(p.Stack, text("UndeliveredPolicy"), &awssqs.CfnQueuePolicyProps{
		Queues: &[]*string{p.Lost.Ref()}, PolicyDocument: policy(tlsOnly("sqs:*", *p.Lost.AttrArn()), take),
	})
	return p.lostPolicy
}

// allow is a statement for an AWS service that acts for this account, and for
// the source where one is given, whose ARN names the account too. SNS says the
// source alone.
func (p *Post) allow(service, source, resource string, actions ...string) statement {
	only := map[string]any{}
	if service != "sns" {
		only["StringEquals"] = map[string]any{"aws:SourceAccount": *p.Stack.Account()}
	}
	if source != "" {
		only["ArnLike"] = map[string]any{"aws:SourceArn": source}
	}
	return statement{
		"Effect": "Allow", "Principal": map[string]any{"Service": service + ".amazonaws.com"},
		"Action": actions, "Resource": resource, "Condition": only,
	}
}

func (p *Post) arn(service, region, rest string) string { return arn(p.Stack, service, region, rest) }

func (p *Post) keep(resources ...awscdk.CfnResource) {
	for _, r := range resources {
		(&Core{Cfg: p.Cfg}).keep(r)
	}
}

func (p *Post) output(id, value, meaning string) {
	awscdk.NewCfnOutput(p.Stack, text(id), &awscdk.CfnOutputProps{Value: text(value), Description: text(meaning)})
}
