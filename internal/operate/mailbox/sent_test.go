package mailbox_test

import (
	"testing"
	"time"

	"onefold/internal/operate/mailbox"
)

const (
	asked = "From ann@customer.example Mon Jan  5 10:00:00 2026\n" +
		"From: Ann Morgan <ann@customer.example>\nTo: hello@demo.example\nSubject: Huts\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n" +
		"Message-ID: <ask@customer.example>\n\nHello,\n\ncould you send me a quote for ten huts?\n\n"
	muchLater = "From x@other.example Wed Jan 14 10:00:00 2026\n" +
		"From: hello@demo.example\nTo: x@other.example\nSubject: Boots\nDate: Wed, 14 Jan 2026 10:00:00 +0000\nMessage-ID: <late@demo.example>\n\nHello.\n\n"
)

// ours is a mail of ours at noon on the day of asked, in its thread.
func ours(to string) string {
	return "From hello@demo.example Mon Jan  5 12:00:00 2026\nFrom: hello@demo.example\n" + to +
		"Subject: Huts\nDate: Mon, 5 Jan 2026 12:00:00 +0000\nMessage-ID: <o@demo.example>\nReferences: <ask@customer.example>\n\nCan you do this?\n\n"
}

// Who passes an enquiry on to a colleague has not answered it.
func TestOnlyAMailThatLeavesTheHouseIsAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		to       string
		answered int
	}{
		"a colleague":             {"To: joe@demo.example\n", 0},
		"a colleague and a copy":  {"To: joe@demo.example\nCc: Ann <ann@customer.example>\n", 1},
		"her at another address":  {"To: ann@private.example\n", 1},
		"nobody that it says":     {"", 1},
		"recipients undisclosed":  {"To: undisclosed-recipients:;\n", 1},
		"a blind copy that it is": {"To: hello@demo.example\nBcc: ann@customer.example\n", 1},
	} {
		u := audited(t, []byte(asked+ours(c.to)+muchLater), options(t)).Unanswered
		if u.Answered != c.answered || len(u.Items) != 1-c.answered {
			t.Errorf("%s: %d answered, %d waiting", name, u.Answered, len(u.Items))
		}
	}
}

// A mailing goes in blind copies, which the sender's own copy keeps.
func TestABlindCopyAfterAnOptOutIsAMissedOne(t *testing.T) {
	t.Parallel()
	wish := "From ann@customer.example Mon Jan  5 10:00:00 2026\nFrom: ann@customer.example\nTo: hello@demo.example\nSubject: Stop\n" +
		"Date: Mon, 5 Jan 2026 10:00:00 +0000\nMessage-ID: <stop@customer.example>\n\nPlease unsubscribe me. Do not email me again.\n\n"
	got := audited(t, []byte(wish+ours("To: hello@demo.example\nBcc: bob@other.example,\n ann@customer.example\n")), options(t)).OptOuts
	if len(got) != 1 || !got[0].Missed || len(got[0].Wrote) != 1 {
		t.Errorf("%+v", got)
	}
}

// Who writes a date in the future must not make every open enquiry late: the
// mailbox's date counts in its place, where there is one.
func TestADateInTheFutureEndsNoReport(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 5, 18, 0, 0, 0, time.UTC)
	later := "Subject: Prize\nFrom: spam@bad.example\nTo: hello@demo.example\nDate: Tue, 19 Jan 2038 03:14:07 +0000\n\nWe have a prize for you.\n\n"
	for name, c := range map[string]struct {
		now     time.Time
		sep     string
		undated int
		to      time.Time
		waiting int
	}{
		"the mailbox knows":    {now, "From x Mon Jan  5 11:00:00 2026\n", 0, time.Date(2026, 1, 5, 11, 0, 0, 0, time.UTC), 0},
		"nobody knows":         {now, "From x@bad.example Mon Jan 5 99:00:00 2026\n", 1, time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC), 0},
		"today is not known":   {time.Time{}, "From x Mon Jan  5 11:00:00 2026\n", 0, time.Date(2038, 1, 19, 3, 14, 7, 0, time.UTC), 1},
		"a clock a bit behind": {time.Date(2038, 1, 18, 9, 0, 0, 0, time.UTC), "From x Mon Jan  5 11:00:00 2026\n", 0, time.Date(2038, 1, 19, 3, 14, 7, 0, time.UTC), 1},
	} {
		o := options(t)
		o.Now = c.now
		r := audited(t, []byte(asked+c.sep+later), o)
		if r.Mailbox.Undated != c.undated || !r.Mailbox.To.Std().Equal(c.to) || waits(r) != c.waiting {
			t.Errorf("%s: %d undated, to %s, waiting %+v", name, r.Mailbox.Undated, r.Mailbox.To, r.Unanswered.Items)
		}
	}
}

// Whoever writes somebody else's Message-ID into his mail has not been answered
// with that one.
func TestAnAnswerInTheThreadOfASharedMessageIDIsOfItsRecipientAlone(t *testing.T) {
	t.Parallel()
	eve := "From eve@other.example Mon Jan  5 10:00:01 2026\nFrom: Eve <eve@other.example>\nTo: hello@demo.example\nSubject: Boots\n" +
		"Date: Mon, 5 Jan 2026 10:00:01 +0000\nMessage-ID: <ask@customer.example>\n\nHello, I want boots. What do they cost?\n\n"
	u := audited(t, []byte(asked+eve+ours("To: ann@customer.example\n")+muchLater), options(t)).Unanswered
	if u.Answered != 1 || len(u.Items) != 1 || u.Items[0].Person != "eve@other.example" {
		t.Errorf("%d answered, waiting %+v", u.Answered, u.Items)
	}
}

// waits counts Ann's enquiries that wait.
func waits(r mailbox.Report) (n int) {
	for _, w := range r.Unanswered.Items {
		if w.Person == "ann@customer.example" {
			n++
		}
	}
	return n
}

// An answer that only thanks, a receipt and an answer of a calendar wait for nobody.
func TestReading06WhatAsksNothingIsNotUnanswered(t *testing.T) {
	t.Parallel()
	later := func(subject, text string) string {
		return "From ann@customer.example Tue Jan  6 10:00:00 2026\nFrom: Ann Morgan <ann@customer.example>\nTo: hello@demo.example\nSubject: " + subject +
			"\nDate: Tue, 6 Jan 2026 10:00:00 +0000\nMessage-ID: <t@customer.example>\nIn-Reply-To: <o@demo.example>\n\n" + text + "\n\n"
	}
	for text, enquiries := range map[string]int{
		later("Re: Huts", "Thank you, that helps a lot!\n\nAnn"):           1,
		later("Re: Huts", "Your ticket 4411 has been created."):            1,
		later("Accepted: Huts", "Ann Morgan has accepted the invitation."): 1,
		later("Re: Huts", "Thank you. How much is breakfast?"):             2,
	} {
		u := audited(t, []byte(asked+ours("To: ann@customer.example\n")+text+muchLater), options(t)).Unanswered
		if u.Enquiries != enquiries || len(u.Items) != enquiries-1 {
			t.Errorf("%q: %d enquiries, %d waiting", text, u.Enquiries, len(u.Items))
		}
	}
}
