package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrock"
	"github.com/aws/aws-sdk-go-v2/service/bedrock/types"
	"github.com/aws/smithy-go"
)

const (
	idModel     = "model"
	idGuardrail = "guardrail"
)

func (q *inquiry) modelRegion() string { return q.setting("modelRegion", q.cloud.Region) }

// model looks at whether this account may ask the model, without asking it: a
// call costs, and it is extract's role that has to be let.
func (q *inquiry) model(ctx context.Context) {
	id, region := q.settings["modelId"], q.modelRegion()
	if id == "" {
		q.add(idModel, OK, "not needed: no modelId is given, rules read the text", "")
		return
	}
	client := bedrock.NewFromConfig(q.cloud.Config, func(o *bedrock.Options) { o.Region = region })
	p, err := client.GetInferenceProfile(ctx, &bedrock.GetInferenceProfileInput{InferenceProfileIdentifier: aws.String(id)})
	switch {
	case isNone(err):
		q.foundation(ctx, client, id, false)
	case err != nil:
		q.unknown(idModel, err, "reading it needs bedrock:GetInferenceProfile")
	default:
		if foundation, ok := q.profile(p); ok {
			q.foundation(ctx, client, foundation, true)
		}
	}
	q.guardrail(ctx, client)
}

// isNone tells AWS's answer that there is nothing of a name. An ID whose form
// is none of a profile's is answered so as well.
func isNone(err error) bool {
	var refused smithy.APIError
	return errors.As(err, &refused) && (refused.ErrorCode() == "ResourceNotFoundException" || refused.ErrorCode() == "ValidationException")
}

// profile compares where a profile leads with the regions that extract will be
// let into, and gives the model that is behind it.
func (q *inquiry) profile(p *bedrock.GetInferenceProfileOutput) (foundation string, ok bool) {
	id := aws.ToString(p.InferenceProfileId)
	var leads []string
	for _, m := range p.Models {
		// arn:aws:bedrock:eu-west-1::foundation-model/ID; a global one has no region.
		part := strings.SplitN(aws.ToString(m.ModelArn), ":", 6)
		if len(part) < 6 {
			continue
		}
		foundation = strings.TrimPrefix(part[5], "foundation-model/")
		if part[3] != "" {
			leads = append(leads, part[3])
		}
	}
	slices.Sort(leads)
	leads = slices.Compact(leads)
	given := strings.FieldsFunc(q.settings["modelRegions"], func(r rune) bool { return r == ',' || r == ' ' })
	missing := slices.DeleteFunc(slices.Clone(leads), func(r string) bool { return r == q.modelRegion() || slices.Contains(given, r) })
	spare := slices.DeleteFunc(slices.Clone(given), func(r string) bool { return slices.Contains(leads, r) })
	do := "give modelRegions=" + strings.Join(leads, ",")
	switch {
	case foundation == "" || p.Status != types.InferenceProfileStatusActive:
		q.add(idModel, Stop, fmt.Sprintf("inference profile %s is %s and names no model that could be asked", id, p.Status), "choose another modelId")
		return "", false
	case p.Type == types.InferenceProfileTypeApplication:
		q.add(idModel, Stop, id+" is an application inference profile, whose model the deployment cannot tell", "give the ID of the system-defined profile behind it as modelId")
		return "", false
	case len(missing) > 0 || len(given) == 0 && !strings.HasPrefix(id, "global."):
		q.add(idModel, Stop, fmt.Sprintf("inference profile %s leads to %s, and extract would not be let into all of them", id, strings.Join(leads, ", ")), do)
		return "", false
	case len(spare) > 0:
		q.add(idModel, Attention, fmt.Sprintf("inference profile %s does not lead to %s, and extract would be let in there", id, strings.Join(spare, ", ")), do)
	}
	return foundation, true
}

// foundation looks at a model: whether it is there, for how long, and open to
// this account.
func (q *inquiry) foundation(ctx context.Context, client *bedrock.Client, id string, behindProfile bool) {
	region := q.modelRegion()
	m, err := client.GetFoundationModel(ctx, &bedrock.GetFoundationModelInput{ModelIdentifier: aws.String(id)})
	switch {
	case isNone(err):
		q.add(idModel, Stop, fmt.Sprintf("Bedrock in %s knows neither a model nor an inference profile %s", region, id),
			"look at modelId and modelRegion: `aws bedrock list-inference-profiles --region "+region+"` and `aws bedrock list-foundation-models --region "+region+"` list what there is")
		return
	case err != nil || m.ModelDetails == nil:
		q.unknown(idModel, orEmpty(err), "reading it needs bedrock:GetFoundationModel")
		return
	case !behindProfile && q.settings["modelRegions"] != "":
		q.add(idModel, Stop, id+" is a model and no inference profile, and modelRegions are given", "give no modelRegions, or the profile as modelId")
		return
	case !behindProfile && !slices.Contains(m.ModelDetails.InferenceTypesSupported, types.InferenceTypeOnDemand):
		q.add(idModel, Stop, fmt.Sprintf("%s is not answered by its own ID in %s", id, region),
			"give the inference profile that leads to it, with modelRegions: `aws bedrock list-inference-profiles --region "+region+"`")
		return
	}
	a, err := client.GetFoundationModelAvailability(ctx, &bedrock.GetFoundationModelAvailabilityInput{ModelId: aws.String(id)})
	if err != nil {
		q.unknown(idModel, err, "reading it needs bedrock:GetFoundationModelAvailability")
		return
	}
	agreed := a.AgreementAvailability != nil && a.AgreementAvailability.Status == types.AgreementStatusAvailable
	switch {
	case a.RegionAvailability == types.RegionAvailabilityNotAvailable && !behindProfile:
		q.add(idModel, Stop, fmt.Sprintf("%s is not available in %s", id, region), "name a region that has it by modelRegion, or an inference profile as modelId")
	case a.AuthorizationStatus != types.AuthorizationStatusAuthorized || a.EntitlementAvailability != types.EntitlementAvailabilityAvailable || !agreed:
		q.add(idModel, Attention, fmt.Sprintf("this account has no access to %s in %s yet (%s); until then every mail goes to a person", id, region, access(a)),
			"open it in Bedrock's model catalog in that region and try it there once, as somebody who may subscribe in AWS Marketplace; extract may not")
	case m.ModelDetails.ModelLifecycle != nil && m.ModelDetails.ModelLifecycle.Status == types.FoundationModelLifecycleStatusLegacy:
		q.add(idModel, Attention, fmt.Sprintf("%s may be asked in %s, and is being withdrawn%s", id, region, until(m.ModelDetails.ModelLifecycle.EndOfLifeTime)), "choose its successor as modelId in time")
	default:
		q.add(idModel, OK, fmt.Sprintf("%s may be asked in %s by this account; it was not asked", q.settings["modelId"], region), "")
	}
}

// access says what is open and what is not.
func access(a *bedrock.GetFoundationModelAvailabilityOutput) string {
	agreement := types.AgreementStatus("unknown")
	if a.AgreementAvailability != nil {
		agreement = a.AgreementAvailability.Status
	}
	return fmt.Sprintf("authorization %s, entitlement %s, agreement %s", a.AuthorizationStatus, a.EntitlementAvailability, agreement)
}

func until(end *time.Time) string {
	if end == nil {
		return ""
	}
	return ": it ends on " + end.UTC().Format(time.DateOnly)
}

// guardrail looks at the guardrail, which lies in the region of the model.
func (q *inquiry) guardrail(ctx context.Context, client *bedrock.Client) {
	id, version, given := strings.Cut(q.settings["guardrail"], ":")
	if !given {
		return
	}
	g, err := client.GetGuardrail(ctx, &bedrock.GetGuardrailInput{GuardrailIdentifier: aws.String(id), GuardrailVersion: aws.String(version)})
	name := fmt.Sprintf("guardrail %s, version %s", id, version)
	switch {
	case isNone(err):
		q.add(idGuardrail, Stop, fmt.Sprintf("there is no %s in %s: every call would be refused", name, q.modelRegion()), "`aws bedrock list-guardrails --region "+q.modelRegion()+"`")
	case err != nil:
		q.unknown(idGuardrail, err, "reading it needs bedrock:GetGuardrail")
	case g.CrossRegionDetails != nil:
		q.add(idGuardrail, Stop, name+" leads to other regions by a profile of its own, which extract may not use", "take one without cross-region inference")
	case g.Status != types.GuardrailStatusReady:
		q.add(idGuardrail, Attention, fmt.Sprintf("%s is %s", name, g.Status), "wait until it is READY, or put right what its page says")
	default:
		q.add(idGuardrail, OK, name+" is ready", "")
	}
}

// orEmpty is the fault of an answer that says nothing.
func orEmpty(err error) error {
	if err == nil {
		return errors.New("an answer without a model")
	}
	return err
}
