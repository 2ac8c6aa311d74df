package main

import (
	"errors"
	"fmt"

	"onefold/internal/app"
	"onefold/internal/ledger"
	"onefold/internal/operate/stage"
	"onefold/internal/secret"
)

// connect finds the stage's account, and says which environment the command
// acts on.
func (e *env) connect() (*stage.Cloud, error) {
	cloud, err := stage.Connect(e.ctx, e.place)
	if err != nil {
		return nil, e.stageFault(err)
	}
	e.on, e.shown = cloud.String(), ""
	e.say("on", e.on)
	return cloud, nil
}

// openStage opens the stage that the flags name.
func (e *env) openStage() (*stage.Opened, error) {
	cloud, err := e.connect()
	if err != nil {
		return nil, err
	}
	opened, err := cloud.Open(e.ctx)
	if err != nil {
		return nil, e.stageFault(err)
	}
	return opened, nil
}

// where names the environment: a stage or a data folder.
func (e *env) where() string {
	if e.on != "" {
		return e.on
	}
	return "data folder " + e.shown
}

// stageFault says what a person can do about a stage that does not open.
func (e *env) stageFault(err error) error {
	switch {
	case e.ctx.Err() != nil:
		return e.ctx.Err()
	case errors.Is(err, stage.ErrPlace):
		return &fault{err, "as in -stage prod -region eu-west-1", exitUsage}
	case errors.Is(err, stage.ErrCredentials) && e.place.Endpoint != "":
		return hinted(err, "is the emulator there? AWS_ACCESS_KEY_ID is the number of its account")
	case errors.Is(err, stage.ErrCredentials):
		return hinted(err, "sign in as AWS's own tools need it (`aws sts get-caller-identity` must answer), or set AWS_PROFILE")
	case errors.Is(err, stage.ErrNotDeployed):
		return hinted(err, "look at the account and region; `make deploy STAGE="+e.place.Stage+"` deploys it")
	case errors.Is(err, app.ErrOtherKey):
		return hinted(err, "do nothing to this stage before the secret identifier-key is what it was: "+
			"under another key every opt-out would be forgotten")
	case errors.Is(err, secret.ErrUnavailable):
		return hinted(err, "reading the stage's secrets needs secretsmanager:GetSecretValue and kms:Decrypt")
	case errors.Is(err, ledger.ErrUnavailable):
		return hinted(fmt.Errorf("%s: %w", e.on, err), "reading the ledger needs dynamodb:GetItem, Query and Scan on its tables, and kms:Decrypt")
	}
	return err
}
