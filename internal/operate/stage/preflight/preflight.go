// Package preflight looks at an account before a stage is deployed to it, and
// says what stands in the way and what will surprise.
//
// Its invariant: it reads and changes nothing, and a fact that could not be
// read is told as not known, never as good. It refuses to guess: what AWS does
// not tell by an API is left to the deployment.
package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/operate/stage"
	"onefold/internal/schema"
)

// Result is what a check came to.
type Result string

// The results.
const (
	OK        Result = "ok"
	Attention Result = "attention" // the deployment works, and something will not be as expected
	Stop      Result = "stop"      // the deployment would fail, or harm something
)

// Check is one thing that was looked at.
type Check struct {
	ID     string `json:"id"`
	Result Result `json:"result"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"`
}

// Settings are the values of the CDK context that matter here, by its keys.
// Others are the CDK app's own affair.
type Settings map[string]string

// Report is the whole look.
type Report struct {
	Stage   string  `json:"stage"`
	Account string  `json:"account"`
	Region  string  `json:"region"`
	Checks  []Check `json:"checks"`
	// ReceiptRuleSet is the active receipt rule set of the region that receives
	// mail; empty where there is none, or none is wanted.
	ReceiptRuleSet string `json:"receipt_rule_set,omitempty"`
	// Unfinished are the stacks that were never complete: new ones, and those
	// whose first deployment failed. They are deployed without rolling back.
	Unfinished []string `json:"unfinished,omitempty"`
	// Plan says what the deployment will do.
	Plan []string `json:"plan"`
}

// Stopped tells whether something stands in the way.
func (r *Report) Stopped() bool {
	return slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Result == Stop })
}

func (r *Report) add(id string, result Result, found, do string) {
	r.Checks = append(r.Checks, Check{id, result, found, do})
}

// unknown is a fact that could not be read.
func (r *Report) unknown(id string, err error, do string) {
	r.add(id, Attention, "not known: "+reason(err), do)
}

// reason is an error in one line.
func reason(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// inquiry is one look under way.
type inquiry struct {
	*Report
	cloud    *stage.Cloud
	settings Settings
}

// Run looks at everything. Without credentials there is nothing to look at.
func Run(ctx context.Context, place stage.Place, s Settings) (*Report, error) {
	return look(ctx, place, s, func(ctx context.Context, q *inquiry) {
		q.stacks(ctx)
		q.bootstrap(ctx)
		q.concurrency(ctx)
		q.sending(ctx)
		q.receiving(ctx)
		q.model(ctx)
		q.domain()
		q.plan()
	})
}

// Down looks at what matters before a stage is taken down: whose account it is,
// and whether the settings name all of its stacks. A stack of inbound mail that
// is not named would go on taking mail that nobody reads.
func Down(ctx context.Context, place stage.Place, s Settings) (*Report, error) {
	return look(ctx, place, s, func(ctx context.Context, q *inquiry) {
		found, err := q.stack(ctx, q.Region, q.core())
		switch {
		case err != nil:
			q.unknown(idStage, err, "reading it needs cloudformation:DescribeStacks")
		case found == nil:
			q.add(idStage, Stop, fmt.Sprintf("there is no stack %s", q.core()), "look at stage, account and region")
		default:
			q.add(idStage, OK, fmt.Sprintf("stack %s is there (%s)", q.core(), found.StackStatus), "")
			q.remembered(found)
		}
	})
}

func look(ctx context.Context, place stage.Place, s Settings, at func(context.Context, *inquiry)) (*Report, error) {
	if place.Region == "" {
		place.Region = s["region"]
	}
	if given := s["region"]; given != "" && given != place.Region {
		return nil, fmt.Errorf("%w: the region is %s, and the context says %s", stage.ErrPlace, place.Region, given)
	}
	r := &Report{Stage: place.Stage, Region: place.Region, Plan: []string{}}
	cloud, err := stage.Connect(ctx, place)
	switch {
	case errors.Is(err, stage.ErrPlace):
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		r.add("credentials", Stop, reason(err), "sign in as AWS's own tools need it: `aws sts get-caller-identity` must answer")
		return r, nil
	}
	r.Account, r.Region = cloud.Account, cloud.Region
	r.add("credentials", OK, "you are "+cloud.Caller, "")
	r.add("region", OK, fmt.Sprintf("account %s, region %s", cloud.Account, cloud.Region), "")
	at(ctx, &inquiry{r, cloud, s})
	return r, ctx.Err()
}

func (q *inquiry) mailRegion() string { return q.setting("mailRegion", q.cloud.Region) }
func (q *inquiry) sesRegion() string  { return q.setting("sesRegion", q.cloud.Region) }

func (q *inquiry) setting(key, otherwise string) string {
	if v := q.settings[key]; v != "" {
		return v
	}
	return otherwise
}

// core is the name of the core stack: everything of a stage begins with it.
func (q *inquiry) core() string { return strings.TrimSuffix(schema.Prefix(q.Stage), "-") }

// domain repeats what was given about the API's own domain.
func (q *inquiry) domain() {
	d, cert, zone := q.settings["domain"], q.settings["certificateArn"], q.settings["hostedZoneId"]
	switch {
	case d == "":
		q.add("domain", OK, "no domain of its own: the API answers at a name of API Gateway", "")
	case zone != "":
		q.add("domain", OK, fmt.Sprintf("%s; its record goes into hosted zone %s", d, zone), "")
	case cert != "":
		q.add("domain", Attention, fmt.Sprintf("%s, with a certificate of yours and no hosted zone", d),
			"after the deployment, set a DNS record from the domain to the name that the stack's outputs tell")
	default:
		q.add("domain", Stop, fmt.Sprintf("%s has neither certificateArn nor hostedZoneId", d),
			"give one of them: without a certificate the API cannot answer there")
	}
}

// plan says what will happen.
func (q *inquiry) plan() {
	say := func(format string, args ...any) { q.Plan = append(q.Plan, fmt.Sprintf(format, args...)) }
	say("deploy stack %s to account %s, region %s", q.core(), q.Account, q.Region)
	if d := q.settings["mailDomain"]; d != "" {
		say("deploy stack %s-mail to region %s: it receives mail of %s by one rule in the active rule set", q.core(), q.mailRegion(), d)
	} else {
		say("receive no mail by SES: no mailDomain is given")
	}
	switch {
	case len(q.domains()) == 0:
		say("send no mail: neither mailDomain nor sendDomains is given")
	case q.settings["mailDomain"] == "" || q.sesRegion() != q.mailRegion():
		say("deploy stack %s-ses to region %s: it sends", q.core(), q.sesRegion())
	}
	if id := q.settings["modelId"]; id != "" {
		say("have model %s in region %s read the text of each mail and form, at %s dollars for a million tokens in and out", id, q.modelRegion(), q.setting("modelPrice", "unknown"))
	}
	if q.settings["probeFrom"] == "" {
		say("send no probes: no probeFrom is given, so a send whose outcome is unknown waits for a person")
	}
	if q.settings["alarmEmail"] == "" {
		say("tell nobody of alarms: no alarmEmail is given")
	}
}
