package main

import (
	"errors"
	"fmt"
	"strings"

	"onefold/internal/operate/explain"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/versions"
)

type explainCmd struct {
	Email   string `placeholder:"A"`
	Event   string `placeholder:"K"`
	Intent  string `placeholder:"I"`
	Message string `placeholder:"M"`
	Tenant  string `placeholder:"T"`
	JSON    bool   `name:"json"`
}

// defaultTenant is the tenant of the example policy.
const defaultTenant = "demo"

func (c *explainCmd) Run(e *env) error {
	asked := 0
	for _, words := range []string{c.Email, c.Event, c.Intent, c.Message} {
		if words != "" {
			asked++
		}
	}
	if asked != 1 {
		return usage("one of -email, -event, -intent and -message is needed, and only one", "see `onefold help explain`")
	}
	if c.Tenant == "" && c.Message == "" {
		c.Tenant = defaultTenant
	}
	return e.onLedger(func(o *stage.Opened) error {
		t, err := explain.Explain(e.ctx, o.Store, o.IDs, explain.Query{
			Tenant: c.Tenant, Email: c.Email, Event: c.Event, Intent: c.Intent, Message: c.Message, Policy: o.Policies.Current,
		})
		if err != nil {
			return c.fault(err)
		}
		if c.JSON {
			return e.printJSON(t)
		}
		var text strings.Builder
		if err := t.WriteText(&text); err != nil {
			return err
		}
		e.printf("%s", plain(text.String()))
		return nil
	})
}

func (c *explainCmd) fault(err error) error {
	switch {
	case errors.Is(err, versions.ErrNone):
		return hinted(fmt.Errorf("there is no tenant %q", c.Tenant), "name the tenant with -tenant")
	case errors.Is(err, explain.ErrNoSuch) && c.Event != "":
		return hinted(fmt.Errorf("tenant %s has no such event", c.Tenant), "an event ID is source/mailbox/delivery ID; -email finds by address")
	case errors.Is(err, explain.ErrNoSuch) && c.Intent != "":
		return hinted(fmt.Errorf("tenant %s has no such follow-up", c.Tenant), "-email finds by address")
	case errors.Is(err, explain.ErrNoSuch):
		return hinted(errors.New("no follow-up is known to have this message ID"), "-email finds by address")
	case errors.Is(err, explain.ErrQuery):
		return usage("the address cannot be read", "give the address alone, as in -email alex@example.com")
	}
	return err
}
