package dynamo_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"onefold/internal/ledger"
)

const conflict = `[{"Code":"None"},{"Code":"TransactionConflict"}]`

// What each course of answers means, how many requests it takes, and after
// which of them the token may change: only where nothing was written.
func TestWhatACommitSaysOfEachCourseOfAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []answer
		want    error  // nil: written
		tokens  string // one letter for each request; the same letter, the same token
	}{
		"written":                              {[]answer{written}, nil, "a"},
		"answer lost, then repeated":           {[]answer{lost, written}, nil, "aa"},
		"every answer lost":                    {[]answer{lost}, ledger.ErrUnknown, "aaa"},
		"5xx, then repeated":                   {[]answer{fails(500, "InternalServerError"), written}, nil, "aa"},
		"only 5xx":                             {[]answer{fails(503, "ServiceUnavailable")}, ledger.ErrUnknown, "aaa"},
		"conflict, then written":               {[]answer{cancelled(conflict), cancelled(conflict), written}, nil, "abc"},
		"only conflicts":                       {[]answer{cancelled(conflict)}, ledger.ErrContention, "abc"},
		"throttled within, then written":       {[]answer{cancelled(`[{"Code":"ThrottlingError"},{"Code":"None"}]`), written}, nil, "ab"},
		"throttled by capacity within":         {[]answer{cancelled(`[{"Code":"ProvisionedThroughputExceeded"},{"Code":"None"}]`)}, ledger.ErrContention, "abc"},
		"throttled":                            {[]answer{fails(400, "ThrottlingException")}, ledger.ErrContention, "aaabbbccc"},
		"throttled, then written":              {[]answer{fails(400, "ProvisionedThroughputExceededException"), written}, nil, "aa"},
		"lost, then throttled for good":        {[]answer{lost, fails(400, "ThrottlingException")}, ledger.ErrUnknown, "aaaaaaaaa"},
		"lost, then only conflicts":            {[]answer{lost, cancelled(conflict)}, ledger.ErrUnknown, "aaaa"},
		"lost, then conflict, then written":    {[]answer{lost, cancelled(conflict), written}, nil, "aaa"},
		"lost, then access denied":             {[]answer{lost, fails(400, "AccessDeniedException")}, ledger.ErrUnknown, "aa"},
		"still at work, then done":             {[]answer{lost, fails(400, "TransactionInProgressException"), written}, nil, "aaa"},
		"still at work for good":               {[]answer{fails(400, "TransactionInProgressException")}, ledger.ErrUnknown, "aaaaaaaaa"},
		"token held by another content":        {[]answer{fails(400, "IdempotentParameterMismatchException")}, ledger.ErrUnknown, "a"},
		"invalid":                              {[]answer{fails(400, "ValidationException")}, ledger.ErrInvalid, "a"},
		"lost, then invalid":                   {[]answer{lost, fails(400, "ValidationException")}, ledger.ErrInvalid, "aa"},
		"one action invalid beside a conflict": {[]answer{cancelled(`[{"Code":"TransactionConflict"},{"Code":"ValidationError"}]`)}, ledger.ErrInvalid, "a"},
		"no table":                             {[]answer{fails(400, "ResourceNotFoundException")}, ledger.ErrUnavailable, "a"},
		"access denied":                        {[]answer{fails(400, "AccessDeniedException")}, ledger.ErrUnavailable, "a"},
		"a code of the future":                 {[]answer{fails(400, "NewFashionedException")}, ledger.ErrUnavailable, "a"},
		"a reason of the future":               {[]answer{cancelled(`[{"Code":"NewFashioned"},{"Code":"None"}]`)}, ledger.ErrUnavailable, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, c.answers...)
			err := f.store().Commit(t.Context(), twoWrites(t))
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if proves := err != nil && ledger.NotWritten(err); proves != (c.want != nil && !errors.Is(c.want, ledger.ErrUnknown)) {
				t.Errorf("%v proves that nothing was written: %t", err, proves)
			}
			if got := tokensOf(f.seen()); got != c.tokens {
				t.Errorf("tokens %s, want %s", got, c.tokens)
			}
			noWords(t, err)
			for _, op := range f.counted {
				if op != "TransactWriteItems" {
					t.Errorf("counted %s", op)
				}
			}
			if len(f.counted) != len(f.seen()) {
				t.Errorf("counted %d requests of %d", len(f.counted), len(f.seen()))
			}
		})
	}
}

// tokensOf writes each token as a letter.
func tokensOf(rs []request) string {
	letters, text := map[string]string{}, ""
	for _, r := range rs {
		if letters[r.Token] == "" {
			letters[r.Token] = string(rune('a' + len(letters)))
		}
		text += letters[r.Token]
	}
	return text
}

// noWords refuses an error that shows a personal word.
func noWords(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, word := range []string{"ann", "Ann", "example", "email:"} {
		if strings.Contains(err.Error(), word) {
			t.Errorf("%q shows %q", err, word)
		}
	}
}

const item = `{"pk":{"S":"acme#contact#ann"},"sk":{"S":"contact"},"version":{"N":"4"},"name":{"S":"Ann"},` +
	`"list":{"L":[{"BOOL":true},{"M":{"n":{"N":"-7"}}}]}}`

// A failed condition is an answer, whatever else was in the way.
func TestRefusalsAreDecodedByPosition(t *testing.T) {
	t.Parallel()
	current := ledger.Item{"version": int64(4), "name": "Ann", "list": []any{true, map[string]any{"n": int64(-7)}}}
	for name, c := range map[string]struct {
		reasons string
		want    []ledger.Failure
	}{
		"first":             {`[{"Code":"ConditionalCheckFailed","Item":` + item + `},{"Code":"None"}]`, []ledger.Failure{{Name: "contact_key", Key: annKey, Current: current}}},
		"second":            {`[{"Code":"None"},{"Code":"ConditionalCheckFailed","Item":` + item + `}]`, []ledger.Failure{{Name: "contact", Key: annID, Current: current}}},
		"without an item":   {`[{"Code":"None"},{"Code":"ConditionalCheckFailed"}]`, []ledger.Failure{{Name: "contact", Key: annID}}},
		"both":              {`[{"Code":"ConditionalCheckFailed"},{"Code":"ConditionalCheckFailed"}]`, []ledger.Failure{{Name: "contact_key", Key: annKey}, {Name: "contact", Key: annID}}},
		"beside a conflict": {`[{"Code":"TransactionConflict"},{"Code":"ConditionalCheckFailed"}]`, []ledger.Failure{{Name: "contact", Key: annID}}},
		"beside a throttle": {`[{"Code":"ConditionalCheckFailed"},{"Code":"ThrottlingError"}]`, []ledger.Failure{{Name: "contact_key", Key: annKey}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, before := range [][]answer{nil, {lost}} {
				f := newFake(t, append(before, cancelled(c.reasons))...)
				err := f.store().Commit(t.Context(), twoWrites(t))
				r, ok := ledger.AsRefused(err)
				if !ok || !reflect.DeepEqual(r.Failures, c.want) {
					t.Errorf("got %v, %+v; want %+v", err, r, c.want)
				}
				if len(f.seen()) != len(before)+1 {
					t.Errorf("%d requests: a refusal was repeated", len(f.seen()))
				}
				noWords(t, err)
			}
		})
	}
}

func TestADeadlineWithoutAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	f := newFake(t, func(http.ResponseWriter) { <-gone })
	defer close(gone)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := f.store().Commit(ctx, twoWrites(t))
	if !errors.Is(err, ledger.ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) || ledger.NotWritten(err) {
		t.Errorf("got %v, want ErrUnknown with the deadline", err)
	}
}

// A deadline between two tries ends the call after an answer that proves that
// nothing was written.
func TestADeadlineWhileWaitingIsNotUnknown(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := newFake(t, func(w http.ResponseWriter) { cancelled(conflict)(w) })
	defer cancel()
	err := f.store(func(o *dynamodb.Options) {
		o.HTTPClient = &cancelAfter{o.HTTPClient, cancel}
	}).Commit(ctx, twoWrites(t))
	if !errors.Is(err, ledger.ErrContention) || !errors.Is(err, context.Canceled) || len(f.seen()) != 1 {
		t.Errorf("got %v after %d requests, want ErrContention after 1", err, len(f.seen()))
	}
}

type cancelAfter struct {
	dynamodb.HTTPClient
	cancel func()
}

func (c *cancelAfter) Do(r *http.Request) (*http.Response, error) {
	resp, err := c.HTTPClient.Do(r)
	if err == nil {
		// The body is read before the context ends, as it would be by a caller
		// that gives up between two tries.
		resp, err = buffered(resp)
	}
	c.cancel()
	return resp, err
}

func TestWhatWasNeverSentIsUnavailable(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]func(*dynamodb.Options){
		"nobody listens": func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(deadEndpoint(t)) },
		"no host": func(o *dynamodb.Options) {
			o.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
			}}}
		},
		"no credentials": func(o *dynamodb.Options) {
			o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{}, errors.New("none")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, written)
			s := f.store(option)
			err := s.Commit(t.Context(), twoWrites(t))
			if !errors.Is(err, ledger.ErrUnavailable) || !ledger.NotWritten(err) || len(f.seen()) != 0 {
				t.Errorf("commit: got %v, want ErrUnavailable", err)
			}
			noWords(t, err)
			if _, err = s.Get(t.Context(), annKey); !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("get: got %v, want ErrUnavailable", err)
			}
			noWords(t, err)
		})
	}
}
