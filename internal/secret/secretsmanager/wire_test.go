package secretsmanager_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/secret/secretsmanager"
	"onefold/internal/secret/secrettest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// Real: the SDK, MiniStack's Secrets Manager. Not shown: KMS, permissions.
func TestConformance(t *testing.T) {
	t.Parallel()
	stack := localawstest.ForTest(t)
	secrettest.Suite(t, func(*testing.T) secret.Keeper {
		client := sm.NewFromConfig(stack.Config(stack.NewAccount()))
		return secretsmanager.New(client, secretsmanager.Options{Prefix: schema.SecretPrefix("local")})
	})
}

func TestTwoStagesOfAnAccountSeeNothingOfOneAnother(t *testing.T) {
	t.Parallel()
	stack := localawstest.ForTest(t)
	client := sm.NewFromConfig(stack.Config(stack.NewAccount()))
	one := secretsmanager.New(client, secretsmanager.Options{Prefix: schema.SecretPrefix("prod")})
	two := secretsmanager.New(client, secretsmanager.Options{Prefix: schema.SecretPrefix("prod-2")})
	if err := one.Put(t.Context(), secret.CRM("demo"), "token"); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Get(t.Context(), secret.CRM("demo")); !errors.Is(err, secret.ErrNone) {
		t.Errorf("get: %v", err)
	}
	if got, err := two.List(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("list: %v, %v", got, err)
	}
}

// wire is a fake of Secrets Manager's wire: it answers by label, and notes in
// which order it was asked.
type wire struct {
	mu     sync.Mutex
	labels []string
	answer func(label string) (status int, body string)
}

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	var in struct{ VersionStage string }
	_ = json.Unmarshal(b, &in)
	w.mu.Lock()
	w.labels = append(w.labels, in.VersionStage)
	w.mu.Unlock()
	status, body := w.answer(in.VersionStage)
	rw.Header().Set("content-type", "application/x-amz-json-1.1")
	rw.WriteHeader(status)
	_, _ = io.WriteString(rw, body)
}

func store(t *testing.T, answer func(label string) (int, string)) (*secretsmanager.Store, *wire) {
	t.Helper()
	w := &wire{answer: answer}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	client := sm.New(sm.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("id", "key", ""),
	})
	return secretsmanager.New(client, secretsmanager.Options{Prefix: "onefold/prod/"}), w
}

func exception(name string) string { return `{"__type":"` + name + `","Message":"m"}` }

// The errors are those that the API reference gives for GetSecretValue.
func TestWhatAnAnswerOfTheServiceMeans(t *testing.T) {
	t.Parallel()
	const value, missing = `{"SecretString":"one"}`, "ResourceNotFoundException"
	for _, c := range []struct {
		name              string
		current, previous string // an exception's name, or a JSON answer
		want              error
	}{
		{"no previous version", value, missing, nil},
		{"no secret", missing, missing, secret.ErrNone},
		{"scheduled for deletion", "InvalidRequestException", "InvalidRequestException", secret.ErrNone},
		{"not allowed", "AccessDeniedException", "AccessDeniedException", secret.ErrUnavailable},
		{"key not usable", "DecryptionFailure", value, secret.ErrUnavailable},
		{"throttled", "ThrottlingException", value, secret.ErrUnavailable},
		{"failing", "InternalServiceError", value, secret.ErrUnavailable},
		{"previous not readable", value, "InternalServiceError", secret.ErrUnavailable},
		{"bytes instead of text", `{"SecretBinary":"AAEC"}`, missing, secret.ErrUnavailable},
		{"an answer of something else", `<html>`, missing, secret.ErrUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, _ := store(t, func(label string) (int, string) {
				say := c.current
				if label == "AWSPREVIOUS" {
					say = c.previous
				}
				if strings.HasPrefix(say, "{") || strings.HasPrefix(say, "<") {
					return http.StatusOK, say
				}
				return http.StatusBadRequest, exception(say)
			})
			got, err := s.Get(t.Context(), "crm/demo")
			if !errors.Is(err, c.want) || (err == nil) != (got.Current == "one") || errors.Is(err, secret.ErrNone) && errors.Is(err, secret.ErrUnavailable) {
				t.Errorf("%q, %v; want %v", got.Current, err, c.want)
			}
		})
	}
}

// A rotation takes place between the two calls.
func TestARotationWhileReadingLosesNoValue(t *testing.T) {
	t.Parallel()
	first := true
	s, w := store(t, func(label string) (int, string) {
		old, now := "zero", "one"
		if !first {
			old, now = "one", "two"
		}
		first = false
		if label == "AWSPREVIOUS" {
			return http.StatusOK, `{"SecretString":"` + old + `"}`
		}
		return http.StatusOK, `{"SecretString":"` + now + `"}`
	})
	got, err := s.Get(t.Context(), "crm/demo")
	if err != nil || got.Current != "one" || got.Previous != "" {
		t.Errorf("%q, %q, %v", got.Current, got.Previous, err)
	}
	if len(w.labels) != 2 || w.labels[0] != "AWSCURRENT" {
		t.Errorf("asked for %v: read the other way round, the new value would be missing and the old one current", w.labels)
	}
}
