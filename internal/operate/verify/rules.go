package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/digest"
	"onefold/internal/ledger"
)

// Rule is one named check.
type Rule struct {
	Name    string `json:"name"`
	Promise int    `json:"promise"`
	Says    string `json:"says"`

	find func(*finder)
	when func(Options) bool // nil: always
}

// Rules lists the checks in the order in which they run.
func Rules() []Rule {
	quiet := func(o Options) bool { return o.Quiet }
	return []Rule{
		{Name: "deliveries", Promise: 1, Says: "every delivery belongs to an event, and every event has one delivery that recorded it", find: deliveriesBelong},
		{Name: "keys_lead_to_contacts", Promise: 2, Says: "a contact key leads to a contact that exists", find: keysLead},
		{Name: "keys_lead_back", Promise: 2, Says: "the keys that a contact lists lead back to it or to whom it was merged into", find: keysLeadBack},
		{Name: "one_contact_per_key", Promise: 2, Says: "no two active contacts list one key", find: oneContactPerKey},
		{Name: "next_forms", Promise: 2, Says: "once a migration is ready, a key and its form under the next identity rule lead to one contact, or the form is shared, or a person is asked", find: nextForms},
		{Name: "keys_in_force", Promise: 2, Says: "whoever has a key of an address has one under the identity rule in force, or none of its forms names anybody", find: keysInForce},
		{Name: "merges_end", Promise: 2, Says: "a chain of merges ends in a contact that is not merged", find: mergesEnd},
		{Name: "absorbed_agree", Promise: 2, Says: "a contact lists whoever leads to it by merges, and nobody else", find: absorbedAgree},
		{Name: "contact_links", Promise: 2, Says: "enquiries, cadences and mappings name contacts that exist", find: contactLinks},
		{Name: "one_record_per_contact", Promise: 2, Says: "no two contacts have one record in a CRM, and a synced contact has one", find: crmRecords},
		{Name: "one_intent_per_cause", Promise: 3, Says: "a cause has one intent under one version of a rule", find: oneIntentPerCause},
		{Name: "events_name_intents", Promise: 3, Says: "the intent that an event names exists", find: eventsNameIntents},
		{Name: "identifiers", Promise: 3, Says: "intents and guards have the identifiers that follow from what they are of", find: identifiers, when: func(o Options) bool { return o.IDs != nil }},
		{Name: "one_submission", Promise: 4, Says: "at most one submission of an intent is accepted or unknown, unless a possible duplicate was accepted; never are two accepted", find: oneSubmission},
		{Name: "none_after_acceptance", Promise: 4, Says: "nothing is claimed once evidence of acceptance has come", find: noneAfterAcceptance},
		{Name: "intent_and_attempts", Promise: 4, Says: "the state of an intent agrees with its attempts", find: intentsAgree},
		{Name: "approved_content", Promise: 4, Says: "what was submitted is what was approved", find: approvedContent},
		{Name: "message_index", Promise: 4, Says: "the message index and the attempts name one another", find: messageIndex},
		{Name: "stops_are_kept", Promise: 5, Says: "nothing was claimed after a stop, a hold or an erasure", find: stopsKept},
		{Name: "consent_is_kept", Promise: 5, Says: "nothing was claimed after consent was withdrawn", find: consentKept},
		{Name: "wishes_are_kept", Promise: 5, Says: "nothing was claimed for a person after a wish against mail at any address that led to the contact by then", find: wishesKept, when: func(o Options) bool { return o.IDs != nil }},
		{Name: "events_owned", Promise: 6, Says: "an event is timed while recorded, with a person while in review, and has no timer after", find: eventsOwned},
		{Name: "operations_owned", Promise: 6, Says: "an operation is timed until it has ended", find: operationsOwned},
		{Name: "intents_owned", Promise: 6, Says: "an intent that is not ended has an operation or a review task", find: intentsOwned},
		{Name: "attempts_owned", Promise: 6, Says: "an attempt that has begun is the one that its intent is sending", find: attemptsOwned},
		{Name: "tasks", Promise: 6, Says: "an open task is in the list of open ones and asks about what still waits for it", find: tasksAsk},
		{Name: "readings_stored", Promise: 6, Says: "the reading that a decision was made from is stored", find: readingsStored},
		{Name: "raw_kept", Promise: 6, Says: "the raw content of an event that is not decided is kept", find: nil, when: func(o Options) bool { return o.Blob != nil }},
		{Name: "mail_routes", Promise: 6, Says: "a mailbox of a policy in force leads to its tenant and endpoint, and no other leads anywhere", find: mailRoutes},
		{Name: "audit_complete", Promise: 7, Says: "a noun of transition n has the records 1 to n and no other", find: auditComplete},
		{Name: "audit_moves", Promise: 7, Says: "each record goes on where the last ended, by a move that the noun knows, and the last ends in its state", find: auditMoves},
		{Name: "quiet", Promise: 6, Says: "everything is in a final state or with a person", find: allQuiet, when: quiet},
	}
}

// finder runs one rule over a view.
type finder struct {
	v     *view
	o     Options
	rule  Rule
	found []Finding
}

func search(ctx context.Context, v *view, o Options) ([]Finding, error) {
	var found []Finding
	for _, r := range Rules() {
		if r.when != nil && !r.when(o) {
			continue
		}
		f := finder{v: v, o: o, rule: r}
		if r.find == nil {
			if err := rawKept(ctx, &f); err != nil {
				return nil, err
			}
		} else {
			r.find(&f)
		}
		// The view has no order; a report has one.
		slices.SortFunc(f.found, func(a, b Finding) int { return cmp.Compare(a.What, b.What) })
		found = append(found, f.found...)
	}
	return found, nil
}

// on is a list of the rows that a finding is about; the first one's tenant is
// the finding's.
func on(keys ...ledger.Key) []ledger.Key { return keys }

func (f *finder) wrong(rows []ledger.Key, format string, args ...any) *Finding {
	return f.add(Violation, rows, fmt.Sprintf(format, args...))
}

func (f *finder) warn(rows []ledger.Key, format string, args ...any) {
	f.add(Warning, rows, fmt.Sprintf(format, args...))
}

func (f *finder) add(s Severity, rows []ledger.Key, what string) *Finding {
	n := Finding{Check: f.rule.Name, Promise: f.rule.Promise, Severity: s, Tenant: rows[0].Tenant, What: what, rows: rows}
	for _, k := range rows {
		n.Keys = append(n.Keys, nameOf(k))
	}
	f.found = append(f.found, n)
	return &f.found[len(f.found)-1]
}

// nameOf writes a key for people. The value of a contact key and of a mail
// route is an address and stands as the beginning of its hash.
func nameOf(k ledger.Key) string {
	id := k.ID
	if k.Entity == ledger.ContactKey {
		id = hidden(id)
	}
	if k.Entity == ledger.MailRoute {
		id = hidden("address:" + id)
	}
	parts := []string{string(k.Entity), k.Tenant, id}
	if k.Sub != "" {
		parts = append(parts, k.Sub)
	}
	return strings.Join(parts, "/")
}

func hidden(keyID string) string {
	kind, value, _ := strings.Cut(keyID, ":")
	return kind + ":sha256-" + digest.Content([]byte(value))[:12]
}
