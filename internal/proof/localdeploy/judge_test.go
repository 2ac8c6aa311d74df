package localdeploy_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/operate/verify"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
)

// horizon: what is not due within it waits for a person.
const horizon = 10 * time.Minute

// quiet waits until nothing moves by itself. One follow-up was claimed and
// never submitted, which nobody can know: it waits six hours for evidence, as
// the policy says, and is not sent again meanwhile.
func (w *world) quiet() {
	var faults []string
	if err := w.d.SES.Flush(w.ctx); err != nil {
		faults = append(faults, "the provider's events were not all taken")
	}
	// The schedule does this each minute; more often is only sooner.
	var left []string
	w.until(5*time.Minute, func() bool {
		w.must(w.d.Invoke(w.ctx, schema.Sweep, map[string]string{"onefold": "sweep"}))
		left = w.settled(10*time.Second, horizon)
		return len(left) == 0
	})
	for _, l := range left {
		faults = append(faults, "still moving: "+l)
	}
	if got := w.intents(w.silent); !slices.Equal(got, []string{followup.Unknown}) || len(w.mails(w.silent)) != 0 {
		faults = append(faults, fmt.Sprintf("the follow-up that was claimed and not submitted: %v and %d mails, want unknown and none", got, len(w.mails(w.silent))))
	}
	w.pass("quiet", "everything has ended or is with a person; what was killed came back", faults...)
}

// invariants checks every promise over the deployed tables.
func (w *world) invariants() {
	rep, err := verify.Check(w.ctx, w.d.Store, verify.Options{IDs: &w.d.IDs, Blob: w.d.Blob, Quiet: true, Slack: 30 * time.Second})
	w.must(err)
	waits := w.rowsOf(w.silent)
	by := map[string][]string{}
	for _, f := range rep.Findings {
		if f.Check == quietRule && len(f.Keys) == 1 && slices.Contains(waits, f.Keys[0]) {
			continue
		}
		by[f.Check] = append(by[f.Check], fmt.Sprintf("%s: %s %v", f.Severity, f.What, f.Keys))
	}
	if rep.Items == 0 || rep.Unsettled > 0 {
		by[quietRule] = append(by[quietRule], fmt.Sprintf("%d rows read, %d findings unsettled", rep.Items, rep.Unsettled))
	}
	for _, r := range verify.Rules() {
		w.pass("invariant "+r.Name, r.Says, by[r.Name]...)
	}
}

const quietRule = "quiet"

// rowsOf are the intent of an address and its timer, as findings name them.
func (w *world) rowsOf(address string) []string {
	id := w.contact(address)
	var rows []string
	for _, it := range w.all(ledger.Intent) {
		if it.Text("contact") == id {
			rows = append(rows, "intent/"+w.d.Seeded.Tenant+"/"+it.Text("id"), "operation/"+w.d.Seeded.Tenant+"/"+it.Text("timer"))
		}
	}
	return rows
}

// providers compares what SES and HubSpot hold with the ledger.
func (w *world) providers() {
	var faults []string
	accepted := map[string]bool{}
	for _, it := range w.all(ledger.Intent) {
		if it.Text("state") == followup.Accepted {
			accepted[it.Text("id")] = true
		}
	}
	mailed := map[string]int{}
	for _, m := range w.mails("") {
		mailed[m.Tag(mailer.TagIntent)]++
	}
	for intent, n := range mailed {
		if n > 1 {
			faults = append(faults, fmt.Sprintf("intent %s was submitted %d times", intent, n))
		}
		if !accepted[intent] {
			faults = append(faults, fmt.Sprintf("SES has a mail of intent %s, which is not accepted", intent))
		}
	}
	for intent := range accepted {
		if mailed[intent] == 0 {
			faults = append(faults, fmt.Sprintf("intent %s is accepted and SES has no mail of it", intent))
		}
	}
	w.pass("provider", fmt.Sprintf("SES has %d mails, one of each accepted intent", len(mailed)), faults...)

	faults = nil
	inCRM := map[string]int{}
	for _, r := range w.d.CRM.Contacts() {
		inCRM[strings.ToLower(r.Properties["email"])]++
	}
	wanted := map[string]bool{}
	for _, it := range w.all(ledger.Contact) {
		wanted[strings.ToLower(it.Text("email"))] = true
	}
	for address, n := range inCRM {
		if n > 1 || !wanted[address] {
			faults = append(faults, fmt.Sprintf("%d CRM contacts of one address, which the ledger knows: %v", n, wanted[address]))
		}
	}
	if len(inCRM) != len(wanted) {
		faults = append(faults, fmt.Sprintf("%d addresses in the CRM, %d contacts in the ledger", len(inCRM), len(wanted)))
	}
	w.pass("CRM", fmt.Sprintf("%d contacts, as many as addresses", len(inCRM)), faults...)
}

// resources prints what was deployed, and bounds what was not.
func (w *world) resources() {
	counts, err := w.d.Resources(w.ctx)
	w.must(err)
	total := 0
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%6d  %s\n", counts[kind], kind)
		total += counts[kind]
	}
	w.t.Logf("\n\nDeployed resources\n\n%s%6d  in all\n", b.String(), total)
	absent, err := w.d.LeftOut()
	w.must(err)
	for _, a := range absent {
		w.t.Logf("left out: %s: %s", a.What, a.Why)
	}
	var faults []string
	const most = 12
	if len(absent) > most {
		faults = append(faults, fmt.Sprintf("%d things are left out, at most %d may be", len(absent), most))
	}
	for kind, least := range map[string]int{
		"AWS::Lambda::Function": len(schema.Functions()), "AWS::DynamoDB::Table": len(schema.Specs()),
		"AWS::Lambda::EventSourceMapping": 5, "AWS::Scheduler::Schedule": 2, "AWS::ApiGatewayV2::Route": 4,
	} {
		if counts[kind] < least {
			faults = append(faults, fmt.Sprintf("%d of %s, want at least %d", counts[kind], kind, least))
		}
	}
	w.pass("resources", fmt.Sprintf("%d resources of %d types; %d things left out", total, len(counts), len(absent)), faults...)
}

// again deploys once more: nothing may change.
func (w *world) again() {
	said, err := w.d.Again(w.ctx)
	w.must(err)
	var faults []string
	if !strings.Contains(said, "(no changes)") {
		faults = append(faults, "the CDK did not say \"no changes\":\n"+said)
	}
	w.pass("deployed again", "synthesized anew; no changes", faults...)
}

// schedules: both have fired by themselves.
func (w *world) schedules() {
	var faults []string
	for f, patience := range map[schema.Function]time.Duration{schema.Sweep: 70 * time.Second} {
		fired := func() bool {
			lines, err := w.d.Logs(w.ctx, f, 10000)
			w.must(err)
			return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "START ") })
		}
		if !w.until(patience, fired) {
			faults = append(faults, string(f)+" was never called by its schedule")
		}
	}
	w.pass("schedules", "sweep is called each minute", faults...)
}

// deadLetters: what was killed came again, and nothing was given up.
func (w *world) deadLetters() {
	depths, err := w.d.Queues(w.ctx)
	w.must(err)
	var faults []string
	for name, n := range depths {
		if n != 0 {
			faults = append(faults, fmt.Sprintf("%d messages in %s", n, name))
		}
	}
	if len(depths) < 8 {
		faults = append(faults, fmt.Sprintf("%d queues, want at least 8", len(depths)))
	}
	w.pass("queues", fmt.Sprintf("%d queues are empty, dead letters included", len(depths)), faults...)
}

// outside: no function asked for a host beyond AWS, SES and HubSpot but the
// console, for its issuer.
func (w *world) outside() {
	var faults []string
	hosts := w.d.Outside()
	for host, n := range hosts {
		if host != "cognito-idp.us-east-1.amazonaws.com:443" {
			faults = append(faults, fmt.Sprintf("%s was asked for %d times", host, n))
		}
	}
	w.pass("hosts", "no host beyond AWS, SES and HubSpot was asked for, but the console's issuer", faults...)
}

// logs: no line of a function names a person, and none is an unplanned end.
func (w *world) logs() {
	var faults []string
	total := 0
	for _, run := range schema.Functions() {
		lines, err := w.d.Logs(w.ctx, run.Function, 100000)
		w.must(err)
		total += len(lines)
		for _, l := range lines {
			for _, word := range []string{"@customer", "@pat-", "@quinn-", "@sasha-", "@toni-", "@uli-", "@viola-", "@wim-", "two-person tent", "whsec_", "token-of-the-stand-in", "panic:"} {
				if strings.Contains(l, word) {
					faults = append(faults, fmt.Sprintf("%s logged %q in a line of %d bytes", run.Function, word, len(l)))
				}
			}
		}
	}
	w.pass("logs", fmt.Sprintf("%d lines, none with an address, a text, a secret or a panic", total), faults...)
}
