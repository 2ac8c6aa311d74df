// Package rawmail reads raw MIME mail. It is total: any bytes give a Message,
// with warnings where the bytes are wrong, in bounded time and memory, never a
// panic and never an error that would lose the mail.
package rawmail

import "time"

// Message is what could be read of one mail. Nothing in it is trusted: every
// field is the sender's word.
type Message struct {
	From       []Mailbox `json:"from"`
	ReplyTo    []Mailbox `json:"reply_to"`
	Sender     []Mailbox `json:"sender"`
	ReturnPath string    `json:"return_path"` // "" when there is no such header
	NullReturn bool      `json:"null_return"` // Return-Path: <>, or an envelope sender that is null
	To         []Mailbox `json:"to"`
	Cc         []Mailbox `json:"cc"`
	Bcc        []Mailbox `json:"bcc"` // only a sender's own copy has one

	Subject    string    `json:"subject"`    // decoded (RFC 2047), one line
	MessageID  string    `json:"message_id"` // without angle brackets; "" when missing
	InReplyTo  []string  `json:"in_reply_to"`
	References []string  `json:"references"`
	Date       time.Time `json:"date"` // zero when missing or unreadable

	Kind        Kind     `json:"kind"`
	KindReasons []string `json:"kind_reasons"` // machine words, such as "auto_submitted"

	// Relayed is whom a mail from an address of ours, without the mark of our
	// own mail, wants answered: a stranger, as a web form's notification or a
	// group that writes under its own name has it. Only Own mail has one, and
	// never one with a null sender. RelayedBy tells where it stands: ByReplyTo,
	// ByOriginalFrom or ByBody.
	Relayed   *Mailbox `json:"relayed"`
	RelayedBy string   `json:"relayed_by"`

	// Forwarded is the mail that this one passes on; nil when there is none. Only
	// Human and Own mail has one, of Own mail that is a stranger's, and never
	// with our mark or a null sender.
	Forwarded *Forwarded  `json:"forwarded"`
	Calendar  *Invitation `json:"calendar"` // nil without a calendar part
	Route     Route       `json:"route"`

	// Doubts are machine words that say why a person should look at Human mail
	// before it is acted on; none holds content.
	Doubts []string `json:"doubts"`

	Text      string `json:"text"`      // decoded body as text, from the plain part or else from HTML
	Visible   string `json:"visible"`   // the part of Text this sender wrote now
	Quoted    string `json:"quoted"`    // what was quoted or forwarded
	Signature string `json:"signature"` // the signature block, without its delimiter

	// Ours are pieces of our own mails that ours.ReadMail took out of Visible and
	// Signature. OnlyOurs: nothing in the mail is the writer's. OneOfOurs: a
	// single line is ours, which a mail program would not have quoted.
	Ours      []string `json:"ours,omitempty"`
	OnlyOurs  bool     `json:"only_ours,omitempty"`
	OneOfOurs bool     `json:"one_of_ours,omitempty"`
	// OurNames are the names of the business and of the people of ours that the
	// mail is to, which its writer does not have. Parse does not fill it.
	OurNames []string `json:"our_names,omitempty"`

	Attachments []Attachment `json:"attachments"`
	Warnings    []string     `json:"warnings"`    // machine words; no content
	Suppression *Suppression `json:"suppression"` // of a bounce or complaint: what it says of an address

	// Recipients is every address a bounce or complaint names; Suppression is
	// the first hard one of them, or else the first. Address can be "" where
	// the report hides it.
	Recipients []Suppression `json:"recipients"`

	// ReturnedMarks are the values of MarkHeader in what a bounce or complaint
	// gives back, the first few, each cut as Mark is. Whoever writes a report
	// writes them: one says something only where it is genuine, and then of the
	// one address that the mail with this mark went to.
	ReturnedMarks []string `json:"returned_marks"`
	// PassedOn are such values in what a person's mail gives back, or one of a list.
	PassedOn []string `json:"-"`
	// ReturnedIDs are the Message-IDs in what a complaint gives back, the first few.
	ReturnedIDs []string `json:"-"`

	// ContentHash is the hex hash of From, Date, Subject and decoded body.
	// Trace headers (Received, Return-Path, Delivered-To, DKIM and the like)
	// never enter, so one mail delivered to two mailboxes has one hash.
	ContentHash string `json:"content_hash"`

	// Mark is what the header of our own mail says, on one line and cut; "" when
	// there is none. Whether it is genuine, only the holder of a key can tell.
	Mark string `json:"mark"`
}

// IsReply tells whether the mail answers another, by its header.
func (m *Message) IsReply() bool {
	return len(m.InReplyTo) > 0 || len(m.References) > 0 || replySubject.MatchString(m.Subject)
}

// Mailbox is one address of a header. Address is as the sender wrote it
// (decoded), not canonical; package address makes keys of it.
type Mailbox struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// Attachment is named, never opened.
type Attachment struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int    `json:"size"` // decoded bytes
}

// Suppression is what a bounce or complaint says of an address.
type Suppression struct {
	Address string `json:"address"`
	Reason  string `json:"reason"` // "bounce", "complaint"
	Code    string `json:"code"`   // enhanced status code (RFC 3463), such as 5.1.1, or ""
	Hard    bool   `json:"hard"`
}

// Kind says what sort of mail this is, decided before any model is asked.
type Kind string

// The words of Doubts.
const (
	DoubtForwarded  = "forwarded_mail"     // it passes on somebody else's mail: whose enquiry is it?
	DoubtRedirected = "redirected_by_rule" // a rule passed it on and hid whether a person wrote it
	DoubtCalendar   = "calendar_answer"    // an answer to an invitation, or its end
	DoubtSeveral    = "several_senders"    // it has more than one From field (RFC 5322 section 3.6 allows one)
	DoubtMachine    = "machine_words"      // it reads like what a machine writes, or comes from the address of one
	DoubtUndecoded  = "text_undecoded"     // its subject or text is encrypted, or in a character set that is not known
	DoubtMark       = "own_mark_invalid"   // it bears the mark of our own mail, and the mark is not genuine
)

// ForwardingConfirmation is the reason word of Gmail's question whether mail may
// be forwarded to us: only a person can answer it.
const ForwardingConfirmation = "forwarding_confirmation"

// Only human mail can lead to a contact or a follow-up.
const (
	Human       Kind = "human"
	AutoReply   Kind = "auto_reply"
	Bounce      Kind = "bounce"
	Complaint   Kind = "complaint"
	List        Kind = "list"
	Own         Kind = "own"
	Unparseable Kind = "unparseable"
)
