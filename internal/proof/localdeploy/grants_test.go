package localdeploy

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"onefold/internal/proof/roles"
	"onefold/internal/schema"
)

// texts is a policy's text or list of texts.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

type statement struct {
	Effect    string
	Action    texts
	Resource  texts
	Condition map[string]json.RawMessage
}

// statements accepts the one object that a policy may have in place of a list.
type statements []statement

func (s *statements) UnmarshalJSON(b []byte) error {
	var one statement
	if json.Unmarshal(b, &one) == nil {
		*s = statements{one}
		return nil
	}
	return json.Unmarshal(b, (*[]statement)(s))
}

// Grants reads the roles of the deployed functions as they are in the account,
// with every reference resolved. A managed policy in a role is an error: what
// it grants is AWS's to change.
func (d *Deployment) Grants(ctx context.Context) ([]roles.Grant, error) {
	var all []roles.Grant
	for _, run := range schema.Functions() {
		out, err := d.lambda.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{
			FunctionName: aws.String(schema.FunctionName(d.Stage, run.Function)),
		})
		if err != nil {
			return nil, fmt.Errorf("read the function %s: %w", run.Function, err)
		}
		arn := aws.ToString(out.Role)
		granted, err := d.grantsOf(ctx, run.Function, arn[strings.LastIndex(arn, "/")+1:])
		if err != nil {
			return nil, fmt.Errorf("read the role of %s: %w", run.Function, err)
		}
		all = append(all, granted...)
	}
	return all, nil
}

func (d *Deployment) grantsOf(ctx context.Context, f schema.Function, role string) ([]roles.Grant, error) {
	var attached struct {
		Names []string `xml:"ListAttachedRolePoliciesResult>AttachedPolicies>member>PolicyName"`
	}
	if err := d.iam(ctx, "ListAttachedRolePolicies", map[string]string{"RoleName": role}, &attached); err != nil {
		return nil, err
	}
	if len(attached.Names) > 0 {
		return nil, fmt.Errorf("managed policies: %s", strings.Join(attached.Names, ", "))
	}
	var inline struct {
		Names []string `xml:"ListRolePoliciesResult>PolicyNames>member"`
	}
	if err := d.iam(ctx, "ListRolePolicies", map[string]string{"RoleName": role}, &inline); err != nil {
		return nil, err
	}
	var all []roles.Grant
	for _, name := range inline.Names {
		var got struct {
			Document string `xml:"GetRolePolicyResult>PolicyDocument"`
		}
		if err := d.iam(ctx, "GetRolePolicy", map[string]string{"RoleName": role, "PolicyName": name}, &got); err != nil {
			return nil, err
		}
		text, err := url.QueryUnescape(got.Document)
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", name, err)
		}
		granted, err := grantsIn(f, []byte(text))
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", name, err)
		}
		all = append(all, granted...)
	}
	return all, nil
}

func grantsIn(f schema.Function, document []byte) ([]roles.Grant, error) {
	var policy struct{ Statement statements }
	if err := json.Unmarshal(document, &policy); err != nil {
		return nil, err
	}
	var all []roles.Grant
	for _, s := range policy.Statement {
		if s.Effect != "Allow" {
			continue
		}
		for _, action := range s.Action {
			for _, resource := range s.Resource {
				all = append(all, roles.Grant{Function: f, Action: action, Resource: tail(resource), Conditional: len(s.Condition) > 0})
			}
		}
	}
	slices.SortFunc(all, func(a, b roles.Grant) int { return strings.Compare(a.Action+a.Resource, b.Action+b.Resource) })
	return all, nil
}

// tail is the part of an ARN behind the account; of a secret or a log group,
// behind the word that says what it is.
func tail(arn string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 {
		return arn
	}
	return strings.TrimPrefix(strings.TrimPrefix(parts[5], "secret:"), "log-group:")
}

func (d *Deployment) iam(ctx context.Context, action string, fields map[string]string, out any) error {
	answer, err := d.query(ctx, serviceIAM, action, "2010-05-08", fields)
	if err != nil {
		return err
	}
	return xml.Unmarshal(answer, out)
}
