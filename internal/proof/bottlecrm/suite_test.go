package bottlecrm_test

import (
	"context"
	"flag"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/proof/bottlecrm"
	"onefold/internal/proof/localcrm"
)

var realCRM = flag.Bool("crm", false, "run the suite on a real CRM (`make test-crm` installs it)")

// bound is how long all of it may take.
const bound = 20 * time.Minute

// TestRealCRM runs the contract on a CRM that nobody here wrote.
//
// Real: BottleCRM under gunicorn, PostgreSQL, Redis, HTTP over loopback, the
// adapter, what people of the CRM do there (by the server's API, in a session).
// Not real: the network's faults, which a proxy on the loopback makes, and the
// limit of a rate, which such a server has from a proxy before it.
func TestRealCRM(t *testing.T) {
	if !*realCRM {
		t.Skip("run by make test-crm: it needs PostgreSQL, Redis and Python 3.12")
	}
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	t.Cleanup(cancel)
	server, err := localcrm.Start(ctx, localcrm.Options{Root: filepath.Join("..", "..", ".."), Say: func(step string) { t.Log(step) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	w := &world{ctx: ctx, server: server}
	for _, leads := range []bool{false, true} {
		t.Run(map[bool]string{false: "Contacts", true: "Leads"}[leads], func(t *testing.T) {
			crmtest.Suite(t, func(t *testing.T) (crmtest.Vendor, crm.CRM) {
				v := w.start(t, server.Socket())
				if leads {
					v.takesIn()
				}
				return v, w.ready(t, v)
			})
		})
	}
	for name, run := range map[string]func(*testing.T, *world){
		"AnswerLostToAMissingPackageIsFoundAgain": answerLostToAMissingPackage,
		"TwoCallsAtOnceMakeTwoRecords":            twoCallsAtOnceMakeTwoRecords,
		"FieldThatIsSwitchedOffStopsCreating":     fieldThatIsSwitchedOff,
		"TaskWithoutItsContactIsFiledByTheRepeat": taskWithoutItsContact,
		"ContactBehindManyLikeAddressesIsAdopted": contactBehindManyLikeAddresses,
		"NoteBehindALongTimelineIsFound":          noteBehindALongTimeline,
		"SetUpAgainChangesNothing":                setUpAgain,
		"WorkerMakesNothingTwice":                 workerMakesNothingTwice,
		"WorkerMakesNothingTwiceOfLeads":          workerMakesNothingTwiceOfLeads,
		"LeadIntakeMakesOneLeadForOneID":          intakeMakesOneLead,
		"LeadsWithOnePhoneNumberStayTwo":          leadsWithOnePhoneNumberStayTwo,
		"LeadThatCameMeanwhileIsAdopted":          leadThatCameMeanwhileIsAdopted,
		"ContactThatCameMeanwhileIsAdopted":       contactThatCameMeanwhileIsAdopted,
		"IntakeBeyondItsRateIsBusy":               intakeBeyondItsRateIsBusy,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, w)
		})
	}
}

// world is the server under test.
type world struct {
	ctx    context.Context
	server *localcrm.Server
}

// start makes an organisation of its own, behind a proxy of its own.
func (w *world) start(t *testing.T, socket string) *vendor {
	t.Helper()
	account, err := w.server.Account(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return &vendor{t: t, ctx: w.ctx, server: w.server, account: account, proxy: newProxy(t, socket)}
}

// ready is the adapter for an organisation, set up.
func (w *world) ready(t *testing.T, v *vendor) *bottlecrm.Client {
	t.Helper()
	transport := &http.Transport{} // connections of one test must not serve another
	t.Cleanup(transport.CloseIdleConnections)
	c, err := bottlecrm.New(bottlecrm.Config{
		BaseURL:    v.URL(),
		Token:      func(context.Context) (string, error) { return v.account.Token, nil },
		Intake:     v.intake,
		HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetUp(w.ctx); err != nil {
		t.Fatal(err)
	}
	return c
}
