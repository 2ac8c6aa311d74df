package localcrm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// Account is one organisation of the server, empty when made, and an
// administrator's personal access token for it.
type Account struct {
	Token   string
	session string // of the person whose token it is
	tokenID string
}

// signIn gives a session of a new person, by the server's own command for that:
// without it a person signs in with a link that is mailed.
func (s *Server) signIn(ctx context.Context) (string, error) {
	out, err := s.finish(ctx, command{path: s.tools.python, env: append(s.environment(s.dir), "DEBUG=True"),
		args: []string{"-m", "django", "devlogin", "admin@example.com", "--create"}})
	if err != nil {
		return "", fmt.Errorf("sign in: %w", err)
	}
	for line := range strings.Lines(out) {
		if token, found := strings.CutPrefix(line, "access_token:"); found {
			return strings.TrimSpace(token), nil
		}
	}
	return "", errors.New("sign in: the command gave no session")
}

// Account makes an organisation, of a name of its own as the server asks.
func (s *Server) Account(ctx context.Context) (*Account, error) {
	var made struct {
		Org struct {
			ID string `json:"id"`
		} `json:"org"`
	}
	err := request(ctx, s.web, "POST", "/api/org/", s.admin, map[string]string{"name": fmt.Sprint("Example ", s.accounts.Add(1))}, &made)
	if err != nil {
		return nil, fmt.Errorf("make an organisation: %w", err)
	}
	var in struct {
		Session string `json:"access_token"`
	}
	if err := request(ctx, s.web, "POST", "/api/auth/switch-org/", s.admin, map[string]string{"org_id": made.Org.ID}, &in); err != nil {
		return nil, fmt.Errorf("enter an organisation: %w", err)
	}
	var token struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	if err := request(ctx, s.web, "POST", "/api/profile/tokens/", in.Session, map[string]string{"name": "onefold"}, &token); err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	return &Account{Token: token.Token, session: in.Session, tokenID: token.ID}, nil
}

// Revoke has the account's token refused from now on.
func (s *Server) Revoke(ctx context.Context, a *Account) error {
	return request(ctx, s.web, "DELETE", "/api/profile/tokens/"+a.tokenID+"/", a.session, nil, nil)
}

// Do is one request as a person of the account would make it.
func (s *Server) Do(ctx context.Context, a *Account, method, path string, in, out any) error {
	return request(ctx, s.web, method, path, a.session, in, out)
}

// Dial is for a transport whose every connection goes to a server's socket.
func Dial(socket string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
}

// request makes one request to a server's socket; out, unless nil, gets the
// answer. Any status but 2xx is an error.
func request(ctx context.Context, socket, method, path, session string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if session != "" {
		req.Header.Set("Authorization", "Bearer "+session)
	}
	client := http.Client{Transport: &http.Transport{DialContext: Dial(socket), DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("%s %s: status %d", method, path, resp.StatusCode)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}
