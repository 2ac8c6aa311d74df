package decide

import (
	"encoding/json"

	"onefold/internal/digest"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
)

// decisive is what a decision reads of the facts of an event and of whom they
// name. Empty parts leave no trace, so that a part that is added changes no
// digest of an event that has it not.
type decisive struct {
	Kind        rawmail.Kind     `json:"kind"`
	Heard       bool             `json:"heard,omitempty"`
	Cause       string           `json:"cause"`
	Subject     string           `json:"subject,omitempty"`
	Verdict     wish.Verdict     `json:"verdict,omitempty"`
	Phrase      string           `json:"phrase,omitempty"`
	MessageID   string           `json:"message_id,omitempty"`
	InReplyTo   []string         `json:"in_reply_to,omitempty"`
	References  []string         `json:"references,omitempty"`
	Suppression *decisiveStop    `json:"suppression,omitempty"`
	Warnings    []string         `json:"warnings,omitempty"`
	Doubts      []string         `json:"doubts,omitempty"`
	Returned    []string         `json:"returned,omitempty"`
	Thanks      bool             `json:"thanks,omitempty"`
	Asks        string           `json:"asks,omitempty"`
	Warned      string           `json:"warned,omitempty"`
	Dropped     bool             `json:"dropped,omitempty"`
	CustomerID  string           `json:"customer_id,omitempty"`
	Ours        []string         `json:"ours,omitempty"`
	People      []decisivePerson `json:"people"`
	Second      string           `json:"second,omitempty"` // key; of one that is known
}

type decisiveStop struct {
	Address string `json:"address,omitempty"`
	Hard    bool   `json:"hard,omitempty"`
}

type decisivePerson struct {
	Address string `json:"address,omitempty"` // as it is mailed
	Key     string `json:"key,omitempty"`
	Next    string `json:"next,omitempty"` // key
	Guard   string `json:"guard,omitempty"`
	Shared  bool   `json:"shared,omitempty"`
	Own     bool   `json:"own,omitempty"`
	Role    bool   `json:"role,omitempty"`
	Fault   string `json:"fault,omitempty"`
}

// ReadingDigest names what a ground's event said, by rule, and whom it is about:
// equal for equal readings. It is keyed, so that nobody without the deployment's
// key can try out what a mail said.
func ReadingDigest(ids digest.Key, g Ground) string {
	f := g.Facts
	d := decisive{
		Kind: f.Kind, Heard: f.Heard, Cause: f.Cause, Subject: f.Source.Subject, Phrase: f.OptOut.Phrase,
		MessageID: f.MessageID, InReplyTo: f.InReplyTo, References: f.References, Warnings: f.Warnings, Doubts: f.Doubts, Returned: f.Returned,
		Thanks: f.Thanks, Asks: f.Asks, Warned: f.Warned, Dropped: f.Dropped, CustomerID: f.CustomerID, Ours: f.Ours, People: []decisivePerson{decisiveOf(g.Person)},
	}
	if f.OptOut.Verdict != wish.OptOutNone {
		d.Verdict = f.OptOut.Verdict
	}
	if s := f.Suppression; s != nil {
		d.Suppression = &decisiveStop{s.Address, s.Hard}
	}
	for _, p := range g.Also {
		d.People = append(d.People, decisiveOf(p.Person))
	}
	if g.Seen.SecondKey != nil {
		d.Second = secondOf(ids, g.Policy, f, g.Person).KeyID
	}
	b, err := json.Marshal(d)
	if err != nil {
		return "" // unreachable: nothing in it fails to encode
	}
	return ids.ID("reading", string(b))[:16]
}

func decisiveOf(p Person) decisivePerson {
	return decisivePerson{p.Address.String(), p.KeyID, p.NextKeyID, p.GuardID, p.Shared, p.Own, p.Role, p.Fault}
}

// AnswerDigest names one stored answer among those of its event.
func AnswerDigest(x reader.Stored) string {
	return digest.Parts("answer", x.Model, x.PromptVersion, x.At.String())[:12]
}
