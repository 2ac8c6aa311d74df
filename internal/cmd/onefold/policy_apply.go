package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/user"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/versions"
)

type policyApplyCmd struct {
	File string `arg:"" name:"FILE"`
	Yes  bool
	Over *int64 `placeholder:"N"`
	JSON bool   `name:"json"`
}

// applied is what policy apply -json prints. Names and meanings are stable;
// properties may be added.
type applied struct {
	Applied bool     `json:"applied"` // false: it was in force already
	Version int64    `json:"version"` // in force now
	Changes []string `json:"changes"`
}

func (c *policyApplyCmd) Run(e *env) error {
	if c.File == "-" && !c.Yes {
		return usage("the document on standard input leaves no way to answer", "use -yes, or name a file")
	}
	if e.opened != nil {
		return c.apply(e, e.opened)
	}
	opened, err := e.open()
	if errors.Is(err, ledger.ErrInUse) {
		return c.elsewhere(e)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.apply(e, opened), opened.Close())
}

// apply shows the plan, asks, and carries it out on an open ledger. Nobody
// else can apply in between: the ledger is held by this process, and in the
// process that serves others -over says what was shown.
func (c *policyApplyCmd) apply(e *env, o *stage.Opened) error {
	p, doc, err := e.plan(o, c.File, c.words(e))
	if err != nil {
		return err
	}
	if !c.JSON || !c.Yes {
		_, _ = io.WriteString(c.words(e), plain(p.text()))
	}
	if err := c.refusal(p); err != nil {
		return err
	}
	if p.Same {
		return c.tell(e, p)
	}
	if !c.Yes {
		if err := e.ask(fmt.Sprintf("apply version %d to %s?", p.Version, cmp.Or(p.Stage, p.Folder))); err != nil {
			return err
		}
	}
	_, err = o.Policies.Apply(e.ctx, doc, operator())
	switch {
	case errors.Is(err, versions.ErrStale):
		return hinted(errors.New("another version was applied in the meantime: not applied"), "look at the differences again")
	case errors.Is(err, versions.ErrIdentityChanged):
		return identityChanged(p.Tenant)
	case errors.Is(err, versions.ErrNotReady):
		return notReady(err)
	case errors.Is(err, versions.ErrRuleBound):
		return hinted(err, "give the rule a version that none has had")
	case err != nil:
		return err
	}
	return c.tell(e, p)
}

// refusal says why the plan is not carried out, before anybody is asked.
func (c *policyApplyCmd) refusal(p plan) error {
	if c.Over != nil && *c.Over != p.InForce {
		return hinted(fmt.Errorf("version %d is in force, not version %d: not applied", p.InForce, *c.Over), "look at the differences again")
	}
	return p.refusal()
}

// words is where the plan is shown: with -json, stdout is for the result alone.
func (c *policyApplyCmd) words(e *env) io.Writer {
	if c.JSON {
		return e.stderr
	}
	return e.stdout
}

// tell says that the document of the plan is in force.
func (c *policyApplyCmd) tell(e *env, p plan) error {
	switch {
	case c.JSON:
		return e.printJSON(applied{Applied: !p.Same, Version: p.Version, Changes: p.Differences})
	case !p.Same:
		e.printf("applied: version %d of the policy of tenant %s is in force\n", p.Version, p.Tenant)
	}
	return nil
}

// elsewhere has the document applied by the process that holds the ledger. Who
// is asked sits here, so the plan is fetched first, and what is then carried
// out is bound to the version that the plan was made against.
func (c *policyApplyCmd) elsewhere(e *env) error {
	if c.Yes {
		return e.relay(e.args, []string{c.File}, e.stdout)
	}
	var b bytes.Buffer
	if err := e.relay([]string{"policy", "diff", "-json", "--", c.File}, []string{c.File}, &b); err != nil {
		_, _ = c.words(e).Write(b.Bytes()) // the problems of the document
		return err
	}
	var p plan
	if err := json.Unmarshal(b.Bytes(), &p); err != nil {
		return fmt.Errorf("read the plan of the process that holds the data folder: %w", err)
	}
	_, _ = io.WriteString(c.words(e), plain(p.text()))
	if err := c.refusal(p); err != nil {
		return err
	}
	if p.Same {
		return c.tell(e, p)
	}
	if err := e.ask(fmt.Sprintf("apply version %d to %s?", p.Version, cmp.Or(p.Stage, p.Folder))); err != nil {
		return err
	}
	args := []string{"policy", "apply", "-yes", fmt.Sprintf("-over=%d", p.InForce), fmt.Sprintf("-json=%t", c.JSON), "--", c.File}
	b.Reset()
	err := e.relay(args, []string{c.File}, &b)
	// The plan stands on the screen already.
	e.printf("%s", strings.TrimPrefix(b.String(), plain(p.text())))
	return err
}

// ask asks a person. No answer is no.
func (e *env) ask(question string) error {
	_, _ = fmt.Fprintf(e.stderr, "%s [y/N] ", plain(question))
	answer, err := unlessEnded(e.ctx, func() (string, error) { return bufio.NewReader(e.stdin).ReadString('\n') })
	if e.ctx.Err() != nil {
		_, _ = fmt.Fprintln(e.stderr)
		return e.ctx.Err()
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	case "":
		if err != nil {
			_, _ = fmt.Fprintln(e.stderr)
			return hinted(errors.New("nobody answered: not done"), "use -yes not to be asked")
		}
	}
	return errors.New("not done")
}

// operator names who acts, for the audit record.
func operator() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "person:" + u.Username
	}
	return "person:operator"
}
