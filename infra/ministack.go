package main

// Deviation is something that a deployment on the emulator leaves out or does
// in another way.
type Deviation struct {
	What string
	Why  string
}

// LeftOut lists every difference of target=ministack. This file alone makes
// them; a test bounds the list.
func LeftOut() []Deviation {
	return []Deviation{
		{"mail stack", "CloudFormation of the emulator has no SES receipt rules; word of mail is put into the queue instead"},
		{"custom domain", "the emulator's gateway answers under its own address"},
		{"composite alarms, and alarms on expressions", "CloudFormation of the emulator knows neither; the alarms that they are made of are there"},
		{"warm-up of alarms", "the emulator's CloudFormation does not know WarmUpConfiguration"},
		{"termination protection", "a deployment for a test is thrown away"},
		{"address of the API", "no resolver knows the emulator's: functions are told another by endpoints"},
	}
}

// canAlarm tells whether an alarm can be made.
func (c Config) canAlarm(a alarm) bool {
	return c.Target == AWS || len(a.anyOf) == 0 && a.expr == ""
}

// tellLeftOut writes the list into the template, for whoever deploys it.
func (c *Core) tellLeftOut() {
	if c.Cfg.Target != MiniStack {
		return
	}
	var left []any
	for _, d := range LeftOut() {
		left = append(left, map[string]any{"What": d.What, "Why": d.Why})
	}
	c.Stack.AddMetadata(text("onefold:left-out"), left)
}
