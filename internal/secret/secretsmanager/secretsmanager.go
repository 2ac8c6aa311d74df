// Package secretsmanager keeps secrets in AWS Secrets Manager: the current
// value is the version labelled AWSCURRENT, the replaced one AWSPREVIOUS.
//
// Its invariant: the current version is read before the previous one, so a
// rotation between the two calls can only be missed, never lose the new value.
// Functions read through a Cache; operators read and write the Store itself.
// It refuses to make or change the identifier key, which the deployment makes.
package secretsmanager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/secret"

	"github.com/aws/aws-sdk-go-v2/aws"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
)

// The labels of versions: "Secrets Manager User Guide", "What's in a secret".
const (
	current  = "AWSCURRENT"
	previous = "AWSPREVIOUS"
)

// Options of a store.
type Options struct {
	// Prefix is before the name of each secret: schema.SecretPrefix.
	Prefix string
	// Like names a secret whose KMS key encrypts those that Put makes, such as
	// schema.SecretIdentifierKey: what may read that one may read these. Where
	// it is empty, or no such secret exists, the account's own key does.
	Like string
}

// Store is a secret.Keeper without memory.
type Store struct {
	client *sm.Client
	o      Options
}

// New gives a store. The client's own retries apply.
func New(client *sm.Client, o Options) *Store { return &Store{client, o} }

// Get asks for both versions.
func (s *Store) Get(ctx context.Context, name string) (secret.Secret, error) {
	if secret.CheckName(name) != nil {
		return secret.Secret{}, fmt.Errorf("%w: no such name", secret.ErrNone)
	}
	now, err := s.version(ctx, name, current)
	if err != nil {
		return secret.Secret{}, err
	}
	before, err := s.version(ctx, name, previous)
	if err != nil && !errors.Is(err, secret.ErrNone) {
		// Without it a sender that has not changed yet would be refused.
		return secret.Secret{}, err
	}
	if before == now {
		before = ""
	}
	return secret.Secret{Current: now, Previous: before}, nil
}

// version is the value with a label. None: there is no such secret, no such
// version, or the secret is scheduled for deletion.
func (s *Store) version(ctx context.Context, name, label string) (string, error) {
	out, err := s.client.GetSecretValue(ctx, &sm.GetSecretValueInput{
		SecretId: aws.String(s.o.Prefix + name), VersionStage: aws.String(label),
	})
	if err != nil {
		return "", fault("read secret", name, err)
	}
	if v := aws.ToString(out.SecretString); v != "" {
		return v, nil
	}
	return "", fmt.Errorf("read secret %s: %w: it is no text", name, secret.ErrUnavailable)
}

// Put makes the secret, or a version of it.
func (s *Store) Put(ctx context.Context, name, value string) error {
	if err := secret.CheckPut(name, value); err != nil {
		return err
	}
	now, err := s.version(ctx, name, current)
	if err == nil && now == value {
		return nil
	}
	if err != nil && !errors.Is(err, secret.ErrNone) {
		return err
	}
	if err != nil {
		key, err := s.key(ctx)
		if err != nil {
			return err
		}
		_, err = s.client.CreateSecret(ctx, &sm.CreateSecretInput{
			Name: aws.String(s.o.Prefix + name), SecretString: aws.String(value), KmsKeyId: key,
		})
		var there *types.ResourceExistsException
		if !errors.As(err, &there) {
			return wrap("make secret", name, err)
		}
		// A secret without a value, or another operator's of this moment.
	}
	// Secrets Manager itself labels what was current AWSPREVIOUS.
	_, err = s.client.PutSecretValue(ctx, &sm.PutSecretValueInput{SecretId: aws.String(s.o.Prefix + name), SecretString: aws.String(value)})
	return wrap("put secret", name, err)
}

// key is the KMS key of new secrets, nil for the account's own.
func (s *Store) key(ctx context.Context) (*string, error) {
	if s.o.Like == "" {
		return nil, nil
	}
	d, err := s.client.DescribeSecret(ctx, &sm.DescribeSecretInput{SecretId: aws.String(s.o.Prefix + s.o.Like)})
	if err != nil {
		if err = fault("describe secret", s.o.Like, err); errors.Is(err, secret.ErrNone) {
			return nil, nil
		}
		return nil, err
	}
	return d.KmsKeyId, nil
}

// Revoke takes the label from the previous version, which Secrets Manager then
// deletes in its own time.
func (s *Store) Revoke(ctx context.Context, name string) error {
	if secret.CheckName(name) != nil {
		return fmt.Errorf("%w: no such name", secret.ErrNone)
	}
	d, err := s.client.DescribeSecret(ctx, &sm.DescribeSecretInput{SecretId: aws.String(s.o.Prefix + name)})
	if err != nil {
		return fault("describe secret", name, err)
	}
	for id, labels := range d.VersionIdsToStages {
		if !slices.Contains(labels, previous) {
			continue
		}
		_, err = s.client.UpdateSecretVersionStage(ctx, &sm.UpdateSecretVersionStageInput{
			SecretId: aws.String(s.o.Prefix + name), VersionStage: aws.String(previous), RemoveFromVersionId: aws.String(id),
		})
		return wrap("revoke the previous value of secret", name, err)
	}
	return nil
}

// List names the secrets below the prefix, those of the deployment included. It
// may be up to five minutes behind (API reference, "ListSecrets").
func (s *Store) List(ctx context.Context) ([]secret.Entry, error) {
	in := &sm.ListSecretsInput{}
	if s.o.Prefix != "" {
		in.Filters = []types.Filter{{Key: types.FilterNameStringTypeName, Values: []string{s.o.Prefix}}}
	}
	var found []secret.Entry
	for pages := sm.NewListSecretsPaginator(s.client, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, wrap("list secrets below", s.o.Prefix, err)
		}
		for _, e := range page.SecretList {
			name, ours := strings.CutPrefix(aws.ToString(e.Name), s.o.Prefix)
			if !ours || e.DeletedDate != nil {
				continue
			}
			entry := secret.Entry{Name: name, ChangedAt: aws.ToTime(e.LastChangedDate)}
			for _, labels := range e.SecretVersionsToStages {
				entry.Previous = entry.Previous || slices.Contains(labels, previous)
			}
			found = append(found, entry)
		}
	}
	slices.SortFunc(found, func(a, b secret.Entry) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// fault tells an answer, that there is no secret, from everything else.
// GetSecretValue and DescribeSecret give InvalidRequestException for a secret
// that is scheduled for deletion.
func fault(doing, name string, err error) error {
	var gone *types.ResourceNotFoundException
	var deleted *types.InvalidRequestException
	if errors.As(err, &gone) || errors.As(err, &deleted) {
		return fmt.Errorf("%s %s: %w", doing, name, secret.ErrNone)
	}
	return wrap(doing, name, err)
}

// wrap is nil for nil. Messages of Secrets Manager name secrets and repeat no
// value.
func wrap(doing, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w: %w", doing, name, secret.ErrUnavailable, err)
}

var _ secret.Keeper = (*Store)(nil)
