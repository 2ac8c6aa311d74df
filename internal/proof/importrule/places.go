package importrule

// Place says where alone something may appear. Test files are free.
type Place struct {
	// Name is what a finding calls it.
	Name string
	// Symbols are uses of a package's exported names, as "time.Now".
	Symbols []string
	// Imports are patterns of import paths.
	Imports []string
	// Allowed are the patterns of packages where it may appear.
	Allowed []string
}

// Places is the list of what is kept to few places. Time is an argument and
// configuration a value everywhere but in internal/app.
func Places() []Place {
	composition := below(internal("app"))
	return []Place{
		{
			Name:    "the clock",
			Symbols: []string{"time.Now", "time.Since", "time.Until"},
			// Suites are test code that is only not named so.
			Allowed: union(composition, suites(), below(internal("proof/scenario"))),
		},
		{
			Name:    "the environment",
			Symbols: []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "syscall.Getenv"},
			Allowed: composition,
		},
		{
			Name:    "the AWS SDK",
			Imports: []string{"github.com/aws/aws-sdk-go-v2/**", "github.com/aws/smithy-go/**"},
			Allowed: union(composition, below(internal("ledger/dynamo", "blob/s3", "queue/sqs", "reading/reader/bedrock",
				"mailer/ses", "secret/secretsmanager", "proof/localaws", "local", "operate/stage", "proof/localdeploy"))),
		},
		{
			Name:    "the Lambda library",
			Imports: []string{"github.com/aws/aws-lambda-go/**"},
			Allowed: union([]string{"functions/*"}, below(internal("lambdaio"))),
		},
		{
			Name: "CDK",
			Imports: []string{
				"github.com/aws/aws-cdk-go/**", "github.com/aws/constructs-go/**",
				"github.com/aws/jsii-runtime-go/**", "github.com/cdklabs/**",
			},
			Allowed: []string{"infra/**"},
		},
		{
			Name:    "the embedded store",
			Imports: []string{"go.etcd.io/bbolt/**"},
			Allowed: below(internal("ledger/bolt")),
		},
		{
			Name:    "package testing",
			Imports: []string{"testing/**"},
			Allowed: union(suites(), below(internal("proof/scenario"))),
		},
	}
}
