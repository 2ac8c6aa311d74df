package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
)

// place is a stack of the stage, and where it is to be.
type place struct{ name, region string }

// wanted are the stacks that the settings ask for, the core stack first.
func (q *inquiry) wanted() []place {
	all := []place{{q.core(), q.Region}}
	mail := q.settings["mailDomain"] != ""
	if mail {
		all = append(all, place{q.core() + "-mail", q.mailRegion()})
	}
	if len(q.domains()) > 0 && !(mail && q.sesRegion() == q.mailRegion()) {
		all = append(all, place{q.core() + "-ses", q.sesRegion()})
	}
	return all
}

// stacks looks at what is there of this stage already.
func (q *inquiry) stacks(ctx context.Context) {
	for _, p := range q.wanted() {
		s, err := q.stack(ctx, p.region, p.name)
		if err != nil {
			q.unknown(idStage, err, "reading it needs cloudformation:DescribeStacks")
			continue
		}
		if q.status(p, s); p.name != q.core() {
			continue
		}
		if s != nil {
			q.remembered(s)
			q.connections(ctx)
			continue
		}
		kept, err := q.keptTables(ctx)
		switch {
		case err != nil:
			q.unknown(idStage, err, "reading it needs dynamodb:DescribeTable")
		case len(kept) > 0:
			q.add(idStage, Stop, fmt.Sprintf("there is no stack %s, but its tables are: %s", q.core(), strings.Join(kept, ", ")),
				"they are kept data of a stack that was deleted by hand: import them into the stack (`cdk import`), or take another stage name")
		}
	}
}

const (
	idStage    = "stage"
	idSettings = "settings"
)

// status says what a stack's state means for a deployment.
//
// A stack that was never complete is deployed without rolling back: what is
// kept for ever would survive the rollback under the names that the next
// deployment needs.
func (q *inquiry) status(p place, s *types.Stack) {
	if s == nil || s.StackStatus == types.StackStatusReviewInProgress { // a change set that nobody carried out
		q.Unfinished = append(q.Unfinished, p.name)
		q.add(idStage, OK, fmt.Sprintf("stack %s is new", p.name), "")
		return
	}
	status := string(s.StackStatus)
	switch {
	case s.StackStatus == types.StackStatusCreateFailed, s.StackStatus == types.StackStatusUpdateFailed:
		q.Unfinished = append(q.Unfinished, p.name)
		q.add(idStage, Attention, fmt.Sprintf("stack %s is half made (%s)", p.name, status),
			"put right what the last deployment said; this one goes on where that ended")
		return
	case s.StackStatus == types.StackStatusRollbackComplete, s.StackStatus == types.StackStatusRollbackFailed:
		q.add(idStage, Stop, fmt.Sprintf("the first deployment of stack %s was taken back (%s): what keeps data has stayed under the names that the next one needs", p.name, status),
			"take its termination protection off, delete it and what it left (the events of the stack name it; nothing is in there yet), or take another stage name")
		return
	}
	switch {
	case strings.HasSuffix(status, "_IN_PROGRESS"):
		q.add(idStage, Stop, fmt.Sprintf("stack %s is being changed: %s", p.name, status), "wait until that has ended")
	case strings.HasSuffix(status, "_FAILED"):
		q.add(idStage, Stop, fmt.Sprintf("stack %s is stuck: %s", p.name, status), "continue or undo its last change in the console of CloudFormation")
	default:
		q.add(idStage, OK, fmt.Sprintf("stack %s is there (%s) and will be updated", p.name, status), "")
	}
}

// remembered compares the settings with the names of those that the stage was
// deployed with last. One that is left out, as in a shell that does not have
// them, would take its resources away: the API's domain, the stack of inbound
// mail (which then is not even looked at), whoever is told of alarms.
func (q *inquiry) remembered(s *types.Stack) {
	var missing []string
	for _, o := range s.Outputs {
		if aws.ToString(o.OutputKey) != schema.SettingsOutput {
			continue
		}
		for name := range strings.SplitSeq(aws.ToString(o.OutputValue), " ") {
			if _, given := q.settings[name]; !given && name != schema.NoSettings {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) == 0 {
		return
	}
	slices.Sort(missing)
	q.add(idSettings, Stop, fmt.Sprintf("stage %s was deployed with settings that are not given now: %s", q.Stage, strings.Join(missing, ", ")),
		fmt.Sprintf("give them as before; to end one on purpose, give it empty: -c %s=", missing[0]))
}
