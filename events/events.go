// Package events holds the sample payloads, as data, and the script of the
// demo that is made of them. README.md lists every file.
//
// Its invariant: what a sample must come to is stated here, reasoned from the
// rules and never copied from a run; the package's tests run the system and
// compare. It refuses to decide, sign or send anything.
package events

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
)

// The secrets that the samples are signed with. They are published on purpose
// and open nothing.
const (
	SecretForm = "whsec_b25lZm9sZCBzYW1wbGUgc2VjcmV0LCBmb3JtIGVuZHBvaW50"
	SecretMail = "whsec_b25lZm9sZCBzYW1wbGUgc2VjcmV0LCBtYWlsIGVuZHBvaW50"
	SecretHook = "onefold sample secret, other sources"
)

//go:embed mail form hooks mail-api ses-feedback ses-mail mailbox
var files embed.FS

// Files is every sample, by its path below this folder.
func Files() fs.FS { return files }

// Mail is a raw mail as it is sent to the mail endpoint, by its path below
// mail/; nil when there is none.
func Mail(name string) []byte {
	raw, err := files.ReadFile("mail/" + name)
	if err != nil {
		return nil
	}
	return raw
}

// Form is the body and webhook-id of a form submission, by its path below
// form/; nil and "" when there is none.
func Form(name string) (body []byte, id string) {
	raw, err := files.ReadFile("form/" + name)
	if err != nil {
		return nil, ""
	}
	var request struct {
		Headers         map[string]string
		Body            string
		IsBase64Encoded bool
	}
	if err := json.Unmarshal(raw, &request); err != nil {
		return nil, ""
	}
	if request.IsBase64Encoded {
		if body, err = base64.StdEncoding.DecodeString(request.Body); err != nil {
			return nil, ""
		}
		return body, request.Headers["webhook-id"]
	}
	return []byte(request.Body), request.Headers["webhook-id"]
}

// Received is what SES tells of a mail that it received, by its name below
// ses-mail/: the body of the queue's message; and the mail as SES stored it,
// nil where the notification tells of one that another sample holds. Both are
// nil when there is none.
func Received(name string) (body, raw []byte) {
	file, err := files.ReadFile("ses-mail/" + name + ".json")
	if err != nil {
		return nil, nil
	}
	var batch struct{ Records []struct{ Body string } }
	if err := json.Unmarshal(file, &batch); err != nil || len(batch.Records) != 1 {
		return nil, nil
	}
	if raw, err = files.ReadFile("ses-mail/" + name + ".eml"); err != nil {
		raw = nil
	}
	return []byte(batch.Records[0].Body), raw
}

// Counts is what came of deliveries, in the nouns of the ledger. Two of them
// are equal when everything is.
type Counts struct {
	Deliveries int // HTTP attempts that were taken
	Events     int
	Contacts   int
	Enquiries  int
	Intents    int
	Mails      int // accepted by the provider
	Reviews    int // tasks opened
	Stopped    int // addresses that may not be mailed any more
	Operations Operations
}

// Operations counts the rows of the outbox by kind.
type Operations struct {
	SendIntent, CancelIntents, CRMContact, CRMNote, CRMTask int
}

// Total is all kinds together.
func (o Operations) Total() int {
	return o.SendIntent + o.CancelIntents + o.CRMContact + o.CRMNote + o.CRMTask
}

// Plus is both together.
func (c Counts) Plus(d Counts) Counts {
	c.Deliveries += d.Deliveries
	c.Events += d.Events
	c.Contacts += d.Contacts
	c.Enquiries += d.Enquiries
	c.Intents += d.Intents
	c.Mails += d.Mails
	c.Reviews += d.Reviews
	c.Stopped += d.Stopped
	c.Operations.SendIntent += d.Operations.SendIntent
	c.Operations.CancelIntents += d.Operations.CancelIntents
	c.Operations.CRMContact += d.Operations.CRMContact
	c.Operations.CRMNote += d.Operations.CRMNote
	c.Operations.CRMTask += d.Operations.CRMTask
	return c
}
