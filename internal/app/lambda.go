package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"onefold/internal/lambdaio"
	"onefold/internal/metric/emf"
	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
)

// Times of a function. What is remembered between calls survives a pause of
// any length, since it is judged by the wall clock; connections that died
// meanwhile are found out within answerTime.
const (
	// startTime bounds what is asked of AWS before the first call. Lambda ends a
	// start after 10 s without a word ("Lambda runtime environment lifecycle",
	// read 2026-11); this end is told in the log.
	startTime = 9 * time.Second
	// keepPolicy is how long a policy is remembered: a new version is in force
	// everywhere after it. Stops are no part of a policy and are read each time.
	keepPolicy = 10 * time.Second
	// callTime is the most that one call of a mail provider or CRM may take.
	callTime = 10 * time.Second
	// answerTime is how long an answer of AWS is waited for before the SDK asks
	// again: without it a connection that died while the process was paused
	// would hold a call until its end.
	answerTime = 5 * time.Second
)

// Host is what a function finds around it.
type Host struct {
	Variable func(name string) (string, bool)
	AWS      aws.Config // region, credentials and endpoints
	Out      io.Writer  // of the log
	Now      func() time.Time
}

// onLambda starts a function with the environment and the AWS configuration of
// this process.
func onLambda(ctx context.Context, f schema.Function, assemble assembly) (*lambdaio.Function, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(
		awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = answerTime })))
	if err != nil {
		return nil, fmt.Errorf("the AWS configuration of %s: %w", f, err)
	}
	return start(ctx, f, assemble, Host{Variable: os.LookupEnv, AWS: cfg, Out: os.Stdout, Now: wallClock})
}

// wallClock is the time without Go's monotonic reading: that may stand still
// while a process is paused, and what is too old would pass for fresh.
func wallClock() time.Time { return time.Now().Round(0) }

// start makes a function of a host. It builds what the function needs and
// nothing else.
func start(ctx context.Context, f schema.Function, assemble assembly, h Host) (*lambdaio.Function, error) {
	runs, known := schema.RunsOf(f)
	if !known {
		return nil, fmt.Errorf("no function is called %q", string(f))
	}
	v, err := readVariables(f, h.Variable)
	if err != nil {
		return nil, err
	}
	b := newBuilder(runs, h, v)
	fn, err := assemble(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", f, err)
	}
	fn.Log = b.log
	return fn, nil
}

func logOf(f schema.Function, h Host, v *variables) *slog.Logger {
	level, _ := levelOf(v.get(schema.EnvLogLevel)) // checked with the others
	stage := v.get(schema.EnvStage)
	return slog.New(emf.New(emf.Config{
		Out: h.Out, Level: level, Stage: stage, Service: string(f), Function: schema.FunctionName(stage, f), Now: h.Now,
		Invocation: func(ctx context.Context) emf.Invocation { return emf.Invocation(lambdaio.InvocationOf(ctx)) },
	}))
}
