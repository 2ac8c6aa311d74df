package main

import (
	"errors"
	"fmt"
	"strings"

	"onefold/internal/crm"
	"onefold/internal/operate/stage"
	"onefold/internal/secret"
)

const crmSetupHelp = `usage:
  onefold crm setup [-token] [-yes] [-json] -stage NAME TENANT

Makes in a tenant's account at its CRM (crm.kind of its policy) what Onefold
needs there: properties that hold its references and keep them unique. Once
for each account, before the first contact is written. Repeating it is safe.

  -token     read a token from standard input and use it this once: making
             properties needs schema scopes that daily work does not
             (default: the tenant's secret crm/TENANT)
  -url URL   another address of the CRM's API
  -yes       do not ask
  -json      print one JSON object: tenant, ready

examples:
  onefold crm setup -stage prod demo
  onefold crm setup -stage prod -token -yes demo < admin-token.txt
`

type crmSetupCmd struct {
	Tenant string `arg:"" name:"TENANT"`
	Token  bool
	URL    string `name:"url" placeholder:"URL"`
	Yes    bool
	JSON   bool `name:"json"`
}

func (crmSetupCmd) Help() string { return crmSetupHelp }

type crmReady struct {
	Tenant string `json:"tenant"`
	Ready  bool   `json:"ready"`
}

func (c *crmSetupCmd) Run(e *env) error {
	if e.place.Stage == "" {
		return usage("name the stage with -stage", "`onefold dev` sets its own CRM up")
	}
	if secret.CheckName(secret.CRM(c.Tenant)) != nil {
		return usage("a tenant's name is 1 to 40 of a-z, 0-9 and -", "")
	}
	opened, err := e.openStage()
	if err != nil {
		return err
	}
	token := ""
	if c.Token {
		b, err := e.read("-")
		if err != nil {
			return err
		}
		if token = strings.TrimSpace(string(b)); token == "" {
			return usage("there is no token on standard input", "")
		}
	}
	question := fmt.Sprintf("make properties in the CRM account of tenant %s of %s?", c.Tenant, e.where())
	switch {
	case c.Yes:
	case c.Token:
		return hinted(errors.New("not asked: standard input holds the token"), "use -yes")
	default:
		if err := e.ask(question); err != nil {
			return err
		}
	}
	err = opened.SetUpCRM(e.ctx, c.Tenant, token, c.URL)
	switch {
	case errors.Is(err, secret.ErrNone):
		return hinted(err, "set it first: `onefold secret set -stage "+e.place.Stage+" crm/"+c.Tenant+"`")
	case errors.Is(err, stage.ErrNoCRM):
		return hinted(err, "set crm.kind in the tenant's policy and apply it first")
	case errors.Is(err, crm.ErrNotUnique):
		return hinted(err, "archive that property in the CRM and rename it, then run this again")
	case err != nil:
		return hinted(err, "the token needs the CRM's schema scopes; running this again is safe")
	}
	if c.JSON {
		return e.printJSON(crmReady{c.Tenant, true})
	}
	e.printf("the CRM account of tenant %s is ready\n", c.Tenant)
	return nil
}
