package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"onefold/internal/operate/stage"
)

// grammar is every command and flag. Kong reads it; the words that people see
// are each command's Help.
type grammar struct {
	Data     string `default:".onefold" placeholder:"FOLDER" help:"the data folder"`
	Stage    string `placeholder:"NAME" help:"a deployed stage instead of the data folder"`
	Region   string `placeholder:"REGION" help:"the stage's region"`
	Endpoint string `placeholder:"URL" help:"an emulator of AWS on this machine"`
	// Shown is set by a command that has itself carried out elsewhere: how the
	// folder is called there.
	Shown string `name:"shown-folder" hidden:""`

	Dev     devCmd        `cmd:"" help:"run the whole system in one process, on this machine"`
	Demo    demoCmd       `cmd:"" help:"send the samples through a temporary system and check every invariant"`
	Inspect inspectCmd    `cmd:"" help:"read one mail and say what would be decided, writing nothing"`
	Match   matchCmd      `cmd:"" help:"match contact records in order, keeping nothing"`
	Eval    evalCmd       `cmd:"" help:"score who reads the text on labelled mails, or calibrate it"`
	Audit   auditInboxCmd `cmd:"" name:"audit-inbox" help:"look through a mailbox before anything is deployed"`
	Explain explainCmd    `cmd:"" help:"tell why a person got a follow-up, two, or none"`
	Verify  verifyCmd     `cmd:"" help:"check every invariant over the whole ledger"`
	Policy  struct {
		Validate policyValidateCmd `cmd:"" help:"check a policy document"`
		Diff     policyDiffCmd     `cmd:"" help:"compare a policy document with the one in force"`
		Apply    policyApplyCmd    `cmd:"" help:"put a policy document in force"`
		Show     policyShowCmd     `cmd:"" help:"print a policy that was applied"`
		Migrate  policyMigrateCmd  `cmd:"" help:"make the next identity rule ready to come into force"`
	} `cmd:"" help:"check, compare, apply and show policies"`
	Secret struct {
		Set    secretSetCmd    `cmd:"" help:"set a webhook secret or a CRM token"`
		Revoke secretRevokeCmd `cmd:"" help:"end the secret that was replaced"`
		List   secretListCmd   `cmd:"" help:"list secrets, without their values"`
	} `cmd:"" help:"set and list secrets"`
	Contact struct {
		Show    contactShowCmd    `cmd:"" help:"tell what is known of a contact"`
		Merge   contactMergeCmd   `cmd:"" help:"make one person of two contacts"`
		Split   contactSplitCmd   `cmd:"" help:"take a merge back"`
		Alias   contactAliasCmd   `cmd:"" help:"give a contact one more address"`
		Address contactAddressCmd `cmd:"" help:"give a contact another main address"`
	} `cmd:"" help:"show contacts, and say who is who"`
	CRM struct {
		Setup crmSetupCmd `cmd:"" help:"make what Onefold needs in a tenant's CRM account"`
		Check crmCheckCmd `cmd:"" help:"compare a tenant's CRM with what is known here"`
	} `cmd:"" name:"crm" help:"set up and compare a tenant's CRM account"`
	Import  importCmd  `cmd:"" help:"take in the contacts of a CSV file or of the CRM"`
	Doctor  doctorCmd  `cmd:"" help:"look at an account before a stage is deployed to it"`
	Smoke   smokeCmd   `cmd:"" help:"verify on a deployed stage what needs an AWS account"`
	Version versionCmd `cmd:"" help:"print the version of this program"`
	Help    helpCmd    `cmd:"" help:"explain a command"`
}

// Main runs one command line and returns its exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(&env{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}, args)
}

// run parses and carries out. What e has already, such as an open ledger, is
// kept.
func run(e *env, args []string) int {
	return e.report(carryOut(e, args))
}

func carryOut(e *env, args []string) error {
	var g grammar
	parser, err := kong.New(&g, kong.Name("onefold"), kong.NoDefaultHelp(),
		kong.Writers(e.stderr, e.stderr), kong.Exit(func(int) {}))
	if err != nil {
		return err
	}
	e.args, e.model = args, parser.Model
	words := longFlags(args)
	if asksHelp(words) {
		return printHelp(e.stdout, parser.Model, commandWords(parser.Model, words))
	}
	if len(args) == 0 {
		return usage("no command given", "`onefold help` lists them")
	}
	chosen, err := parser.Parse(words)
	if err != nil {
		return parseFault(err, commandWords(parser.Model, words))
	}
	e.data, e.shown = g.Data, g.Data
	if g.Shown != "" {
		e.shown = g.Shown
	}
	if e.place, err = g.place(chosen.Command(), e.opened != nil); err != nil {
		return err
	}
	if e.opened != nil && !onLedger(chosen.Command()) {
		return usage("this command is not for a running process", "")
	}
	return chosen.Run(e)
}

// place is the stage that the flags name; none means the data folder.
func (g *grammar) place(command string, served bool) (stage.Place, error) {
	switch {
	case g.Stage == "" && (g.Region != "" || g.Endpoint != ""):
		return stage.Place{}, usage("-region and -endpoint say where a stage is: -stage is missing", "")
	case g.Stage != "" && (served || !onStage(command)):
		return stage.Place{}, usage("this command does not work on a deployed stage", "leave out -stage")
	}
	return stage.Place{Stage: g.Stage, Region: g.Region, Endpoint: g.Endpoint}, nil
}

// onStage tells the commands that work on a deployed stage.
func onStage(command string) bool {
	return onLedger(command) || named(command, "policy validate", "doctor", "smoke", "crm setup")
}

// onLedger tells the commands that the holder of a ledger carries out for
// others.
func onLedger(command string) bool {
	return named(command, "explain", "verify", "policy diff", "policy apply", "policy show", "policy migrate", "secret set", "secret revoke", "secret list",
		"contact show", "contact merge", "contact split", "contact alias", "contact address", "import", "crm check")
}

// named tells whether a command is one of these, whatever its arguments.
func named(command string, commands ...string) bool {
	for _, c := range commands {
		if command == c || strings.HasPrefix(command, c+" ") {
			return true
		}
	}
	return false
}

// parseFault says what kong found, in our spelling of flags.
func parseFault(err error, words []string) error {
	var fault *kong.ParseError
	if !errors.As(err, &fault) {
		return err
	}
	hint := "`onefold help` lists the commands"
	if len(words) > 0 {
		hint = "see `onefold help " + strings.Join(words, " ") + "`"
	}
	return usage(shortFlags(fault.Error()), hint)
}
