package main

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// texts explain each command, in a file of its name; {contact_flags} stands for
// what several share.
//
//go:embed help/*.txt
var texts embed.FS

const rootHelp = `onefold turns inbound mail and webhooks into contacts and follow-ups.

usage:
  onefold COMMAND [flags] [arguments]

commands:
%s
Flags may be written -flag VALUE, -flag=VALUE or with two dashes, before or
after the arguments. These go with every command:

  -data FOLDER   the data folder (default .onefold)
  -h             help for the command

Those that operators need work on a deployed stage too, with the credentials
that AWS's own tools would use:

  -stage NAME    a deployed stage instead of the data folder
  -region R      its region (default: that of the AWS configuration)
  -endpoint URL  an emulator of AWS on this machine

Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed,
2 wrong usage, 3 an invariant is violated.

examples:
  onefold demo
  onefold inspect mail.eml
  onefold help policy apply
`

const groupHelp = `usage:
  onefold %s COMMAND [flags] [arguments]

commands:
%s
Help for one of them: onefold help %s COMMAND
`

type helpCmd struct {
	Command []string `arg:"" optional:""`
}

func (c *helpCmd) Run(e *env) error {
	if len(c.Command) == 1 && c.Command[0] == "all" {
		return printAll(e.stdout, e.model)
	}
	return printHelp(e.stdout, e.model, c.Command)
}

// printHelp explains the command that the words name.
func printHelp(w io.Writer, model *kong.Application, words []string) error {
	node := model.Node
	for _, word := range words {
		next := child(node, word)
		if next == nil {
			return usage(fmt.Sprintf("there is no command %q", strings.Join(words, " ")), "`onefold help` lists them")
		}
		node = next
	}
	_, err := io.WriteString(w, helpOf(node, strings.Join(words, " ")))
	return err
}

// printAll explains every command, for the documentation.
func printAll(w io.Writer, model *kong.Application) error {
	if err := printHelp(w, model, nil); err != nil {
		return err
	}
	for _, leaf := range model.Leaves(true) {
		path := strings.TrimPrefix(leaf.Path(), "onefold ")
		if _, err := fmt.Fprintf(w, "\n## onefold %s\n\n%s", path, helpOf(leaf, path)); err != nil {
			return err
		}
	}
	return nil
}

func helpOf(node *kong.Node, path string) string {
	switch {
	case node.Type == kong.ApplicationNode:
		return fmt.Sprintf(rootHelp, listed(node, ""))
	case !node.Leaf():
		return fmt.Sprintf(groupHelp, path, listed(node, path+" "), path)
	}
	text, err := texts.ReadFile(helpFile(node))
	if err != nil {
		return fmt.Sprintf("usage:\n  onefold %s\n\n%s\n", path, node.Help)
	}
	flags, _ := texts.ReadFile("help/contact_flags.txt")
	return strings.ReplaceAll(string(text), "{contact_flags}\n", string(flags)+"\n")
}

// helpFile is the text that explains a command.
func helpFile(leaf *kong.Node) string {
	return "help/" + strings.ReplaceAll(strings.TrimPrefix(leaf.Path(), "onefold "), " ", "_") + ".txt"
}

// listed is one line for each command below a node.
func listed(node *kong.Node, path string) string {
	var b strings.Builder
	for _, c := range node.Children {
		switch {
		case c.Hidden:
		case c.Leaf():
			fmt.Fprintf(&b, "  %-16s %s\n", path+c.Name, c.Help)
		default:
			b.WriteString(listed(c, path+c.Name+" "))
		}
	}
	return b.String()
}
