package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/operate/intake"
	"onefold/internal/operate/mailbox"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/versions"
)

type importCmd struct {
	Contacts string `arg:"" optional:"" name:"CONTACTS.csv"`
	Apply    bool
	Yes      bool
	CRM      bool   `name:"crm"`
	URL      string `name:"url" placeholder:"URL"`
	OptedOut string `name:"opted-out-column" placeholder:"C"`
	Tenant   string `default:"demo"`
	JSON     bool   `name:"json"`
}

func (c *importCmd) Run(e *env) error {
	switch {
	case c.CRM && c.Contacts != "":
		return usage("name a file or -crm, not both", "")
	case !c.CRM && c.Contacts == "":
		return usage("the argument CONTACTS.csv is missing", "-crm takes the contacts of the CRM")
	case c.CRM && c.OptedOut != "":
		return usage("-opted-out-column is a column of a file", "of the CRM its own opt-out is taken")
	case !c.CRM && c.URL != "":
		return usage("-url is where the CRM is: -crm is missing", "")
	case c.Contacts == "-" && c.Apply && !c.Yes:
		return usage("not asked: standard input holds the list", "use -yes")
	}
	if e.opened != nil {
		return c.run(e, e.opened)
	}
	if _, err := c.rows(e); err != nil {
		return err // before anything is opened, or sent to who has it open
	}
	opened, err := e.open()
	if errors.Is(err, ledger.ErrInUse) {
		return c.elsewhere(e)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.run(e, opened), opened.Close())
}

// rows are the entries of the file; nil of a CRM.
func (c *importCmd) rows(e *env) ([]intake.Entry, error) {
	if c.CRM {
		return nil, nil
	}
	file, err := e.read(c.Contacts)
	if err != nil {
		return nil, err
	}
	if e.files == nil {
		e.files = map[string][]byte{c.Contacts: file} // standard input is read once
	}
	var also []string
	if c.OptedOut != "" {
		also = []string{c.OptedOut}
	}
	list, err := mailbox.ReadContacts(file, also...)
	if err != nil {
		return nil, hinted(err, "the first line names the columns: email, name, company, phone, customer_id, id")
	}
	var out []intake.Entry
	for _, r := range list.Rows() {
		entry := intake.Entry{Row: r.Line, Emails: r.Emails, CustomerID: r.CustomerID, Name: r.Name, Company: r.Company, Phone: r.Phone}
		if c.OptedOut != "" {
			yes, known := map[string]bool{
				"yes": true, "y": true, "true": true, "1": true, "x": true, "": false, "no": false, "n": false, "false": false, "0": false,
			}[strings.ToLower(r.Also(c.OptedOut))]
			if !known {
				return nil, hinted(fmt.Errorf("row %d: the column of -opted-out-column says neither yes nor no", r.Line), "`onefold help import` shows what it may say")
			}
			entry.OptedOut = yes
		}
		out = append(out, entry)
	}
	return out, nil
}

// list is what is taken in.
func (c *importCmd) list(e *env, o *stage.Opened) (intake.List, int, error) {
	l := intake.List{Tenant: c.Tenant}
	if c.CRM {
		from, name, err := e.lister(o, c.Tenant, c.URL)
		if err != nil {
			return l, 0, err
		}
		l.CRM, l.Entries = name, intake.Records(e.ctx, from)
		return l, 0, nil
	}
	rows, err := c.rows(e)
	l.Entries = iter.Seq2[intake.Entry, error](func(yield func(intake.Entry, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	})
	return l, len(rows), err
}

// run shows what will happen, asks, and does it, on an open ledger.
func (c *importCmd) run(e *env, o *stage.Opened) error {
	l, of, err := c.list(e, o)
	if err != nil {
		return err
	}
	s := &intake.Service{Store: o.Store, Policies: o.Policies, IDs: o.IDs, Now: o.Policies.Now, By: operator()}
	l.Apply = c.Apply && c.Yes
	rep, err := c.pass(e, s, l, of)
	if err != nil || !c.Apply || c.Yes {
		return c.tell(e, e.stdout, rep, err)
	}
	w := e.stdout
	if c.JSON {
		w = e.stderr // stdout is for the result alone
	}
	_, _ = io.WriteString(w, plain(importText(e.where(), rep)))
	if err := c.ask(e, rep); err != nil {
		return err
	}
	l.Apply = true
	rep, err = c.pass(e, s, l, of)
	return c.tell(e, e.stdout, rep, err)
}

func (c *importCmd) ask(e *env, rep intake.Report) error {
	return e.ask(fmt.Sprintf("take in %d new contacts, %d links and %d opt-outs in %s?", rep.Made, rep.Linked, rep.Stopped, e.where()))
}

// pass goes through the list once, and says how far it is.
func (c *importCmd) pass(e *env, s *intake.Service, l intake.List, of int) (intake.Report, error) {
	var p pace
	p.start()
	l.Told = func(rep intake.Report) {
		if !p.due() {
			return
		}
		line := fmt.Sprintf("%d %s", rep.Entries, nounOf(l.CRM))
		if of > 0 {
			line = fmt.Sprintf("%d of %d rows", rep.Entries, of)
		}
		e.say("note", fmt.Sprintf("%s: %d new, %d linked, %d known, %d left out", line, rep.Made, rep.Linked, rep.Known, rep.LeftOut))
	}
	return s.Run(e.ctx, l)
}

// tell says what came of it, also where it ended before its time.
func (c *importCmd) tell(e *env, w io.Writer, rep intake.Report, err error) error {
	switch {
	case errors.Is(err, versions.ErrNone):
		return noPolicy(c.Tenant)
	case err != nil && rep.Entries == 0:
		return listFault(err)
	}
	if c.JSON {
		if err := e.printJSON(rep); err != nil {
			return err
		}
	} else {
		_, _ = io.WriteString(w, plain(importText(e.where(), rep)))
	}
	switch {
	case err == nil:
		return nil
	case e.ctx.Err() != nil:
		err = fmt.Errorf("interrupted after %d %s", rep.Entries, nounOf(rep.CRM))
	default:
		err = fmt.Errorf("ended after %d %s: %w", rep.Entries, nounOf(rep.CRM), err)
	}
	return hinted(err, "run the same command again: what is done is known, and it goes on with the rest")
}

// elsewhere has the process that holds the ledger do it. Who is asked sits here.
func (c *importCmd) elsewhere(e *env) error {
	args := func(flags ...string) []string {
		out := append([]string{"import", "-tenant=" + c.Tenant, fmt.Sprintf("-crm=%t", c.CRM), "-url=" + c.URL, "-opted-out-column=" + c.OptedOut}, flags...)
		if c.CRM {
			return out
		}
		return append(out, "--", c.Contacts)
	}
	var files []string
	if !c.CRM {
		files = []string{c.Contacts}
	}
	asJSON := fmt.Sprintf("-json=%t", c.JSON)
	if !c.Apply {
		return e.relay(args(asJSON), files, e.stdout)
	}
	if !c.Yes {
		w := e.stdout
		if c.JSON {
			w = e.stderr
		}
		if err := e.relay(args(), files, w); err != nil {
			return err
		}
		if err := e.ask("do this in " + e.where() + "?"); err != nil {
			return err
		}
	}
	return e.relay(args("-apply", "-yes", asJSON), files, e.stdout)
}
