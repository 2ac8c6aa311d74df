package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"onefold/internal/operate/stage"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
)

type policyValidateCmd struct {
	File string `arg:"" name:"FILE"`
	JSON bool   `name:"json"`
}

func (c *policyValidateCmd) Run(e *env) error {
	doc, err := e.read(c.File)
	if err != nil {
		return err
	}
	p, err := tenant.Parse(doc)
	var invalid *tenant.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	if c.JSON {
		out := struct {
			Valid    bool             `json:"valid"`
			Problems []tenant.Problem `json:"problems"`
			Notes    []tenant.Problem `json:"notes"`
		}{Valid: invalid == nil, Problems: []tenant.Problem{}, Notes: append([]tenant.Problem{}, p.Notes()...)}
		if invalid != nil {
			out.Problems = invalid.Problems
		}
		if err := e.printJSON(out); err != nil || invalid == nil {
			return err
		}
		return ended(exitFailed)
	}
	if invalid != nil {
		return listProblems(e.stdout, c.File, invalid)
	}
	e.printf("valid: tenant %s, version %d, %d rules, %d endpoints\n", p.Tenant, p.Version, len(p.Rules), len(p.Endpoints))
	for _, n := range p.Notes() {
		e.printf("note: %s: %s\n", plain(n.Path), plain(n.Message))
	}
	return nil
}

// listProblems writes what is wrong with a document, and fails.
func listProblems(w io.Writer, name string, invalid *tenant.InvalidError) error {
	for _, p := range invalid.Problems {
		_, _ = fmt.Fprintf(w, "%s: %s\n", plain(cmp.Or(p.Path, "document")), plain(p.Message))
	}
	return hinted(fmt.Errorf("%s is not a valid policy: problems: %d", name, len(invalid.Problems)),
		"each place is a JSON Pointer into the document")
}

type policyShowCmd struct {
	Tenant  string `default:"demo"`
	Version int64
	JSON    bool `name:"json"`
}

func (c *policyShowCmd) Run(e *env) error {
	if c.Version < 0 {
		return usage("-version is a number from 1", "leave it out for the policy in force")
	}
	return e.onLedger(func(o *stage.Opened) error {
		doc, err := o.Policies.Document(e.ctx, c.Tenant, c.Version)
		if errors.Is(err, versions.ErrNone) {
			which := "no policy"
			if c.Version > 0 {
				which = fmt.Sprintf("no version %d of a policy", c.Version)
			}
			return hinted(fmt.Errorf("tenant %q has %s", c.Tenant, which), "name the tenant with -tenant, or apply a policy first")
		}
		if err != nil {
			return err
		}
		if !c.JSON {
			e.printf("%s", doc)
			if len(doc) > 0 && doc[len(doc)-1] != '\n' {
				e.printf("\n")
			}
			return nil
		}
		p, err := tenant.Parse(doc)
		if err != nil {
			return err
		}
		return e.printJSON(struct {
			Tenant  string          `json:"tenant"`
			Version int64           `json:"version"`
			Policy  json.RawMessage `json:"policy"`
		}{p.Tenant, p.Version, doc})
	})
}
