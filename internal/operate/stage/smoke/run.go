package smoke

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"onefold/internal/operate/stage"
	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

// Options ask for what is not done without being asked for.
type Options struct {
	Webhook    string // TENANT/ENDPOINT, of content form, to which a delivery is sent
	Wrote      string // an address from which somebody has written to the inbound address
	Tenant     string // whose inbound address that was
	Conflict   bool   // make a table, let transactions meet on it, remove it
	MailRegion string // where mail is received; empty: the stage's
	SESRegion  string // where mail is sent; empty: the stage's
	// Wait is how long the webhook's event may take to be decided; Pause waits
	// between looks at it.
	Wait  time.Duration
	Pause func(context.Context, time.Duration)
	HTTP  *http.Client
}

// look is one run under way.
type look struct {
	Options
	cloud   *stage.Cloud
	opened  *stage.Opened
	outputs map[string]string // of the core and the mail stack
	mail    map[string]string
	noAWS   bool // an emulator answers for AWS
	running map[schema.Function]*lambda.GetFunctionConfigurationOutput
}

// Run looks at every item, in their order. A look that fails does not end the
// others; only the context's end does.
func Run(ctx context.Context, cloud *stage.Cloud, opened *stage.Opened, o Options) ([]Line, error) {
	l := &look{Options: o, cloud: cloud, opened: opened, running: map[schema.Function]*lambda.GetFunctionConfigurationOutput{}}
	if l.MailRegion == "" {
		l.MailRegion = cloud.Region
	}
	if l.SESRegion == "" {
		l.SESRegion = cloud.Region
	}
	l.noAWS = cloud.Endpoint != ""
	// Where a stack tells nothing, the items that need it say so.
	l.outputs = l.stackOutputs(ctx, cloud.Region, l.core())
	l.mail = l.stackOutputs(ctx, l.MailRegion, l.core()+"-mail")
	var lines []Line
	for _, i := range Items() {
		line := Line{ID: i.ID, Fact: i.Fact, Outcome: NotChecked, Found: i.How}
		if i.look != nil {
			line.Outcome, line.Found = i.look(ctx, l)
		}
		if ctx.Err() != nil {
			return lines, ctx.Err()
		}
		line.Found = strings.Join(strings.Fields(line.Found), " ")
		lines = append(lines, line)
	}
	return lines, nil
}

func (l *look) core() string { return strings.TrimSuffix(schema.Prefix(l.cloud.Stage), "-") }

// stackOutputs are what a stack tells; nothing where there is none.
func (l *look) stackOutputs(ctx context.Context, region, name string) map[string]string {
	client := cloudformation.NewFromConfig(l.cloud.Config, func(o *cloudformation.Options) { o.Region = region })
	out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(name)})
	if err != nil {
		return nil
	}
	found := map[string]string{}
	for _, s := range out.Stacks {
		for _, o := range s.Outputs {
			found[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
		}
	}
	return found
}

// function reads a function's configuration, once.
func (l *look) function(ctx context.Context, f schema.Function) (*lambda.GetFunctionConfigurationOutput, error) {
	if have := l.running[f]; have != nil {
		return have, nil
	}
	name := schema.FunctionName(l.cloud.Stage, f)
	out, err := lambda.NewFromConfig(l.cloud.Config).GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: aws.String(name)})
	if err != nil {
		return nil, err
	}
	l.running[f] = out
	return out, nil
}

// absent tells an answer, that there is no such function, from a fault.
func absent(err error) bool {
	var none *lambdatypes.ResourceNotFoundException
	return errors.As(err, &none)
}

// said is an error in few words: AWS's own code where there is one.
func said(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return "AWS refused with " + api.ErrorCode()
	}
	return err.Error()
}
