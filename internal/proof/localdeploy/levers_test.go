package localdeploy

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"onefold/internal/app"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Invoke calls a function as a schedule does and waits for its answer.
func (d *Deployment) Invoke(ctx context.Context, f schema.Function, payload any) error {
	body, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("call %s: %w", f, err)
	}
	out, err := d.lambda.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(schema.FunctionName(d.Stage, f)), Payload: body})
	switch {
	case err != nil:
		return fmt.Errorf("call %s: %w", f, err)
	case out.FunctionError != nil:
		return fmt.Errorf("call %s: it failed: %s", f, out.Payload)
	}
	return nil
}

// Logs are the newest lines that a function has logged, oldest first.
func (d *Deployment) Logs(ctx context.Context, f schema.Function, lines int) ([]string, error) {
	var out struct {
		Events []struct {
			Timestamp int64
			Message   string
		}
	}
	err := d.target(ctx, serviceLogs, "Logs_20140328.FilterLogEvents", map[string]any{
		"logGroupName": "/aws/lambda/" + schema.FunctionName(d.Stage, f), "limit": 10000,
	}, &out)
	if errors.Is(err, errAbsent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range out.Events {
		for line := range strings.Lines(e.Message) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	return all[max(0, len(all)-lines):], nil
}

// Running are the processes of a function: children of this deployment's
// emulator that run its binary. Where the system has no /proc there are none.
func (d *Deployment) Running(f schema.Function) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
	var found []int
	for _, stat := range stats {
		dir := filepath.Dir(stat)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && parentOf(stat) == d.stack.PID() && isOf(dir, schema.FunctionName(d.Stage, f)) {
			found = append(found, pid)
		}
	}
	slices.Sort(found)
	return found
}

// parentOf reads the fourth field of a stat file; the second is a name in
// parentheses that may hold anything (proc_pid_stat(5)).
func parentOf(stat string) int {
	b, err := os.ReadFile(stat)
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

func isOf(dir, function string) bool {
	exe, err := os.Readlink(filepath.Join(dir, "exe"))
	if err != nil || filepath.Base(exe) != "bootstrap" {
		return false
	}
	env, err := os.ReadFile(filepath.Join(dir, "environ"))
	return err == nil && slices.Contains(strings.Split(string(env), "\x00"), "AWS_LAMBDA_FUNCTION_NAME="+function)
}

// Kill ends the processes of a function with SIGKILL, as a crash would, and
// says how many there were.
func (d *Deployment) Kill(f schema.Function) int {
	killed := 0
	for _, pid := range d.Running(f) {
		p, err := os.FindProcess(pid)
		if err == nil && p.Kill() == nil {
			killed++
		}
	}
	return killed
}

// KillAfter has a function killed the next time that an action of its has had
// its effect, before it hears of it. The number of processes that were ended
// comes on the channel.
func (d *Deployment) KillAfter(f schema.Function, action string) <-chan int {
	killed := make(chan int, 1)
	d.gate.set(string(f), action, func() { killed <- d.Kill(f) })
	return killed
}

// Pause stops or starts again Lambda's reading of a stream or queue for a
// function. Records and messages stay where they are meanwhile.
func (d *Deployment) Pause(ctx context.Context, f schema.Function, paused bool) error {
	out, err := d.lambda.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{
		FunctionName: aws.String(schema.FunctionName(d.Stage, f)),
	})
	if err != nil {
		return fmt.Errorf("list what %s reads: %w", f, err)
	}
	for _, m := range out.EventSourceMappings {
		_, err := d.lambda.UpdateEventSourceMapping(ctx, &lambda.UpdateEventSourceMappingInput{UUID: m.UUID, Enabled: aws.Bool(!paused)})
		if err != nil {
			return fmt.Errorf("change what %s reads: %w", f, err)
		}
	}
	return nil
}

// Calls are the calls that functions have made so far, and those among them
// that their roles did not allow.
func (d *Deployment) Calls() (made, refused map[Call]int) {
	made, refused = map[Call]int{}, map[Call]int{}
	for c, n := range d.gate.recorded() {
		if c.Refused {
			refused[c.Call] += n
		} else {
			made[c.Call] += n
		}
	}
	return made, refused
}

// Outside are the hosts beyond this machine that functions asked for, and did
// not reach.
func (d *Deployment) Outside() map[string]int {
	d.gate.mu.Lock()
	defer d.gate.mu.Unlock()
	return maps.Clone(d.gate.outside)
}

// Queues are the stage's queues with the messages that lie in them, those
// under way included.
func (d *Deployment) Queues(ctx context.Context) (map[string]int, error) {
	client := sqs.NewFromConfig(d.config())
	list, err := client.ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: aws.String(schema.Prefix(d.Stage))})
	if err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
	}
	depths := map[string]int{}
	for _, url := range list.QueueUrls {
		out, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: aws.String(url), AttributeNames: []types.QueueAttributeName{
			types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
		}})
		if err != nil {
			return nil, fmt.Errorf("look into a queue: %w", err)
		}
		n := 0
		for _, text := range out.Attributes {
			count, _ := strconv.Atoi(text) // absent and unreadable are none
			n += count
		}
		depths[url[strings.LastIndex(url, "/")+1:]] = n
	}
	return depths, nil
}

// Again synthesizes and deploys once more and gives what the CDK said.
func (d *Deployment) Again(ctx context.Context) (string, error) {
	if err := d.cdk.synth(ctx, d.folder("again")); err != nil {
		return "", err
	}
	return d.cdk.deploy(ctx, d.folder("again"), d.stackName())
}

// Output is the newest output of the emulator.
func (d *Deployment) Output() string {
	if d.stack == nil {
		return ""
	}
	return d.stack.Output()
}

// ReceiveMail does what SES does with a mail that its receipt rule matches: the
// object first, then the announcement (Developer Guide, "Contents of
// notifications for Amazon SES email receiving").
func (d *Deployment) ReceiveMail(ctx context.Context, from, to string, raw []byte) error {
	var random [20]byte
	_, _ = rand.Read(random[:]) // never fails (crypto/rand, Go 1.24)
	id := hex.EncodeToString(random[:])
	_, err := d.buckets().PutObject(ctx, &awss3.PutObjectInput{
		Bucket: aws.String(d.mailBucket()), Key: aws.String(inbound + id), Body: bytes.NewReader(raw),
	})
	if err != nil {
		return fmt.Errorf("put a received mail: %w", err)
	}
	now, pass := utc.At(app.Clock()).String(), map[string]string{"status": "PASS"}
	message, err := json.Marshal(map[string]any{
		"notificationType": "Received",
		"mail":             map[string]any{"timestamp": now, "source": from, "messageId": id, "destination": []string{to}},
		"receipt": map[string]any{
			"timestamp": now, "recipients": []string{to},
			"spamVerdict": pass, "virusVerdict": pass, "spfVerdict": pass, "dkimVerdict": pass, "dmarcVerdict": pass,
			"action": map[string]any{
				"type": "S3", "topicArn": d.topic(wordMail), "bucketName": d.mailBucket(), "objectKeyPrefix": inbound, "objectKey": inbound + id,
			},
		},
	})
	if err != nil {
		return fmt.Errorf("announce a received mail: %w", err)
	}
	return d.announce(ctx, wordMail, message)
}

// set sets a trap.
func (g *gate) set(function, action string, sprung func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.traps = append(g.traps, trap{function, action, sprung})
}

func (g *gate) recorded() map[recorded]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.calls)
}
