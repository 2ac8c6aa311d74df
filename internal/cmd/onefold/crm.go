package main

import (
	"errors"
	"fmt"
	"strings"

	"onefold/internal/crm"
	"onefold/internal/operate/stage"
	"onefold/internal/secret"
)

type crmSetupCmd struct {
	Tenant string `arg:"" name:"TENANT"`
	Token  bool
	URL    string `name:"url" placeholder:"URL"`
	Yes    bool
	JSON   bool `name:"json"`
}

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
	switch {
	case c.Yes:
	case c.Token:
		return hinted(errors.New("not asked: standard input holds the token"), "use -yes")
	default:
		if err := e.ask(fmt.Sprintf("make properties in the CRM account of tenant %s of %s?", c.Tenant, e.where())); err != nil {
			return err
		}
	}
	switch err = e.accountFault(opened.SetUpCRM(e.ctx, c.Tenant, token, c.URL), c.Tenant); {
	case errors.As(err, new(*fault)):
		return err
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

// accountFault says what a person can do about an account that does not open.
// Other errors are as they were.
func (e *env) accountFault(err error, tenantID string) error {
	switch {
	case errors.Is(err, secret.ErrNone):
		where := ""
		if e.place.Stage != "" {
			where = "-stage " + e.place.Stage + " "
		}
		return hinted(err, "set it first: `onefold secret set "+where+"crm/"+tenantID+"`")
	case errors.Is(err, stage.ErrNoCRM):
		return hinted(err, "set crm.kind in the tenant's policy and apply it first")
	}
	return err
}

// lister is a tenant's CRM account whose contacts can be listed.
func (e *env) lister(o *stage.Opened, tenantID, url string) (l crm.Lister, name string, err error) {
	account, err := o.OpenCRM(e.ctx, tenantID, "", url)
	if err != nil {
		return nil, "", e.accountFault(err, tenantID)
	}
	name = account.Capabilities().Name
	l, can := account.(crm.Lister)
	if !can {
		return nil, name, hinted(fmt.Errorf("the contacts of a CRM of kind %s cannot be listed", name),
			"export them there as a CSV file, and use `onefold import`")
	}
	return l, name, nil
}

// listFault says what a person can do about a list that could not be read.
func listFault(err error) error {
	var why *crm.ListError
	switch {
	case !errors.As(err, &why):
		return err
	case why.Result.Reason == crm.ReasonAuth:
		return hinted(err, "does the token have the right to read contacts? then run this again")
	}
	return hinted(err, "nothing was written there; run this again later")
}
