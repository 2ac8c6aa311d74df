package salesforce

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// account is what the tenant's secret says.
type account struct {
	LoginURL   string `json:"login_url"` // https://login.salesforce.com, or that of a sandbox
	ClientID   string `json:"client_id"`
	Username   string `json:"username"`
	PrivateKey string `json:"private_key"` // PEM, RSA
	AccountID  string `json:"account_id"`  // of contacts that are made, if given

	key *rsa.PrivateKey
}

// ErrSecret means that the secret is not what it should be. The text names the
// member, and no value.
var ErrSecret = errors.New("salesforce: the secret is a JSON document with login_url, client_id, username and private_key")

func readSecret(secret string) (account, error) {
	var a account
	d := json.NewDecoder(strings.NewReader(secret))
	d.DisallowUnknownFields()
	if d.Decode(&a) != nil || d.More() {
		return a, ErrSecret
	}
	for _, m := range [][2]string{{"login_url", a.LoginURL}, {"client_id", a.ClientID}, {"username", a.Username}, {"private_key", a.PrivateKey}} {
		if m[1] == "" {
			return a, fmt.Errorf("%w: %s is missing", ErrSecret, m[0])
		}
	}
	var err error
	if a.LoginURL, err = onecall.Base(a.LoginURL); err != nil {
		return a, fmt.Errorf("%w: login_url: %w", ErrSecret, err)
	}
	if b, _ := pem.Decode([]byte(a.PrivateKey)); b != nil {
		if key, err := x509.ParsePKCS8PrivateKey(b.Bytes); err == nil {
			a.key, _ = key.(*rsa.PrivateKey)
		} else if key, err := x509.ParsePKCS1PrivateKey(b.Bytes); err == nil {
			a.key = key
		}
	}
	if a.key == nil {
		return a, fmt.Errorf("%w: private_key is not an RSA key in PEM", ErrSecret)
	}
	return a, nil
}

// session is a token with the instance that it is for, and the secret by which it
// was got.
type session struct{ secret, token, instance, accountID string }

// enter gives the session there is, unless its token is the one that was refused or
// the secret has changed: then it begins one. fresh tells which. Nothing of the CRM
// is written by a login, whatever becomes of it.
func (c *Client) enter(ctx context.Context, refused string) (s session, fresh bool, v verdict) {
	secret, err := c.cfg.Secret(ctx)
	if err != nil || secret == "" {
		return s, false, ofAccount(crm.NotBegun, crm.ReasonNoToken)
	}
	select {
	case c.door <- struct{}{}:
		defer func() { <-c.door }()
	case <-ctx.Done():
		return s, false, ofAccount(crm.NotBegun, crm.ReasonNoConnection)
	}
	if s = c.session; s.token != "" && s.token != refused && s.secret == secret {
		return s, false, verdict{}.done()
	}
	a, err := readSecret(secret)
	if err != nil {
		return s, false, ofAccount(crm.Refused, crm.ReasonSetup)
	}
	c.session, v = c.login(ctx, a)
	c.session.secret = secret
	return c.session, true, v
}

// assertionLife is what Salesforce gives assertions of its own (named credentials,
// jwt-claims, read 2026-12-01).
const assertionLife = 2 * time.Minute

func (c *Client) login(ctx context.Context, a account) (session, verdict) {
	none := ofAccount(crm.NotBegun, crm.ReasonNoToken)
	claims, err := json.Marshal(map[string]any{"iss": a.ClientID, "sub": a.Username, "aud": a.LoginURL, "exp": c.cfg.Now().Add(assertionLife).Unix()})
	signer, err2 := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: a.key}, nil)
	if err != nil || err2 != nil {
		return session{}, none
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		return session{}, none
	}
	assertion, err := signed.CompactSerialize()
	if err != nil {
		return session{}, none
	}
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
	root := a.LoginURL
	if c.base != "" {
		root = c.base
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, root+"/services/oauth2/token", strings.NewReader(form.Encode()))
	if err != nil {
		return session{}, none
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, fault := onecall.Send(ctx, c.http, req)
	var got struct {
		Token    string `json:"access_token"`
		Instance string `json:"instance_url"`
		Error    string `json:"error"`
	}
	switch _ = json.Unmarshal(answer.Body, &got); {
	case fault.Outcome == crm.NotBegun:
		return session{}, verdict{Result: fault}
	case answer.Status >= 400 && answer.Status <= 403 && strings.HasPrefix(got.Error, "invalid_"):
		return session{}, ofAccount(crm.Refused, crm.ReasonAuth)
	case !answer.OK() || got.Token == "":
		return session{}, none
	}
	if c.base != "" {
		got.Instance = c.base
	}
	instance, err := onecall.Base(got.Instance)
	if err != nil {
		return session{}, none
	}
	return session{token: got.Token, instance: instance, accountID: a.AccountID}, verdict{}.done()
}
