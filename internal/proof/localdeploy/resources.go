package localdeploy

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
)

// Resources counts what was deployed, by type.
func (d *Deployment) Resources(ctx context.Context) (map[string]int, error) {
	pages := cloudformation.NewListStackResourcesPaginator(cloudformation.NewFromConfig(d.config()),
		&cloudformation.ListStackResourcesInput{StackName: aws.String(d.stackName())})
	counts := map[string]int{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the stack's resources: %w", err)
		}
		for _, r := range page.StackResourceSummaries {
			if !strings.HasSuffix(string(r.ResourceStatus), "_COMPLETE") {
				return nil, fmt.Errorf("%s is %s", aws.ToString(r.LogicalResourceId), r.ResourceStatus)
			}
			counts[aws.ToString(r.ResourceType)]++
		}
	}
	return counts, nil
}

// Absent is something of the real deployment that this one has not.
type Absent struct {
	What string
	Why  string
}

// LeftOut is all that this deployment lacks: what the app leaves out for the
// emulator, which it says itself, and what the emulator takes and does not do.
func (d *Deployment) LeftOut() ([]Absent, error) {
	said, err := saidLeftOut(d.folder("first") + "/" + d.stackName() + ".template.json")
	if err != nil {
		return nil, err
	}
	return append(said, ignored()...), nil
}

// leftOutKey is the key of the template's metadata under which the app says
// what it leaves out.
const leftOutKey = "onefold:left-out"

func saidLeftOut(template string) ([]Absent, error) {
	b, err := os.ReadFile(template)
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	var t struct {
		Metadata map[string]json.RawMessage
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	var out []Absent
	if err := json.Unmarshal(t.Metadata[leftOutKey], &out); err != nil {
		return nil, fmt.Errorf("the template does not say what it leaves out: %w", err)
	}
	return out, nil
}

// ignored is what the emulator's CloudFormation accepts without doing it, found
// by asking each service for what it then has.
func ignored() []Absent {
	return []Absent{
		{"point-in-time recovery, time to live and the customer-managed key of tables", "accepted and ignored; tables, indexes, streams and deletion protection are real"},
		{"encryption with the customer-managed key of buckets and secrets", "stored as it is; key policies and kms rights are not exercised"},
		{"retries, bisecting, parallel batches and partial batch answers of stream mappings", "accepted and ignored: a failed batch is repeated whole, a partial answer counts as success; internal/proof/streamreader proves the handlers under Lambda's rules"},
		{"alarms and dashboard", "kept as text; no metric is evaluated"},
		{"concurrency limits, memory limits and tracing", "functions are processes of this machine"},
	}
}
