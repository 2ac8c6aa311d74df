package sources_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/sources"
)

//go:generate go test -count=1 -run TestThePageIsWhatTheSourcesSay . -update

var update = flag.Bool("update", false, "write docs/sources.md instead of comparing it")

const page = "../../../docs/sources.md"

// TestThePageIsWhatTheSourcesSay: docs/sources.md is made from what the sources
// say of themselves; `go generate ./internal/webhook/sources` makes it anew.
func TestThePageIsWhatTheSourcesSay(t *testing.T) {
	all, err := sources.All()
	if err != nil {
		t.Fatal(err)
	}
	want := render(all)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the sources say: go generate ./internal/webhook/sources", page)
	}
}

func render(all []webhook.Source) string {
	var b strings.Builder
	b.WriteString(`# Sources

What can be plugged in, by the word that an endpoint's "scheme" has in the policy. Made by
` + "`go generate ./internal/webhook/sources`" + `; how to add one: [add-a-source.md](add-a-source.md).

Mail that Amazon SES receives has no address in the HTTP API and is not in the table: it comes by a
queue, see [receive-by-ses.md](receive-by-ses.md).

| source | scheme | carries | an event's ID | what proves the sender | replay window | body | limits |
|---|---|---|---|---|---|---|---|
`)
	for _, s := range all {
		a := s.About()
		cell(&b, a.Name, "`"+a.Scheme+"`", strings.Join(a.Contents, ", "), a.ID, a.Auth, window(a), size(a.MaxBody), a.Limits)
	}
	b.WriteString(`
## Status codes

A wrong code disconnects a source for good, so each has a table of its own. *Last* are the codes after
which the sender gives up an event or the endpoint. A path that names no endpoint of a tenant is
answered ` + strconv.Itoa(webhook.UnknownEndpoint) + ` whoever calls, since whose sender it is cannot be known; a tenant that is not there, 404.

| scheme | recorded | duplicate | conflict | not proved | other media type | malformed | too large | our fault | *last* |
|---|---|---|---|---|---|---|---|---|---|
`)
	for _, s := range all {
		a := s.About()
		c := a.Answers
		cell(&b, "`"+a.Scheme+"`", code(c.Recorded), code(c.Duplicate), code(c.Conflict), code(c.Unauthenticated), code(c.Kind), code(c.Malformed), code(c.TooLarge), code(c.Fault), codes(a.Final))
	}
	b.WriteString(`
Of a payload with several events each is recorded by itself. If one could not be recorded, the answer
is *our fault*: the sender repeats the whole, and what was recorded is a duplicate. If a part cannot be
read, it is *malformed*, and the others are recorded. Else it is *recorded*: conflicts among them have been
put before a person.

## Who says so

What each source says of who sent a mail, and why the sender cannot have written that. SPF and DKIM corroborate
only where the domain that passed is of the same organisation as the one in ` + "`From`" + ` (RFC 7489, section 3.1): anybody
can have a domain that passes. A failure that counts (` + "`mail.unauthenticated`" + `) is one of DMARC. Where the source says
nothing of DMARC, a server before it can: [policy.md](policy.md#who-says-so). All was read in 2026-12 at the
addresses below.

| scheme | what it says |
|---|---|
`)
	for _, s := range all {
		if a := s.About(); slices.Contains(a.Contents, webhook.ContentMail) {
			says := a.Checks
			if says == "" {
				says = "nothing"
			}
			cell(&b, "`"+a.Scheme+"`", says)
		}
	}
	b.WriteString(`
## Where the facts are from

`)
	for _, s := range all {
		a := s.About()
		fmt.Fprintf(&b, "- **%s** (`%s`): %s\n", a.Name, a.Scheme, facts(a))
		for _, u := range a.Unverified {
			fmt.Fprintf(&b, "  - not verified: %s\n", u)
		}
	}
	return b.String()
}

func cell(b *strings.Builder, cells ...string) {
	for i := range cells {
		if cells[i] == "" {
			cells[i] = "–"
		}
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func window(a webhook.About) string {
	text := "none"
	if a.Past > 0 {
		text = minutes(a.Past)
	}
	if a.Replay != "" {
		text += "; " + a.Replay
	}
	return text
}

func minutes(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

func size(n int) string {
	if n%(1<<20) == 0 {
		return strconv.Itoa(n>>20) + " MiB"
	}
	return strconv.Itoa(n>>10) + " KiB"
}

func code(n int) string { return strconv.Itoa(n) }

func codes(all []int) string {
	var out []string
	for _, c := range all {
		out = append(out, code(c))
	}
	return strings.Join(out, ", ")
}

func facts(a webhook.About) string {
	if len(a.Facts) == 0 {
		return "the policy says all of it"
	}
	return strings.Join(a.Facts, ", ")
}
