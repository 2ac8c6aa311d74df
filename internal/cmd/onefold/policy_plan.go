package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"onefold/internal/operate/stage"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
)

type policyDiffCmd struct {
	File   string `arg:"" name:"FILE"`
	Replay string `placeholder:"TIME"`
	Limit  int    `default:"50"`
	JSON   bool   `name:"json"`
}

func (c *policyDiffCmd) Run(e *env) error {
	back, err := c.window()
	if err != nil {
		return err
	}
	return e.onLedger(func(o *stage.Opened) error {
		p, doc, err := e.plan(o, c.File, e.stdout)
		if err != nil {
			return err
		}
		if back > 0 {
			return c.replay(e, o, p, doc, back)
		}
		if c.JSON {
			return e.printJSON(p)
		}
		e.printf("%s", plain(p.text()))
		return nil
	}, c.File)
}

// plan is what applying a document would change. Names and meanings of its
// JSON are stable; properties may be added.
type plan struct {
	Folder   string `json:"folder,omitempty"` // where it is a data folder
	Stage    string `json:"stage,omitempty"`  // where it is a deployed stage, with account and region
	Tenant   string `json:"tenant"`
	InForce  int64  `json:"in_force"` // version; 0: none
	Version  int64  `json:"version"`  // of the document
	Same     bool   `json:"same"`     // word for word
	Identity bool   `json:"identity_changed"`
	// Activates is the rule that the document puts in force by a migration, and
	// Migration how far that is; 0 and "" without one.
	Activates int64  `json:"activates_identity_rule,omitempty"`
	Migration string `json:"migration,omitempty"`

	Differences []string `json:"differences"`
}

// plan compares a document with what is in force. The problems of a faulty one
// go to words.
func (e *env) plan(o *stage.Opened, file string, words io.Writer) (plan, []byte, error) {
	doc, err := e.read(file)
	if err != nil {
		return plan{}, nil, err
	}
	after, err := tenant.Parse(doc)
	var invalid *tenant.InvalidError
	if errors.As(err, &invalid) {
		return plan{}, nil, listProblems(words, file, invalid)
	}
	if err != nil {
		return plan{}, nil, err
	}
	p := plan{Folder: e.shown, Stage: e.on, Tenant: after.Tenant, Version: after.Version, Differences: []string{}}
	now, err := o.Policies.Document(e.ctx, after.Tenant, 0)
	if errors.Is(err, versions.ErrNone) {
		return p, doc, nil
	}
	if err != nil {
		return plan{}, nil, err
	}
	before, err := tenant.Parse(now)
	if err != nil {
		return plan{}, nil, fmt.Errorf("the policy in force of tenant %s: %w", after.Tenant, err)
	}
	p.InForce, p.Same = before.Version, string(now) == string(doc)
	p.Identity = before.Identity != after.Identity
	if tenant.Activates(before, after) {
		m, _, err := o.Policies.Migration(e.ctx, after.Tenant, after.Identity.Version)
		if err != nil {
			return plan{}, nil, err
		}
		p.Activates, p.Migration = after.Identity.Version, m.State
	}
	p.Differences = append(p.Differences, tenant.Diff(before, after)...)
	return p, doc, nil
}

func (p plan) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.where())
	switch {
	case p.InForce == 0:
		fmt.Fprintf(&b, "tenant %s has no policy: version %d is its first\n", p.Tenant, p.Version)
	case p.Same:
		fmt.Fprintf(&b, "tenant %s: version %d is in force already, word for word\n", p.Tenant, p.Version)
	default:
		fmt.Fprintf(&b, "tenant %s: version %d is in force, the document is version %d\n", p.Tenant, p.InForce, p.Version)
		if len(p.Differences) == 0 {
			b.WriteString("  no difference but in how it is written\n")
		}
		for _, line := range p.Differences {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// where names the environment.
func (p plan) where() string {
	if p.Stage != "" {
		return p.Stage
	}
	return "data folder: " + p.Folder
}

// refusal says why the plan cannot be carried out, or nothing.
func (p plan) refusal() error {
	switch {
	case p.InForce == 0 || p.Same:
		return nil
	case p.Version <= p.InForce:
		return hinted(fmt.Errorf("version %d of the policy of tenant %s is in force, and the document is version %d", p.InForce, p.Tenant, p.Version),
			fmt.Sprintf("raise its version to %d", p.InForce+1))
	case p.Activates != 0 && p.Migration != contact.MigrationReady:
		return notReady(&versions.NotReadyError{Rule: p.Activates, State: p.Migration})
	case p.Identity && p.Activates == 0:
		return identityChanged(p.Tenant)
	}
	return nil
}

// notReady says what versions.ErrNotReady means to a person.
func notReady(err error) error {
	var how *versions.NotReadyError
	if errors.As(err, &how) {
		err = fmt.Errorf("the migration to identity rule %d is %s, not ready: not applied", how.Rule, how.State)
	}
	return hinted(err, "run `onefold policy migrate` until it says that the rule is ready")
}

// identityChanged says what versions.ErrIdentityChanged means to a person.
func identityChanged(tenantID string) error {
	return hinted(fmt.Errorf("the document changes the identity rule of tenant %s: not applied", tenantID),
		"keep identity as it is and put the new rule into identity_next, with a higher version: `onefold policy migrate` makes it ready")
}
