package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/rekey"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
)

type policyMigrateCmd struct {
	State  bool
	Yes    bool
	Tenant string `default:"demo"`
	JSON   bool   `name:"json"`
}

// migration is what policy migrate -json prints. Names and meanings are stable;
// properties may be added.
type migration struct {
	Folder string `json:"folder,omitempty"` // where it is a data folder
	Stage  string `json:"stage,omitempty"`  // where it is a deployed stage, with account and region
	rekey.Report
}

func (c *policyMigrateCmd) Run(e *env) error {
	if e.opened != nil {
		return c.migrate(e, e.opened)
	}
	opened, err := e.open()
	if errors.Is(err, ledger.ErrInUse) {
		return c.elsewhere(e)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.migrate(e, opened), opened.Close())
}

// migrate shows how far it is, asks, and goes on, on an open ledger.
func (c *policyMigrateCmd) migrate(e *env, o *stage.Opened) error {
	s := rekey.Service{
		Store: o.Store, Policies: o.Policies, IDs: o.IDs, Now: o.Policies.Now, By: operator(), Settle: cmp.Or(o.Settle, 2*time.Minute),
		Told: e.told(),
	}
	rep, err := s.State(e.ctx, c.Tenant)
	if err != nil {
		return c.fault(err)
	}
	if done, err := c.before(e, migration{e.shown, e.on, rep}); done || err != nil {
		return err
	}
	rep, err = s.Run(e.ctx, c.Tenant)
	if errors.Is(err, rekey.ErrNone) {
		err = nil // what was left to do was to close questions that have gone
	}
	if err != nil {
		return c.fault(err)
	}
	return c.tell(e, migration{e.shown, e.on, rep})
}

// before shows how far it is and asks. done: there is nothing to be done, or
// nothing may be.
func (c *policyMigrateCmd) before(e *env, m migration) (done bool, err error) {
	idle := !c.Yes && (m.State == rekey.StateNone || m.Ready)
	if c.JSON && (c.State || idle) {
		return true, e.printJSON(m)
	}
	if !c.JSON || !c.Yes {
		_, _ = io.WriteString(c.words(e), plain(m.text()))
	}
	switch {
	case c.State || idle:
		return true, nil
	case m.State != rekey.StateNone && !m.Settled:
		return true, m.unsettled()
	case c.Yes:
		return false, nil
	}
	return false, e.ask(fmt.Sprintf("add the keys that are missing under identity rule %d to %s?", m.Rule, cmp.Or(m.Stage, m.Folder)))
}

func (c *policyMigrateCmd) words(e *env) io.Writer {
	if c.JSON {
		return e.stderr
	}
	return e.stdout
}

// told shows how far a pass is, once for each of its parts.
func (e *env) told() func(contact.Migration) {
	part := int64(-1)
	return func(m contact.Migration) {
		if m.Segment == part {
			return
		}
		part = m.Segment
		_, _ = fmt.Fprintf(e.stderr, "pass %d: part %d of %d, %d keys seen, %d added, %d questions\n", m.Pass, m.Segment, m.Segments, m.Seen, m.Added, m.Collisions)
	}
}

// tell says how far it has come.
func (c *policyMigrateCmd) tell(e *env, m migration) error {
	if c.JSON {
		if err := e.printJSON(m); err != nil {
			return err
		}
	} else {
		e.printf("now\n%s", plain(m.text()))
	}
	switch {
	case m.State == rekey.StateNone || m.Ready:
		return nil
	case len(m.Collisions) > 0:
		return hinted(fmt.Errorf("identity rule %d is not ready: questions that wait for a person: %d", m.Rule, len(m.Collisions)),
			"answer them in the console, or merge who is one person, and run this again")
	}
	return hinted(fmt.Errorf("identity rule %d is not ready", m.Rule), "run this again: keys are being added by something else")
}

func (m migration) unsettled() error {
	return hinted(fmt.Errorf("a process may still work under the policy before: wait until %s", m.SettledAt.Std().Format(time.RFC3339)),
		"run it again then; nothing was done")
}

// fault says what a person can do about an error of a run.
func (c *policyMigrateCmd) fault(err error) error {
	switch {
	case errors.Is(err, versions.ErrNone):
		return hinted(fmt.Errorf("tenant %q has no policy", c.Tenant), "name the tenant with -tenant, or apply a policy first")
	case errors.Is(err, rekey.ErrElsewhere):
		return hinted(err, "another run, or a policy that was applied: look at `onefold policy migrate -state`")
	case errors.Is(err, rekey.ErrNotSettled):
		return hinted(err, "`onefold policy migrate -state` says until when to wait")
	}
	return err
}

func (m migration) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", plan{Folder: m.Folder, Stage: m.Stage}.where())
	if m.State == rekey.StateNone {
		fmt.Fprintf(&b, "tenant %s: identity rule %d is in force and none is migrated to\n", m.Tenant, m.InForce)
		if n := len(m.Collisions); n > 0 {
			fmt.Fprintf(&b, "  questions of a migration that was broken off: %d; `onefold policy migrate -yes` closes them\n", n)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "tenant %s: identity rule %d is in force, rule %d comes next\n", m.Tenant, m.InForce, m.Rule)
	settled := "every process knows the policy"
	if !m.Settled {
		settled = "every process knows it from " + m.SettledAt.Std().Format(time.RFC3339)
	}
	fmt.Fprintf(&b, "  state      %s\n", m.State)
	fmt.Fprintf(&b, "  begun      %s; %s\n", m.StartedAt.Std().Format(time.RFC3339), settled)
	fmt.Fprintf(&b, "  keys       %d of rule %d seen in pass %d, %d of rule %d added\n", m.Keys, m.InForce, m.Pass, m.Added, m.Rule)
	fmt.Fprintf(&b, "  questions  %d open\n", len(m.Collisions))
	for _, id := range m.Collisions {
		fmt.Fprintf(&b, "    task %s\n", id)
	}
	if m.Narrower {
		fmt.Fprintf(&b, "  warning: rule %d keeps apart what rule %d takes for one person. The form of a key\n"+
			"  is that of the address as first written: who has written from another spelling is a\n"+
			"  new person from it, unless a mail from it came in since the migration began. How many\n"+
			"  have several is not known: an event does not keep its address under a key\n", m.Rule, m.InForce)
	}
	if m.Ready {
		fmt.Fprintf(&b, "  next: `onefold policy apply` with identity rule %d as identity, without identity_next\n", m.Rule)
	}
	return b.String()
}

// elsewhere has the process that holds the ledger do the work. Who is asked
// sits here, so its state is fetched first.
func (c *policyMigrateCmd) elsewhere(e *env) error {
	if c.Yes || c.State {
		return e.relay(e.args, nil, e.stdout)
	}
	var b bytes.Buffer
	if err := e.relay([]string{"policy", "migrate", "-state", "-json", "-tenant", c.Tenant}, nil, &b); err != nil {
		return err
	}
	var m migration
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		return fmt.Errorf("read the state of the process that holds the data folder: %w", err)
	}
	if done, err := c.before(e, m); done || err != nil {
		return err
	}
	b.Reset()
	err := e.relay([]string{"policy", "migrate", "-yes", fmt.Sprintf("-json=%t", c.JSON), "-tenant", c.Tenant}, nil, &b)
	// How far it was stands on the screen already.
	e.printf("%s", strings.TrimPrefix(b.String(), plain(m.text())))
	return err
}
