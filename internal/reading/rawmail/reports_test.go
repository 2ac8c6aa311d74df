package rawmail_test

import (
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

const daemon = "From: Mail Delivery System <MAILER-DAEMON@mx.example.net>\nTo: hello@demo.example\nSubject: Undelivered Mail Returned to Sender\nReturn-Path: <>\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <b1@mx.example.net>\n"

// reportOf is a report of RFC 3464 with a text for people and what it says of recipients.
func reportOf(human, groups string) rawmail.Message {
	return parse(daemon + "MIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n" +
		human + "\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n\n" + groups + "\n--b--\n")
}

// toldOf is a report in words alone.
func toldOf(text string) rawmail.Message {
	return parse(daemon + "Content-Type: text/plain; charset=utf-8\n\n" + text + "\n\n--- The header of the original message is following. ---\n\nTo: bob@example.org\nSubject: Offer\n")
}

// stopped lists whom a report names, those to be stopped with a mark.
func stopped(m rawmail.Message) string {
	var out []string
	for _, r := range m.Recipients {
		name := strings.TrimSuffix(r.Address, "@example.org")
		if r.Hard {
			name += "!"
		}
		out = append(out, name)
	}
	if m.Kind != rawmail.Bounce {
		out = append(out, "is "+string(m.Kind))
	}
	return strings.Join(out, " ")
}

func TestReading09WordsThatDenyACodeWinOverIt(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		// The code says that there is no such address, and the words that it is of something else.
		"5.1.1 550 5.1.1 <bob@example.org> 192.0.2.7 has sent to too many recipients this hour":                           "bob",
		"5.1.3 553 http://www.blocklist.example/query?ip=192.0.2.7":                                                       "bob",
		"5.1.1 550 5.1.1 message rejected: sender IP on our block list":                                                   "bob",
		"5.1.1 550 5.1.1 too many messages from your network, rate limited":                                               "bob",
		"5.1.2 550 5.1.2 Mail from 192.0.2.7 refused, see our RBL page":                                                   "bob",
		"5.1.1 550 5.1.1 Your mail looks like unsolicited bulk mail":                                                      "bob",
		"5.1.1 550 5.1.1 greylisted, please come back in ten minutes":                                                     "bob",
		"5.1.1 550 5.1.1 The sending server has no reverse DNS":                                                           "bob",
		"5.1.1 550 5.1.1 Envelope sender could not be verified":                                                           "bob",
		"5.1.1 550 5.1.1 Mailbox full":                                                                                    "bob",
		"5.1.1 550 5.1.1 Message rate exceeded for this sender":                                                           "bob",
		"5.1.1 550 5.1.1 you are on our deny list":                                                                        "bob",
		"5.1.1 550 5.1.1 The message was rejected because of its content":                                                 "bob",
		"5.1.1 550 5.1.1 192.0.2.7 is not welcome":                                                                        "bob",
		"5.1.1 550 5.1.1 TLS required":                                                                                    "bob",
		"5.0.0 550 Message rejected as spam":                                                                              "bob",
		"5.0.0 550 Requested action not taken: mailbox full":                                                              "bob",
		"5.5.0 550 5.5.0 Your IP has a poor reputation":                                                                   "bob",
		"5.7.1 550 5.7.1 Content rejected by policy":                                                                      "bob",
		"5.1.0 550 5.1.0 Greylisted, try again in 300 seconds":                                                            "bob",
		"5.0.0 554 rate limit exceeded, unknown user":                                                                     "bob",
		"4.1.1 450 4.1.1 user unknown":                                                                                    "bob",
		"5.7.27 550 5.7.27 Sender address has null MX":                                                                    "bob", // RFC 7505 section 4.2
		"5.4.4 Host or domain name not found. Name service error for name=example.org type=MX: Host not found, try again": "bob",
		// They agree with it, or say nothing.
		"5.1.1 550 5.1.1 <bob@example.org>: Recipient address rejected: User unknown in virtual mailbox table": "bob!",
		"5.1.1 550 5.1.1 User unknown. Read our spam policy":                                                   "bob!",
		"5.1.1 550 5.1.1 unknown recipient, your address is 192.0.2.7":                                         "bob!",
		"5.1.1 550 5.1.1 Recipient rejected":                                                                   "bob!",
		"5.1.1 550 5.1.1 sorry":                                                                                "bob!",
		"5.1.2 550 5.1.2 Host unknown (Name server: mx.example.org: host not found)":                           "bob!",
		"5.0.0 550 No such user here":                                                                          "bob!",
		"5.1.0 550 5.1.0 Address rejected.":                                                                    "bob!",
		"5.5.0 550 5.5.0 mailbox does not exist":                                                               "bob!",
		"5.1.10 556 5.1.10 Recipient address has null MX":                                                      "bob!", // RFC 7505 section 4.2
		"5.1.0 556 Domain example.org does not accept mail (nullMX)":                                           "bob!",
		"5.0.0 521 This host does not accept mail":                                                             "bob!", // RFC 7504
	} {
		code, diagnosis, _ := strings.Cut(said, " ")
		m := reportOf("Your message could not be delivered.", "Final-Recipient: rfc822; bob@example.org\nAction: failed\nStatus: "+code+"\nDiagnostic-Code: smtp; "+diagnosis+"\n")
		if got := stopped(m); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
}

func TestReading09ASecondRecipientBeginsAGroup(t *testing.T) {
	t.Parallel()
	full := "Action: failed\nStatus: 5.2.2\nDiagnostic-Code: smtp; 550 5.2.2 Mailbox full\n"
	none := "Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\n"
	to := func(who string) string { return "Final-Recipient: rfc822; " + who + "@example.org\n" }
	was := func(who string) string { return "Original-Recipient: rfc822;" + who + "@example.org\n" }
	for name, c := range map[string]struct{ groups, want string }{
		"two":                     {to("ann") + full + to("bob") + none, "ann bob!"},
		"three":                   {to("ann") + none + to("bob") + full + to("cy") + none, "ann! bob cy!"},
		"with the original first": {was("ann") + to("box1") + full + was("bob") + to("box2") + none, "ann bob!"},
		"with the original after": {to("box1") + was("ann") + none + to("box2") + was("bob") + full, "ann! bob"},
		"after the message's own": {"Arrival-Date: Tue, 3 Mar 2026 10:00:00 +0100\n" + to("ann") + full + to("bob") + none, "ann bob!"},
		"some blank lines":        {to("ann") + full + "\n" + to("bob") + none + to("cy") + full, "ann bob! cy"},
		"one delivered":           {to("ann") + "Action: delivered\nStatus: 2.0.0\n" + to("bob") + none, "bob!"},
		"the first only original": {was("ann") + full + to("bob") + none, "ann bob!"},
	} {
		if got := stopped(reportOf("Not delivered.", c.groups)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestReading09ALineForEachRecipient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"address first":   {"Delivery failed:\n\nann@example.org: mailbox full\nbob@example.org: user unknown\n", "ann bob!"},
		"in brackets":     {"<ann@example.org>: over quota\n<bob@example.org>: no such user\n<cy@example.org>: host unknown\n", "ann bob! cy!"},
		"address last":    {"Delivery failed for the following recipients:\nMailbox full: ann@example.org\nUnknown user: bob@example.org\n", "ann bob!"},
		"in the sentence": {"Failed to deliver to ann@example.org: mailbox is full\nFailed to deliver to bob@example.org: no such user\n", "ann bob!"},
		"other way round": {"Failed to deliver to bob@example.org: no such user\nFailed to deliver to ann@example.org: mailbox is full\n", "bob! ann"},
		"dashes":          {"Not delivered:\n  - bob@example.org (recipient does not exist)\n  - ann@example.org (blocked as spam)\n", "bob! ann"},
		"a contact named": {"This is the mail system of example.net. Write to help@example.net if you need us.\nYour mail failed.\nNo such user: bob@example.org\n", "bob!"},
		"one, of another": {"Your mail to bob@example.org could not be delivered.\nThe recipient does not exist.\n", "bob!"},
	} {
		if got := stopped(toldOf(c.text)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestReading09WhatTheWordsOfMailSystemsSay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// There is no such address or host, or it takes no mail at all.
		"bob@example.org\n  an MX or SRV record indicated no SMTP service":                                                    "bob!", // Exim
		"bob@example.org\n  all relevant MX records point to non-existent hosts":                                              "bob!", // Exim
		"bob@example.org\n  all host address lookups failed permanently":                                                      "bob!", // Exim
		"bob@example.org\n  Unrouteable address":                                                                              "bob!", // Exim
		"<bob@example.org>: Domain example.org does not accept mail (nullMX)":                                                 "bob!", // Postfix
		"<bob@example.org>: Host or domain name not found. Name service error for name=example.org type=AAAA: Host not found": "bob!",
		"<bob@example.org>:\nSorry, no mailbox here by that name. (#5.1.1)":                                                   "bob!", // qmail
		"<bob@example.org>:\nSorry, I couldn't find any host named example.org. (#5.1.2)":                                     "bob!", // qmail
		"Invalid final delivery userid: bob@example.org":                                                                      "bob!",
		"bob@example.org: recipient does not exist in this directory":                                                         "bob!",
		"bob@example.org: not a known user at this site":                                                                      "bob!",
		"bob@example.org: Recipient unknown":                                                                                  "bob!",
		"bob@example.org: address not present in directory":                                                                   "bob!",
		"bob@example.org: there is no one at this address":                                                                    "bob!",
		"bob@example.org: no account by that name here":                                                                       "bob!",
		"bob@example.org: 550 This address no longer exists":                                                                  "bob!",
		"bob@example.org: this account has been deleted":                                                                      "bob!",
		"bob@example.org: nonexistent user":                                                                                   "bob!",
		"bob@example.org: recipient invalid":                                                                                  "bob!",
		"bob@example.org\n  Domain example.org has no mail exchanger":                                                         "bob!",
		"bob@example.org: unknown mailbox":                                                                                    "bob!",
		"bob@example.org: unknown virtual user":                                                                               "bob!",
		"bob@example.org: 550 Bad recipient address":                                                                          "bob!",
		"bob@example.org: 551 the user has moved":                                                                             "bob!", // RFC 5321 section 4.2.3
		"bob@example.org: NXDOMAIN for example.org":                                                                           "bob!",
		"bob@example.org: 550 Benutzer unbekannt":                                                                             "bob!",
		"bob@example.org: 550 Die E-Mail-Adresse existiert nicht":                                                             "bob!",
		"bob@example.org: 550 utilisateur inconnu":                                                                            "bob!",
		"bob@example.org: 550 cette adresse n'existe pas":                                                                     "bob!",
		"bob@example.org: 550 El usuario no existe":                                                                           "bob!",
		"bob@example.org: 550 utente sconosciuto":                                                                             "bob!",
		"bob@example.org: 550 destinatário não encontrado":                                                                    "bob!",
		"bob@example.org: 550 gebruiker onbekend":                                                                             "bob!",
		"bob@example.org: 550 użytkownik nie istnieje":                                                                        "bob!",
		"bob@example.org: 550 mottagaren finns inte":                                                                          "bob!",
		"bob@example.org: 550 modtageren findes ikke":                                                                         "bob!",
		"bob@example.org: 550 ukjent mottaker":                                                                                "bob!",
		"bob@example.org: 550 vastaanottajaa ei löydy":                                                                        "bob!",
		// It may be there.
		"<bob@example.org>: Name service error for domain example.org: Host not\n    found, try again": "bob",
		"bob@example.org: lookup of example.org gave SERVFAIL, host not found":                         "bob",
		"bob@example.org: 550 greylisted, user unknown to us so far":                                   "bob",
		"bob@example.org: 550 Requested action not taken":                                              "bob",
		"bob@example.org: lowest numbered MX record points to local host":                              "bob", // Exim
		"bob@example.org: retry timeout exceeded":                                                      "bob",
		"bob@example.org: 550 Postfach voll, Benutzer unbekannt":                                       "bob",
		"bob@example.org: 550 sender address unknown":                                                  "bob",
		"bob@example.org: 550 Sender verify failed":                                                    "bob",
		"bob@example.org: 550 account disabled":                                                        "bob",
	} {
		if got := stopped(toldOf("This message could not be delivered:\n\n" + text + "\n")); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestReading09FactsSaidInThePartForPeople(t *testing.T) {
	t.Parallel()
	group := func(who, more string) string {
		return "Final-Recipient: rfc822; " + who + "@example.org\nAction: failed\n" + more + "\n"
	}
	for name, c := range map[string]struct{ human, groups, want string }{
		"a status that says nothing":  {"<bob@example.org>: user unknown", group("bob", "Status: 5.0.0\nDiagnostic-Code: smtp; 550 Requested action not taken\n"), "bob!"},
		"no status":                   {"The address bob@example.org does not exist.", group("bob", "Diagnostic-Code: x-local; failed\n"), "bob!"},
		"no diagnosis":                {"The address bob@example.org does not exist.", group("bob", "Status: 5.0.0\n"), "bob!"},
		"full":                        {"<bob@example.org>: mailbox is full", group("bob", "Status: 5.0.0\nDiagnostic-Code: smtp; 550 No such user\n"), "bob"},
		"a code in the words":         {"mx.example.org said: 550 5.1.1 no", group("bob", "Status: 5.0.0\nDiagnostic-Code: smtp; 550 failed\n"), "bob!"},
		"words of spam":               {"Refused as spam: no such user", group("bob", "Status: 5.0.0\nDiagnostic-Code: smtp; 550 failed\n"), "bob"},
		"of two, each by its line":    {"<ann@example.org>: mailbox is full\n<bob@example.org>: no such user\n", group("ann", "Status: 5.0.0\n") + group("bob", "Status: 5.0.0\n"), "ann bob!"},
		"of two, one has a diagnosis": {"<ann@example.org>: no such user\n<bob@example.org>: no such user\n", group("ann", "Status: 5.2.2\nDiagnostic-Code: smtp; 552 5.2.2 over quota\n") + group("bob", "Status: 5.0.0\nDiagnostic-Code: smtp; 550 failed\n"), "ann bob!"},
		"nothing at all":              {"Sorry.", group("bob", "Status: 5.0.0\n"), "bob"},
		"the diagnosis says of spam":  {"The address may not exist, or does not exist: user unknown.", group("bob", "Status: 5.0.0\nDiagnostic-Code: smtp; 550 looks like spam\n"), "bob"},
	} {
		if got := stopped(reportOf(c.human, c.groups)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
