package events_test

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"io/fs"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	samples "onefold/events"
)

// samplePaths is every sample on disk: what is there and not embedded would
// be used by nobody.
func samplePaths(t *testing.T) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(name, "/") {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%d samples: %v", len(names), err)
	}
	return names
}

func readme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// row is a line of README's tables: file, what it shows, tests.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\|$")

func TestReadmeListsEverySampleAndNothingElse(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(readme(t), -1) {
		if listed[m[1]] {
			t.Errorf("%s is listed twice", m[1])
		}
		listed[m[1]] = true
	}
	for _, name := range samplePaths(t) {
		if !listed[name] {
			t.Errorf("%s is not listed", name)
		}
		delete(listed, name)
		if _, err := fs.Stat(samples.Files(), name); err != nil {
			t.Errorf("%s is not embedded", name)
		}
	}
	for name := range listed {
		t.Errorf("%s is listed and is no file", name)
	}
}

func TestReadmeNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	files, err := fs.Glob(os.DirFS("."), "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	for _, m := range row.FindAllStringSubmatch(readme(t), -1) {
		if strings.TrimSpace(m[3]) == "" {
			t.Errorf("%s: no test", m[1])
		}
		for test := range strings.SplitSeq(m[3], ",") {
			if test = strings.Trim(test, " `"); !strings.Contains(source.String(), "func "+test+"(t *testing.T)") {
				t.Errorf("%s: there is no test %q", m[1], test)
			}
		}
	}
}

// countRow is a row of README's arithmetic; an empty cell is nothing.
var countRow = regexp.MustCompile(`(?m)^\| (?:\d+ )?\| ([^|]+) \|((?:[ *\d]*\|){9})$`)

func TestReadmeCountsAreThoseOfTheScript(t *testing.T) {
	t.Parallel()
	script := samples.Demo()
	rows := countRow.FindAllStringSubmatch(readme(t), -1)
	if len(rows) != len(script)+1 {
		t.Fatalf("%d rows, want one for each of %d steps and the sum", len(rows), len(script))
	}
	for i, m := range rows {
		want := samples.Wanted()
		if i < len(script) {
			want = script[i].Want
		}
		var have []int
		for cell := range strings.SplitSeq(strings.TrimSuffix(m[2], "|"), "|") {
			n, _ := strconv.Atoi(strings.Trim(cell, " *")) // an empty cell is 0
			have = append(have, n)
		}
		if list := []int{
			want.Deliveries, want.Events, want.Contacts, want.Enquiries, want.Intents, want.Mails, want.Reviews, want.Stopped, want.Operations.Total(),
		}; !slices.Equal(have, list) {
			t.Errorf("%s: README says %v, the script %v", m[1], have, list)
		}
	}
}

// malformed is what is meant to be unreadable.
func malformed() []string {
	return []string{"form/malformed-json.json", "form/invalid-utf8.json", "mail/hostile/not-mail.eml"}
}

func TestEverySampleParsesOrIsListedAsMalformed(t *testing.T) {
	t.Parallel()
	for _, name := range samplePaths(t) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ok := regexp.MustCompile(`(?m)^(?i:subject|message-id): `).Match(raw)
		if strings.HasSuffix(name, ".csv") {
			table := csv.NewReader(bytes.NewReader(raw))
			table.Comma = ';'
			_, err := table.ReadAll()
			ok = err == nil
		}
		if strings.HasSuffix(name, ".json") {
			body, isRequest := requestBody(t, raw)
			ok = json.Valid(raw) && (!isRequest || noJSON.MatchString(name) || json.Valid(body) && utf8.Valid(body))
		}
		if ok == slices.Contains(malformed(), name) {
			t.Errorf("%s: readable is %t, and the list of malformed samples says otherwise", name, ok)
		}
	}
}

// noJSON are the requests whose bodies are mail or forms.
var noJSON = regexp.MustCompile(`^(mail-api/|hooks/(own-form-|mailgun|sendgrid))`)

// requestBody is the body inside an HTTP API event.
func requestBody(t *testing.T, raw []byte) (body []byte, ok bool) {
	t.Helper()
	var r struct {
		RawPath, Body   string
		IsBase64Encoded bool
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.RawPath == "" {
		return nil, false
	}
	if !r.IsBase64Encoded {
		return []byte(r.Body), true
	}
	body, err := base64.StdEncoding.DecodeString(r.Body)
	if err != nil {
		t.Error(err)
	}
	return body, true
}

func TestMailHasTheLineEndsOfTheWire(t *testing.T) {
	t.Parallel()
	for _, name := range samplePaths(t) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".eml") && strings.Count(string(raw), "\n") != strings.Count(string(raw), "\r\n") {
			t.Errorf("%s has bare line feeds", name)
		}
	}
}

var (
	afterAt = regexp.MustCompile(`@([A-Za-z0-9.-]+)`)
	inURL   = regexp.MustCompile(`[a-z]+://([A-Za-z0-9.-]+)`)
	// realHost is a host name below a domain that somebody can own.
	realHost = regexp.MustCompile(`(?i)\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|co|de|fr|es|it|nl|eu|uk|us|ch|at|dev|app|cloud|info|biz|ai|me|xyz)\b`)
	ipv4     = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	reserved = regexp.MustCompile(`(?i)(?:^|\.)(?:example|test|invalid|example\.(?:com|net|org))\.?$`)
	// providers are names that a source takes alone: those of SNS and of Mailgun's
	// store.
	providers = regexp.MustCompile(`^(?:2F)?(?:sns\.eu-west-1\.amazonaws\.com|storage-europe-west1\.api\.mailgun\.net)$`)
	// telephone numbers that are set aside for fiction: 020 7946 0000 to 0999.
	phone = regexp.MustCompile(`\+\d[\d ()-]{8,}`)
)

// Of RFC 5737: the only addresses that samples may show.
func documentation() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24")}
}

func TestOnlyReservedNamesAppear(t *testing.T) {
	t.Parallel()
	for name, text := range texts(t) {
		var hosts []string
		for _, p := range []*regexp.Regexp{afterAt, inURL} {
			for _, m := range p.FindAllStringSubmatch(text, -1) {
				hosts = append(hosts, m[1])
			}
		}
		for _, host := range append(hosts, realHost.FindAllString(text, -1)...) {
			if providers.MatchString(host) && strings.HasPrefix(name, "hooks/") {
				continue
			}
			// By nothing but its sender is Gmail's question known.
			if host == "google.com" && strings.HasPrefix(name, "mail/forwarding-confirmation/") {
				continue
			}
			if !reserved.MatchString(strings.TrimRight(host, ".-")) {
				t.Errorf("%s: %s is no reserved domain", name, host)
			}
		}
		for _, ip := range ipv4.FindAllString(text, -1) {
			a, err := netip.ParseAddr(ip)
			if err != nil || !slices.ContainsFunc(documentation(), func(p netip.Prefix) bool { return p.Contains(a) }) {
				t.Errorf("%s: %s is no address for documentation", name, ip)
			}
		}
		for _, number := range phone.FindAllString(text, -1) {
			if !strings.HasPrefix(number, "+44 20 7946 0") {
				t.Errorf("%s: %s is no number set aside for fiction", name, number)
			}
		}
	}
}

// credential finds what secrets of the services that we meet look like.
var credential = regexp.MustCompile(`(?:AKIA|ASIA)[A-Z0-9]{16}|-----BEGIN [A-Z ]*PRIVATE KEY|whsec_[A-Za-z0-9+/=]+|\bpat-[a-z0-9]+-[0-9a-f-]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bsk[-_](?:live|test|proj)?[-_A-Za-z0-9]{20,}|(?i)\bbearer +[a-z0-9._-]{16,}`)

func TestNoSecretsAppearButThePublishedOnes(t *testing.T) {
	t.Parallel()
	for name, text := range texts(t) {
		for _, found := range credential.FindAllString(text, -1) {
			if found != samples.SecretForm && found != samples.SecretMail {
				t.Errorf("%s holds what looks like a secret", name)
			}
		}
	}
}

// texts is every file of this folder but its tests, and beside it what its
// base64 holds.
func texts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range append(samplePaths(t), "README.md", "events.go", "demo.go", "generate_test.go", "generate_hooks_test.go") {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(raw)
		if body, ok := requestBody(t, raw); ok && strings.HasSuffix(name, ".json") {
			out[name+" (body)"] = string(body)
		}
	}
	return out
}
