package main

import (
	"errors"
	"strings"

	"onefold/internal/operate/stage"
	"onefold/internal/operate/stage/preflight"
)

const doctorHelp = `usage:
  onefold doctor -stage NAME [-for deploy|destroy] [-context KEY=VALUE]...
      [-json]

Looks at an account before a stage is deployed to it, and changes nothing:
credentials, region, what is there already, the CDK's bootstrap stack, how many
functions may run at once, whether SES is in its sandbox, whose receipt rules
there are. "make deploy" runs it first. Each line begins with ok, with
attention (it works, and something will not be as you expect) or with stop.

  -for deploy|destroy  what it is asked for (default deploy); destroy asks whose
                       account it is and whether the context names all that
                       the stage was deployed with
  -context KEY=VALUE   a value of the CDK context, as it is deployed with:
                       mailDomain, mailRegion, sesRegion, sendDomains, domain
                       and so on; may be given many times
  -json                print one JSON object: stage, account, region, checks,
                       receipt_rule_set, unfinished, plan

Exit code 1 means that something says stop.

examples:
  onefold doctor -stage prod -region eu-west-1
  onefold doctor -stage prod -context mailDomain=in.example.com -json
`

type doctorCmd struct {
	For     string   `default:"deploy" enum:"deploy,destroy"`
	Context []string `sep:"none"`
	JSON    bool     `name:"json"`
}

func (doctorCmd) Help() string { return doctorHelp }

func (c *doctorCmd) Run(e *env) error {
	if e.place.Stage == "" {
		return usage("-stage is missing", "as in `onefold doctor -stage prod`")
	}
	settings := preflight.Settings{}
	for _, pair := range c.Context {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return usage("-context takes KEY=VALUE", "as in -context mailDomain=in.example.com")
		}
		settings[key] = value
	}
	look := preflight.Run
	if c.For == "destroy" {
		look = preflight.Down
	}
	r, err := look(e.ctx, e.place, settings)
	if errors.Is(err, stage.ErrPlace) {
		return e.stageFault(err)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		if err := e.printJSON(r); err != nil {
			return err
		}
	} else {
		for _, check := range r.Checks {
			e.printf("%-9s  %-11s  %s\n", check.Result, check.ID, plain(check.Found))
			if check.Do != "" {
				e.printf("%-9s  %-11s  -> %s\n", "", "", plain(check.Do))
			}
		}
		if len(r.Plan) > 0 {
			e.printf("\nA deployment will:\n")
		}
		for _, line := range r.Plan {
			e.printf("  %s\n", plain(line))
		}
	}
	if r.Stopped() {
		return hinted(errors.New("something stands in the way"), "each line that begins with stop says what to do")
	}
	return nil
}
