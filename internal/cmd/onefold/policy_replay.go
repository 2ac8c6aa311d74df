package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"onefold/internal/app"
	"onefold/internal/extract"
	"onefold/internal/operate/stage"
	"onefold/internal/operate/whatif"
	"onefold/internal/policy/tenant"
	"onefold/internal/utc"
)

// maxWindow is the longest time that is replayed: ten years.
const maxWindow = 3660 * 24 * time.Hour

// window is the time that -replay names; 0: none is asked for.
func (c *policyDiffCmd) window() (time.Duration, error) {
	if c.Replay == "" {
		return 0, nil
	}
	back, err := time.ParseDuration(c.Replay)
	if days, ok := strings.CutSuffix(c.Replay, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		back = time.Duration(min(n, 1e5)) * 24 * time.Hour
	}
	switch {
	case err != nil || back <= 0 || back > maxWindow:
		return 0, usage("-replay is a time before now, such as 30d or 12h", "")
	case c.Limit < 0:
		return 0, usage("-limit is a number from 0", "0 lists all")
	}
	return back, nil
}

// progressRows is after how many rows more it is told how far a replay is.
const progressRows = 10_000

// replay decides again under the document what was received in a time until now.
func (c *policyDiffCmd) replay(e *env, o *stage.Opened, p plan, doc []byte, back time.Duration) error {
	policy, err := tenant.Parse(doc)
	if err != nil {
		return err
	}
	now := utc.At(app.Clock())
	options := whatif.Options{Policy: policy, From: now.Add(-back), Until: now, Keep: c.Limit, Segments: 1, Workers: 8}
	if e.place.Stage != "" {
		options.Segments = 8
	}
	if c.JSON {
		options.Keep = 0
	}
	told := 0
	options.Progress = func(r whatif.Report) {
		if r.Rows-told >= progressRows {
			told = r.Rows
			e.say("replay", fmt.Sprintf("%d events decided again, %d rows read, part %d of %d", r.Seen, r.Rows, r.Segment+1, r.Segments))
		}
	}
	again := &whatif.Replayer{Store: o.Store, Content: o.Blob, Policies: o.Policies, IDs: o.IDs, Facts: extract.FactsOf}
	report, failed := again.Run(e.ctx, options)
	if c.JSON {
		if err := e.printJSON(replayed{p, report}); err != nil {
			return err
		}
	} else {
		e.printf("%s", plain(p.text()+whatif.Text(report, c.Limit)))
	}
	return c.judge(e, report, failed)
}

// judge is the error of a replay that was not complete, or found the program at
// fault.
func (c *policyDiffCmd) judge(e *env, r whatif.Report, err error) error {
	far := fmt.Sprintf("%d events were decided again, %d rows read, and part %d of %d was not done", r.Seen, r.Rows, r.Segment+1, r.Segments)
	switch {
	case err != nil && e.ctx.Err() != nil:
		return hinted(errors.New("interrupted: "+far), "nothing was written: run it again; a shorter -replay reads as many rows, but decides fewer events")
	case errors.Is(err, whatif.ErrContent) && e.place.Stage != "":
		return hinted(fmt.Errorf("%w; %s", err, far), "reading raw content needs s3:GetObject and s3:ListBucket on the stage's bucket, and kms:Decrypt")
	case err != nil:
		return fmt.Errorf("%w; %s", err, far)
	case r.Faults > 0:
		return hinted(fmt.Errorf("events that are decided otherwise than they were, under their own policy: %d", r.Faults),
			"the program has changed since, or is at fault: of these events nothing is known under the document; `onefold verify` checks the ledger")
	}
	return nil
}

// replayed is what policy diff -replay -json prints. Names and meanings are
// stable; properties may be added.
type replayed struct {
	plan

	Replay whatif.Report `json:"replay"`
}
