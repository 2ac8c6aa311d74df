package main

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscognito"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"

	"onefold/internal/schema"
)

// Core is the core stack. A dormant one has Stack, Key, Tables, Raw and Pool
// and nothing else.
//
// Constructs lie directly in the stack, so a logical ID is the word given to
// the construct and stays as long as the word does; logicalids.txt in testdata
// holds those of what keeps data.
type Core struct {
	Stack awscdk.Stack
	Cfg   Config

	Key    awskms.CfnKey
	Tables map[schema.Table]awsdynamodb.CfnTable
	Raw    awss3.CfnBucket
	Pool   awscognito.CfnUserPool

	Queues    map[string]awssqs.CfnQueue // by the words of names.go
	Alarms    awssns.CfnTopic            // where every alarm goes
	Roles     map[schema.Function]awsiam.CfnRole
	Functions map[schema.Function]awslambda.CfnFunction
	API       awsapigatewayv2.CfnApi
	PublicURL string // base URL of the API

	clientID string // of the console
}

// newCore adds the core stack to an app.
func newCore(app awscdk.App, cfg Config) *Core {
	props := &awscdk.StackProps{
		StackName:   text(cfg.whole()),
		Description: text("Onefold, stage " + cfg.Stage + ": inbound mail and webhooks into contacts and follow-up mail"),
		// Besides deletion protection of the tables: a click on "delete stack".
		TerminationProtection: boolean(!cfg.DeleteData && cfg.Target == AWS),
		Tags:                  &map[string]*string{"onefold:stage": text(cfg.Stage)},
	}
	if cfg.Region != "" {
		props.Env = &awscdk.Environment{Region: text(cfg.Region)}
	}
	c := &Core{
		Stack:     awscdk.NewStack(app, text(cfg.whole()), props),
		Cfg:       cfg,
		Tables:    map[schema.Table]awsdynamodb.CfnTable{},
		Queues:    map[string]awssqs.CfnQueue{},
		Roles:     map[schema.Function]awsiam.CfnRole{},
		Functions: map[schema.Function]awslambda.CfnFunction{},
	}
	c.addKey()
	c.addTables()
	c.addRawBucket()
	c.addSecrets()
	c.addPool()
	c.output(schema.SettingsOutput, first(strings.Join(cfg.Given, " "), schema.NoSettings), "Names of the settings it was deployed with, which the next deployment needs too")
	if cfg.Dormant {
		return c
	}
	c.addQueues()
	c.addAlarmTopic()
	c.addAPI()
	c.addClient()
	c.addFunctions()
	c.addRoutes()
	c.addStreams()
	c.addQueueReaders()
	c.addSchedules()
	c.tellModel()
	addAlarms(c)
	addDashboard(c)
	c.tellLeftOut()
	return c
}

// output tells people and commands a value of the stack.
func (c *Core) output(id, value, meaning string) {
	awscdk.NewCfnOutput(c.Stack, text(id), &awscdk.CfnOutputProps{Value: text(value), Description: text(meaning)})
}

func (c *Core) region() string { return *c.Stack.Region() }

// keep makes a resource outlive its stack and its line in the template.
func (c *Core) keep(r awscdk.CfnResource) {
	policy := awscdk.RemovalPolicy_RETAIN
	if c.Cfg.DeleteData {
		policy = awscdk.RemovalPolicy_DESTROY
	}
	r.ApplyRemovalPolicy(policy, &awscdk.RemovalPolicyOptions{ApplyToUpdateReplacePolicy: yes()})
}

func boolean(b bool) *bool { return &b }
