package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"onefold/internal/app"
	"onefold/internal/extract"
	"onefold/internal/operate/eval"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
)

type evalCmd struct {
	Extractor string `default:"rules" enum:"rules,bedrock"`
	Half      string `placeholder:"H"`
	Set       string `placeholder:"DIR"`
	Policy    string `placeholder:"FILE"`
	Answers   string `placeholder:"FILE"`
	Misses    bool
	Check     bool
	Calibrate bool
	Yes       bool
	JSON      bool `name:"json"`
}

const allHalves = "all"

func (c *evalCmd) Run(e *env) error {
	if err := c.settle(); err != nil {
		return err
	}
	cases, err := c.cases()
	if err != nil {
		return err
	}
	bench, err := c.bench(e)
	if err != nil {
		return err
	}
	reader, err := app.Reader(c.Extractor)
	if err != nil {
		return hinted(err, "use -extractor rules")
	}
	s := &eval.Sitting{Reader: reader, Bench: bench, MostGarbled: extract.MaxGarbled, Wait: pause, Say: func(line string) { e.say("eval", line) }}
	if c.Answers != "" {
		s.Kept, err = eval.OpenAnswers(c.Answers, s.Say)
		if errors.Is(err, eval.ErrNoAnswer) {
			return hinted(err, "name another file with -answers, or take the line out")
		}
		if err != nil {
			return err
		}
		defer func() { _ = s.Kept.Close() }() // every line is on disk already
	}
	return c.hold(e, s, cases)
}

// settle finds the half that is meant, and refuses what cannot be.
func (c *evalCmd) settle() error {
	open := string(eval.Open)
	switch c.Half {
	case "", open, string(eval.Aside), allHalves:
	default:
		return usage(fmt.Sprintf("-half is open, aside or all, not %q", c.Half), "see `onefold help eval`")
	}
	switch {
	case c.Calibrate && c.Half != "" && c.Half != open:
		return usage("limits are chosen on the open half: the half set aside judges them", "leave out -half")
	case c.Calibrate && c.Check:
		return usage("-calibrate chooses and -check judges: use one of them", "")
	case c.Misses && c.Half == string(eval.Aside):
		return usage("misses are shown of the open half alone: nothing is tuned on the half set aside", "use -half open")
	case c.Half != "":
	case c.Calibrate || c.Misses:
		c.Half = open
	case c.Set != "":
		c.Half = allHalves
	default:
		c.Half = string(eval.Aside)
	}
	return nil
}

// cases reads the labelled mails.
func (c *evalCmd) cases() ([]eval.Case, error) {
	var halves []eval.Half
	if c.Half != allHalves {
		halves = append(halves, eval.Half(c.Half))
	}
	if c.Set == "" {
		files, err := eval.Files()
		if err != nil {
			return nil, err
		}
		return eval.Load(files, halves...)
	}
	info, err := os.Stat(c.Set)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, hinted(fmt.Errorf("%s is no folder", c.Set), "-set names the folder of the labelled mails")
	}
	cases, err := eval.Load(os.DirFS(c.Set), halves...)
	if err != nil {
		return nil, hinted(fmt.Errorf("in %s: %w", c.Set, err), "docs/eval.md says what a labelled mail looks like")
	}
	return cases, c.keepAside(cases)
}

// keepAside puts the mails of the half set aside back into it, wherever a folder
// with them lies: by another name they are no less the judge.
func (c *evalCmd) keepAside(cases []eval.Case) error {
	files, err := eval.Files()
	if err != nil {
		return err
	}
	locked, err := eval.Load(files, eval.Aside)
	if err != nil {
		return err
	}
	aside := map[string]bool{}
	for _, one := range locked {
		aside[string(one.Mail)] = true
	}
	for i := range cases {
		if cases[i].Half == eval.Aside || !aside[string(cases[i].Mail)] {
			continue
		}
		if c.Misses || c.Calibrate {
			return usage(fmt.Sprintf("%s holds mails of the half set aside: nothing is tuned on it", c.Set), "leave out -misses and -calibrate")
		}
		cases[i].Half = eval.Aside
	}
	return nil
}

// bench is what the mails are decided on.
func (c *evalCmd) bench(e *env) (*eval.Bench, error) {
	var policy tenant.Policy
	var err error
	if c.Policy == "" && c.Set == "" {
		policy, err = eval.Policy()
	} else {
		policy, err = e.policyFrom(c.Policy)
	}
	if err != nil {
		return nil, err
	}
	return eval.NewBench(policy, nil)
}

// hold lets the extractor read and prints what came of it. What was measured
// before something ended the reading is printed too, and said to be a part.
func (c *evalCmd) hold(e *env, s *eval.Sitting, cases []eval.Case) error {
	if err := c.consent(e, s, cases); err != nil {
		return err
	}
	outcomes, broken := s.Read(e.ctx, cases)
	done, seen := eval.Whole(cases, outcomes)
	if broken != nil && len(done) == 0 {
		return c.brokenOff(broken, 0, len(cases))
	}
	ev := eval.Evaluation{Set: c.Set, Half: c.Half, Partial: broken != nil, Of: len(cases)}
	if ev.Set == "" {
		ev.Set = builtIn
	}
	var unmet []string
	var err error
	if c.Calibrate {
		err = calibrate(e, ev, s.Reader, c.JSON, done, seen)
	} else {
		unmet, err = score(e, ev, s.Reader, c.JSON, c.Misses, done, seen)
	}
	switch {
	case err != nil:
		return err
	case broken != nil:
		return c.brokenOff(broken, len(done), len(cases))
	case c.Check && len(unmet) > 0:
		return hinted(fmt.Errorf("not met: %s", strings.Join(unmet, ", ")), "docs/eval.md says what is asked for and why")
	}
	return nil
}

// consent tells what the calls may cost and asks, where they cost.
func (c *evalCmd) consent(e *env, s *eval.Sitting, cases []eval.Case) error {
	foreseen, costs := s.Reader.(reader.Foreseen)
	if !costs {
		return nil
	}
	calls, have, usd := s.Ahead(foreseen, cases)
	e.say("eval", fmt.Sprintf("%d calls of %s, at most USD %.2f (a token for each byte, every answer at its longest); %d answers are at hand",
		calls, s.Reader.Model(), usd, have))
	if calls == 0 || c.Yes {
		return nil
	}
	return e.ask("Make these calls?")
}

// brokenOff says what ended the reading and how to go on.
func (c *evalCmd) brokenOff(err error, measured, of int) error {
	part := fmt.Sprintf("%d of %d mails were measured", measured, of)
	hint := "with -answers FILE a run keeps its answers and goes on where it ended"
	if c.Answers != "" {
		hint = "the same command goes on from " + c.Answers
	}
	switch {
	case errors.Is(err, context.Canceled):
		return hinted(errors.New("interrupted: "+part), hint)
	case errors.Is(err, eval.ErrAnother):
		return hinted(fmt.Errorf("the budget of this run is spent: %s", part), "raise ONEFOLD_MODEL_BUDGET; "+hint)
	}
	return hinted(fmt.Errorf("%w: %s", err, part), hint)
}
