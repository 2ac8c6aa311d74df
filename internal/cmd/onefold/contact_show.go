package main

import (
	"onefold/internal/operate/stage"
)

type contactShowCmd struct {
	Contact string `arg:"" name:"CONTACT"`
	Tenant  string `default:"demo"`
	JSON    bool   `name:"json"`
}

func (c *contactShowCmd) Run(e *env) error {
	return e.onLedger(func(o *stage.Opened) error {
		shown, err := operators(o).Show(e.ctx, c.Tenant, c.Contact)
		if err != nil {
			return contactFault(err)
		}
		if c.JSON {
			return e.printJSON(shown)
		}
		e.printf("%s", plain(shown.Text()))
		return nil
	})
}
