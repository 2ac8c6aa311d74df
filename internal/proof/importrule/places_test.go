package importrule_test

import (
	"strings"
	"testing"

	"onefold/internal/proof/importrule"
)

func TestEachPlaceIsKept(t *testing.T) {
	t.Parallel()
	using := func(path, expression string) string {
		return "package p\n\nimport \"" + path + "\"\n\nvar _ = " + expression + "\n"
	}
	tests := []struct {
		place, file, text string
		ok                bool
	}{
		{"the clock", "internal/send/p.go", using("time", "time.Now()"), false},
		{"the clock", "internal/send/p.go", using("time", "time.Now"), false},
		{"the clock", "internal/send/p.go", using("time", "time.Since(x)"), false},
		{"the clock", "internal/send/p.go", "package p\n\nimport clock \"time\"\n\nvar _ = clock.Now()\n", false},
		{"the clock", "internal/send/p.go", "package p\n\nimport . \"time\"\n\nvar _ = Now()\n", false},
		{"the clock", "internal/send/p.go", using("time", "time.Second"), true},
		{"the clock", "internal/send/p.go", "package p\n\nvar _ = time.Now()\n", true}, // another time
		{"the clock", "internal/send/p_test.go", using("time", "time.Now()"), true},
		{"the clock", "internal/app/p.go", using("time", "time.Now()"), true},
		{"the environment", "internal/ledger/bolt/p.go", using("os", `os.Getenv("X")`), false},
		{"the environment", "internal/cmd/onefold/p.go", using("os", `os.Environ()`), false},
		{"the environment", "internal/app/p.go", using("os", `os.Getenv("X")`), true},
		{"the AWS SDK", "internal/crm/hubspot/p.go", importing("github.com/aws/aws-sdk-go-v2/aws"), false},
		{"the AWS SDK", "internal/ledger/dynamo/p.go", importing("github.com/aws/aws-sdk-go-v2/aws"), true},
		{"the Lambda library", "internal/app/p.go", importing("github.com/aws/aws-lambda-go/events"), false},
		{"the Lambda library", "internal/lambdaio/p.go", importing("github.com/aws/aws-lambda-go/events"), true},
		{"CDK", "internal/app/p.go", importing("github.com/aws/aws-cdk-go/awscdk/v2/awslambda"), false},
		{"CDK", "infra/p.go", importing("github.com/aws/aws-cdk-go/awscdk/v2/awslambda"), true},
		{"the embedded store", "internal/local/p.go", importing("go.etcd.io/bbolt"), false},
		{"the embedded store", "internal/ledger/bolt/p.go", importing("go.etcd.io/bbolt"), true},
		{"package testing", "internal/local/p.go", importing("testing"), false},
		{"package testing", "internal/crm/hubspottest/p.go", importing("testing"), false},
		{"package testing", "internal/crm/crmtest/p.go", importing("testing"), true},
	}
	refusals := map[string]int{}
	for _, test := range tests {
		got := strings.Join(faults(t, test.file, test.text), "\n")
		if test.ok && got != "" {
			t.Errorf("%s is allowed in %s, but: %s", test.place, test.file, got)
		}
		if !test.ok && !strings.Contains(got, test.place+" has no place here") {
			t.Errorf("%s in %s: found %q, want a fault\n%s", test.place, test.file, got, test.text)
		}
		if !test.ok {
			refusals[test.place]++
		}
	}
	for _, place := range importrule.Places() {
		if refusals[place.Name] == 0 {
			t.Errorf("no line shows that the place of %s is kept", place.Name)
		}
	}
}
