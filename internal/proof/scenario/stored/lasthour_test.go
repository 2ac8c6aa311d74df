package stored_test

import (
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/guard"
	"onefold/internal/utc"
)

// lastHour is what waits in the kept store, or was cut short.
func (w *writer) lastHour() {
	for _, who := range []string{"fred", "vera", "walt", "gary", "sally", "erin"} {
		w.writes(who+"-1", who, "Is the lodge free?")
	}
	w.idle(20 * time.Minute)
	for _, who := range []string{"fred", "vera", "walt", "gary", "sally", "erin"} { // these wait for the quiet period
		w.writes(who+"-2", who, "And in June?")
	}
	w.send(mailOf("vera@example.com", "hello@demo.example", strings.ReplaceAll(doubtfulMail("vera"), "@buyer.example", "@example.com")))
	w.change("sally@example.com", "stop", ledger.Item{guard.StopAttr(tenant.ScopeFollowUp): utc.At(w.now), "reason": guard.ReasonPerson, "address": "sally@example.com"})
	w.change("erin@example.com", "erase", ledger.Item{"erased_at": utc.At(w.now), "address": ""})
	w.writes("olga-1", "olga", "My tent is broken. [support]")

	// Workers that died long ago: what they had claimed has lapsed.
	w.post = map[string][]string{"zoe@example.com": {"taken, dies"}, "zed@example.com": {"dies"}, "yara@example.com": {"taken, lost"}, "yves@example.com": {"lost"}}
	for _, who := range []string{"zoe", "zed", "yara", "yves"} {
		w.writes(who+"-1", who, "Is the lodge free?")
	}
	w.writes("wim-1", "wim", "Hello? [dies]")
	w.cab = map[string][]string{"contact": {"dies"}}
	w.writes("cy-1", "cy", "Is the lodge free?")
	w.cab = map[string][]string{"contact": {"busy"}} // its note and task wait
	w.writes("bea-1", "bea", "Is the lodge free?")
	w.idle(35 * time.Minute)

	// The feed of the outbox is not read any more.
	w.cab = map[string][]string{"contact": {"lost"}}
	w.writes("lia-1", "lia", "Is the lodge free?")
	w.post = map[string][]string{"zia@example.com": {"taken, dies"}}
	w.writes("zia-1", "zia", "Is the lodge free?") // its lease has not lapsed
	w.off["send"], w.off["crmsync"] = true, true
	w.writes("walt-3", "walt", "Please unsubscribe me.")
	w.writes("xan-1", "xan", "Is the lodge free?")
	w.writes("sid-1", "sid", "Hello? [silent]") // tried once, due again
	w.writes("bo-1", "bo", "Hello? [busy]")     // waits for its reader
	w.writes("wes-1", "wes", "Hello? [dies]")   // its claim has not lapsed
	w.off["extract"] = true
	w.writes("rex-1", "rex", "Is the lodge free?")
	w.writes("rae-1", "rae", "My tent is broken. [support]")
	w.send(mailOf("ray@club.example", "sales@demo.example", strings.ReplaceAll(samsMail, "sam@", "ray@")))

}

// idle lets time pass without the sweeper.
func (w *writer) idle(d time.Duration) {
	w.work()
	w.now = w.now.Add(d)
}

const samsMail = `Message-ID: <walk-1@club.example>
Date: Mon, 2 Mar 2026 09:15:00 +0000
From: Sam Okafor <sam@club.example>
To: sales@demo.example, info@demo.example
Subject: Walking weekend
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Dear team,

our club would like to spend a weekend with you in May.

Sam Okafor
`

const officeMail = `Message-ID: <outing-1@riverside.example>
Date: Mon, 2 Mar 2026 09:18:00 +0000
From: Riverside School Office <office@riverside.example>
To: hello@demo.example
Subject: Class outing
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Good morning,

two of our classes would like to go on a guided walk in June.

The office
`

func doubtfulMail(who string) string {
	return `Message-ID: <doubt-` + who + `@buyer.example>
Date: Mon, 2 Mar 2026 09:20:00 +0000
From: "` + who + `" <` + who + `@buyer.example>
To: hello@demo.example
Subject: A colleague's address
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Hello,

my colleague asks how one can unsubscribe from the newsletter. Where is the
link?

` + who + `
`
}
