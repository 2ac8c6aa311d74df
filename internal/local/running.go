package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
)

// Running says how to reach the process that has a data folder open. The file
// is readable by its owner only: whoever reads it may act as operator.
type Running struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

// FindRunning reads running.json of a folder. The process it names may be gone.
func FindRunning(folder string) (Running, bool) {
	var r Running
	b, err := os.ReadFile(Data{folder}.path("running.json"))
	if err != nil || json.Unmarshal(b, &r) != nil || r.URL == "" {
		return Running{}, false
	}
	return r, true
}

// Command is an operator's command, carried out by the process that has the
// ledger open.
type Command struct {
	Args []string `json:"args"`
	// Files are the contents of files that the arguments name, since the
	// process may stand in another folder.
	Files map[string][]byte `json:"files,omitempty"`
}

// CommandResult is what the command printed and how it ended.
type CommandResult struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"`
}

// Run asks the running process to carry out a command.
func (r Running) Run(ctx context.Context, c Command) (CommandResult, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return CommandResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+"/-/command", bytes.NewReader(body))
	if err != nil {
		return CommandResult{}, err
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return CommandResult{}, errors.New("the process that holds the data folder does not answer")
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return CommandResult{}, fmt.Errorf("the process that holds the data folder answered %d", resp.StatusCode)
	}
	var out CommandResult
	return out, json.NewDecoder(resp.Body).Decode(&out)
}
