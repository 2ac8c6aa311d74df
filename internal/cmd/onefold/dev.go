package main

import "errors"

// TEMPORARY: stands until the command is written.
type devCmd struct{}

func (devCmd) Run(*env) error { return errors.New("dev is not built yet") }
