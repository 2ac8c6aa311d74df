package faultproxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Fault is what happens to a request.
type Fault string

// The faults.
const (
	// Pass: forwarded and answered. As a rule's fault it spares what matches.
	Pass Fault = "pass"
	// DropBefore: the connection is cut and the target never sees the request.
	DropBefore Fault = "drop_before"
	// DropAfter: the target has answered, so whatever it commits is committed,
	// and the connection is cut without the answer.
	DropAfter Fault = "drop_after"
	// Delay: held for Rule.Wait, then forwarded and answered. A client that
	// goes away meanwhile takes its request along: it is not forwarded.
	Delay Fault = "delay"
	// DelayAnswer: forwarded; the target's answer is held for Rule.Wait.
	DelayAnswer Fault = "delay_answer"
	// Conflict: a transaction of DynamoDB is answered
	// TransactionCanceledException with the reason TransactionConflict for each
	// of its items, and not forwarded. Other requests never match.
	Conflict Fault = "conflict"
	// Throttle: answered ThrottlingException, not forwarded.
	Throttle Fault = "throttle"
	// Exceeded: answered ProvisionedThroughputExceededException, not forwarded.
	Exceeded Fault = "exceeded"
	// FailBefore: answered 500 InternalServerError, not forwarded.
	FailBefore Fault = "fail_before"
	// FailAfter: forwarded; the target's answer is replaced by that 500.
	FailAfter Fault = "fail_after"
	// Unreached is not for rules: the target itself gave no answer, and the
	// connection was cut.
	Unreached Fault = "unreached"
)

func faults() []Fault {
	return []Fault{Pass, DropBefore, DropAfter, Delay, DelayAnswer, Conflict, Throttle, Exceeded, FailBefore, FailAfter}
}

// Rule picks requests and says what happens to them. Of several rules the
// first that picks a request decides; a rule counts the requests that came as
// far as to it and match, picked or not.
type Rule struct {
	Fault Fault
	// Operation is the word after the dot in X-Amz-Target, such as
	// "TransactWriteItems"; "" is any. A request without that header matches no
	// rule.
	Operation string
	// When, if given, is asked besides. It is called under a lock: it must
	// neither wait nor call the proxy.
	When func(Request) bool
	// Skip is how many matching requests are let by first, and Times how many
	// are picked then; 0 is without end.
	Skip, Times int
	// Chance is the probability, above 0 and below 1, with which a matching
	// request is picked; 0 is always.
	Chance float64
	// Wait is for Delay and DelayAnswer. The end of the client's connection and
	// Close end it too.
	Wait time.Duration
	// Hit, if given, is called for each picked request before anything is held
	// or answered: of DropAfter, DelayAnswer and FailAfter after the target has
	// answered. It may call the proxy, and it may wait: then the request waits
	// with it, as one of several that are to be let go together.
	Hit func(Request)
}

// Request is what a rule may look at.
type Request struct {
	Operation string
	Body      []byte // not to be changed
}

// Items is how many items a transaction has; 0 of anything else.
func (r Request) Items() int {
	var in struct{ TransactItems []json.RawMessage }
	if json.Unmarshal(r.Body, &in) != nil {
		return 0
	}
	return len(in.TransactItems)
}

// standing is a rule in force with its ordinals.
type standing struct {
	Rule
	matched, picked int
}

func stand(rules []Rule) ([]*standing, error) {
	out := make([]*standing, 0, len(rules))
	for n, r := range rules {
		waits := r.Fault == Delay || r.Fault == DelayAnswer
		switch {
		case !slices.Contains(faults(), r.Fault):
			return nil, fmt.Errorf("faultproxy: rule %d: no fault %q", n, r.Fault)
		case r.Chance < 0 || r.Chance >= 1 || r.Skip < 0 || r.Times < 0:
			return nil, fmt.Errorf("faultproxy: rule %d: a chance or an ordinal out of range", n)
		case waits != (r.Wait > 0):
			return nil, fmt.Errorf("faultproxy: rule %d: %s with a wait of %s", n, r.Fault, r.Wait)
		}
		out = append(out, &standing{Rule: r})
	}
	return out, nil
}

// pick is the rule that decides about a request; nil if none does.
func (p *Proxy) pick(r Request) *standing {
	if r.Operation == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.rules {
		switch {
		case s.Operation != "" && s.Operation != r.Operation,
			s.Fault == Conflict && r.Items() == 0,
			s.When != nil && !s.When(r):
			continue
		}
		s.matched++
		if s.matched <= s.Skip || s.Times > 0 && s.picked == s.Times || s.Chance > 0 && p.random.Float64() >= s.Chance {
			continue
		}
		s.picked++
		return s
	}
	return nil
}
