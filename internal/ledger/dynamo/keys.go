package dynamo

// Every item, where it lies and what finds it. This file alone builds pk and
// sk; <tenant> and <id> are the words of the ledger.Key, escaped.
//
//	entity           table   pk                             sk                          found by
//	event            events  <tenant>#event#<event>         event                       Get; by_due: sweep
//	delivery         events  <tenant>#event#<event>         delivery#<time and token>   List: deliveries of an event
//	extraction       events  <tenant>#event#<event>         extraction#<model@prompt>   Get; List: extractions of an event
//	contact_key      ledger  <tenant>#contact_key#<kind:value>  contact_key             Get: whose address is this; email: or email.v<rule version>:; who had this phone and name first; phone:<keyed hash>
//	contact          ledger  <tenant>#contact#<contact>     contact                     Get
//	enquiry          ledger  <tenant>#contact#<contact>     enquiry#<hash of its cause> Get; List: enquiries of a contact
//	match_decision   ledger  <tenant>#match_decision#<event>    match_decision          Get
//	intent           ledger  <tenant>#intent#<intent>       intent                      Get; by_contact: explain, cancel
//	attempt          ledger  <tenant>#intent#<intent>       attempt#<number>            Get; List: attempts of an intent
//	review_task      ledger  <tenant>#review_task#<task>    review_task                 Get; by_open_review: console
//	guard            ledger  <tenant>#guard#<keyed hash>    guard                       Get, in each claim
//	cadence          ledger  <tenant>#cadence#<contact>     cadence#<rule>              Get, in each claim
//	loop_cap         ledger  <tenant>#loop_cap#<keyed hash> loop_cap                    Get: how many follow-ups already
//	crm_mapping      ledger  <tenant>#crm_mapping#<contact> crm_mapping#<crm>           Get; List: a contact in the CRMs
//	crm_connection   ledger  <tenant>#crm_connection#crm     crm_connection#<crm>        Get, before each claim: is the CRM up; List: console
//	provider_message ledger  -#provider_message#<message>   provider_message            Get: whose attempt is this
//	feedback         ledger  -#feedback#<dedupe key>        feedback                    Get
//	feed_probe       ledger  -#feed_probe#feed              feed_probe                  Get
//	deployment       ledger  -#deployment#deployment        deployment                  Get: which identifier key is this ledger's
//	idempotency      ledger  <tenant>#idempotency#<key>     idempotency#<what for>      Get
//	policy           ledger  <tenant>#policy#policy         policy#<version>            Get; List: versions
//	policy_current   ledger  <tenant>#policy#policy         policy_current              Get
//	mail_route       ledger  -#mail_route#<address or @domain>  mail_route              Get: whose mail is this; one tenant's
//	stop             ledger  <tenant>#stop#stop             stop                        Get, before each claim
//	spending         ledger  <tenant>#spending#<day>        spending                    Get: what this day's readings cost
//	identity_rule    ledger  <tenant>#identity_rule#rule    identity_rule#<version>     Get: what a version of the rule is
//	identity_migration  ledger  <tenant>#identity_migration#rule  identity_migration#<version>  Get: how far the keys of a rule have been added
//	operation        outbox  <tenant>#operation#<operation> operation                   Get; by_due: sweep; by_waits_for: crmsync
//	audit            audit   <tenant>#audit#<entity/id>     audit#<transition>          List: history; by_contact, by_intent, by_message
//
// The general form is pk = <tenant>#<group>#<id>, sk = <entity>, or
// <entity>#<sub> where the key has a Sub. One group holds what is read
// together.

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

const separator = "#"

// Words of a pk are escaped so that none contains the separator. Two bytes
// for one, not the three of percent-encoding, since a key of the longest
// words would else pass DynamoDB's 2,048 bytes.
var (
	escaper   = strings.NewReplacer("~", "~~", separator, "~-")
	unescaper = strings.NewReplacer("~~", "~", "~-", separator)
)

// place is where an item lies within its table.
type place struct{ pk, sk string }

func placeOf(k ledger.Key) place {
	p := place{pk: partitionOf(k), sk: string(k.Entity)}
	if k.Sub != "" {
		// Sub is the last word and entities hold no separator, so it needs no
		// escape; and escaped, it would not sort as List promises.
		p.sk += separator + k.Sub
	}
	return p
}

func partitionOf(k ledger.Key) string {
	return escaper.Replace(k.Tenant) + separator + groupOf(k.Entity) + separator + escaper.Replace(k.ID)
}

// childrenOf bounds, both ends included, the sort keys that List asks for. A
// prefix would not do: "policy" begins "policy_current" too. Between
// <entity> and <entity>$ lie <entity> itself and <entity>#…, since $ follows
// # and no entity holds a byte below it.
func childrenOf(e ledger.Entity) (first, last string) {
	return string(e), string(e) + string(rune(separator[0]+1))
}

// groupOf names what shares a partition.
func groupOf(e ledger.Entity) string {
	switch e {
	case ledger.Delivery, ledger.Extraction:
		return string(ledger.Event)
	case ledger.Enquiry:
		return string(ledger.Contact)
	case ledger.Attempt:
		return string(ledger.Intent)
	case ledger.PolicyCurrent:
		return string(ledger.Policy)
	default:
		return string(e)
	}
}

// keyAt reads a place back, for stream records that carry no image.
func keyAt(p place) (ledger.Key, error) {
	words := strings.Split(p.pk, separator)
	entity, sub, _ := strings.Cut(p.sk, separator)
	if len(words) != 3 || words[1] != groupOf(ledger.Entity(entity)) {
		return ledger.Key{}, fmt.Errorf("%w: a key that is none of this package's", ledger.ErrDamaged)
	}
	return ledger.Key{
		Entity: ledger.Entity(entity),
		Tenant: unescaper.Replace(words[0]),
		ID:     unescaper.Replace(words[2]),
		Sub:    sub,
	}, nil
}

func (p place) attributes() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		schema.PK: &types.AttributeValueMemberS{Value: p.pk},
		schema.SK: &types.AttributeValueMemberS{Value: p.sk},
	}
}

func placeIn(av map[string]types.AttributeValue) place {
	text := func(attr string) string {
		s, _ := av[attr].(*types.AttributeValueMemberS)
		if s == nil {
			return ""
		}
		return s.Value
	}
	return place{pk: text(schema.PK), sk: text(schema.SK)}
}
