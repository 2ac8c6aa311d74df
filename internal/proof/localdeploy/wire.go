package localdeploy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"onefold/internal/app"
	"onefold/internal/proof/localaws"
)

// The services of which a call or two is needed, too few for their SDKs.
// Their names are those that a signature has.
const (
	serviceIAM  = "iam"
	serviceSNS  = "sns"
	serviceLogs = "logs"
)

const maxAnswer = 16 << 20

// query asks a service of the query protocol; the answer is XML.
func (d *Deployment) query(ctx context.Context, service, action, version string, fields map[string]string) ([]byte, error) {
	form := url.Values{"Action": {action}, "Version": {version}}
	for name, value := range fields {
		form.Set(name, value)
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	return d.ask(ctx, service, action, header, []byte(form.Encode()))
}

// target asks a service of the JSON protocol and decodes the answer.
func (d *Deployment) target(ctx context.Context, service, target string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	header := http.Header{"Content-Type": {"application/x-amz-json-1.1"}, "X-Amz-Target": {target}}
	answer, err := d.ask(ctx, service, target, header, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

func (d *Deployment) ask(ctx context.Context, service, what string, header http.Header, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.gate.url+"/", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	req.Header = header
	sum := sha256.Sum256(body)
	config := d.config()
	keys, err := config.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if err := v4.NewSigner().SignHTTP(ctx, keys, req, hex.EncodeToString(sum[:]), service, localaws.Region, app.Clock()); err != nil {
		return nil, fmt.Errorf("%s: sign: %w", what, err)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	case resp.StatusCode == http.StatusNotFound, strings.Contains(string(answer), "NotFound"):
		return nil, fmt.Errorf("%s: %w", what, errAbsent)
	case resp.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s: status %d", what, resp.StatusCode)
	}
	return answer, nil
}

var errAbsent = errors.New("there is none")
