package preflight_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"onefold/internal/operate/stage"
	"onefold/internal/operate/stage/preflight"
	"onefold/internal/proof/localaws/localawstest"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// account is a fake of the few AWS calls that a preflight makes: what each
// answers, by a word that its request holds. An action without an answer is
// refused as a missing permission is.
type account map[string]string

func (a account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked := r.Method + " " + r.URL.Path + " " + r.Header.Get("X-Amz-Target") + " " + string(body)
	for word, answer := range a {
		if !strings.Contains(asked, word) {
			continue
		}
		status, rest, ok := strings.Cut(answer, "!")
		if !ok {
			status, rest = "200", answer
		}
		// DynamoDB's client compares it.
		w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(rest))), 10))
		w.WriteHeader(map[string]int{"200": 200, "400": 400, "404": 404}[status])
		_, _ = io.WriteString(w, rest)
		return
	}
	w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>`)
}

func stack(name, status, version string) string {
	outputs := ""
	if version != "" {
		outputs = "<Outputs><member><OutputKey>BootstrapVersion</OutputKey><OutputValue>" + version + "</OutputValue></member></Outputs>"
	}
	return "<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>" + name + "</StackName><CreationTime>2026-01-02T03:04:05Z</CreationTime><StackStatus>" +
		status + "</StackStatus>" + outputs + "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>"
}

// deployedWith is a core stack that tells of its settings.
func deployedWith(names string) string {
	return strings.Replace(stack("onefold-prod", "UPDATE_COMPLETE", "x"), "<OutputKey>BootstrapVersion</OutputKey><OutputValue>x",
		"<OutputKey>Settings</OutputKey><OutputValue>"+names, 1)
}

const noStack = `400!<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id x does not exist</Message></Error></ErrorResponse>`

func ruleSet(name string, rules ...string) string {
	list := ""
	for _, r := range rules {
		list += "<member><Name>" + r + "</Name></member>"
	}
	return "<DescribeActiveReceiptRuleSetResponse><DescribeActiveReceiptRuleSetResult><Metadata><Name>" + name + "</Name></Metadata><Rules>" + list +
		"</Rules></DescribeActiveReceiptRuleSetResult></DescribeActiveReceiptRuleSetResponse>"
}

// good is an account in which nothing stands in the way.
func good() account {
	return account{
		"GetCallerIdentity":     "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/op</Arn><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>",
		"StackName=CDKToolkit":  stack("CDKToolkit", "CREATE_COMPLETE", "30"),
		"StackName=onefold-":    noStack,
		"DescribeTable":         `400!{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"no"}`,
		"/account-settings":     `{"AccountLimit":{"ConcurrentExecutions":1000}}`,
		"/v2/email/account":     `{"ProductionAccessEnabled":true,"SendingEnabled":true,"EnforcementStatus":"HEALTHY","SendQuota":{"Max24HourSend":50000,"MaxSendRate":14}}`,
		"/v2/email/identities/": `{"VerifiedForSendingStatus":true}`,
		"DescribeActiveReceipt": ruleSet("inbound", "theirs"),
	}
}

func run(t *testing.T, a account, s preflight.Settings) *preflight.Report {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	r, err := preflight.Run(t.Context(), stage.Place{Stage: "prod", Region: "eu-west-1", Endpoint: server.URL}, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func find(r *preflight.Report, id string, result preflight.Result, words string) error {
	for _, c := range r.Checks {
		if c.ID == id && c.Result == result && strings.Contains(c.Found+" "+c.Do, words) {
			if (result == preflight.OK) != (c.Do == "") {
				return fmt.Errorf("%s is %s and says to do %q", id, result, c.Do)
			}
			return nil
		}
	}
	return fmt.Errorf("no check %s is %s with %q: %+v", id, result, words, r.Checks)
}

func TestMailInAnotherRegionIsLookedAtThere(t *testing.T) {
	t.Parallel()
	a := good()
	a["/v2/email/identities/"] = `404!{"__type":"NotFoundException"}`
	r := run(t, a, preflight.Settings{"mailDomain": "in.example.com", "mailRegion": "us-east-1", "region": "eu-west-1"})
	if err := find(r, "receiving", preflight.OK, "us-east-1's active receipt rule set"); err != nil {
		t.Error(err)
	}
	if err := find(r, "bootstrap", preflight.OK, "us-east-1"); err != nil {
		t.Error(err)
	}
	plan := strings.Join(r.Plan, "; ")
	for _, words := range []string{"onefold-prod to account 123456789012, region eu-west-1", "onefold-prod-mail to region us-east-1", "onefold-prod-ses to region eu-west-1"} {
		if !strings.Contains(plan, words) {
			t.Errorf("the plan lacks %q: %s", words, plan)
		}
	}
	if _, err := preflight.Run(t.Context(), stage.Place{Stage: "prod", Region: "eu-west-1"}, preflight.Settings{"region": "us-east-1"}); !errors.Is(err, stage.ErrPlace) {
		t.Errorf("two regions: %v", err)
	}
}

func TestAnAccountWithoutObstaclesIsOK(t *testing.T) {
	t.Parallel()
	r := run(t, good(), preflight.Settings{"sendDomains": "example.com"})
	for _, c := range r.Checks {
		if c.Result != preflight.OK {
			t.Errorf("%+v", c)
		}
	}
	if r.Account != "123456789012" || len(r.Checks) < 9 || len(r.Plan) == 0 {
		t.Errorf("%+v", r)
	}
}

func TestWhatStandsInTheWayOrSurprisesIsToldWithWhatToDo(t *testing.T) {
	t.Parallel()
	const sandbox = `{"ProductionAccessEnabled":false,"SendingEnabled":true,"EnforcementStatus":"HEALTHY","SendQuota":{"Max24HourSend":200,"MaxSendRate":1}}`
	mail := preflight.Settings{"mailDomain": "in.example.com"}
	for _, c := range []struct {
		name     string
		call     string // whose answer differs
		answer   string // "": refused
		settings preflight.Settings
		id       string
		result   preflight.Result
		words    string
	}{
		{"credentials", "GetCallerIdentity", "", nil, "credentials", preflight.Stop, "sign in"},
		{"no bootstrap", "StackName=CDKToolkit", noStack, nil, "bootstrap", preflight.Stop, "make bootstrap AT=aws://123456789012/eu-west-1"},
		{"old bootstrap", "StackName=CDKToolkit", stack("CDKToolkit", "CREATE_COMPLETE", "5"), nil, "bootstrap", preflight.Stop, "version 5"},
		{"bootstrap unreadable", "StackName=CDKToolkit", "", nil, "bootstrap", preflight.Attention, "not known"},
		{"again", "StackName=onefold-", stack("onefold-prod", "UPDATE_COMPLETE", ""), nil, "stage", preflight.OK, "will be updated"},
		{"stuck", "StackName=onefold-", stack("onefold-prod", "UPDATE_ROLLBACK_FAILED", ""), nil, "stage", preflight.Stop, "stuck"},
		{"first deployment failed", "StackName=onefold-", stack("onefold-prod", "CREATE_FAILED", ""), nil, "stage", preflight.Attention, "goes on"},
		{"first deployment failed twice", "StackName=onefold-", stack("onefold-prod", "UPDATE_FAILED", ""), nil, "stage", preflight.Attention, "goes on"},
		{"first deployment taken back", "StackName=onefold-", stack("onefold-prod", "ROLLBACK_COMPLETE", ""), nil, "stage", preflight.Stop, "termination protection"},
		{"a change set that nobody carried out", "StackName=onefold-", stack("onefold-prod", "REVIEW_IN_PROGRESS", ""), nil, "stage", preflight.OK, "is new"},
		{"a setting that is left out", "StackName=onefold-", deployedWith("alarmEmail mailDomain"), preflight.Settings{"alarmEmail": "ops@example.com"}, "settings", preflight.Stop, "not given now: mailDomain"},
		{"a setting that is ended", "StackName=onefold-", deployedWith("alarmEmail mailDomain"), preflight.Settings{"alarmEmail": "ops@example.com", "mailDomain": ""}, "stage", preflight.OK, "updated"},
		{"no settings", "StackName=onefold-", deployedWith("none"), nil, "stage", preflight.OK, "updated"},
		{"under way", "StackName=onefold-", stack("onefold-prod", "UPDATE_IN_PROGRESS", ""), nil, "stage", preflight.Stop, "wait"},
		{"tables without a stack", "DescribeTable", `{"Table":{}}`, nil, "stage", preflight.Stop, "onefold-prod-ledger"},
		{"fresh account", "/account-settings", `{"AccountLimit":{"ConcurrentExecutions":10}}`, nil, "concurrency", preflight.Attention, "only 10"},
		{"sandbox", "/v2/email/account", sandbox, nil, "sending", preflight.Attention, "sandbox"},
		{"shut down", "/v2/email/account", `{"ProductionAccessEnabled":true,"SendingEnabled":false,"EnforcementStatus":"SHUTDOWN"}`, nil, "sending", preflight.Attention, "SHUTDOWN"},
		{"sending unreadable", "/v2/email/account", "", nil, "sending", preflight.Attention, "ses:GetAccount"},
		{"unknown sender", "/v2/email/identities/", `404!{"__type":"NotFoundException"}`, preflight.Settings{"sendDomains": "example.com"}, "identity", preflight.Attention, "create-email-identity"},
		{"unverified sender", "/v2/email/identities/", `{"VerifiedForSendingStatus":false}`, preflight.Settings{"sendDomains": "example.com"}, "identity", preflight.Attention, "DKIM"},
		{"mail domain of somebody else", "/v2/email/identities/", `{"VerifiedForSendingStatus":true}`, mail, "identity", preflight.Stop, "could not make it"},
		{"new mail domain", "/v2/email/identities/", `404!{"__type":"NotFoundException"}`, mail, "identity", preflight.OK, "will be made known"},
		{"rules of others", "DescribeActiveReceipt", ruleSet("theirs", "a", "b", "onefold-prod"), mail, "receiving", preflight.OK, "theirs, with 2 rules of others"},
		{"another set than the context's", "DescribeActiveReceipt", ruleSet("theirs"), preflight.Settings{"mailDomain": "in.example.com", "receiptRuleSet": "old"}, "receiving", preflight.Stop, "receiptRuleSet=theirs"},
		{"no active set", "DescribeActiveReceipt", "<R><DescribeActiveReceiptRuleSetResult/></R>", mail, "receiving", preflight.Stop, "set-active-receipt-rule-set"},
		{"a region without receiving", "DescribeActiveReceipt", "400!<E><Error><Code>InvalidAction</Code></Error></E>", mail, "receiving", preflight.Stop, "mailRegion"},
		{"rules unreadable", "DescribeActiveReceipt", "", mail, "receiving", preflight.Attention, "not known"},
		{"domain without a certificate", "GetAccount", "", preflight.Settings{"domain": "api.example.com"}, "domain", preflight.Stop, "certificateArn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := good()
			if c.settings["mailDomain"] != "" {
				a["/v2/email/identities/"] = `404!{"__type":"NotFoundException"}`
			}
			if delete(a, c.call); c.answer != "" {
				a[c.call] = c.answer
			}
			r := run(t, a, c.settings)
			if err := find(r, c.id, c.result, c.words); err != nil {
				t.Error(err)
			}
			if r.Stopped() != (c.result == preflight.Stop) {
				t.Errorf("stopped: %v", r.Stopped())
			}
		})
	}
}

// The emulator has no active receipt rule set and no quotas of its own; what it
// cannot tell is told as not known or standing in the way, never as good.
func TestAnEmulatorIsLookedAtToo(t *testing.T) {
	t.Parallel()
	r, err := preflight.Run(t.Context(), stage.Place{Stage: "local", Endpoint: localawstest.ForTest(t).Endpoint()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := find(r, "bootstrap", preflight.Stop, "not bootstrapped"); err != nil {
		t.Error(err)
	}
	if err := find(r, "stage", preflight.OK, "is new"); err != nil {
		t.Error(err)
	}
}

// What keeps data survives a rollback, and then stands in the way of the next
// try under its own name. So stacks that were never complete are named, for a
// deployment that does not roll back.
func TestStacksThatWereNeverCompleteAreNamed(t *testing.T) {
	t.Parallel()
	mail := preflight.Settings{"mailDomain": "in.example.com", "sesRegion": "eu-central-1", "region": "eu-west-1"}
	for _, c := range []struct {
		name, core, mail, ses string
		want                  string
	}{
		{"all new", noStack, noStack, noStack, "onefold-prod onefold-prod-mail onefold-prod-ses"},
		{"none new", stack("c", "UPDATE_COMPLETE", ""), stack("m", "CREATE_COMPLETE", ""), stack("s", "UPDATE_ROLLBACK_COMPLETE", ""), ""},
		{"mail half made", stack("c", "CREATE_COMPLETE", ""), stack("m", "CREATE_FAILED", ""), noStack, "onefold-prod-mail onefold-prod-ses"},
	} {
		a := good()
		delete(a, "StackName=onefold-")
		a["StackName=onefold-prod&"], a["StackName=onefold-prod-mail&"], a["StackName=onefold-prod-ses&"] = c.core, c.mail, c.ses
		a["/v2/email/identities/"] = `404!{"__type":"NotFoundException"}`
		r := run(t, a, mail)
		if got := strings.Join(r.Unfinished, " "); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// Taken down without its settings, a stage's stack of inbound mail would go on
// taking mail for a queue that is gone.
func TestAStageIsTakenDownWithTheSettingsItHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		core     string
		settings preflight.Settings
		stopped  bool
	}{
		{"with them", deployedWith("mailDomain"), preflight.Settings{"mailDomain": "in.example.com"}, false},
		{"without", deployedWith("mailDomain"), nil, true},
		{"another account", noStack, nil, true},
	} {
		a := good()
		a["StackName=onefold-"] = c.core
		server := httptest.NewServer(a)
		t.Cleanup(server.Close)
		r, err := preflight.Down(t.Context(), stage.Place{Stage: "prod", Region: "eu-west-1", Endpoint: server.URL}, c.settings)
		if err != nil || r.Stopped() != c.stopped {
			t.Errorf("%s: stopped %v, %v: %+v", c.name, r.Stopped(), err, r.Checks)
		}
	}
}
