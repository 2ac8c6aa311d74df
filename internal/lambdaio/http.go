// Package lambdaio turns what Lambda hands over into what the use cases take,
// and their answers back. It alone knows the types of aws-lambda-go.
//
// It decides nothing: a request becomes the bytes that were sent, whatever
// encoding the gateway chose, and statuses pass as they are. Its invariant is
// that of batches: a record is worked on or reported, and none that can never
// succeed keeps its shard from going on. It refuses payloads of any shape that
// a function does not take, and shows nothing of one in an error.
package lambdaio

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"onefold/internal/ingest"

	"github.com/aws/aws-lambda-go/events"
)

// HTTPHandler is a function behind an HTTP API, payload version 2.0.
type HTTPHandler func(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// Ingest serves /v1/{tenant}/{endpoint}: POST, and for sources that ask before
// they send, GET and OPTIONS.
func Ingest(handle func(context.Context, ingest.Request) ingest.Response) HTTPHandler {
	return func(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		method := r.RequestContext.HTTP.Method
		if method != http.MethodPost && method != http.MethodGet && method != http.MethodOptions {
			return answer(ingest.Response{Status: http.StatusMethodNotAllowed, Error: "method_not_allowed", Hint: "POST a delivery"})
		}
		tenant, endpoint, ok := target(r)
		if !ok {
			return answer(ingest.Response{Status: http.StatusNotFound, Error: "unknown_endpoint", Hint: "the path is /v1/{tenant}/{endpoint}"})
		}
		body, err := rawBody(r)
		if err != nil {
			return answer(ingest.Response{Status: http.StatusBadRequest, Error: "body_encoding", Hint: "the gateway's base64 could not be read"})
		}
		return answer(handle(ctx, ingest.Request{
			Tenant: tenant, Endpoint: endpoint, Method: method, Path: r.RawPath, Query: r.RawQueryString,
			Headers: headers(r), Body: body, RequestID: r.RequestContext.RequestID,
		}))
	}
}

// target reads tenant and endpoint from the route's parameters, or from the
// path where the route is a catch-all.
func target(r events.APIGatewayV2HTTPRequest) (tenant, endpoint string, ok bool) {
	if t, e := r.PathParameters["tenant"], r.PathParameters["endpoint"]; t != "" && e != "" {
		return t, e, true
	}
	parts := strings.Split(strings.Trim(r.RawPath, "/"), "/")
	if len(parts) < 3 || parts[len(parts)-3] != "v1" {
		return "", "", false
	}
	return parts[len(parts)-2], parts[len(parts)-1], true
}

// rawBody is the bytes as they were sent: signatures are over these.
func rawBody(r events.APIGatewayV2HTTPRequest) ([]byte, error) {
	if !r.IsBase64Encoded {
		return []byte(r.Body), nil
	}
	return base64.StdEncoding.DecodeString(r.Body)
}

// headers folds names to lower case, as the gateway does; a test event may
// not.
func headers(r events.APIGatewayV2HTTPRequest) map[string]string {
	out := make(map[string]string, len(r.Headers))
	for name, v := range r.Headers {
		out[strings.ToLower(name)] = v
	}
	return out
}

func answer(r ingest.Response) (events.APIGatewayV2HTTPResponse, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusInternalServerError}, err
	}
	h := map[string]string{"content-type": "application/json; charset=utf-8", "cache-control": "no-store"}
	if r.Status == http.StatusServiceUnavailable {
		h["retry-after"] = "10"
	}
	if r.Own != nil { // an answer with a form of its own
		body = r.Own.Body
		delete(h, "content-type")
		maps.Copy(h, r.Own.Headers)
	}
	if r.Headers != nil {
		maps.Copy(h, *r.Headers)
	}
	return events.APIGatewayV2HTTPResponse{StatusCode: r.Status, Headers: h, Body: string(body)}, nil
}
