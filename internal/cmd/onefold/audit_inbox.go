package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"onefold/internal/address"
	"onefold/internal/app"
	"onefold/internal/operate/mailbox"
	"onefold/internal/operate/mailbox/report"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
)

type auditInboxCmd struct {
	File     string `arg:"" name:"FILE.mbox"`
	Contacts string `placeholder:"FILE"`
	Policy   string `placeholder:"FILE"`
	Own      string `placeholder:"LIST"`
	HTML     string `name:"html" placeholder:"FILE"`
	Force    bool
	JSON     bool `name:"json"`
}

func (c *auditInboxCmd) Run(e *env) error {
	o, err := c.options(e)
	if err != nil {
		return err
	}
	if err := c.mayWrite(); err != nil {
		return err
	}
	if o.Own.How == "" {
		if o.Own, err = c.guess(e); err != nil {
			return err
		}
		o.Policy.OwnAddresses = o.Own.Addresses
	}
	r, err := c.audit(e, o)
	if err != nil {
		return err
	}
	if m := r.Mailbox; m.Messages > 0 && m.Kinds[string(rawmail.Unparseable)] == m.Messages {
		return hinted(fmt.Errorf("%s holds no mail", c.named()), "it takes an mbox file; docs/audit-inbox.md tells how to export one. Unpack an archive, convert a .pst")
	}
	if c.HTML != "" {
		if err := c.write(r); err != nil {
			return err
		}
		e.say("note", "the page is in "+c.HTML)
	}
	if c.JSON {
		return e.printJSON(r)
	}
	e.printf("%s", plain(report.Text(r)))
	return nil
}

// named is how messages call the mailbox.
func (c *auditInboxCmd) named() string {
	if c.File == "-" {
		return "standard input"
	}
	return c.File
}

// readOnce tells of a mailbox that cannot be looked through first for whose it
// is: a second reading would find nothing.
func (c *auditInboxCmd) readOnce() bool {
	info, err := os.Stat(c.File)
	return c.File == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// options are what the flags and their files say. Without -policy and -own the
// own addresses are still to be guessed.
func (c *auditInboxCmd) options(e *env) (o mailbox.Options, err error) {
	if c.Force && c.HTML == "" {
		return o, usage("-force is about -html, which is missing", "")
	}
	own, err := ownList(c.Own)
	if err != nil {
		return o, err
	}
	if o.Policy, err = e.policyFrom(c.Policy); err != nil {
		return o, err
	}
	if o.Reader, err = readerNamed("rules"); err != nil {
		return o, err
	}
	switch {
	case c.Policy != "" && len(own) > 0:
		o.Own = mailbox.Own{How: mailbox.ByPolicyAndFlag, Addresses: append(o.Policy.OwnAddresses, own...)}
	case c.Policy != "":
		o.Own = mailbox.Own{How: mailbox.ByPolicy, Addresses: o.Policy.OwnAddresses}
	case len(own) > 0:
		o.Own = mailbox.Own{How: mailbox.ByFlag, Addresses: own}
	case c.readOnce():
		return o, usage("a mailbox from standard input or a pipe is read once, and yours is not known", "name your addresses with -own or -policy")
	}
	o.Policy.OwnAddresses = o.Own.Addresses
	if c.Contacts != "" {
		file, err := e.read(c.Contacts)
		if err != nil {
			return o, err
		}
		if o.Contacts, err = mailbox.ReadContacts(file); err != nil {
			return o, hinted(fmt.Errorf("%s: %w", c.Contacts, err), "`onefold help audit-inbox` names the columns")
		}
	}
	o.Workers, o.Now = runtime.NumCPU(), app.Clock()
	return o, nil
}

// ownList takes apart what -own says.
func ownList(list string) ([]string, error) {
	var own []string
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		whole := word
		if strings.HasPrefix(word, "@") {
			whole = "x" + word
		}
		if _, err := address.Parse(whole); err != nil || !(tenant.Policy{OwnAddresses: []string{word}}).IsOwn(whole) {
			return nil, usage("-own has a word that is neither an address nor a @domain", "as in -own sales@fernweh.example,@fernweh.example")
		}
		own = append(own, word)
	}
	return own, nil
}

// guess looks through the mailbox once for whose it is.
func (c *auditInboxCmd) guess(e *env) (mailbox.Own, error) {
	f, err := os.Open(c.File)
	if err != nil {
		return mailbox.Own{}, err
	}
	defer func() { _ = f.Close() }()
	return mailbox.GuessOwn(e.ctx, f)
}

func (c *auditInboxCmd) audit(e *env, o mailbox.Options) (mailbox.Report, error) {
	from := e.stdin
	var size int64
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return mailbox.Report{}, err
		}
		defer func() { _ = f.Close() }()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		from = f
	}
	p := &progress{e: e, from: from, size: size}
	o.Progress = p.tell
	p.start()
	return unlessEnded(e.ctx, func() (mailbox.Report, error) { return mailbox.Run(e.ctx, p, o) })
}

// mayWrite finds out before the work whether the page may be written: never over
// what is read, and over another file only with -force.
func (c *auditInboxCmd) mayWrite() error {
	if c.HTML == "" {
		return nil
	}
	there, err := os.Stat(c.HTML)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range []string{c.File, c.Contacts, c.Policy} {
		if read, err := os.Stat(name); err == nil && os.SameFile(read, there) {
			return usage("-html names a file that is to be read", "")
		}
	}
	if !c.Force {
		return hinted(fmt.Errorf("%s is there already", c.HTML), "name another file, or use -force")
	}
	return nil
}

// write makes the page, readable by its owner alone.
func (c *auditInboxCmd) write(r mailbox.Report) error {
	var page bytes.Buffer
	if err := report.HTML(&page, r); err != nil {
		return err
	}
	how := os.O_EXCL
	if c.Force {
		how = os.O_TRUNC
	}
	f, err := os.OpenFile(c.HTML, os.O_WRONLY|os.O_CREATE|how, 0o600)
	if err != nil {
		return err
	}
	// One that was there keeps its mode, which may let others read it.
	if info, statErr := f.Stat(); statErr != nil || info.Mode().IsRegular() {
		err = errors.Join(statErr, f.Chmod(0o600))
	}
	if err == nil {
		_, err = io.Copy(f, &page)
	}
	return errors.Join(err, f.Close())
}
