package tenant

import (
	"encoding/json"
	"fmt"
	"time"
)

// MaxDocument bounds a policy document, in bytes. It leaves room for it in one
// DynamoDB item of 400 KB.
const MaxDocument = 256 << 10

// Parse reads a policy document, checks all of it and fills in defaults.
//
// The check goes in three steps, and each goes on with what the one before
// could use, so that all problems are told at once: JSON (only here does the
// first fault end the check), the schema policy.schema.json, and what no
// schema can say. The error for a bad document is *InvalidError; any other is
// a fault of this program.
//
// Defaults: scheme standard-webhooks; identity.version 1; contact_fields
// fill_if_empty; min_confidence 70, of fields 70 and of a phone 60; per_thread 3; per_domain_day 20;
// crm.edited theirs; on_spam and on_virus review, unauthenticated no_changes, blocked nobody; of a rule: mode draft, scope follow_up,
// fold_window 15m (a form, its notification and a direct mail arrive within
// minutes of each other), quiet_period 24h, send_within 72h, on_unknown
// review, unknown_within 6h. Lists that are absent are empty, never nil,
// but for the mailboxes of an endpoint that has none.
//
// The JSON encoding of the Policy returned is itself a valid document, which
// gives the same Policy again.
func Parse(doc []byte) (Policy, error) {
	return parseDocument(doc, func(p Policy, found *problems) {
		check(p, found)
		checkSince(p, found)
	})
}

// Stored is Parse for a document that Parse took when it was put in force: what
// has been forbidden since (checkSince) binds the next document. Refusing the
// one in force would stop the tenant at an upgrade.
func Stored(doc []byte) (Policy, error) { return parseDocument(doc, check) }

func parseDocument(doc []byte, check func(Policy, *problems)) (Policy, error) {
	var found problems
	if len(doc) > MaxDocument {
		found.add(fmt.Sprintf("is larger than %d KiB: a policy must be smaller", MaxDocument>>10))
		return Policy{}, found.err()
	}
	tree, twice, err := readTree(doc)
	if err != nil {
		found.add(err.Error())
		return Policy{}, found.err()
	}
	for _, path := range twice {
		found.list = append(found.list, Problem{pointer(path...), "stands twice in its object: keep one"})
	}
	tree = tame(tree, nil, func(path []string) {
		found.list = append(found.list, Problem{pointer(path...), "must be a whole number in plain digits, up to 16 of them"})
	})
	schema, err := compiledSchema()
	if err != nil {
		return Policy{}, err
	}
	if !schema.shape(tree, &found) {
		return Policy{}, found.err()
	}
	p, err := decode(tree)
	if err != nil {
		return Policy{}, err
	}
	check(p, &found)
	if err := found.err(); err != nil {
		return Policy{}, err
	}
	return p.WithFormer(nil), nil
}

// decode fills a policy from a tree of the schema's shape, over the defaults.
func decode(tree any) (Policy, error) {
	b, err := json.Marshal(tree)
	if err != nil {
		return Policy{}, fmt.Errorf("encode checked policy: %w", err)
	}
	d := document{Policy: Policy{
		Identity:      Identity{Version: 1},
		ContactFields: FieldRules{Name: UpdateFillIfEmpty, Company: UpdateFillIfEmpty, Phone: UpdateFillIfEmpty},
		Review:        ReviewLimits{MinConfidence: 70, MinFieldConfidence: FieldLimits{Name: 70, Company: 70, Phone: 60}},
		Limits:        Limits{PerThread: 3, PerDomainDay: 20},
		Mail:          Mail{OnSpam: ScreenReview, OnVirus: ScreenReview, Unauthenticated: UnauthenticatedNoChanges},
		CRM:           CRM{Edited: EditRules{Email: EditTheirs, Name: EditTheirs, Company: EditTheirs, Phone: EditTheirs}},
	}}
	if err := json.Unmarshal(b, &d); err != nil {
		return Policy{}, fmt.Errorf("decode checked policy: %w", err)
	}
	p := d.Policy
	p.OwnAddresses = append([]string{}, p.OwnAddresses...)
	p.SharedAddresses = append([]string{}, p.SharedAddresses...)
	p.Mail.Blocked = append([]string{}, p.Mail.Blocked...)
	p.Mail.Accept = append([]string{}, p.Mail.Accept...)
	p.Endpoints = make([]Endpoint, len(d.Endpoints))
	for i, e := range d.Endpoints {
		p.Endpoints[i] = Endpoint(e)
	}
	p.Rules = make([]Rule, len(d.Rules))
	for i, r := range d.Rules {
		p.Rules[i] = Rule(r)
		p.Rules[i].Intents = append([]string{}, r.Intents...)
	}
	return p, nil
}

// document is the policy with lists whose elements know their defaults.
type document struct {
	Policy
	Endpoints []endpointDocument `json:"endpoints"`
	Rules     []ruleDocument     `json:"rules"`
}

type endpointDocument Endpoint

func (e *endpointDocument) UnmarshalJSON(b []byte) error {
	full := Endpoint{Scheme: SchemeStandardWebhooks}
	if err := json.Unmarshal(b, &full); err != nil {
		return fmt.Errorf("decode endpoint: %w", err)
	}
	*e = endpointDocument(full)
	return nil
}

type ruleDocument Rule

func (r *ruleDocument) UnmarshalJSON(b []byte) error {
	full := Rule{
		Mode: ModeDraft, Scope: ScopeFollowUp, OnUnknown: UnknownReview,
		FoldWindow:    Duration(15 * time.Minute),
		QuietPeriod:   Duration(24 * time.Hour),
		SendWithin:    Duration(72 * time.Hour),
		UnknownWithin: Duration(6 * time.Hour),
	}
	if err := json.Unmarshal(b, &full); err != nil {
		return fmt.Errorf("decode rule: %w", err)
	}
	*r = ruleDocument(full)
	return nil
}
