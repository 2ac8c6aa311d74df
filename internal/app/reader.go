package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/bedrock"
	"onefold/internal/reading/reader/budget"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
)

// modelTime is the most that one call of a model may take. A batch begins no
// record after a third of the function's time (60 s), and a tenth of it is kept
// for writing down what is known: a call of 25 s fits between.
const modelTime = 25 * time.Second

// The readers by name.
const (
	readByRules   = "rules"
	readByBedrock = "bedrock"
)

// Reader is the reader of a name, "rules" or "bedrock", for a person who looks
// at single mails. The model is that of the environment variables which the
// extract function reads, at the account that the AWS configuration points to;
// its budget is that of this process. Making it calls nothing.
func Reader(name string) (reader.Reader, error) {
	switch name {
	case readByRules:
		return rules.New(), nil
	case readByBedrock:
		ctx, cancel := context.WithTimeout(context.Background(), startTime)
		defer cancel()
		cfg, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("the AWS configuration: %w", err)
		}
		set, err := readModel(os.Getenv)
		if err != nil {
			return nil, err
		}
		return newReader(set, cfg, wallClock, mem.New(), slog.New(slog.DiscardHandler))
	}
	return nil, fmt.Errorf("no reader is called %q", name)
}

// reader is who reads for the extract function.
func (b *builder) reader(store ledger.Store) (reader.Reader, error) {
	set, err := readModel(b.vars.get) // all of them, so that none is a setting without effect
	if b.vars.get(schema.EnvExtractor) != readByBedrock {
		return rules.New(), nil
	}
	if err != nil {
		return nil, err
	}
	return newReader(set, b.host.AWS, b.host.Now, store, b.log)
}

// newReader is the model of the settings, with its budget and the rules beside
// it. Its client is its own: the one of the function gives up on an answer long
// before a model has written it.
func newReader(set model, cfg aws.Config, now func() time.Time, store ledger.Store, log *slog.Logger) (*budget.Reader, error) {
	o := bedrockruntime.NewFromConfig(cfg).Options()
	m, err := bedrock.New(bedrock.Config{
		Region: cmp.Or(set.region, o.Region), Credentials: o.Credentials, Endpoint: aws.ToString(o.BaseEndpoint), AppID: o.AppID,
		Now: now, Timeout: modelTime,
		Model: set.id, Output: set.output, MaxTokens: set.maxTokens, InputUSD: set.inputUSD, OutputUSD: set.outputUSD,
		Guardrail: set.guardrail, GuardrailVersion: set.guardrailVersion,
	})
	if err != nil {
		return nil, err
	}
	return budget.New(budget.Config{Model: m, Rules: rules.New(), Store: store, Now: now, DailyUSD: set.budget, Log: log})
}
