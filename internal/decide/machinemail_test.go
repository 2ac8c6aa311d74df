package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// report is a report that names several recipients, hard or not.
func report(kind rawmail.Kind, recipients ...rawmail.Suppression) rawmail.Message {
	m := machineMail(kind, recipients[0].Address, recipients[0].Hard)
	m.Recipients = recipients
	for i := range recipients {
		if recipients[i].Hard {
			m.Suppression = &recipients[i]
			break
		}
	}
	return m
}

func stopped(t *testing.T, res decide.Result) (addresses []string) {
	t.Helper()
	for _, w := range on(res, ledger.Guard) {
		addresses = append(addresses, w.Item["address"].(string))
		if w.Item[guard.StopAttr(guard.ScopeAll)] == nil {
			t.Errorf("no stop: %v", w.Item)
		}
	}
	slices.Sort(addresses)
	return addresses
}

func TestAReportStopsEveryAddressThatFailedForGood(t *testing.T) {
	t.Parallel()
	hard := func(a string) rawmail.Suppression { return rawmail.Suppression{Address: a, Hard: true} }
	soft := func(a string) rawmail.Suppression { return rawmail.Suppression{Address: a} }
	for name, c := range map[string]struct {
		m    rawmail.Message
		want []string
	}{
		"two hard":               {report(rawmail.Bounce, hard(ada), hard(other)), []string{other, ada}},
		"the first is soft":      {report(rawmail.Bounce, soft(ada), hard(other), hard(info)), []string{other, info}},
		"one twice":              {report(rawmail.Bounce, hard(ada), hard("ADA+x@example.org")), []string{ada}},
		"the first is broken":    {report(rawmail.Bounce, hard("nobody"), hard(other)), []string{other}},
		"ours is named":          {report(rawmail.Bounce, hard(ada), hard("hello@demo.example")), []string{ada}},
		"all soft":               {report(rawmail.Bounce, soft(ada), soft(other)), nil},
		"complaints":             {report(rawmail.Complaint, hard(ada), hard(other)), []string{other, ada}},
		"complaint of a broken":  {report(rawmail.Complaint, hard("nobody"), hard(other)), []string{other}},
		"an automatic reply has": {report(rawmail.AutoReply, hard(ada), hard(other)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "an automatic reply has" {
				c.m.Suppression = nil
			}
			res := decideOn(t, proved(t, ground(t, c.m, tenant.ModeAuto), ada, other, info))
			if got := stopped(t, res); !slices.Equal(got, c.want) {
				t.Errorf("stopped %v, want %v", got, c.want)
			}
			if len(on(res, ledger.Operation)) != len(c.want) || res.Outcome == decide.Referred {
				t.Errorf("outcome %s, %d operations", res.Outcome, len(on(res, ledger.Operation)))
			}
		})
	}
}

// TestWhatIsStoppedAlreadyIsNotStoppedAgain: else a report read again after a
// crash would count against the others twice.
func TestWhatIsStoppedAlreadyIsNotStoppedAgain(t *testing.T) {
	t.Parallel()
	g := ground(t, report(rawmail.Bounce, rawmail.Suppression{Address: ada, Hard: true}, rawmail.Suppression{Address: other, Hard: true}), tenant.ModeAuto)
	g = proved(t, g, ada, other)
	g.Also[0].Guard = ledger.Item{"id": g.Also[0].Person.GuardID, "transition": int64(1), guard.StopAttr(guard.ScopeAll): "2026-01-01T00:00:00.000Z"}
	res := decideOn(t, g)
	wants(t, res, inbound.Feedback, "address_stopped")
	if got := stopped(t, res); !slices.Equal(got, []string{ada}) {
		t.Errorf("stopped %v", got)
	}
}
