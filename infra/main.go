// Command infra is the CDK app: it writes the templates of a stage's two
// stacks, the core and inbound mail. README.md and docs/deploy.md say how it is
// called; `cdk` does it by cdk.json.
//
// It owns what is deployed and with what rights. It reads the CDK context and
// built functions, and nothing else; it asks AWS nothing, so the same context
// gives the same templates everywhere.
package main

import (
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "infra: error:", err)
		os.Exit(1)
	}
}

func run() error {
	defer jsii.Close()
	app := awscdk.NewApp(nil)
	cfg, err := ReadConfig(contextOf(app))
	if err != nil {
		return err
	}
	if err := missing(cfg); err != nil {
		return err
	}
	if err := build(app, cfg); err != nil {
		return err
	}
	app.Synth(nil)
	return nil
}

// build adds everything to an app.
func build(app awscdk.App, cfg Config) error {
	core := newCore(app, cfg)
	if cfg.Target == AWS {
		if _, err := newPosts(app, core, cfg.Region); err != nil {
			return err
		}
	}
	judge(app)
	return nil
}

func contextOf(app awscdk.App) map[string]any {
	context, ok := app.Node().GetAllContext(nil).(map[string]any)
	if !ok {
		return nil
	}
	return context
}
