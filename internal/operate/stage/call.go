package stage

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"onefold/internal/digest"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// A few facts stand behind APIs of which nothing else is needed here: SES's
// receipt rules, IAM's policy simulator, CloudWatch's statistics, SNS's
// subscriptions. They are AWS Query APIs: a signed form, answered in XML
// (for example "Amazon SES API Reference", "Making requests").

// API is one of them.
type API struct {
	Host    string // before .<region>.amazonaws.com; whole for a global one
	Service string // of the signature
	Version string
	Global  bool // signed for us-east-1, whatever the region
}

// SESReceiving is the API of receipt rules.
func SESReceiving() API { return API{Host: "email", Service: "ses", Version: "2010-12-01"} }

// IAM is the API of the policy simulator.
func IAM() API {
	return API{Host: "iam.amazonaws.com", Service: "iam", Version: "2010-05-08", Global: true}
}

// CloudWatch is the API of statistics.
func CloudWatch() API {
	return API{Host: "monitoring", Service: "monitoring", Version: "2010-08-01"}
}

// SNS is the API of subscriptions.
func SNS() API { return API{Host: "sns", Service: "sns", Version: "2010-03-31"} }

// Refused is AWS's answer that a call was refused.
type Refused struct {
	Action, Code string
	Status       int
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%s: refused with %s (HTTP %d)", r.Action, r.Code, r.Status)
}

// answerLimit is the most that an answer may have, in bytes.
const answerLimit = 4 << 20

// callTime is how long one call may take.
const callTime = 20 * time.Second

// Query calls an action in a region, and decodes its answer into out, whose
// fields are named by XML paths below the action's element. The error is
// *Refused where AWS refused.
func (c *Cloud) Query(ctx context.Context, api API, region, action string, in url.Values, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	form := url.Values{"Action": {action}, "Version": {api.Version}}
	for k, v := range in {
		form[k] = v
	}
	endpoint, signed := "https://"+api.Host+"."+region+"."+suffix(region), region
	if api.Global {
		endpoint, signed = "https://"+api.Host, "us-east-1"
	}
	if c.Endpoint != "" {
		endpoint = c.Endpoint
	}
	body := form.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint+"/", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	who, err := c.Config.Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCredentials, err)
	}
	if err := v4.NewSigner().SignHTTP(ctx, who, req, digest.Content([]byte(body)), api.Service, signed, c.Now()); err != nil {
		return fmt.Errorf("sign %s: %w", action, err)
	}
	client := http.Client{Timeout: callTime}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	if resp.StatusCode != http.StatusOK {
		var fault struct {
			Code string `xml:"Error>Code"`
		}
		if xml.Unmarshal(answer, &fault) != nil || fault.Code == "" {
			fault.Code = "an answer that is not one of this API"
		}
		return &Refused{action, fault.Code, resp.StatusCode}
	}
	if err := xml.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s: the answer cannot be read", action)
	}
	return nil
}

// suffix is the domain of a region's endpoints.
func suffix(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// RefusedWith tells whether AWS refused a call with one of these codes.
func RefusedWith(err error, codes ...string) bool {
	var r *Refused
	if !errors.As(err, &r) {
		return false
	}
	for _, code := range codes {
		if r.Code == code {
			return true
		}
	}
	return false
}
