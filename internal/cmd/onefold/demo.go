package main

import "errors"

// TEMPORARY: stands until the command is written.
type demoCmd struct{}

func (demoCmd) Run(*env) error { return errors.New("demo is not built yet") }
