package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"onefold/internal/operate/stage/smoke"
)

type smokeCmd struct {
	Webhook    string
	Wrote      string
	Tenant     string `default:"demo"`
	Conflict   bool
	MailRegion string
	SESRegion  string `name:"ses-region"`
	JSON       bool   `name:"json"`
}

func (c *smokeCmd) Run(e *env) error {
	if e.place.Stage == "" {
		return usage("-stage is missing", "as in `onefold smoke -stage prod`")
	}
	cloud, err := e.connect()
	if err != nil {
		return err
	}
	opened, err := cloud.Open(e.ctx)
	if err != nil {
		return e.stageFault(err)
	}
	lines, err := smoke.Run(e.ctx, cloud, opened, smoke.Options{
		Webhook: c.Webhook, Wrote: c.Wrote, Tenant: c.Tenant, Conflict: c.Conflict, MailRegion: c.MailRegion, SESRegion: c.SESRegion,
		Wait: 2 * time.Minute, Pause: pause, HTTP: &http.Client{Timeout: 40 * time.Second},
	})
	if err = errors.Join(err, opened.Close()); err != nil {
		return err
	}
	count := map[smoke.Outcome]int{}
	for _, l := range lines {
		count[l.Outcome]++
		if !c.JSON {
			e.printf("%-11s  %-11s  %s\n%27s%s\n", l.Outcome, l.ID, l.Fact, "-> ", plain(l.Found))
		}
	}
	if c.JSON {
		err = e.printJSON(lines)
	} else {
		e.printf("\n%d verified, %d failed, %d not checked\n", count[smoke.Verified], count[smoke.Failed], count[smoke.NotChecked])
	}
	if err != nil || count[smoke.Failed] == 0 {
		return err
	}
	return hinted(fmt.Errorf("items failed: %d", count[smoke.Failed]), "docs/runbook.md says how to look further")
}

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
