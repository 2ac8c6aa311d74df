package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"onefold/events"
	"onefold/internal/policy/tenant"
)

const tenantID = "demo"

// scenarioFile is one txtar file of testdata: what happens, and what must come
// of it.
type scenarioFile struct {
	name   string
	about  string
	policy []string
	steps  []step
	faults plan
	want   map[string]int
	lines  map[string]string // address → its timeline
	mails  map[string][]byte

	depends bool
	version int
	counts  map[string]int // of the ledger, after the run
}

// step is one thing that happens: at a time, or "quiet" when nothing moves.
type step struct {
	at    time.Duration
	quiet bool
	verb  string
	words []string
	args  map[string]string
}

func scenarios() (map[string]scenarioFile, []string, error) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		return nil, nil, err
	}
	all := map[string]scenarioFile{}
	var names []string
	for _, path := range paths {
		f, err := readScenario(path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		all[f.name] = f
		names = append(names, f.name)
	}
	return all, names, nil
}

func readScenario(path string) (scenarioFile, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return scenarioFile{}, err
	}
	ar := txtar.Parse(raw)
	f := scenarioFile{
		name: strings.TrimSuffix(filepath.Base(path), ".txtar"), about: string(ar.Comment), version: 1,
		want: map[string]int{}, lines: map[string]string{}, mails: map[string][]byte{},
	}
	for _, part := range ar.Files {
		if err := f.part(part.Name, string(part.Data)); err != nil {
			return f, fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	return f, nil
}

func (f *scenarioFile) part(name, text string) (err error) {
	address, isTimeline := strings.CutPrefix(name, "timeline ")
	switch {
	case name == "policy":
		f.policy = linesOf(text)
	case name == "depends": // what comes of it depends on who comes first
		f.depends = true
	case name == "steps":
		for _, line := range linesOf(text) {
			s, err := parseStep(line)
			if err != nil {
				return err
			}
			f.steps = append(f.steps, s)
		}
	case name == "faults":
		f.faults, err = parsePlan(strings.Join(linesOf(text), ";"))
	case name == "want":
		for _, line := range linesOf(text) {
			noun, n, _ := strings.Cut(line, " ")
			if f.want[noun], err = strconv.Atoi(n); err != nil {
				return err
			}
		}
	case isTimeline:
		f.lines[address] = text
	case strings.HasSuffix(name, ".eml"):
		f.mails[name] = []byte(strings.ReplaceAll(text, "\n", "\r\n"))
	default:
		return fmt.Errorf("no such part")
	}
	return err
}

func linesOf(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// parseStep reads: when verb word… key=value… ("…" keeps spaces).
func parseStep(line string) (step, error) {
	var words []string
	var word strings.Builder
	quoted := false
	for _, r := range line + " " {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			if word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	if len(words) < 2 || quoted {
		return step{}, fmt.Errorf("step %q: want a time and a verb", line)
	}
	s := step{verb: words[1], args: map[string]string{}}
	if words[0] == "quiet" {
		s.quiet = true
	} else {
		d, err := time.ParseDuration(words[0])
		if err != nil {
			return s, err
		}
		s.at = d
	}
	for _, x := range words[2:] {
		if k, v, ok := strings.Cut(x, "="); ok && !strings.Contains(k, "/") {
			s.args[k] = v
		} else {
			s.words = append(s.words, x)
		}
	}
	return s, nil
}

// body is what a delivery carries.
func (f scenarioFile) body(s step) []byte {
	if s.verb == "form" {
		data := map[string]string{}
		for k, v := range s.args {
			if k != "times" && k != "id" {
				data[k] = v
			}
		}
		b, _ := json.Marshal(map[string]any{"type": "form.submitted", "data": data})
		return b
	}
	if raw, ok := f.mails[s.args["file"]]; ok {
		return raw
	}
	return events.Mail(s.args["file"])
}

// policyOf is the example policy in auto mode, made small since every claim
// reads it, with changes "key value" to its rule or to the whole.
func policyOf(version int, changes []string) []byte {
	var doc map[string]any
	_ = json.Unmarshal(tenant.Example(), &doc)
	rule := doc["rules"].([]any)[0].(map[string]any)
	doc["version"], doc["shared_addresses"], rule["mode"] = version, []any{"office@"}, "auto"
	rule["template"] = map[string]any{"version": 1, "subject": "Your enquiry", "text": "Hello {{.Name}},\n\nwe have your message.\n\n-- \n{{.Business}}\n{{.PostalAddress}}\n"}
	for _, line := range changes {
		key, value, _ := strings.Cut(line, " ")
		var v any = value
		if n, err := strconv.Atoi(value); err == nil {
			v = n
		}
		switch key {
		case "next", "rule":
			ruleChange(doc, key, value)
		case "crm":
			doc["crm"] = map[string]any{"kind": "", "task": false}
		case "customers":
			doc["customer_ids"] = map[string]any{"use": value}
			fields := doc["endpoints"].([]any)[0].(map[string]any)["fields"].(map[string]any)
			fields["customer_id"] = "/data/customer"
		case "fill":
			doc["contact_fields"] = map[string]any{"name": value, "company": value, "phone": value}
		default:
			rule[key] = v
		}
	}
	text, _ := json.Marshal(doc)
	return bytes.TrimSpace(text)
}
