package machine_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

//go:generate go test -count=1 -run TestThePageIsWhatTheTablesSay . -update

var update = flag.Bool("update", false, "write docs/state-machines.md instead of comparing it")

const page = "../../../docs/state-machines.md"

// section is one noun of the page, in the order in which an event passes them.
type section struct {
	table  *machine.Table
	source string // where the table stands
	about  string
}

func sections() []section {
	return []section{
		{inbound.Machine(), "internal/record/inbound", "An event is what one delivery ID brought in, however often."},
		{review.Machine(), "internal/record/review", "A review task is a question that only a person may answer."},
		{followup.IntentMachine(), "internal/record/followup", "An intent is the one follow-up that a rule allows for a cause."},
		{followup.AttemptMachine(), "internal/record/followup", "An attempt is one submission of an intent, written down before it is made. What arrives late is written to it too."},
		{outbox.Machine(), "internal/record/outbox", "An operation is one thing to do outside, written in the commit that decided it. It is also the timer of its intent."},
		{outbox.ConnectionMachine(), "internal/record/outbox", "A connection says whether the CRM of a tenant can be called. It has a row from its first fault on."},
		{claim.Machine(), "internal/record/claim", "An idempotency record says which worker has a row in hand, until when, and with what result. Its states are the row's `status`, beside the row's own `state`; on work that has no row it stands alone."},
		{contact.MigrationMachine(), "internal/record/contact", "A migration brings an identity rule into force: the keys under it first, then the rule."},
	}
}

// TestThePageIsWhatTheTablesSay: docs/state-machines.md is made from the tables
// and from nothing else; `go generate ./internal/record/machine` makes it anew.
func TestThePageIsWhatTheTablesSay(t *testing.T) {
	want := render()
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
		t.Errorf("%s is not what the tables say: go generate ./internal/record/machine", page)
	}
}

// TestThePageLeavesNothingOut: each noun, state and move of a table is found on
// the page by a reader who knows only the table.
func TestThePageLeavesNothingOut(t *testing.T) {
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, n := range nouns() {
		_, text, found := strings.Cut(string(got), "\n## "+heading(n.table)+"\n")
		if !found {
			t.Errorf("no section about the %s", heading(n.table))
			continue
		}
		shown[heading(n.table)] = true
		text, _, _ = strings.Cut(text, "\n## ")
		for _, s := range n.table.States {
			if !strings.Contains(text, "| "+word(s.Name)+" | "+s.Means) || !strings.Contains(text, s.Mover) || !strings.Contains(text, s.Crash) {
				t.Errorf("%s: the state %q is not shown whole", heading(n.table), s.Name)
			}
		}
		for _, m := range n.table.Moves {
			if !strings.Contains(text, "| `"+m.Event+"` | "+words(m.From)+" | "+word(m.To)+" | "+m.By+" |") {
				t.Errorf("%s: the move %s is not shown", heading(n.table), m.Event)
			}
		}
	}
	if len(shown) != len(sections()) {
		t.Errorf("%d nouns have a matrix, %d a section", len(shown), len(sections()))
	}
}

func render() string {
	var b strings.Builder
	b.WriteString(`# State machines

Made by ` + "`go generate ./internal/record/machine`" + ` from the tables in the code; to change this page, change a table. The same tables are what
` + "`ledger.Commit.Move`" + ` asks before it writes and what it conditions the write on: a row moves only from the state, and with the transition count, in
which it was read. Each move is committed with its audit record.

*Longest stay* is when somebody should look; a dash means that a person decides and nobody hurries him. *Ends* marks states that nothing follows.
`)
	for _, s := range sections() {
		fmt.Fprintf(&b, "\n## %s\n\n%s Table: `%s`. Begins in %s.\n\n", heading(s.table), s.about, s.source, words(s.table.Start))
		diagram(&b, s.table)
		b.WriteString("\n| state | means | does not mean | who moves it on | what a crash leaves here | longest stay | ends |\n|---|---|---|---|---|---|---|\n")
		for _, st := range s.table.States {
			ends := ""
			if st.Terminal {
				ends = "yes"
			}
			row(&b, word(st.Name), st.Means, dash(st.Not), dash(st.Mover), dash(st.Crash), stay(st), ends)
		}
		b.WriteString("\n| event | from | to | by whom |\n|---|---|---|---|\n")
		for _, m := range s.table.Moves {
			row(&b, "`"+m.Event+"`", words(m.From), word(m.To), m.By)
		}
	}
	return b.String()
}

// diagram draws the moves in Mermaid's language, one arrow for each pair of
// states with all events that take it.
func diagram(b *strings.Builder, m *machine.Table) {
	b.WriteString("```mermaid\nstateDiagram-v2\n")
	for _, s := range m.Start {
		fmt.Fprintf(b, "    [*] --> %s\n", node(s))
	}
	events := map[[2]string][]string{}
	var arrows [][2]string
	for _, mv := range m.Moves {
		for _, from := range mv.From {
			a := [2]string{from, mv.To}
			if events[a] == nil {
				arrows = append(arrows, a)
			}
			events[a] = append(events[a], mv.Event)
		}
	}
	for _, a := range arrows {
		fmt.Fprintf(b, "    %s --> %s: %s\n", node(a[0]), node(a[1]), strings.Join(events[a], ", "))
	}
	for _, s := range m.States {
		if s.Terminal {
			fmt.Fprintf(b, "    %s --> [*]\n", node(s.Name))
		}
	}
	b.WriteString("```\n")
}

func heading(m *machine.Table) string {
	s := strings.ReplaceAll(m.Noun, "_", " ")
	return strings.ToUpper(s[:1]) + s[1:]
}

// node is a state in a diagram, which has no empty words.
func node(state string) string {
	if state == "" {
		return "unclaimed"
	}
	return state
}

// word is a state in a text; the one without a word is stored as none.
func word(state string) string {
	if state == "" {
		return "*unclaimed* (no status)"
	}
	return "`" + state + "`"
}

func words(states []string) string {
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = word(s)
	}
	return strings.Join(out, ", ")
}

func stay(s machine.State) string {
	switch {
	case s.Dwell == 0:
		return "–"
	case s.Dwell%time.Hour == 0:
		return fmt.Sprintf("%d h", s.Dwell/time.Hour)
	}
	return fmt.Sprintf("%d min", s.Dwell/time.Minute)
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", "\\|") + " ")
	}
	b.WriteString("|\n")
}
