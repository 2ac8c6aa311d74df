package localdeploy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"onefold/internal/proof/localaws"
)

// ErrNotBuilt says that something the Makefile makes is missing: the app, a
// function or the CDK. The caller shows it as it is.
var ErrNotBuilt = errors.New("not built: run `make deploy-local`, which builds what it needs")

// cdk runs the CDK's command line on the app of this project. All that it and
// the app may see is in its environment; it asks no host but the gate.
type cdk struct {
	root     string // of the project
	node     string
	cli      string // the CDK's script
	endpoint string
	account  string
	context  map[string]string
	say      func(line string)
}

// architecture is this machine's, in the app's words.
func architecture() string {
	if runtime.GOARCH == "arm64" {
		return "arm64"
	}
	return "x86_64"
}

func newCDK(root, stage, endpoint, account string, say func(string)) (*cdk, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("node is missing: install Node.js 20 or later")
	}
	c := &cdk{
		root: root, node: node, cli: filepath.Join(root, "infra", "cdk", "node_modules", "aws-cdk", "bin", "cdk"),
		endpoint: endpoint, account: account, say: say,
		context: map[string]string{"stage": stage, "target": "ministack", "architecture": architecture()},
	}
	for _, needed := range []string{c.cli, c.app(), filepath.Join(root, "bin", "functions", architecture())} {
		if _, err := os.Stat(needed); err != nil {
			return nil, fmt.Errorf("%s: %w", needed, ErrNotBuilt)
		}
	}
	return c, nil
}

func (c *cdk) app() string { return filepath.Join(c.root, "bin", "infra") }

// env is the whole environment. Nothing is inherited, so that no credentials,
// profile or proxy of the person can matter.
func (c *cdk) env() []string {
	cache := filepath.Join(c.root, ".cache", "cdk")
	return []string{
		"PATH=" + filepath.Dir(c.node) + ":/usr/local/bin:/usr/bin:/bin",
		"HOME=" + filepath.Join(cache, "home"),
		"TMPDIR=" + os.TempDir(),
		"JSII_RUNTIME_PACKAGE_CACHE_ROOT=" + filepath.Join(cache, "jsii"),
		"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=1", "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION=1",
		"NODE_NO_WARNINGS=1", "NO_COLOR=1", "CI=1",
		"CDK_DISABLE_CLI_TELEMETRY=true", "CDK_DISABLE_VERSION_CHECK=1",
		"AWS_ENDPOINT_URL=" + c.endpoint,
		"AWS_REGION=" + localaws.Region, "AWS_DEFAULT_REGION=" + localaws.Region,
		"AWS_ACCESS_KEY_ID=" + c.account, "AWS_SECRET_ACCESS_KEY=" + secretKey,
		"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull, "AWS_EC2_METADATA_DISABLED=true",
	}
}

// run gives the CDK's whole output, and says each line of it as it comes. An
// error ends with the output.
func (c *cdk) run(ctx context.Context, args ...string) (string, error) {
	if err := os.MkdirAll(filepath.Join(c.root, ".cache", "cdk", "home"), 0o700); err != nil {
		return "", err
	}
	// The app is built before: --build puts a command that does nothing in the
	// place of cdk.json's.
	cmd := exec.CommandContext(ctx, c.node, append([]string{c.cli, "--no-notices", "--no-version-reporting", "--build", "true"}, args...)...)
	cmd.Dir, cmd.Env = c.root, c.env()
	cmd.WaitDelay = 5 * time.Second
	var all bytes.Buffer
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	said := make(chan struct{})
	go func() {
		defer close(said)
		lines := bufio.NewScanner(io.TeeReader(r, &all))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if line := strings.TrimSpace(lines.Text()); line != "" {
				c.say(line)
			}
		}
		_, _ = io.Copy(&all, r) // a line beyond the buffer is only not said
	}()
	err := cmd.Run()
	_ = w.Close()
	<-said
	if err != nil {
		return all.String(), fmt.Errorf("cdk %s: %w\n%s", args[0], err, faults(all.String()))
	}
	return all.String(), nil
}

// faults is the end of the CDK's output without the resources that are as they
// should be, or are only taken away again.
func faults(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\n"); line != "" && !progress.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-40):], "\n")
}

var progress = regexp.MustCompile(`\| +[A-Z_]+_(COMPLETE|IN_PROGRESS|SKIPPED) +\|`)

func (c *cdk) bootstrap(ctx context.Context) error {
	_, err := c.run(ctx, "bootstrap", "aws://"+c.account+"/"+localaws.Region, "--app", "")
	return err
}

// synth writes the app's templates and assets to a folder.
func (c *cdk) synth(ctx context.Context, out string) error {
	args := []string{"synth", "--quiet", "--app", c.app(), "--output", out}
	for _, key := range slices.Sorted(maps.Keys(c.context)) {
		args = append(args, "--context", key+"="+c.context[key])
	}
	_, err := c.run(ctx, args...)
	return err
}

// deploy deploys a stack of such a folder.
func (c *cdk) deploy(ctx context.Context, from, stack string) (output string, err error) {
	return c.run(ctx, "deploy", stack, "--app", from, "--require-approval", "never", "--progress", "events")
}
