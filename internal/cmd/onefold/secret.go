package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/stage"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

type secretSetCmd struct {
	Name     string `arg:"" name:"NAME"`
	Generate bool
	Yes      bool
	JSON     bool `name:"json"`
}

type secretRevokeCmd struct {
	Name string `arg:"" name:"NAME"`
	Yes  bool
	JSON bool `name:"json"`
}

type secretListCmd struct {
	JSON bool `name:"json"`
}

// The JSON of these commands. Names and meanings are stable; properties may be
// added.
type (
	secretPut struct {
		Name     string `json:"name"`
		Replaced bool   `json:"replaced"` // another one, which stays valid
		Changed  bool   `json:"changed"`  // false: it was this one already
		Value    string `json:"value,omitempty"`
	}
	secretRevoked struct {
		Name    string `json:"name"`
		Revoked bool   `json:"revoked"` // false: there was none to end
	}
	secretListed struct {
		Name      string     `json:"name"`
		Previous  bool       `json:"previous_valid"`
		ChangedAt *time.Time `json:"changed_at,omitempty"`
	}
)

// settable refuses names that are no tenant's secret.
func settable(name string) error {
	if secret.CheckName(name) == nil {
		if rest, ok := strings.CutPrefix(name, schema.SecretWebhooks); ok && strings.Count(rest, "/") == 1 {
			return nil
		}
		if rest, ok := strings.CutPrefix(name, schema.SecretCRM); ok && !strings.Contains(rest, "/") {
			return nil
		}
	}
	return usage("a secret is called webhook/TENANT/NAME or crm/TENANT", "as in `onefold secret set -generate webhook/demo/form`")
}

func (c *secretSetCmd) Run(e *env) error {
	if err := settable(c.Name); err != nil {
		return err
	}
	if c.Generate && !strings.HasPrefix(c.Name, schema.SecretWebhooks) {
		return usage("a CRM's token is made in the CRM", "give it on standard input")
	}
	var files []string
	if !c.Generate {
		files = []string{"-"}
	}
	return e.withSecrets(c.Name, c.Yes, files, c.plan, c.put)
}

// plan asks before a secret is replaced.
func (c *secretSetCmd) plan(e *env, have []secretListed) error {
	if !slices.ContainsFunc(have, func(l secretListed) bool { return l.Name == c.Name }) {
		return nil
	}
	if !c.Generate {
		return hinted(fmt.Errorf("there is a secret %s already: not set", c.Name), "use -yes to replace it; it stays valid until the next set")
	}
	return e.ask(fmt.Sprintf("replace secret %s of %s? The old one stays valid until the next set.", c.Name, e.where()))
}

func (c *secretSetCmd) put(e *env, o *stage.Opened) error {
	out := secretPut{Name: c.Name}
	value := ""
	if c.Generate {
		var b [32]byte
		_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
		value = "whsec_" + base64.StdEncoding.EncodeToString(b[:])
		out.Value = value
	} else {
		b, err := e.read("-")
		if err != nil {
			return err
		}
		value = strings.TrimSpace(string(b))
	}
	have, err := o.Secrets.Get(e.ctx, c.Name)
	if err != nil && !errors.Is(err, secret.ErrNone) {
		return secretFault(err)
	}
	out.Changed = have.Current != value
	out.Replaced = out.Changed && have.Current != ""
	if err := o.Secrets.Put(e.ctx, c.Name, value); err != nil {
		return secretFault(err)
	}
	if c.JSON {
		return e.printJSON(out)
	}
	switch {
	case !out.Changed:
		e.printf("%s is this one already\n", c.Name)
	case out.Replaced:
		e.printf("set: %s; the one it replaces is valid until the next set, or `onefold secret revoke %s`\n", c.Name, c.Name)
	default:
		e.printf("set: %s\n", c.Name)
	}
	if c.Generate {
		e.printf("%s\n", value)
	}
	return nil
}

func (c *secretRevokeCmd) Run(e *env) error {
	if err := settable(c.Name); err != nil {
		return err
	}
	ask := func(e *env, have []secretListed) error {
		if slices.ContainsFunc(have, func(l secretListed) bool { return l.Name == c.Name && l.Previous }) {
			return e.ask(fmt.Sprintf("end the replaced secret %s of %s?", c.Name, e.where()))
		}
		return nil
	}
	return e.withSecrets(c.Name, c.Yes, nil, ask, func(e *env, o *stage.Opened) error {
		have, err := o.Secrets.Get(e.ctx, c.Name)
		if err == nil {
			err = o.Secrets.Revoke(e.ctx, c.Name)
		}
		if err != nil {
			return secretFault(err)
		}
		out := secretRevoked{c.Name, have.Previous != ""}
		switch {
		case c.JSON:
			return e.printJSON(out)
		case out.Revoked:
			e.printf("revoked: only the current secret %s is valid\n", c.Name)
		default:
			e.printf("%s replaces none: nothing to revoke\n", c.Name)
		}
		return nil
	})
}

func (c *secretListCmd) Run(e *env) error {
	return e.onLedger(func(o *stage.Opened) error {
		have, err := listSecrets(e, o)
		if err != nil {
			return err
		}
		if c.JSON {
			return e.printJSON(have)
		}
		for _, l := range have {
			line := l.Name
			if l.ChangedAt != nil {
				line += "  changed " + l.ChangedAt.UTC().Format(time.RFC3339)
			}
			if l.Previous {
				line += "  replaced one valid"
			}
			e.printf("%s\n", line)
		}
		return nil
	})
}

func listSecrets(e *env, o *stage.Opened) ([]secretListed, error) {
	entries, err := o.Secrets.List(e.ctx)
	if err != nil {
		return nil, secretFault(err)
	}
	have := []secretListed{}
	for _, x := range entries {
		l := secretListed{Name: x.Name, Previous: x.Previous}
		if !x.ChangedAt.IsZero() {
			l.ChangedAt = &x.ChangedAt
		}
		have = append(have, l)
	}
	return have, nil
}

// thisSecret is the list with one secret alone. It asks for the secret itself,
// since a list may lag.
func thisSecret(e *env, o *stage.Opened, name string) ([]secretListed, error) {
	kept, err := o.Secrets.Get(e.ctx, name)
	switch {
	case errors.Is(err, secret.ErrNone):
		return nil, nil
	case err != nil:
		return nil, secretFault(err)
	}
	return []secretListed{{Name: name, Previous: kept.Previous != ""}}, nil
}

// withSecrets shows the plan of a change and asks here, then carries the change
// out where the environment is open: here, or in the process that holds it.
func (e *env) withSecrets(name string, yes bool, files []string, plan func(*env, []secretListed) error, work func(*env, *stage.Opened) error) error {
	if e.opened != nil {
		return work(e, e.opened)
	}
	opened, err := e.open()
	if errors.Is(err, ledger.ErrInUse) {
		if !yes {
			var b bytes.Buffer
			var have []secretListed
			if err := e.relay([]string{"secret", "list", "-json"}, nil, &b); err != nil {
				return err
			}
			if err := json.Unmarshal(b.Bytes(), &have); err != nil {
				return fmt.Errorf("read the answer of the process that holds the data folder: %w", err)
			}
			if err := plan(e, have); err != nil {
				return err
			}
		}
		return e.relay(e.args, files, e.stdout)
	}
	if err != nil {
		return err
	}
	if !yes {
		have, err := thisSecret(e, opened, name)
		if err == nil {
			err = plan(e, have)
		}
		if err != nil {
			return errors.Join(err, opened.Close())
		}
	}
	return errors.Join(work(e, opened), opened.Close())
}

func secretFault(err error) error {
	switch {
	case errors.Is(err, secret.ErrNone):
		return hinted(errors.New("there is no such secret"), "`onefold secret list` lists them")
	case errors.Is(err, secret.ErrRefused):
		return hinted(err, "see `onefold help secret set`")
	}
	return err
}
