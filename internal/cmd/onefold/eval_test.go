package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/extract"
	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/bedrocktest"
)

// ownSet is a folder of n labelled mails, "m1" and on.
func ownSet(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := 1; i <= n; i++ {
		text := fmt.Sprintf("language: en\nclass: enquiry\nsender_email: ada@example.org\ncontact_name: Ada King\ncompany: -\nphone: -\n"+
			"intent: pricing\nopt_out: none\nneeds_review: no\ntags: plain\n-- mail --\n"+
			"From: Ada King <ada@example.org>\nTo: hello@demo.example\nSubject: Hut %d\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n"+
			"Message-ID: <m%d@example.org>\n\nWhat is the price of hut %d?\n", i, i, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("m%d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func ownCases(t *testing.T, n int) []eval.Case {
	t.Helper()
	cases, err := eval.Load(os.DirFS(ownSet(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// moody is a reader that costs and gives its answers in turn; nil is a record,
// and after the last one all are.
type moody struct {
	turns []error
	calls int
	then  func(call int)
}

func (*moody) Model() string         { return "moody" }
func (*moody) PromptVersion() string { return "1" }

func (*moody) AtMost(reader.Source) reader.Usage { return reader.Usage{AtMostUSD: 0.5} }

func (m *moody) Extract(ctx context.Context, s reader.Source) (reader.Record, error) {
	r, _, err := m.ExtractMetered(ctx, s)
	return r, err
}

func (m *moody) ExtractMetered(ctx context.Context, s reader.Source) (reader.Record, reader.Usage, error) {
	m.calls++
	if m.then != nil {
		m.then(m.calls)
	}
	if ctx.Err() != nil {
		return reader.Record{}, reader.Usage{}, errors.New("a call was cut off")
	}
	if m.calls <= len(m.turns) && m.turns[m.calls-1] != nil {
		return reader.Record{}, reader.Usage{InputTokens: 10, CostUSD: 0.25}, m.turns[m.calls-1]
	}
	name := reader.Field{Value: "Ada King", Confidence: 90, Evidence: "Ada King", Where: reader.InFrom}
	return reader.Record{ContactName: name, Intent: reader.Pricing}, reader.Usage{InputTokens: 100, OutputTokens: 7, CostUSD: 0.5}, nil
}

func none(o reader.Outcome) error {
	return &reader.NoAnswer{Outcome: o, Reason: "reader_" + string(o)}
}

// seat is a sitting whose waits are written down and take no time.
func seat(t *testing.T, r reader.Reader) (*eval.Sitting, *[]time.Duration) {
	t.Helper()
	policy, err := eval.Policy()
	if err != nil {
		t.Fatal(err)
	}
	bench, err := eval.NewBench(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	return &eval.Sitting{
		Reader: r, Bench: bench, MostGarbled: extract.MaxGarbled, Say: func(string) {},
		Wait: func(_ context.Context, d time.Duration) { waits = append(waits, d) },
	}, &waits
}

func TestWhatAReaderWithoutAnAnswerLeadsTo(t *testing.T) {
	t.Parallel()
	busy, silent, garbled := none(reader.Busy), none(reader.Unknown), none(reader.Garbled)
	always := func(err error) []error { return slices.Repeat([]error{err}, 20) }
	for _, c := range []struct {
		rule       string
		turns      []error
		calls      int
		waits      []time.Duration
		ended      error // of the reading
		unanswered bool
	}{
		{"an answer", nil, 1, nil, nil, false},
		{"throttled, then an answer", []error{busy, busy, busy}, 4, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}, nil, false},
		{"silent, then an answer", []error{silent}, 2, []time.Duration{2 * time.Second}, nil, false},
		{"garbled once", []error{garbled}, 2, nil, nil, false},
		{"garbled again: a person reads", []error{garbled, garbled}, 2, nil, nil, true},
		{"refused: a person reads", []error{none(reader.Refused)}, 1, nil, nil, true},
		{"too long: a person reads", []error{none(reader.CutShort)}, 1, nil, nil, true},
		{"misconfigured", always(none(reader.Misconfigured)), 1, nil, none(reader.Misconfigured), false},
		{
			"busy without an end", always(busy), 8 + 1, []time.Duration{
				2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute, time.Minute, time.Minute,
			}, busy, false,
		},
		{"another has answered", []error{eval.ErrAnother}, 1, nil, eval.ErrAnother, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			m := &moody{turns: c.turns}
			s, waits := seat(t, m)
			outcomes, err := s.Read(t.Context(), ownCases(t, 1))
			if m.calls != c.calls || !slices.Equal(*waits, c.waits) {
				t.Errorf("%d calls, waits %v; want %d, %v", m.calls, *waits, c.calls, c.waits)
			}
			if (err != nil) != (c.ended != nil) || c.ended != nil && !strings.Contains(err.Error(), c.ended.Error()) {
				t.Errorf("ended with %v, want %v", err, c.ended)
			}
			if (outcomes[0] == nil) != (c.ended != nil) {
				t.Fatalf("outcome %+v", outcomes[0])
			}
			if o := outcomes[0]; o != nil && (o.Unanswered != c.unanswered || o.Review != c.unanswered) {
				t.Errorf("%+v", o)
			}
		})
	}
}

func TestEveryTryIsPaidFor(t *testing.T) {
	t.Parallel()
	s, _ := seat(t, &moody{turns: []error{none(reader.Unknown), none(reader.Garbled)}})
	outcomes, err := s.Read(t.Context(), ownCases(t, 1))
	if want := (reader.Usage{InputTokens: 120, OutputTokens: 7, CostUSD: 1}); err != nil || outcomes[0].Usage != want {
		t.Errorf("%+v, %v", outcomes[0], err)
	}
}

func TestAnInterruptLetsTheCallEndAndEndsTheWait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := &moody{then: func(call int) {
		if call == 2 {
			cancel()
		}
	}}
	s, _ := seat(t, m)
	outcomes, err := s.Read(ctx, ownCases(t, 3))
	if !errors.Is(err, context.Canceled) || outcomes[0] == nil || outcomes[1] == nil || outcomes[2] != nil {
		t.Errorf("%v, %v", outcomes, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	m = &moody{turns: []error{none(reader.Busy)}}
	s, _ = seat(t, m)
	s.Wait = func(context.Context, time.Duration) { cancel() }
	if _, err := s.Read(ctx, ownCases(t, 1)); !errors.Is(err, context.Canceled) || m.calls != 1 {
		t.Errorf("%d calls, %v", m.calls, err)
	}
}

func TestAnAnswerIsAskedForOncePerSourceModelAndPrompt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	cases := ownCases(t, 2)
	read := func(m *moody, cases []eval.Case) {
		t.Helper()
		s, _ := seat(t, m)
		var err error
		if s.Kept, err = eval.OpenAnswers(file, s.Say); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Read(t.Context(), cases); err != nil {
			t.Fatal(err)
		}
		if err := s.Kept.Close(); err != nil {
			t.Fatal(err)
		}
	}
	first, again, other := &moody{turns: []error{none(reader.Refused)}}, &moody{}, &moody{}
	read(first, cases)
	read(again, cases)
	cases[0].Mail = bytes.ReplaceAll(cases[0].Mail, []byte("price"), []byte("cost"))
	read(other, cases)
	if first.calls != 2 || again.calls != 0 || other.calls != 1 {
		t.Errorf("calls %d, %d, %d", first.calls, again.calls, other.calls)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAnAttackWithoutItsTwinIsNoPartOfAPart(t *testing.T) {
	t.Parallel()
	cases := []eval.Case{{ID: "a", Labels: eval.Labels{Twin: "c"}}, {ID: "b"}, {ID: "c"}}
	done, _ := eval.Whole(cases, []*eval.Outcome{{}, {}, nil})
	if len(done) != 1 || done[0].ID != "b" {
		t.Errorf("%v", done)
	}
	if done, _ = eval.Whole(cases, []*eval.Outcome{{}, {}, {}}); len(done) != 3 {
		t.Errorf("%v", done)
	}
}

// Real: the command, the settings, the adapter, HTTP. Fake: Bedrock, on
// loopback.
func TestAPaidRunAsksFirstStopsSafelyAndGoesOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	fake := &bedrocktest.Server{Reply: func(n int, r bedrocktest.Request) bedrocktest.Reply {
		if n == 2 {
			cancel()
		}
		return bedrocktest.Obey(n, r)
	}}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"ONEFOLD_MODEL_ID": "stand-in", "ONEFOLD_MODEL_PRICE": "1.00/5.00", "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": server.URL,
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-secret",
	} {
		t.Setenv(name, value)
	}
	set, file := ownSet(t, 3), filepath.Join(t.TempDir(), "answers.jsonl")
	run := func(ctx context.Context, stdin string, flags ...string) said {
		var stdout, stderr bytes.Buffer
		args := append([]string{"eval", "-extractor", "bedrock", "-set", set, "-answers", file}, flags...)
		code := Main(ctx, args, strings.NewReader(stdin), &stdout, &stderr)
		return said{code, stdout.String(), stderr.String()}
	}
	got := run(t.Context(), "n\n")
	got.want(t, exitFailed, "", "3 calls of stand-in, at most USD 0.0")
	if len(fake.Requests()) != 0 || !strings.Contains(got.stderr, "Make these calls? [y/N]") {
		t.Fatalf("%d calls, said %q", len(fake.Requests()), got.stderr)
	}
	got = run(ctx, "", "-yes")
	got.want(t, exitFailed, "PARTIAL: 2 of 3 mails\n", "onefold: error: interrupted: 2 of 3 mails were measured\nonefold: hint: the same command goes on from "+file)
	if len(fake.Requests()) != 2 {
		t.Fatalf("%d calls", len(fake.Requests()))
	}
	got = run(t.Context(), "y\n", "-json")
	got.want(t, exitDone, "", "1 calls of stand-in")
	var out scored
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		t.Fatal(err)
	}
	if out.Partial || out.Report.Model != "stand-in" || out.Asked != 3 || out.Usage.InputTokens == 0 || out.Usage.CostUSD == 0 || out.Fields[1].Precision.Hits != 3 {
		t.Errorf("%+v", out)
	}
	got = run(t.Context(), "", "-json")
	got.want(t, exitDone, "", "0 calls of stand-in, at most USD 0.00")
	if len(fake.Requests()) != 3 {
		t.Errorf("%d calls", len(fake.Requests()))
	}
	// The rules would read on in the model's place: their words are not its.
	t.Setenv("ONEFOLD_MODEL_BUDGET", "0")
	file = filepath.Join(t.TempDir(), "none.jsonl")
	got = run(t.Context(), "", "-yes")
	got.want(t, exitFailed, "", "error: the budget of this run is spent: 0 of 3 mails were measured")
}

// The half set aside is not tuned on by way of a folder that holds it.
func TestAFolderWithMailsSetAsideShowsNoMisses(t *testing.T) {
	t.Parallel()
	files, err := eval.Files()
	if err != nil {
		t.Fatal(err)
	}
	aside, err := fs.Sub(files, "aside")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.CopyFS(dir, aside); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-misses", "-calibrate"} {
		var out, faults bytes.Buffer
		code := Main(t.Context(), []string{"eval", "-set", dir, flag}, nil, &out, &faults)
		if code != exitUsage || out.Len() != 0 || !strings.Contains(faults.String(), "holds mails of the half set aside") {
			t.Errorf("%s: code %d, stdout of %d bytes, stderr %q", flag, code, out.Len(), faults.String())
		}
	}
}

// A file of something else, named by mistake, keeps what it holds.
func TestAFileThatHoldsNoAnswersIsNotCut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"tenant":"demo"}`, "key", "{\"tenant\":\"demo\"}\n", "\x00"} {
		name := filepath.Join(t.TempDir(), "other")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, faults bytes.Buffer
		code := Main(t.Context(), []string{"eval", "-set", ownSet(t, 1), "-answers", name}, nil, &out, &faults)
		kept, err := os.ReadFile(name)
		if code != exitFailed || err != nil || string(kept) != text || !strings.Contains(faults.String(), "other:1: no answer of `onefold eval`") {
			t.Errorf("%q: code %d, the file holds %q, stderr %q", text, code, kept, faults.String())
		}
	}
}
