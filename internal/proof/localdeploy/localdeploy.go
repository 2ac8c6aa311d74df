package localdeploy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"onefold/internal/blob"
	"onefold/internal/blob/s3"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/mailer/sestest"
	"onefold/internal/proof/localaws"
	"onefold/internal/schema"
)

// Stage is the stage that is deployed here.
const Stage = "local"

const (
	// account is the emulator's own.
	account = "000000000000"
	// secretKey is what the emulator takes for the account's secret. It guards
	// nothing.
	secretKey = "test"
)

// Options say what is deployed. Only Root is needed.
type Options struct {
	Root string // of the project
	// Say is told each step, and each line of the CDK; nil: nobody is.
	Say func(Progress)
	// HoldFor is how long the stand-in of SES holds a connection that it will
	// not answer; 0 is its default.
	HoldFor time.Duration
}

// Progress is a step, or a line of one under way.
type Progress struct {
	Step string
	Line string
}

// Deployment is a deployed system. Everything but Close may be used at once.
type Deployment struct {
	Stage   string
	URL     string // of the HTTP API
	MailURL string // of the stand-in of SES: a page of the sent mail
	CRMURL  string // of the stand-in of HubSpot

	Store ledger.Store // as a person with rights to everything
	Blob  blob.Store
	IDs   digest.Key
	SES   *sestest.Server
	CRM   *hubspottest.Server
	// Seeded is the sample tenant with the secrets of its endpoints.
	Seeded Seeded

	opts    Options
	out     string // folder of the synthesized app
	gate    *gate
	front   *front
	fakes   *fakes
	stack   *localaws.Stack
	cdk     *cdk
	http    *http.Client
	lambda  *lambda.Client
	outputs map[string]string
}

// Start starts the emulator and the stand-ins, deploys the core stack and
// seeds the sample tenant. With an error nothing is left running. ErrNotBuilt
// and localaws.ErrNotInstalled name the command that helps.
func Start(ctx context.Context, opts Options) (_ *Deployment, err error) {
	d := &Deployment{Stage: Stage, opts: opts, http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	if d.opts.Say == nil {
		d.opts.Say = func(Progress) {}
	}
	defer func() {
		if err != nil {
			d.Close(context.WithoutCancel(ctx))
		}
	}()
	if d.opts.Root, err = filepath.Abs(opts.Root); err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	if d.out, err = os.MkdirTemp("", "onefold-deploy-"); err != nil {
		return nil, fmt.Errorf("make a folder for the templates: %w", err)
	}
	if err := d.emulate(ctx); err != nil {
		return nil, err
	}
	if err := d.deploy(ctx); err != nil {
		return nil, err
	}
	if err := d.connect(ctx); err != nil {
		return nil, err
	}
	d.step("seed the sample tenant")
	return d, d.seed(ctx)
}

func (d *Deployment) step(format string, args ...any) {
	d.opts.Say(Progress{Step: fmt.Sprintf(format, args...)})
}

// emulate starts what stands in for AWS, SES and HubSpot.
func (d *Deployment) emulate(ctx context.Context) (err error) {
	if d.gate, err = openGate(); err != nil {
		return err
	}
	if d.front, err = openFront(); err != nil {
		return err
	}
	//nolint:contextcheck // the stand-ins live until Close
	if d.fakes, err = startFakes(d.Stage, d.opts.HoldFor, d.gate, d.publish); err != nil {
		return err
	}
	d.URL, d.MailURL, d.CRMURL, d.SES, d.CRM = d.front.url, d.fakes.sesURL, d.fakes.crmURL, d.fakes.ses, d.fakes.crm
	say := func(line string) { d.opts.Say(Progress{Line: line}) }
	if d.cdk, err = newCDK(d.opts.Root, d.Stage, d.gate.url, account, say); err != nil {
		return err
	}
	d.cdk.context["mailDomain"], d.cdk.context["probeFrom"] = "demo.example", "probe@demo.example"
	d.cdk.context["endpoints"] = fmt.Sprintf(`{"public":%q}`, d.front.url)
	d.step("start the emulator of AWS")
	d.stack, err = localaws.Start(ctx, localaws.Options{Root: d.opts.Root, Env: []string{
		// Roles are enforced: a function may do what its role says.
		"AUTH=true",
		// Functions inherit the emulator's environment.
		"AWS_ENDPOINT_URL=" + d.gate.url,
		"AWS_ENDPOINT_URL_SESV2=" + d.fakes.sesURL,
		schema.EnvHubSpotURL + "=" + d.fakes.crmURL,
		"HTTPS_PROXY=" + d.gate.url, "NO_PROXY=127.0.0.1,localhost",
	}})
	if err != nil {
		return err
	}
	return d.gate.lead(d.stack.Endpoint())
}

// deploy bootstraps the account and deploys the core stack, as an operator
// would.
func (d *Deployment) deploy(ctx context.Context) error {
	d.step("cdk bootstrap")
	if err := d.cdk.bootstrap(ctx); err != nil {
		return err
	}
	d.step("cdk synth")
	if err := d.cdk.synth(ctx, d.folder("first")); err != nil {
		return err
	}
	d.step("cdk deploy %s", d.stackName())
	_, err := d.cdk.deploy(ctx, d.folder("first"), d.stackName())
	return err
}

func (d *Deployment) folder(name string) string { return filepath.Join(d.out, name) }

// stackName is the core stack's.
func (d *Deployment) stackName() string { return "onefold-" + d.Stage }

// config is of a person with rights to everything.
func (d *Deployment) config() aws.Config {
	config := d.stack.Config(account)
	config.BaseEndpoint = aws.String(d.gate.url)
	config.Credentials = rootCredentials()
	return config
}

// connect makes the clients of what has been deployed.
func (d *Deployment) connect(ctx context.Context) error {
	d.lambda = lambda.NewFromConfig(d.config())
	out, err := cloudformation.NewFromConfig(d.config()).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(d.stackName())})
	if err != nil {
		return fmt.Errorf("read the stack's outputs: %w", err)
	}
	d.outputs = map[string]string{}
	for _, s := range out.Stacks {
		for _, o := range s.Outputs {
			d.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
		}
	}
	if err := d.front.lead(d.stack.Endpoint(), d.outputs["ApiId"]); err != nil {
		return err
	}
	d.Store = dynamo.New(dynamodb.NewFromConfig(d.config()), dynamo.Options{Prefix: schema.Prefix(d.Stage)})
	d.Blob = s3.New(d.buckets(), schema.RawBucket(d.Stage, account, localaws.Region))
	return d.standInForMailStack(ctx)
}

// EmulatorURL is where every emulated service answers; requests there pass the
// gate.
func (d *Deployment) EmulatorURL() string { return d.gate.url }

// Credentials are the emulator's for everything in its account. They guard
// nothing.
func (d *Deployment) Credentials() (accessKey, secret string) { return account, secretKey }

// Close ends everything in order: no new deliveries, the stand-ins, the
// emulator with the functions, the folder. The emulator keeps nothing.
func (d *Deployment) Close(ctx context.Context) {
	if d.front != nil {
		d.front.close()
	}
	if d.fakes != nil {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		d.fakes.close(ctx)
		cancel()
	}
	if d.stack != nil {
		d.stack.Close()
	}
	if d.gate != nil {
		d.gate.close()
	}
	if d.out != "" {
		_ = os.RemoveAll(d.out)
	}
	d.http.CloseIdleConnections()
}

var errNoAPI = errors.New("the stack has no output ApiId")

func rootCredentials() aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider(account, secretKey, "")
}
