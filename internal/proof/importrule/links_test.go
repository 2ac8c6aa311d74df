package importrule_test

import (
	"debug/elf"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// heavy are the packages that weigh in a binary or at its start, by the name
// that the lists below call them.
var heavy = map[string]string{
	"github.com/coreos/go-oidc/v3/oidc.(*IDTokenVerifier).": "go-oidc",
	"github.com/nyaruka/phonenumbers.Parse":                 "phonenumbers",
	"github.com/santhosh-tekuri/jsonschema/v6.(*Compiler).": "jsonschema",
	"golang.org/x/net/html.(*Tokenizer).":                   "html",
	"html/template.(*Template).Execute":                     "html/template",
	"go.etcd.io/bbolt.":                                     "bbolt",
	"net/http/httptest.":                                    "httptest",
	"testing.(*T).":                                         "testing",
}

// client is a client of the AWS SDK.
var client = regexp.MustCompile(`^github\.com/aws/aws-sdk-go-v2/service/(\w+)\.\(\*Client\)\.`)

// credentials are the clients by which the SDK's own configuration may find
// credentials: every function has them.
func credentials() []string { return []string{"signin", "sso", "ssooidc", "sts"} }

// linked is what each function may link: SDK clients, and what is listed above. A line that grows says in the
// change that made it why. jsonschema is in all: package app knows every use
// case, and what jsonschema does when it is loaded reaches its compiler.
var linked = map[string][]string{
	"ingest":   {"dynamodb", "jsonschema", "s3", "secretsmanager"},
	"extract":  {"bedrockruntime", "dynamodb", "html", "jsonschema", "phonenumbers", "s3", "secretsmanager"},
	"crmsync":  {"dynamodb", "html", "jsonschema", "s3", "secretsmanager"},
	"send":     {"dynamodb", "jsonschema", "secretsmanager", "sesv2"},
	"feedback": {"dynamodb", "jsonschema", "secretsmanager"},
	"sweep":    {"dynamodb", "jsonschema"},
	// It decides on what has been read, so it compares telephone numbers.
	"console": {"dynamodb", "go-oidc", "html", "html/template", "jsonschema", "phonenumbers", "s3", "secretsmanager"},
	"optout":  {"dynamodb", "html/template", "jsonschema", "secretsmanager"},
}

// Binaries as they are deployed, but with their symbols. What a main cannot
// reach the linker leaves out, so a list of imports would say too much.
func TestAFunctionLinksOnlyWhatItUses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the eight functions: left out of short runs")
	}
	mains, err := filepath.Glob("../../../functions/*/main.go")
	if err != nil || len(mains) != len(linked) {
		t.Fatalf("%d functions, %d lists: %v", len(mains), len(linked), err)
	}
	for _, main := range mains {
		dir := filepath.Dir(main)
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := heavyIn(t, dir)
			if !slices.Equal(found, linked[name]) {
				t.Errorf("links %q, its list says %q", found, linked[name])
			}
		})
	}
}

func heavyIn(t *testing.T, dir string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-tags", "lambda.norpc", "-o", out, ".")
	build.Dir = dir
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, said)
	}
	file, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || initialiser.MatchString(s.Name) {
			continue
		}
		if m := client.FindStringSubmatch(s.Name); m != nil && !slices.Contains(credentials(), m[1]) {
			found[m[1]] = true
		}
		for prefix, name := range heavy {
			if strings.HasPrefix(s.Name, prefix) {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// initialiser is a package's own start, which stays where nothing else of it
// does.
var initialiser = regexp.MustCompile(`\.(init|map\.init)(\.\d+)*$`)
