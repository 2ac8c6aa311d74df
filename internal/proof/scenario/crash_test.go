package scenario_test

import (
	"fmt"
	"testing"
)

// singles lists every schedule of one fault of a scenario: each call that the
// clean run makes, each record, in each way.
func singles(f scenarioFile, clean result) (list []schedule) {
	for _, p := range clean.trace {
		for _, fl := range faultsOf(p) {
			list = append(list, schedule{scenario: f.name, faults: plan{p.name: fl}})
		}
	}
	return list
}

// check runs a schedule and says what is wrong with it.
func check(t *testing.T, f scenarioFile, s schedule, clean result) (result, []string) {
	t.Helper()
	res := run(t, f, s, nil, nil)
	broken := res.broken
	if len(s.faults) == 1 && s.workers == 0 && !f.depends && !s.streams && s.events == "" {
		broken = append(broken, sameOutcome(s, clean.outcome, res.outcome)...)
	}
	return res, broken
}

// sameOutcome: one fault changes nothing of what came of the deliveries. It may
// leave a mail with a person, where nobody can know what became of it. Faults
// that last for hours change what the script's later steps find.
func sameOutcome(s schedule, want, have outcome) (wrong []string) {
	for _, f := range s.faults {
		if f == pausedLong || f == lateLong || f == stale || f == outage {
			return nil
		}
	}
	a, b := want, have
	if have.Unsent != want.Unsent {
		// The mail that the script goes on from was not sent.
		a.Events, a.Intents, b.Events, b.Intents = "", 0, "", 0
		want.Mails, want.Waiting = have.Mails+have.Waiting, 0
	}
	a.Mails, a.Waiting, a.Unsent, b.Mails, b.Waiting, b.Unsent = 0, 0, 0, 0, 0, 0
	if a != b {
		wrong = append(wrong, fmt.Sprintf("came to %+v, without the fault to %+v", have, want))
	}
	if have.Mails+have.Waiting < want.Mails+want.Waiting {
		wrong = append(wrong, fmt.Sprintf("%d mails and %d with a person, without the fault %d and %d", have.Mails, have.Waiting, want.Mails, want.Waiting))
	}
	return wrong
}

// TestWhenEveryRecordIsLostTheSweeperIsEnough: the streams give nothing but
// what the sweeper's nudges put there.
func TestWhenEveryRecordIsLostTheSweeperIsEnough(t *testing.T) {
	t.Parallel()
	for _, k := range knownScenarios(t) {
		for _, events := range []string{"", "early", "twice", "lost"} {
			s := schedule{scenario: k.file.name, streams: true, events: events}
			res, broken := check(t, k.file, s, k.clean)
			for _, b := range broken {
				t.Errorf("%s\nagain: %s", b, s)
			}
			if res.outcome.Contacts != k.clean.outcome.Contacts || res.outcome.Enquiries != k.clean.outcome.Enquiries {
				t.Errorf("%s came to %+v, with the streams to %+v", s, res.outcome, k.clean.outcome)
			}
		}
	}
}
