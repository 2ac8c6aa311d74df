// Package stage opens a deployed stage from an operator's machine: its tables,
// its raw content and its secrets, found by the names of internal/schema in the
// account and region that the credentials and settings lead to.
//
// Its invariant: nothing is handed out before the stage's identifier key has
// been compared with its ledger, so no command works under another key. It
// makes no resource and runs no worker.
package stage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"onefold/internal/app"
	"onefold/internal/blob/s3"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/policy/versions"
	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/secret/secretsmanager"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// Place says which stage, and where.
type Place struct {
	Stage    string
	Region   string // empty: that of the AWS configuration
	Endpoint string // an emulator on this machine; empty: AWS
}

// The errors of opening a stage.
var (
	// ErrPlace means that the place is not one: the text says why.
	ErrPlace = errors.New("no such place")
	// ErrCredentials means that AWS did not say who is asking. A person signs
	// in, or names a profile by AWS_PROFILE.
	ErrCredentials = errors.New("AWS does not know these credentials")
	// ErrNotDeployed means that the account and region have no such stage.
	ErrNotDeployed = errors.New("the stage is not deployed there")
)

// Cloud is an account and region, with credentials that were seen to work.
type Cloud struct {
	Place
	Config  aws.Config
	Account string
	Caller  string // ARN of who is asking
	Now     func() time.Time
}

// Connect finds the account by asking AWS who is asking. Errors are ErrPlace
// and ErrCredentials.
func Connect(ctx context.Context, p Place) (*Cloud, error) {
	if !regexp.MustCompile(schema.StagePattern).MatchString(p.Stage) {
		return nil, fmt.Errorf("%w: a stage's name is 2 to 16 of a-z, 0-9 and -, from a letter to no -", ErrPlace)
	}
	cfg, err := configure(ctx, p)
	if err != nil {
		return nil, err
	}
	who, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCredentials, err)
	}
	p.Region = cfg.Region
	return &Cloud{Place: p, Config: cfg, Account: aws.ToString(who.Account), Caller: aws.ToString(who.Arn), Now: app.Clock}, nil
}

// configure reads the AWS configuration of this machine. An emulator needs
// none.
func configure(ctx context.Context, p Place) (aws.Config, error) {
	var options []func(*config.LoadOptions) error
	if p.Region != "" {
		options = append(options, config.WithRegion(p.Region))
	}
	if p.Endpoint != "" {
		if err := loopback(p.Endpoint); err != nil {
			return aws.Config{}, err
		}
		// A person's own credentials do not go there; those of the environment
		// may choose the emulator's account.
		options = append(options, config.WithBaseEndpoint(p.Endpoint), config.WithEC2IMDSClientEnableState(imds.ClientDisabled),
			config.WithSharedConfigFiles([]string{}), config.WithSharedCredentialsFiles([]string{}))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, fmt.Errorf("read the AWS configuration: %w", err)
	}
	if p.Endpoint != "" {
		if cfg.Region == "" {
			cfg.Region = "us-east-1"
		}
		if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
			// An emulator takes the access key for the account's number.
			cfg.Credentials = credentials.NewStaticCredentialsProvider("000000000000", "local", "")
		}
	}
	if cfg.Region == "" {
		return cfg, fmt.Errorf("%w: no region: name one with -region, or set AWS_REGION", ErrPlace)
	}
	return cfg, nil
}

// loopback refuses an endpoint that is not on this machine: credentials go
// there.
func loopback(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("%w: an endpoint is a URL such as http://127.0.0.1:4566", ErrPlace)
	}
	switch u.Hostname() {
	case "127.0.0.1", "localhost", "::1":
		return nil
	}
	return fmt.Errorf("%w: an endpoint is an emulator on this machine", ErrPlace)
}

// String names the place for people.
func (c *Cloud) String() string {
	at := ""
	if c.Endpoint != "" {
		at = " of the emulator at " + c.Endpoint
	}
	return fmt.Sprintf("stage %s in account %s, region %s%s", c.Stage, c.Account, c.Region, at)
}

// Secrets are the stage's secrets. Those it makes are encrypted as the
// identifier key is, which the deployment made.
func (c *Cloud) Secrets() *secretsmanager.Store {
	return secretsmanager.New(sm.NewFromConfig(c.Config), secretsmanager.Options{
		Prefix: schema.SecretPrefix(c.Stage), Like: schema.SecretIdentifierKey,
	})
}

// Open opens the stage. Errors are ErrNotDeployed, app.ErrOtherKey, and those
// of AWS.
func (c *Cloud) Open(ctx context.Context) (*Opened, error) {
	secrets := c.Secrets()
	kept, err := secrets.Get(ctx, schema.SecretIdentifierKey)
	if errors.Is(err, secret.ErrNone) {
		return nil, fmt.Errorf("%s: %w", c, ErrNotDeployed)
	}
	if err != nil {
		return nil, err
	}
	o := &Opened{Secrets: secrets, Slack: slack, Settle: app.PolicySettles()}
	if o.IDs, err = app.DeriveKey(kept.Current); err != nil {
		return nil, err
	}
	o.Store = dynamo.New(dynamodb.NewFromConfig(c.Config), dynamo.Options{Prefix: schema.Prefix(c.Stage)})
	known, mine, err := app.LedgerKey(ctx, o.Store, o.IDs)
	if err != nil {
		return nil, err
	}
	if known && !mine {
		return nil, fmt.Errorf("%s: %w", c, app.ErrOtherKey)
	}
	buckets := awss3.NewFromConfig(c.Config, func(o *awss3.Options) { o.UsePathStyle = c.Endpoint != "" })
	o.Blob = s3.New(buckets, schema.RawBucket(c.Stage, c.Account, c.Region))
	o.Policies = &versions.Book{Store: o.Store, Now: c.Now, Keep: time.Second}
	return o, nil
}
