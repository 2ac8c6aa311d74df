package followup

import (
	"time"

	"onefold/internal/record/machine"
)

// The states of an intent.
const (
	Observed   = "observed"
	Proposed   = "proposed"
	Ready      = "ready"
	Sending    = "sending"
	Unknown    = "unknown"
	InReview   = "in_review"
	Accepted   = "accepted"
	Rejected   = "rejected"
	Suppressed = "suppressed"
	Cancelled  = "cancelled"
)

// The events of an intent.
const (
	Approve  = "approve"  // a person approved this content
	Refuse   = "refuse"   // a person said no
	Claim    = "claim"    // a worker is about to submit
	Accept   = "accept"   // the provider took it and said so
	Reject   = "reject"   // the provider refused it for good
	Back     = "back"     // known not to have been sent; due again
	Lose     = "lose"     // no answer, or the lease lapsed
	Evidence = "evidence" // an event of the provider shows that it took it
	Suppress = "suppress" // a stop of the address, the contact or the consent
	Cancel   = "cancel"   // its ground is gone
	Refer    = "refer"    // only a person can go on
	Resend   = "resend"   // a possible duplicate was accepted, by a person or the policy
	Settle   = "settle"   // a person says that it counts as sent
)

var intentTable = machine.Table{
	Noun:  "intent",
	Start: []string{Observed, Proposed, Ready},
	States: []machine.State{
		{Name: Observed, Means: "the rule runs in observe mode: this is what would have been sent", Terminal: true},
		{Name: Proposed, Means: "waits for a person's approval of exactly this content", Not: "that anything may be sent", Mover: "a person; send on an opt-out", Crash: "none"},
		{Name: Ready, Means: "may be claimed once not_before has come", Not: "that it will be sent: every condition is asked again in the claim", Mover: "send", Crash: "a crash before the claim committed", Dwell: 72 * time.Hour},
		{Name: Sending, Means: "claimed; the provider may be called, has been called, or never will be", Not: "that the provider has it", Mover: "send, feedback", Crash: "any crash between claim and settle; the lapse makes it unknown", Dwell: 10 * time.Minute},
		{Name: Unknown, Means: "a submission was claimed and its outcome did not reach us", Not: "failed", Mover: "feedback by evidence; after the deadline a person, or the policy", Crash: "none", Dwell: 6 * time.Hour},
		{Name: InReview, Means: "a review task asks a person what to do", Not: "failed", Mover: "a person, or feedback by evidence", Crash: "none"},
		{Name: Accepted, Means: "the provider took it", Not: "delivered", Terminal: true},
		{Name: Rejected, Means: "the provider refused it for good; it was not sent", Terminal: true},
		{Name: Suppressed, Means: "a stop forbade it before any claim", Terminal: true},
		{Name: Cancelled, Means: "a person or the loss of its ground ended it", Terminal: true},
	},
	Moves: []machine.Move{
		{Event: Approve, From: []string{Proposed, InReview}, To: Ready, By: "a person"},
		{Event: Refuse, From: []string{Proposed, InReview}, To: Cancelled, By: "a person"},
		{Event: Claim, From: []string{Ready}, To: Sending, By: "send"},
		{Event: Accept, From: []string{Sending}, To: Accepted, By: "send, fenced"},
		{Event: Reject, From: []string{Sending}, To: Rejected, By: "send, fenced"},
		{Event: Back, From: []string{Sending}, To: Ready, By: "send, fenced"},
		{Event: Lose, From: []string{Sending}, To: Unknown, By: "send: fenced by the owner, or by whoever finds the lease lapsed"},
		{Event: Evidence, From: []string{Sending, Unknown, Ready, InReview}, To: Accepted, By: "feedback"},
		{Event: Suppress, From: []string{Proposed, Ready, InReview}, To: Suppressed, By: "send; of one in review only while nothing of it can have been sent"},
		{Event: Cancel, From: []string{Proposed, Ready}, To: Cancelled, By: "send"},
		{Event: Refer, From: []string{Ready, Unknown}, To: InReview, By: "send"},
		{Event: Resend, From: []string{Unknown, InReview}, To: Ready, By: "a person, or the policy in those words"},
		{Event: Settle, From: []string{InReview}, To: Accepted, By: "a person"},
	},
}

// IntentMachine is the intent's state machine.
func IntentMachine() *machine.Table { t := intentTable; return &t }

// The states of an attempt.
const (
	AttemptBegun     = "begun"
	AttemptAccepted  = "accepted"
	AttemptRejected  = "rejected"
	AttemptThrottled = "throttled"
	AttemptNotBegun  = "not_begun"
	AttemptUnknown   = "unknown"
)

// The moves of an attempt, but for those that an intent has too; Create and Begin are births.
const (
	Create   = "create"
	Begin    = "begin"
	Throttle = "throttle"
	NotBegun = "not_begun"
)

var attemptTable = machine.Table{
	Noun:  "attempt",
	Start: []string{AttemptBegun},
	States: []machine.State{
		{Name: AttemptBegun, Means: "claimed, no result stored", Not: "that the provider was called", Mover: "send, feedback", Crash: "any crash between claim and settle", Dwell: 10 * time.Minute},
		{Name: AttemptAccepted, Means: "the provider took it: it said so, or an event of it shows it", Terminal: true},
		{Name: AttemptRejected, Means: "refused for good: not sent", Terminal: true},
		{Name: AttemptThrottled, Means: "refused for now: not sent", Terminal: true},
		{Name: AttemptNotBegun, Means: "no connection: not sent", Terminal: true},
		{Name: AttemptUnknown, Means: "no result reached us", Not: "not sent", Mover: "feedback by evidence; a person", Crash: "none"},
	},
	Moves: []machine.Move{
		{Event: Accept, From: []string{AttemptBegun, AttemptUnknown}, To: AttemptAccepted, By: "send, also late"},
		{Event: Evidence, From: []string{AttemptBegun, AttemptUnknown}, To: AttemptAccepted, By: "feedback"},
		{Event: Reject, From: []string{AttemptBegun, AttemptUnknown}, To: AttemptRejected, By: "send, also late"},
		{Event: Throttle, From: []string{AttemptBegun, AttemptUnknown}, To: AttemptThrottled, By: "send, also late"},
		{Event: NotBegun, From: []string{AttemptBegun, AttemptUnknown}, To: AttemptNotBegun, By: "send, also late"},
		{Event: Lose, From: []string{AttemptBegun}, To: AttemptUnknown, By: "send"},
	},
}

// AttemptMachine is the attempt's state machine.
func AttemptMachine() *machine.Table { t := attemptTable; return &t }
