package main

import (
	"errors"
	"fmt"
	"net/mail"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onefold/internal/schema"
)

// Target is where a stack is deployed.
type Target string

// The targets.
const (
	AWS       Target = "aws"
	MiniStack Target = "ministack" // the emulator; ministack.go lists what differs
)

// Config is what an operator chooses for a stage. It holds infrastructure only:
// tenants and policies live in the ledger.
type Config struct {
	Stage  string // needed
	Target Target
	// Region of the core stack; empty: wherever the credentials point.
	Region string

	// Domain is the API's own domain; empty: the gateway's name.
	Domain         string
	CertificateArn string // of Domain, in the region of the stack; empty: made in HostedZoneID
	HostedZoneID   string // a public zone of Route 53 that holds Domain; empty: DNS is the operator's
	HostedZoneName string

	MailDomain string // whose mail is received; empty: no mail stack
	MailRegion string // where; empty: the region of the core stack
	MailTLS    bool   // refuse senders that do not speak TLS
	MailFrom   string // envelope sender's domain, below MailDomain; empty: SES's own
	// ReceiptRuleSet is the active set of MailRegion, which the mail stack joins.
	ReceiptRuleSet string
	SESRegion      string   // where mail is sent; empty: the region of the core stack
	SendDomains    []string // SES domain identities that may be sent from; empty: MailDomain
	ProbeFrom      string   // whom the feed probe is from; empty: no probe, and no deadline ever counts

	Model Model // reads the text; without one the rules do

	AlarmEmail       string
	RawRetentionDays int // of raw content after it was last put
	LogRetentionDays int // of every log group
	LogLevel         string
	Tracing          bool
	Architecture     string // arm64 or x86_64

	Dormant    bool // keep what holds data, and nothing else
	DeleteData bool // and take the protection off that: before a stage is deleted for good

	// Given names the settings that were given, in order: what a later
	// deployment without them would take away.
	Given []string

	Endpoints map[string]string // for MiniStack alone
	Functions string            // folder of <function>/bootstrap
}

// endpointPublic is the base URL under which people reach the API. Endpoints
// holds no other: functions find the fakes by the emulator's own environment.
const endpointPublic = "public"

// logRetentions are the days CloudWatch Logs accepts (API Reference,
// PutRetentionPolicy, read 2026-11).
func logRetentions() []int {
	return []int{1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653}
}

// everywhereRegions are those that each account has. To and from others SNS
// brings messages under another name than the queues' policies have, or not at
// all (SNS Developer Guide, "Sending Amazon SNS messages to an Amazon SQS queue
// or AWS Lambda function in a different Region", read 2026-11).
func everywhereRegions() []string {
	return []string{
		"ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-1", "ap-southeast-2", "ca-central-1", "eu-central-1", "eu-north-1",
		"eu-west-1", "eu-west-2", "eu-west-3", "sa-east-1", "us-east-1", "us-east-2", "us-west-1", "us-west-2",
	}
}

var (
	stageForm  = regexp.MustCompile(schema.StagePattern)
	domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)
	regionForm = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)
	certForm   = regexp.MustCompile(`^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[0-9a-f-]{36}$`)
	zoneForm   = regexp.MustCompile(`^Z[0-9A-Z]{1,31}$`)
	setForm    = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	urlForm    = regexp.MustCompile(`^https?://[^/?#\s]+(/[^?#\s]*)?$`)
)

// ReadConfig reads the CDK context. Its error lists every problem at once, one
// a line, and says what would be right. Keys that are nobody's are refused: a
// misspelt one would leave a default in force unseen.
func ReadConfig(context map[string]any) (Config, error) {
	r := &reader{values: context, asked: map[string]bool{}}
	c := Config{
		Stage:  r.text("stage", "", "2 to 16 of a-z, 0-9 and -, such as prod", stageForm.MatchString),
		Target: Target(r.word("target", string(AWS), string(AWS), string(MiniStack))),

		Region: r.text("region", "", "a region such as eu-central-1", regionForm.MatchString),

		Domain:         r.text("domain", "", "a domain such as api.example.com", domainForm.MatchString),
		CertificateArn: r.text("certificateArn", "", "the ARN of a certificate of ACM", certForm.MatchString),
		HostedZoneID:   r.text("hostedZoneId", "", "the ID of a hosted zone, such as Z0123456789ABCDEFGHIJ", zoneForm.MatchString),
		HostedZoneName: r.text("hostedZoneName", "", "a domain such as example.com", domainForm.MatchString),

		MailDomain: r.text("mailDomain", "", "a domain such as in.example.com", domainForm.MatchString),
		MailRegion: r.text("mailRegion", "", "a region such as eu-west-1", regionForm.MatchString),
		MailTLS:    r.flag("mailTLS"),
		MailFrom:   r.text("mailFrom", "", "a domain such as bounce.in.example.com", domainForm.MatchString),

		ReceiptRuleSet: r.text("receiptRuleSet", "", "the name of the active receipt rule set", setForm.MatchString),

		SESRegion:   r.text("sesRegion", "", "a region such as eu-west-1", regionForm.MatchString),
		SendDomains: r.list("sendDomains", "domains parted by commas, such as example.com,example.org", domainForm.MatchString),
		ProbeFrom:   r.text("probeFrom", "", "a plain address such as probe@example.com", isAddress),

		Model: r.model(),

		AlarmEmail:       r.text("alarmEmail", "", "a plain address such as ops@example.com", isAddress),
		RawRetentionDays: r.number("rawRetentionDays", 365, 1, 3650),
		LogRetentionDays: r.number("logRetentionDays", 90, 1, 3653),
		LogLevel:         r.word("logLevel", "info", "debug", "info", "warn", "error"),
		Tracing:          r.flag("tracing"),
		Architecture:     r.word("architecture", "arm64", "arm64", "x86_64"),

		Dormant:    r.flag("dormant"),
		DeleteData: r.flag("deleteData"),
		Endpoints:  r.endpoints(),
		Functions:  r.text("functions", "", "a folder", func(s string) bool { return s != "" }),
	}
	if c.Functions == "" {
		c.Functions = filepath.Join("bin", "functions", c.Architecture)
	}
	if len(c.SendDomains) == 0 && c.MailDomain != "" {
		c.SendDomains = []string{c.MailDomain}
	}
	c.Given = r.given("stage", "target", "region", "architecture", "functions", "dormant", "deleteData", "endpoints", "receiptRuleSet")
	r.unknown()
	r.together(c)
	return c, r.err()
}

// together judges what no key shows alone.
func (r *reader) together(c Config) {
	r.unless(c.Stage != "" || r.failed["stage"], "stage is needed: -c stage=prod")
	for _, end := range []string{"-mail", "-ses"} {
		r.unless(!strings.HasSuffix(c.Stage, end), "a stage whose name ends in %s would have the names of another stage's stack of SES", end)
	}
	for _, word := range []string{"aws", "amazon", "cognito"} {
		r.unless(!strings.Contains(c.Stage, word), "Cognito takes no name with %s in it, and the sign-in page is named after the stage", word)
	}
	r.unless(slices.Contains(logRetentions(), c.LogRetentionDays),
		"logRetentionDays is none that CloudWatch Logs has: %s", strings.Trim(fmt.Sprint(logRetentions()), "[]"))
	if c.Domain == "" {
		r.unless(c.CertificateArn == "" && c.HostedZoneID == "", "certificateArn and hostedZoneId are of a domain, and none is given")
	} else {
		r.unless(c.CertificateArn != "" || c.HostedZoneID != "",
			"domain needs certificateArn, or hostedZoneId and hostedZoneName so that a certificate can be made")
		r.unless(c.Target == AWS, "domain is left out on the emulator: remove it")
	}
	r.unless((c.HostedZoneID == "") == (c.HostedZoneName == ""), "hostedZoneId and hostedZoneName go together")
	inZone := c.Domain == c.HostedZoneName || strings.HasSuffix(c.Domain, "."+c.HostedZoneName)
	r.unless(c.HostedZoneName == "" || inZone, "domain does not lie in hostedZoneName")
	r.unless(c.MailRegion == "" || c.MailDomain != "", "mailRegion is of a mailDomain, and none is given")
	r.unless(c.MailFrom == "" || strings.HasSuffix(c.MailFrom, "."+c.MailDomain) && c.MailDomain != "", "mailFrom does not lie below mailDomain")
	r.unless(c.MailDomain == "" || c.Dormant || c.Target == MiniStack || c.ReceiptRuleSet != "" || r.failed["receiptRuleSet"],
		"mailDomain needs receiptRuleSet, the region's active receipt rule set: make deploy finds it")
	r.unless(c.Region != "" || c.MailRegion == "" && c.SESRegion == "" || r.failed["region"],
		"mailRegion and sesRegion need region too, that of the core stack")
	for _, other := range []string{c.MailRegion, c.SESRegion} {
		r.unless(other == "" || other == c.Region || slices.Contains(everywhereRegions(), other) && slices.Contains(everywhereRegions(), c.Region),
			"mail between %s and %s would not arrive: one is a region that an account opts into", other, c.Region)
	}
	_, host, _ := strings.Cut(c.ProbeFrom, "@")
	within := slices.ContainsFunc(c.SendDomains, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) })
	r.unless(c.ProbeFrom == "" || within, "probeFrom is of none of the sendDomains, so send could not send as it")
	r.modelTogether(c.Model)
	r.unless(!c.DeleteData || c.Dormant, "deleteData needs dormant=true: what works must not lose its data under it")
	r.unless(len(c.Endpoints) == 0 || c.Target == MiniStack, "endpoints are of fakes, and those of target=ministack alone")
}

// Region of what may lie elsewhere: own where empty.
//
// The mail stack is told by name which region it is in; unnamed it has the core
// stack's.
func (c Config) mailRegion(own string) string { return first(c.MailRegion, own) }
func (c Config) sesRegion(own string) string  { return first(c.SESRegion, own) }

func first(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Name != "" || a.Address != s {
		return false
	}
	_, host, ok := strings.Cut(s, "@")
	return ok && domainForm.MatchString(host)
}

var errConfig = errors.New("the context is not right")

func number(v any) (int, bool) {
	switch v := v.(type) {
	case float64:
		return int(v), v == float64(int(v))
	case int:
		return v, true
	case string:
		n, err := strconv.Atoi(v)
		return n, err == nil
	}
	return 0, false
}
