package rawmail_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

func ownDemo(a string) bool { return strings.HasSuffix(strings.ToLower(a), "@demo.example") }

func TestAListOfOursIsNoList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, extra, reasons string
	}{
		{"group of ours", "List-Id: Sales <sales.demo.example>\nList-Post: <mailto:sales@demo.example>\nPrecedence: list\n", ""},
		{"capitals", "List-Id: <SALES.Demo.Example>\n", ""},
		{"hosted group of ours", "Mailing-List: list sales@demo.example; contact sales+owners@demo.example\nList-ID: <sales.demo.example>\nPrecedence: list\n" +
			"List-Unsubscribe: <mailto:manage+9@groups.example>, <https://groups.example/a/demo.example/group/sales/subscribe>\n", ""},
		{"our domain in the name only", "List-Id: sales.demo.example <l.other.example>\n", "list_id"},
		{"our domain as a part of another", "List-Id: <sales.demo.example.other.example>\n", "list_id"},
		{"subdomain that is not ours", "List-Id: <sales.lists.demo.example>\n", ""}, // its parent is
		{"ours and another's", "List-Id: <sales.demo.example>\nList-Post: <mailto:l@other.example>\nPrecedence: list\n", "list_post precedence_list"},
		{"newsletter to our group", "List-Id: <sales.demo.example>\nList-Unsubscribe: <https://news.example/u?e=sales@demo.example>\n", "list_unsubscribe"},
		{"mass mail to our group", "List-Id: <sales.demo.example>\nPrecedence: bulk\n", "precedence_bulk"},
		{"empty", "List-Id:\n", "list_id"},
	} {
		m := rawmail.Parse([]byte(c.extra+plainMail), ownDemo)
		kind := rawmail.List
		if c.reasons == "" {
			kind = rawmail.Human
		}
		if got := strings.Join(m.KindReasons, " "); m.Kind != kind || got != c.reasons {
			t.Errorf("%s: %s %s, want %s %s", c.name, m.Kind, got, kind, c.reasons)
		}
	}
}

func TestOurOwnMailNamesTheStrangerItRelays(t *testing.T) {
	t.Parallel()
	base := "From: Site <wordpress@demo.example>\nSubject: Form\nMessage-ID: <f@demo.example>\n"
	for _, c := range []struct {
		name, extra, envelope, relayed string
	}{
		{"form", "Reply-To: Ann <ann@example.org>\n", "", "ann@example.org"},
		{"form that says it is a program", "Auto-Submitted: auto-generated\nReply-To: ann@example.org\n", "wordpress@demo.example", "ann@example.org"},
		{"ours first", "Reply-To: hello@demo.example, ann@example.org\n", "", "ann@example.org"},
		{"no Reply-To", "", "", ""},
		{"ours", "Reply-To: hello@demo.example\n", "", ""},
		{"broken", "Reply-To: nobody\n", "", ""},
		{"our mark", "X-Onefold-Intent: i1\nReply-To: ann@example.org\n", "", ""},
		{"null path", "Return-Path: <>\nReply-To: ann@example.org\n", "", ""},
		{"null envelope", "Reply-To: ann@example.org\n", rawmail.NullSender, ""},
	} {
		m := rawmail.ParseEnveloped([]byte(base+c.extra+"\nHello"), ownDemo, c.envelope)
		got := ""
		if m.Relayed != nil {
			got = m.Relayed.Address
		}
		if m.Kind != rawmail.Own || got != c.relayed {
			t.Errorf("%s: %s, relayed %q, want %q", c.name, m.Kind, got, c.relayed)
		}
	}
	if m := rawmail.Parse([]byte("Reply-To: bob@example.org\n"+plainMail), ownDemo); m.Relayed != nil {
		t.Error("a person's own mail relays nobody")
	}
}

// RFC 5321 section 4.5.5: only notifications have a null sender.
func TestANullSenderInTheEnvelopeCountsAsOneInTheHeader(t *testing.T) {
	t.Parallel()
	for envelope, want := range map[string]rawmail.Kind{
		"": rawmail.Human, "ann@example.com": rawmail.Human, rawmail.NullSender: rawmail.AutoReply,
	} {
		m := rawmail.ParseEnveloped([]byte(plainMail), nil, envelope)
		if m.Kind != want || m.NullReturn != (want == rawmail.AutoReply) {
			t.Errorf("%q: %s %v", envelope, m.Kind, m.KindReasons)
		}
	}
	m := rawmail.ParseEnveloped([]byte("Return-Path: <ann@example.com>\n"+plainMail), nil, rawmail.NullSender)
	if m.Kind != rawmail.AutoReply || !slices.Equal(m.KindReasons, []string{"null_return_path"}) {
		t.Errorf("with another Return-Path: %s %v", m.Kind, m.KindReasons)
	}
	m = rawmail.ParseEnveloped([]byte("From: robot@example.org\nSubject: Undelivered\n\nThe mail was not delivered: user unknown.\n"), nil, rawmail.NullSender)
	if m.Kind != rawmail.Bounce {
		t.Errorf("a bounce without a report: %s", m.Kind)
	}
}
