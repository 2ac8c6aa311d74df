package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"onefold/internal/digest"
	"onefold/internal/reading/reader"
)

// ErrNoAnswer means that a line of the file is not an answer that was kept here.
var ErrNoAnswer = errors.New("no answer of `onefold eval`")

// Answers are the answers of a reader in a file, a JSON object on each line. A
// line is on disk before the next call is made, so what was paid for is not
// asked for again. There is one for each case, source, model and prompt version:
// another text, model or prompt is another question. One process writes at a
// time.
type Answers struct {
	file *os.File
	have map[string]Reply
}

// kept is one line. Names and meanings are stable.
type keptAnswer struct {
	Case          string        `json:"case"`
	Source        string        `json:"source"` // hash of what the reader was given
	Model         string        `json:"model"`
	PromptVersion string        `json:"prompt_version"`
	Record        reader.Record `json:"record"`
	Reasons       []string      `json:"reasons"`
	None          bool          `json:"none"` // there is no record
	InputTokens   int64         `json:"input_tokens"`
	OutputTokens  int64         `json:"output_tokens"`
	CostUSD       float64       `json:"cost_usd"`
	AtMostUSD     float64       `json:"at_most_usd"`
}

func (k keptAnswer) key() string { return digest.Parts(k.Case, k.Source, k.Model, k.PromptVersion) }

func (k keptAnswer) answer() Reply {
	return Reply{
		Record: k.Record, Reasons: k.Reasons, None: k.None,
		Usage: reader.Usage{InputTokens: k.InputTokens, OutputTokens: k.OutputTokens, CostUSD: k.CostUSD, AtMostUSD: k.AtMostUSD},
	}
}

func keptFor(id string, r reader.Reader, s reader.Source) (keptAnswer, error) {
	shown, err := json.Marshal(s)
	if err != nil {
		return keptAnswer{}, fmt.Errorf("case %s: %w", id, err)
	}
	return keptAnswer{Case: id, Source: digest.Content(shown), Model: r.Model(), PromptVersion: r.PromptVersion()}, nil
}

// OpenAnswers reads the file, which need not be there yet. A last line that a
// crash cut short is taken off: its call is made again.
// Another file is ErrNoAnswer: nothing of it is changed.
func OpenAnswers(name string, say func(string)) (*Answers, error) {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	a := &Answers{have: map[string]Reply{}}
	end := bytes.LastIndexByte(text, '\n') + 1
	n := 0
	for line := range bytes.Lines(text[:end]) {
		n++
		var k keptAnswer
		if err := json.Unmarshal(line, &k); err != nil || k.Case == "" || k.Source == "" {
			return nil, fmt.Errorf("%s:%d: %w", name, n, ErrNoAnswer)
		}
		if _, again := a.have[k.key()]; !again { // the first is the one that was used
			a.have[k.key()] = k.answer()
		}
	}
	if !beginsAsAnswer(text[end:]) {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, ErrNoAnswer)
	}
	// Answers hold what the mails say.
	if a.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if info, err := a.file.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		if err := a.file.Chmod(0o600); err != nil {
			return nil, errors.Join(fmt.Errorf("write %s: %w", name, err), a.file.Close())
		}
	}
	if end < len(text) {
		say(fmt.Sprintf("%s:%d was cut short: its mail is asked about again", name, n+1))
		if err := a.file.Truncate(int64(end)); err != nil {
			return nil, errors.Join(fmt.Errorf("write %s: %w", name, err), a.file.Close())
		}
	}
	if _, err := a.file.Seek(int64(end), 0); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", name, err), a.file.Close())
	}
	return a, nil
}

// beginsAsAnswer tells whether a last line without its end may be one of put's
// that a crash cut short. Anything else is another file's, and not ours to cut.
func beginsAsAnswer(line []byte) bool {
	head := []byte(`{"case":"`)
	size := min(len(head), len(line))
	return bytes.Equal(line[:size], head[:size])
}

// find is the answer at hand. On no file there is none.
func (a *Answers) find(id string, r reader.Reader, s reader.Source) (Reply, bool) {
	if a == nil {
		return Reply{}, false
	}
	k, err := keptFor(id, r, s)
	if err != nil {
		return Reply{}, false // put says why
	}
	at, have := a.have[k.key()]
	return at, have
}

// put keeps an answer that is not at hand.
func (a *Answers) put(id string, r reader.Reader, s reader.Source, said Reply) error {
	if a == nil {
		return nil
	}
	k, err := keptFor(id, r, s)
	if err != nil {
		return err
	}
	k.Record, k.Reasons, k.None = said.Record, said.Reasons, said.None
	k.InputTokens, k.OutputTokens, k.CostUSD, k.AtMostUSD = said.Usage.InputTokens, said.Usage.OutputTokens, said.Usage.CostUSD, said.Usage.AtMostUSD
	line, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("case %s: %w", id, err)
	}
	if _, err := a.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	if err := a.file.Sync(); err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	a.have[k.key()] = said
	return nil
}

// Close ends the writing.
func (a *Answers) Close() error { return a.file.Close() }
