// Package roles compares the AWS calls that functions make with what their
// roles allow, both ways. Open it when a test says that a role does not allow a
// call, or that nothing uses a grant.
//
// Its invariant: a call is judged as IAM judges it, by action and resource, and
// a grant without a use needs a reason. Conditions of statements are not judged
// here: the tests of infra hold them.
package roles

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"onefold/internal/schema"
)

// Call is an AWS call as IAM sees it: who, which action, on what. It holds
// names only, never a key of an item, a value or a body.
type Call struct {
	Function string
	Action   string // as in a policy: "dynamodb:PutItem"
	Resource string // the end of its ARN, a key of a bucket cut after its first folder
}

// Grant is one action on one resource that a function's role allows.
type Grant struct {
	Function    schema.Function
	Action      string // may hold wildcards
	Resource    string // the end of the ARN, or "*"; may hold wildcards
	Conditional bool   // the statement has conditions
}

// Covers reports whether the grant is about that call.
func (g Grant) Covers(c Call) bool {
	return string(g.Function) == c.Function && fits(g.Action, c.Action) &&
		// A secret's ARN ends with a hyphen and six characters that its name
		// does not have (Secrets Manager User Guide, "Secret ARN").
		(g.Resource == "*" || fits(g.Resource, c.Resource) || fits(g.Resource, c.Resource+"-000000"))
}

// fits is IAM's match: * is any text, ? one character, case counts in
// resources only, and actions are written alike everywhere here.
func fits(pattern, text string) bool {
	// path.Match stops * at a slash; a character that is in no ARN stands in.
	plain := strings.NewReplacer("/", "\x00", "[", `\[`, "]", `\]`, `\`, `\\`)
	ok, err := path.Match(plain.Replace(pattern), strings.ReplaceAll(text, "/", "\x00"))
	return err == nil && ok
}

// Unused is a grant that no call of a test needs, and why the function has it
// nevertheless.
type Unused struct {
	Function schema.Function // "" is any
	Action   string          // "" is any
	Resource string          // a part of it
	Why      string
}

// Idle are the grants that no call needs.
func Idle(grants []Grant, made []Call) []Grant {
	return slices.DeleteFunc(slices.Clone(grants), func(g Grant) bool { return slices.ContainsFunc(made, g.Covers) })
}

// Excuse tells which idle grants have no reason, which reasons excuse nothing,
// and how many grants are excused.
func Excuse(idle []Grant, reasons []Unused) (faults []string, excused int) {
	needed := make([]bool, len(reasons))
	for _, g := range idle {
		at := slices.IndexFunc(reasons, func(u Unused) bool {
			return (u.Function == "" || u.Function == g.Function) && (u.Action == "" || u.Action == g.Action) && strings.Contains(g.Resource, u.Resource)
		})
		if at < 0 {
			faults = append(faults, fmt.Sprintf("%s: %s on %s is granted and was not used", g.Function, g.Action, g.Resource))
			continue
		}
		needed[at] = true
		excused++
	}
	for n, u := range reasons {
		if !needed[n] {
			faults = append(faults, fmt.Sprintf("the reason for %s %s on %q excuses nothing any more", u.Function, u.Action, u.Resource))
		}
	}
	return faults, excused
}
