package main

import (
	"errors"
	"fmt"
	"strings"

	"onefold/internal/local"
	"onefold/internal/policybook"
	"onefold/internal/tenant"
)

const policyDiffHelp = `usage:
  onefold policy diff [-json] FILE

Compares a policy document with the one in force of the same tenant, and
changes nothing. Lines that begin with "warning:" name a change that does less
than it seems to.

  -json   print one JSON object: folder, tenant, in_force, version, same,
          differences

examples:
  onefold policy diff policy.json
`

type policyDiffCmd struct {
	File string `arg:"" name:"FILE"`
	JSON bool   `name:"json"`
}

func (policyDiffCmd) Help() string { return policyDiffHelp }

func (c *policyDiffCmd) Run(e *env) error {
	return e.onLedger(func(o *local.Opened) error {
		p, _, err := e.plan(o, c.File)
		if err != nil {
			return err
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
	Folder      string   `json:"folder"`
	Tenant      string   `json:"tenant"`
	InForce     int64    `json:"in_force"` // version; 0: none
	Version     int64    `json:"version"`  // of the document
	Same        bool     `json:"same"`     // word for word
	Differences []string `json:"differences"`
}

// plan compares a document with what is in force.
func (e *env) plan(o *local.Opened, file string) (plan, []byte, error) {
	doc, err := e.read(file)
	if err != nil {
		return plan{}, nil, err
	}
	after, err := tenant.Parse(doc)
	var invalid *tenant.InvalidError
	if errors.As(err, &invalid) {
		return plan{}, nil, e.listProblems(file, invalid)
	}
	if err != nil {
		return plan{}, nil, err
	}
	p := plan{Folder: e.shown, Tenant: after.Tenant, Version: after.Version, Differences: []string{}}
	now, err := o.Policies.Document(e.ctx, after.Tenant, 0)
	if errors.Is(err, policybook.ErrNone) {
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
	p.Differences = append(p.Differences, tenant.Diff(before, after)...)
	return p, doc, nil
}

func (p plan) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "data folder: %s\n", p.Folder)
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

// stale says why the plan cannot be carried out, or nothing.
func (p plan) stale() error {
	if p.InForce == 0 || p.Same || p.Version > p.InForce {
		return nil
	}
	return hinted(fmt.Errorf("version %d of the policy of tenant %s is in force, and the document is version %d", p.InForce, p.Tenant, p.Version),
		fmt.Sprintf("raise its version to %d", p.InForce+1))
}
