package localdeploy

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"onefold/internal/mailer/sestest"
)

// Call is an AWS call as IAM sees it: who, which action, on what. It holds
// names only, never a key of an item, a value or a body.
type Call struct {
	Function string // of the user agent; "" of whoever else
	Action   string // as in a policy: "dynamodb:PutItem"
	Resource string // the end of its ARN, a key of a bucket cut after its first folder
}

// appID is where the SDK puts AWS_SDK_UA_APP_ID in the user agent.
var appID = regexp.MustCompile(`\bapp/([a-z0-9-]+)`)

// scope is the part of an Authorization header that names the service
// (Signature Version 4, "Credential").
var scope = regexp.MustCompile(`Credential=[^/]+/[0-9]{8}/[^/]+/([^/]+)/aws4_request`)

// callsOf reads which actions a request asks for. A transaction of DynamoDB is
// no action of IAM: each of its items is one (DynamoDB Developer Guide, "IAM
// permissions for transactions"). A request that is nothing known gives an
// action with a question mark, which no role allows.
func callsOf(r *http.Request, body []byte) []Call {
	function := ""
	if m := appID.FindStringSubmatch(r.UserAgent()); m != nil {
		function = m[1]
	}
	service := ""
	if m := scope.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		service = m[1]
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	one := func(action, resource string) []Call { return []Call{{function, action, resource}} }
	switch service {
	case "dynamodb":
		return dynamoCalls(function, operation, body)
	case "s3":
		return one(s3Call(r))
	case "ses":
		if r.Method == http.MethodPost && r.URL.Path == sestest.SendPath {
			return sendCalls(function, body)
		}
	case "secretsmanager":
		return one("secretsmanager:"+operation, named(body, "SecretId"))
	case "sqs":
		queue := named(body, "QueueUrl")
		return one("sqs:"+operation, queue[strings.LastIndex(queue, "/")+1:])
	case "kms":
		return one("kms:"+operation, "key")
	case "bedrock":
		return one("bedrock:InvokeModel", "model")
	}
	return one(service+":?", r.Method+" "+operation)
}

// item is what a request of DynamoDB says of the table it is about.
type item struct {
	TableName string
	IndexName string
}

func (i item) resource() string {
	if i.IndexName != "" {
		return "table/" + i.TableName + "/index/" + i.IndexName
	}
	return "table/" + i.TableName
}

func dynamoCalls(function, operation string, body []byte) []Call {
	call := func(action, resource string) Call { return Call{function, "dynamodb:" + action, resource} }
	switch operation {
	case "TransactWriteItems", "TransactGetItems":
		var in struct{ TransactItems []map[string]item }
		_ = json.Unmarshal(body, &in) // what cannot be read is no item, and seen below
		var out []Call
		words := map[string]string{
			"ConditionCheck": "ConditionCheckItem", "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "Get": "GetItem",
		}
		for _, member := range in.TransactItems {
			for word, it := range member {
				action := words[word]
				if action == "" {
					action = "?" + word
				}
				out = append(out, call(action, it.resource()))
			}
		}
		if len(out) > 0 {
			return out
		}
	case "BatchGetItem", "BatchWriteItem":
		var in struct{ RequestItems map[string]json.RawMessage }
		_ = json.Unmarshal(body, &in)
		var out []Call
		for table := range in.RequestItems {
			out = append(out, call(operation, "table/"+table))
		}
		if len(out) > 0 {
			return out
		}
	default:
		var in item
		if json.Unmarshal(body, &in) == nil && in.TableName != "" {
			return []Call{call(operation, in.resource())}
		}
	}
	return []Call{call(operation+"?", "")}
}

// s3Call knows the calls that a function makes; IAM's names for them are of
// the S3 User Guide, "Required permissions for Amazon S3 API operations".
func s3Call(r *http.Request) (action, resource string) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	folder, _, _ := strings.Cut(key, "/")
	resource = bucket
	if key != "" {
		resource += "/" + folder + "/*"
	}
	query := r.URL.Query()
	switch {
	case key == "" && r.Method == http.MethodGet && query.Has("list-type"):
		return "s3:ListBucket", bucket
	case key == "":
		return "s3:?", r.Method
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		return "s3:GetObject", resource
	case r.Method == http.MethodPut, r.Method == http.MethodPost:
		return "s3:PutObject", resource
	case r.Method == http.MethodDelete:
		return "s3:DeleteObject", resource
	}
	return "s3:?", r.Method
}

// sendCalls: a mail needs the right to its sender's identity and to its
// configuration set (Service Authorization Reference, "Amazon SES").
func sendCalls(function string, body []byte) []Call {
	from := named(body, "FromEmailAddress")
	domain := strings.TrimRight(from[strings.LastIndex(from, "@")+1:], ">")
	calls := []Call{{function, SendMail, "identity/" + domain}}
	if set := named(body, "ConfigurationSetName"); set != "" {
		calls = append(calls, Call{function, SendMail, "configuration-set/" + set})
	}
	return calls
}

// SendMail is the action of a submission to SES.
const SendMail = "ses:SendEmail"

// named is the text of a field of a JSON body; "" if there is none.
func named(body []byte, field string) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	var text string
	_ = json.Unmarshal(in[field], &text)
	return text
}
