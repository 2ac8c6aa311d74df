package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/operate/stage"
)

type contactMergeCmd struct {
	Contact string `arg:"" name:"CONTACT"`
	Into    string `arg:"" name:"INTO"`
	contactFlags
}

type contactSplitCmd struct {
	Contact string `arg:"" name:"CONTACT"`
	contactFlags
}

type contactAliasCmd struct {
	Contact string `arg:"" name:"CONTACT"`
	Address string `arg:"" name:"ADDRESS"`
	contactFlags
}

type contactAddressCmd struct {
	Contact string `arg:"" name:"CONTACT"`
	Address string `arg:"" name:"ADDRESS"`
	contactFlags
}

func (c *contactMergeCmd) Run(e *env) error {
	return c.act(e, contacts.Act{Kind: contacts.Merge, Contact: c.Contact, Into: c.Into}, c.Contact, c.Into)
}

func (c *contactSplitCmd) Run(e *env) error {
	return c.act(e, contacts.Act{Kind: contacts.Split, Contact: c.Contact}, c.Contact)
}

func (c *contactAliasCmd) Run(e *env) error {
	return c.act(e, contacts.Act{Kind: contacts.Alias, Contact: c.Contact, Address: c.Address}, c.Contact, c.Address)
}

func (c *contactAddressCmd) Run(e *env) error {
	return c.act(e, contacts.Act{Kind: contacts.ChangeAddress, Contact: c.Contact, Address: c.Address}, c.Contact, c.Address)
}

// contactFlags are those of every act on contacts.
type contactFlags struct {
	Tenant string `default:"demo"`
	Plan   bool
	Yes    bool
	Token  string
	JSON   bool `name:"json"`
}

// acted is what an act on contacts prints with -json. Names and meanings are
// stable; properties may be added.
type acted struct {
	Done bool `json:"done"` // false: it held already, or -plan
	contacts.Plan
}

// act shows what will happen, asks, and has it done where the ledger is open.
func (f contactFlags) act(e *env, a contacts.Act, words ...string) error {
	a.Tenant = f.Tenant
	if e.opened != nil {
		return f.carryOut(e, e.opened, a)
	}
	opened, err := e.open()
	if errors.Is(err, ledger.ErrInUse) {
		return f.elsewhere(e, a, words)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.carryOut(e, opened, a), opened.Close())
}

func (f contactFlags) carryOut(e *env, o *stage.Opened, a contacts.Act) error {
	s := operators(o)
	p, err := s.Plan(e.ctx, a)
	if err != nil {
		return contactFault(err)
	}
	if f.Plan {
		return f.tell(e, p, false)
	}
	if f.Token != "" && f.Token != p.Token && p.Already == "" {
		return contactFault(contacts.ErrMoved)
	}
	f.show(e, p)
	if err := f.ask(e, p); err != nil {
		return err
	}
	token := p.Token
	if f.Yes {
		token = f.Token // nobody was shown anything
	}
	p, err = s.Do(e.ctx, a, operator(), token)
	if err != nil {
		return contactFault(err)
	}
	return f.tell(e, p, p.Already == "")
}

// elsewhere has the process that holds the ledger do it. Who is asked sits here,
// so the plan is fetched first, and what is then done is bound to its token.
func (f contactFlags) elsewhere(e *env, a contacts.Act, words []string) error {
	args := func(flags ...string) []string {
		return append(append([]string{"contact", string(a.Kind), "-tenant=" + a.Tenant}, append(flags, "--")...), words...)
	}
	asJSON := fmt.Sprintf("-json=%t", f.JSON)
	if f.Plan {
		return e.relay(args("-plan", asJSON), nil, e.stdout)
	}
	token := f.Token
	if !f.Yes {
		var b bytes.Buffer
		if err := e.relay(args("-plan", "-json"), nil, &b); err != nil {
			return err
		}
		var p acted
		if err := json.Unmarshal(b.Bytes(), &p); err != nil {
			return fmt.Errorf("read the plan of the process that holds the data folder: %w", err)
		}
		f.show(e, p.Plan)
		if err := f.ask(e, p.Plan); err != nil {
			return err
		}
		if token == "" && p.Already == "" {
			token = p.Token
		}
	}
	flags := []string{"-yes", asJSON}
	if token != "" {
		flags = append(flags, "-token="+token)
	}
	return e.relay(args(flags...), nil, e.stdout)
}

// show prints the plan for whoever is asked, once: not with -yes.
func (f contactFlags) show(e *env, p contacts.Plan) {
	if f.Yes || p.Already != "" {
		return
	}
	w := e.stdout
	if f.JSON {
		w = e.stderr // stdout is for the result alone
	}
	_, _ = io.WriteString(w, plain(planText(e, p)))
}

func planText(e *env, p contacts.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, tenant %s\n", e.where(), p.Tenant)
	for _, line := range p.Does {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if len(p.Keeps) > 0 {
		b.WriteString("besides:\n")
	}
	for _, line := range p.Keeps {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	return b.String()
}

func (f contactFlags) ask(e *env, p contacts.Plan) error {
	if f.Yes || p.Already != "" {
		return nil
	}
	what := map[contacts.Kind]string{
		contacts.Merge: "merge contact " + p.Contact + " into contact " + p.Into, contacts.Split: "split contact " + p.Contact + " off",
		contacts.Alias: "give contact " + p.Contact + " this address", contacts.ChangeAddress: "give contact " + p.Contact + " this main address",
	}[p.Act]
	return e.ask(fmt.Sprintf("%s in %s?", what, e.where()))
}

// tell says what was done, or with -plan would be.
func (f contactFlags) tell(e *env, p contacts.Plan, done bool) error {
	switch {
	case f.JSON:
		return e.printJSON(acted{done, p})
	case p.Already != "":
		e.printf("%s\n", plain(p.Already))
	case !done:
		e.printf("%stoken: %s\n", plain(planText(e, p)), p.Token)
	default:
		e.printf("done: %s\n", plain(strings.Join(p.Does, "; ")))
	}
	return nil
}

func operators(o *stage.Opened) *contacts.Service {
	return &contacts.Service{Store: o.Store, Policies: o.Policies, IDs: o.IDs, Now: o.Policies.Now}
}

// contactFault says what a person can do about an act that was not done.
func contactFault(err error) error {
	var no *contacts.Refusal
	switch {
	case errors.As(err, &no):
		return hinted(errors.New(no.Why), no.Hint)
	case errors.Is(err, contacts.ErrUnclear):
		return hinted(fmt.Errorf("it is not known whether it was done: %w", err), "run it again: it does it, or says that it is done")
	case errors.Is(err, contacts.ErrMoved):
		return hinted(errors.New("this has changed since it was shown: not done"), "look at the plan again")
	}
	return err
}
