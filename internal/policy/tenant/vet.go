package tenant

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// compileTemplate parses a template and vets that it holds nothing but text,
// fields, and conditions on them.
func compileTemplate(source string) (*template.Template, error) {
	t, err := template.New("template").Parse(source)
	if err != nil {
		return nil, errors.New(oneLine(strings.TrimPrefix(err.Error(), "template: "), maxValue))
	}
	if t.Tree == nil {
		return nil, errors.New("it is empty")
	}
	if len(t.Templates()) > 1 {
		return nil, errors.New("it may not define other templates")
	}
	return t, vet(t.Root, false)
}

const mayUse = "it may use .Name, .Company, .Subject, .Business and .PostalAddress, if, else, with, and, or, not, eq and ne"

func templateFields() []string {
	return []string{"Name", "Company", "Subject", "Business", "PostalAddress"}
}

// vet walks a template. inWith tells that the dot is a text rather than the
// data.
func vet(n parse.Node, inWith bool) error {
	switch n := n.(type) {
	case nil, *parse.TextNode, *parse.CommentNode:
		return nil
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		var all []error
		for _, child := range n.Nodes {
			all = append(all, vet(child, inWith))
		}
		return errors.Join(all...)
	case *parse.ActionNode:
		return vetPipe(n.Pipe, inWith)
	case *parse.IfNode:
		return errors.Join(vetPipe(n.Pipe, inWith), vet(n.List, inWith), vet(n.ElseList, inWith))
	case *parse.WithNode:
		return errors.Join(vetPipe(n.Pipe, inWith), vet(n.List, true), vet(n.ElseList, inWith))
	default:
		return fmt.Errorf("line %d: {{%s}} is not for it: %s", line(n), word(n), mayUse)
	}
}

func vetPipe(p *parse.PipeNode, inWith bool) error {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return fmt.Errorf("line %d: variables and | are not for it: %s", p.Line, mayUse)
	}
	args := p.Cmds[0].Args
	name, ok := args[0].(*parse.IdentifierNode)
	if !ok {
		if len(args) > 1 {
			return fmt.Errorf("line %d: a value takes no arguments: %s", p.Line, mayUse)
		}
		return vetValue(args[0], p.Line, inWith, true)
	}
	low, high, nested := 1, 10, true
	switch name.Ident {
	case "and", "or":
	case "not":
		high = 1
	case "eq":
		low, nested = 2, false // texts alone compare without an error
	case "ne":
		low, high, nested = 2, 2, false
	default:
		return fmt.Errorf("line %d: %s is not for it: %s", p.Line, name.Ident, mayUse)
	}
	if given := len(args) - 1; given < low || given > high {
		return fmt.Errorf("line %d: %s has the wrong number of arguments", p.Line, name.Ident)
	}
	for _, a := range args[1:] {
		if err := vetValue(a, p.Line, inWith, nested); err != nil {
			return err
		}
	}
	return nil
}

func vetValue(n parse.Node, at int, inWith, nested bool) error {
	var field string
	switch n := n.(type) {
	case *parse.StringNode:
		return nil
	case *parse.DotNode:
		if inWith {
			return nil
		}
		return fmt.Errorf("line %d: {{.}} stands for a value only inside with: %s", at, mayUse)
	case *parse.PipeNode:
		if nested {
			return vetPipe(n, inWith)
		}
	case *parse.FieldNode:
		if inWith {
			return fmt.Errorf("line %d: inside with a field is written $.%s", at, n.Ident[0])
		}
		if len(n.Ident) == 1 {
			field = n.Ident[0]
		}
	case *parse.VariableNode:
		if len(n.Ident) == 2 && n.Ident[0] == "$" {
			field = n.Ident[1]
		}
	}
	if !slices.Contains(templateFields(), field) {
		return fmt.Errorf("line %d: %s is not for it: %s", at, oneLine(n.String(), 60), mayUse)
	}
	return nil
}

func line(n parse.Node) int {
	switch n := n.(type) {
	case *parse.RangeNode:
		return n.Line
	case *parse.TemplateNode:
		return n.Line
	case *parse.BreakNode:
		return n.Line
	case *parse.ContinueNode:
		return n.Line
	}
	return 1
}

func word(n parse.Node) string {
	first, _, _ := strings.Cut(strings.Trim(n.String(), "{}"), " ")
	return oneLine(first, 20)
}
