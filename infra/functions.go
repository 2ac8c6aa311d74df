package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3assets"

	"onefold/internal/schema"
)

// missing tells which functions have not been built for the architecture.
func missing(cfg Config) error {
	if cfg.Dormant {
		return nil
	}
	var problems []error
	for _, runs := range schema.Functions() {
		file := filepath.Join(cfg.Functions, string(runs.Function), "bootstrap")
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, fmt.Errorf("%s is not there", file))
		case err != nil:
			problems = append(problems, err)
		case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
			problems = append(problems, fmt.Errorf("%s is no program", file))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("functions are missing; build them: make build-functions ARCH=%s\n%w", cfg.Architecture, errors.Join(problems...))
}

// addFunctions makes the functions, each with its role and its log group.
//
// None has reserved concurrency: a fresh account has ten executions in all and
// refuses to reserve any. What presses downstream is bounded where it comes
// from: by the mappings of streams and queues, and by the API's throttle.
func (c *Core) addFunctions() {
	for _, runs := range schema.Functions() {
		f := runs.Function
		logs := awslogs.NewCfnLogGroup(c.Stack, text(title(string(f))+"Logs"), &awslogs.CfnLogGroupProps{
			LogGroupName: text(functionLogs(c.Cfg, f)), RetentionInDays: whole(c.Cfg.LogRetentionDays),
		})
		c.addRole(f)
		code := awss3assets.NewAsset(c.Stack, text(title(string(f))+"Code"), &awss3assets.AssetProps{
			Path: text(filepath.Join(c.Cfg.Functions, string(f))),
		})
		fn := awslambda.NewCfnFunction(c.Stack, text(title(string(f))+"Function"), &awslambda.CfnFunctionProps{
			FunctionName:  text(schema.FunctionName(c.Cfg.Stage, f)),
			Description:   text(runs.Why),
			Runtime:       text("provided.al2023"),
			Handler:       text("bootstrap"),
			Architectures: texts(c.Cfg.Architecture),
			Timeout:       whole(int(runs.Timeout.Seconds())),
			MemorySize:    whole(int(runs.MemoryMB)),
			Role:          c.Roles[f].AttrArn(),
			Code: &awslambda.CfnFunction_CodeProperty{
				S3Bucket: code.S3BucketName(), S3Key: code.S3ObjectKey(),
			},
			Environment: &awslambda.CfnFunction_EnvironmentProperty{Variables: c.environment(f)},
			// The lines are JSON already, metrics among them; as text Lambda
			// hands them on as they are.
			LoggingConfig: &awslambda.CfnFunction_LoggingConfigProperty{LogFormat: text("Text"), LogGroup: text(functionLogs(c.Cfg, f))},
			TracingConfig: &awslambda.CfnFunction_TracingConfigProperty{Mode: text(tracingMode(c.Cfg))},
		})
		fn.AddResourceDependency(logs, nil) // else Lambda could make the group itself, which would keep logs for ever
		c.Functions[f] = fn
	}
}

func tracingMode(c Config) string {
	if c.Tracing {
		return "Active"
	}
	return "PassThrough"
}

// environment is what a function is told: the variables that schema says it
// reads and that this stage has a value for, and what the AWS SDK reads by
// itself.
func (c *Core) environment(f schema.Function) map[string]*string {
	values := c.values()
	out := map[string]*string{
		// In the user agent of every call, and so in CloudTrail: whose call it was.
		"AWS_SDK_UA_APP_ID": text(string(f)),
	}
	for _, env := range schema.Environment() {
		for _, reader := range env.For {
			if v := values[env.Name]; reader == f && v != "" {
				out[env.Name] = text(v)
			}
		}
	}
	return out
}

func (c *Core) values() map[string]string {
	v := map[string]string{
		schema.EnvStage:      c.Cfg.Stage,
		schema.EnvLogLevel:   c.Cfg.LogLevel,
		schema.EnvRawBucket:  *c.Raw.Ref(),
		schema.EnvSESRegion:  c.Cfg.SESRegion,
		schema.EnvProbeFrom:  c.Cfg.ProbeFrom,
		schema.EnvPublicURL:  c.PublicURL,
		schema.EnvOIDCIssuer: c.issuer(),
		schema.EnvOIDCClient: c.clientID,
	}
	if len(c.Cfg.SendDomains) > 0 {
		v[schema.EnvConfigurationSet] = c.Cfg.configurationSet()
	}
	if c.Cfg.MailDomain != "" {
		v[schema.EnvMailRegion] = c.Cfg.MailRegion
		v[schema.EnvMailBucket] = schema.MailBucket(c.Cfg.Stage, *c.Stack.Account(), c.Cfg.mailRegion(c.region()))
	}
	maps.Copy(v, c.Cfg.Model.variables())
	return v
}
