package mailbox

import "onefold/internal/utc"

// Format names the form of a Report. It changes when a name or a meaning does;
// properties may be added without.
const Format = "onefold-inbox-audit-1"

// Report is what a mailbox holds: what audit-inbox -json prints. Lists are never
// null. It holds personal data on purpose: it is for whoever owns the mailbox.
type Report struct {
	Format  string  `json:"format"`
	Mailbox Mailbox `json:"mailbox"`
	Own     Own     `json:"own"`

	People       []Person `json:"people"`        // wrote on their own business, by identity key
	OtherSenders []Person `json:"other_senders"` // wrote nothing but pitches, bills, mailings and the like
	Shared       []Person `json:"shared"`        // inboxes that several people write from, and offices: never one person

	Duplicates []Duplicate `json:"duplicates"`
	Contacts   *Contacts   `json:"contacts"` // null without a contact list
	TwoReplies TwoReplies  `json:"two_replies"`
	OptOuts    []OptOut    `json:"opt_outs"`
	Unanswered Unanswered  `json:"unanswered"`
	Review     Review      `json:"review"`
	Stopped    []Stopped   `json:"stopped"` // addresses that bounces and complaints name
}

// Mailbox counts what was read. Each message is in exactly one of Kinds.
type Mailbox struct {
	Messages   int            `json:"messages"`
	From       utc.Time       `json:"from"`       // the earliest date
	To         utc.Time       `json:"to"`         // the newest date: "now" for this report
	Undated    int            `json:"undated"`    // neither the mail nor the mailbox has a date that can be read
	Kinds      map[string]int `json:"kinds"`      // human, auto_reply, bounce, complaint, list, own, unparseable, too_large
	Classes    map[string]int `json:"classes"`    // of the mails that a reader was given: enquiry, pitch, …
	Outcomes   map[string]int `json:"outcomes"`   // what Onefold would have done with each; too_large has none
	Heard      int            `json:"heard"`      // of own and list: carry a stranger's words, as a form's notification does
	Unreadable []Ref          `json:"unreadable"` // kind unparseable
	TooLarge   []Ref          `json:"too_large"`  // longer than MaxMail: only counted
}

// Own says which addresses were taken for the owner's.
type Own struct {
	Addresses []string `json:"addresses"` // addresses and @domains
	// How is policy, flag (stated by -own), policy_and_flag, delivered_to or
	// most_frequent; the last two are guesses.
	How     string `json:"how"`
	Guessed bool   `json:"guessed"`
	Sent    int    `json:"sent"` // mails from them, without those that carry a stranger's words
}

// Ref names one message.
type Ref struct {
	Position  int      `json:"position"` // in the file, from 1
	Date      utc.Time `json:"date"`     // "" when there is none
	From      string   `json:"from"`     // as written; the address alone
	Subject   string   `json:"subject"`
	MessageID string   `json:"message_id"`
	Mailbox   string   `json:"mailbox"` // whose it says it was delivered to, or ""
}

// Person is one identity key under the policy's identity rule.
type Person struct {
	Address   string   `json:"address"` // as first written
	Names     []string `json:"names"`   // the most frequent first; so also below
	Companies []string `json:"companies"`
	Phones    []string `json:"phones"`
	Mails     int      `json:"mails"`
	Enquiries int      `json:"enquiries"` // different causes among them that are enquiries
	First     utc.Time `json:"first"`
	Last      utc.Time `json:"last"`
}

// Why two people look like one.
const (
	OneMailbox   = "one_mailbox"         // the addresses differ in a +tag, in dots or in case alone
	SamePhone    = "same_name_phone"     // one name, one telephone
	SameCompany  = "same_name_company"   // one name, one company
	SameDomain   = "same_name_domain"    // one name, one mail domain that is not everybody's
	SameKey      = "same_key"            // of rows: one identity key
	SameCustomer = "same_customer_id"    // of rows: one customer ID
	OtherAddress = "candidate_addresses" // of rows: addresses of people who look like one
)

// Duplicate is a candidate: people who look like one. Nothing merges by itself.
type Duplicate struct {
	Why    []string `json:"why"`
	People []Person `json:"people"`
}

// What would have drawn two replies.
const (
	SameMailTwice = "same_mail_twice" // one mail, held twice
	TwoMailboxes  = "two_mailboxes"   // one mail, delivered to two mailboxes
	FormAndDirect = "form_and_direct" // a form's notification, and a mail of the same person
	ShortlyAfter  = "shortly_after"   // two mails of one person within the fold window
)

// TwoReplies compares a reply to each mail with Onefold's one.
type TwoReplies struct {
	Naive   int     `json:"naive"`   // replies that one for each mail would make, in the groups
	Onefold int     `json:"onefold"` // what Onefold makes of them: one a group, at most
	Groups  []Group `json:"groups"`
}

// Group is mails that get one reply together.
type Group struct {
	Why      string `json:"why"`
	Person   string `json:"person"` // address
	Review   bool   `json:"review"` // a person looks first at one of them
	Messages []Ref  `json:"messages"`
}

// OptOut is one wish not to be mailed.
type OptOut struct {
	Address  string   `json:"address"`
	Also     []string `json:"also"`    // further addresses that the wish is about
	Verdict  string   `json:"verdict"` // explicit or doubtful
	Phrase   string   `json:"phrase"`  // id in the product's lists; "" when only the reader took it for one
	Language string   `json:"language"`
	Messages []Ref    `json:"messages"` // copies of it
	Missed   bool     `json:"missed"`   // we wrote to the address afterwards
	Wrote    []Sent   `json:"wrote"`
}

// Sent is a mail of ours.
type Sent struct {
	Ref
	To    string  `json:"to"`
	Hours float64 `json:"hours"` // after the other's mail, to a tenth
}

// Unanswered are enquiries that got no mail of ours within a day, as of the
// newest date in the mailbox.
type Unanswered struct {
	Enquiries int       `json:"enquiries"` // different causes; the sum of those below
	Answered  int       `json:"answered"`  // within a day
	Open      int       `json:"open"`      // unanswered, and less than a day old
	Undated   int       `json:"undated"`
	Items     []Waiting `json:"items"`
}

// Waiting is an enquiry that waited for more than a day.
type Waiting struct {
	Ref
	Person string `json:"person"`
	Name   string `json:"name"`
	// Answered is set when an answer came after all, Hours after the enquiry;
	// else Hours is how long it has waited.
	Answered bool    `json:"answered"`
	Hours    float64 `json:"hours"`
	// Conversation: it is itself an answer to a mail of ours, perhaps the last
	// word.
	Conversation bool `json:"conversation"`
}

// Review is what Onefold would put before a person, and why.
type Review struct {
	Reasons []Count `json:"reasons"` // the most frequent first
	Items   []Task  `json:"items"`
}

// Count is how often a machine word was given.
type Count struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

// Task is one message for a person to look at.
type Task struct {
	Ref
	Person  string   `json:"person"` // address, or ""
	Reasons []string `json:"reasons"`
}

// Stopped is an address that a bounce or complaint names.
type Stopped struct {
	Address string `json:"address"` // "" where the report hides it
	Reason  string `json:"reason"`  // bounce or complaint
	Hard    bool   `json:"hard"`    // Onefold would send nothing more to it
	Reports int    `json:"reports"`
}
