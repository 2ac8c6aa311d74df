package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"onefold/internal/operate/register"
	"onefold/internal/policy/tenant"
)

type matchCmd struct {
	Records string `arg:"" name:"RECORDS.jsonl"`
	Policy  string `required:"" placeholder:"FILE"`
	JSON    bool   `name:"json"`
}

func (c *matchCmd) Run(e *env) error {
	policy, err := e.policyFrom(c.Policy)
	if err != nil {
		return err
	}
	content, err := e.read(c.Records)
	if err != nil {
		return err
	}
	return matchAll(e, policy, content)
}

func matchAll(e *env, policy tenant.Policy, content []byte) error {
	people, err := register.New(policy)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(e.stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	bad, number := 0, 0
	for line := range bytes.Lines(content) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		rec, err := register.Read(line)
		if err != nil {
			bad++
			e.say("error", fmt.Sprintf("line %d: %v", number, err))
			continue
		}
		if err := enc.Encode(people.Match(rec)); err != nil {
			return err
		}
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return hinted(fmt.Errorf("%d of the lines are no records and were left out", bad), "`onefold help match` shows the form of a record")
	}
	return nil
}
