package main

import (
	"errors"
	"strings"

	"onefold/internal/operate/stage"
	"onefold/internal/operate/stage/preflight"
)

type doctorCmd struct {
	For     string   `default:"deploy" enum:"deploy,destroy"`
	Context []string `sep:"none"`
	JSON    bool     `name:"json"`
}

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
