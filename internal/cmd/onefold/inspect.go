package main

import (
	"errors"
	"fmt"

	"onefold/internal/app"
	"onefold/internal/operate/inspect"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/utc"
)

type inspectCmd struct {
	File   string `arg:"" name:"FILE.eml"`
	Model  string `default:"rules" enum:"rules,bedrock"`
	Policy string `placeholder:"FILE"`
	JSON   bool   `name:"json"`
}

func (c *inspectCmd) Run(e *env) error {
	reader, err := readerNamed(c.Model)
	if err != nil {
		return err
	}
	policy, err := e.policyFrom(c.Policy)
	if err != nil {
		return err
	}
	raw, err := e.read(c.File)
	if err != nil {
		return err
	}
	seen, err := inspect.Mail(e.ctx, raw, policy, reader, utc.At(app.Clock()))
	if err != nil {
		return err
	}
	if c.JSON {
		return e.printJSON(seen)
	}
	e.printf("%s", plain(seen.Text()))
	return nil
}

// readerNamed is who reads the text.
func readerNamed(model string) (reader.Reader, error) {
	named, err := app.Reader(model)
	if err != nil {
		return nil, hinted(err, "use -model rules")
	}
	return named, nil
}

// policyFrom reads a policy file; without a name it is the example.
func (e *env) policyFrom(name string) (tenant.Policy, error) {
	doc := tenant.Example()
	if name != "" {
		var err error
		if doc, err = e.read(name); err != nil {
			return tenant.Policy{}, err
		}
	}
	p, err := tenant.Parse(doc)
	var invalid *tenant.InvalidError
	if errors.As(err, &invalid) {
		return p, hinted(fmt.Errorf("%s is not a valid policy: %d problems", name, len(invalid.Problems)),
			"`onefold policy validate "+name+"` lists them")
	}
	return p, err
}
