package emf

import "slices"

// reviewed lists the keys under which attributes may be shown. A key stands
// here when somebody has looked at every place that uses it and found that its
// values are identifiers of ours, machine words, numbers, times or errors, and
// never an address, a name, a subject, a text or a secret. A key that is not
// here is shown as "[dropped]", so that a forgotten review loses a fact of a
// log and not a person's data; a test lists the keys that the module uses.
func reviewed() []string {
	return []string{
		// Whose and what: identifiers that we made, hashes of them, and the
		// tenant's configured word.
		"tenant", "event", "intent", "task", "contact", "operation", "attempt", "entity", "consumer", "request", "record",
		"endpoint", "scheme", "note",
		// The provider's and the CRM's own identifiers.
		"message_id", "crm_id",
		// Machine words.
		"answer", "outcome", "reason", "reasons", "state", "status", "kind", "type", "step", "alarm", "model", "action", "fix", "spam", "virus",
		// Numbers.
		"bytes", "records", "contacts", "calls", "usd", "waits", "day",
		// Errors: operation and identifiers, by the rule for errors; addresses
		// that a library quotes are taken out of every text.
		"error",
	}
}

// shown tells whether a key is reviewed.
func shown(key string) bool { return slices.Contains(reviewed(), key) }

// reserved tells whether a member's name is the handler's.
func reserved(name string) bool { return slices.Contains(reservedNames(), name) }

func reservedNames() []string {
	return []string{
		"level", "message", "timestamp", "service", stageKey, "cold_start", "function_name", "function_request_id", "xray_trace_id",
		awsKey, leftOutKey,
	}
}

// presentable is a key that is not reviewed as it may be named: a word of a
// program. Anything else, which may be data, is not.
func presentable(key string) string {
	if key == "" || len(key) > 40 {
		return "unnamed"
	}
	for i := range len(key) {
		c := key[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9' || i == 0) && (c != '_' || i == 0) {
			return "unnamed"
		}
	}
	return key
}
