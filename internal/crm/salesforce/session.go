package salesforce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// account is what the tenant's secret says.
type account struct {
	LoginURL   string `json:"login_url"` // https://login.salesforce.com, or that of a sandbox or domain
	ClientID   string `json:"client_id"`
	Username   string `json:"username"`
	PrivateKey string `json:"private_key"` // PEM
}

// ErrAccount means that the secret is not what it should be. The text names the
// member, and no value.
var ErrAccount = errors.New("salesforce: the secret is a JSON document with login_url, client_id, username and private_key")

func readAccount(secret string) (account, error) {
	var a account
	d := json.NewDecoder(strings.NewReader(secret))
	d.DisallowUnknownFields()
	if d.Decode(&a) != nil || d.More() {
		return a, ErrAccount
	}
	for name, value := range map[string]string{"login_url": a.LoginURL, "client_id": a.ClientID, "username": a.Username, "private_key": a.PrivateKey} {
		if value == "" {
			return a, fmt.Errorf("%w: %s is missing", ErrAccount, name)
		}
	}
	u, err := url.Parse(a.LoginURL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return a, fmt.Errorf("%w: login_url is no https address", ErrAccount)
	}
	return a, nil
}

// session is a token and the instance that it is for.
type session struct{ token, instance string }

// enter gives the session there is, or begins one. fresh tells which.
func (c *Client) enter(ctx context.Context) (s session, fresh bool, v verdict) {
	c.mu.Lock()
	s = c.session
	c.mu.Unlock()
	if s.token != "" {
		return s, false, verdict{}.done()
	}
	text, err := c.cfg.Secret(ctx)
	if err != nil || text == "" {
		return s, true, ofAccount(crm.NotBegun, crm.ReasonNoToken)
	}
	a, err := readAccount(text)
	if err != nil {
		return s, true, ofAccount(crm.Refused, crm.ReasonSetup)
	}
	login := strings.TrimSuffix(a.LoginURL, "/")
	flow := &jwt.Config{
		Email: a.ClientID, Subject: a.Username, PrivateKey: []byte(a.PrivateKey), Audience: login, TokenURL: login + "/services/oauth2/token",
		Expires: 3 * time.Minute,
	}
	if c.base != "" {
		flow.TokenURL = c.base + "/services/oauth2/token"
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, c.http), onecall.Timeout)
	defer cancel()
	// Nothing of the CRM is written by this, whatever becomes of it.
	token, err := flow.TokenSource(ctx).Token()
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError && refused.Response.StatusCode != http.StatusTooManyRequests:
		return s, true, ofAccount(crm.Refused, crm.ReasonAuth)
	case err != nil:
		return s, true, ofAccount(crm.NotBegun, crm.ReasonNoToken)
	}
	instance, _ := token.Extra("instance_url").(string)
	if c.base != "" {
		instance = c.base
	}
	root, err := onecall.Base(instance)
	if err != nil || token.AccessToken == "" {
		return s, true, ofAccount(crm.NotBegun, crm.ReasonNoToken)
	}
	s = session{token.AccessToken, root}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = s
	return s, true, verdict{}.done()
}

// leave forgets a session that was refused.
func (c *Client) leave(s session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		c.session = session{}
	}
}
