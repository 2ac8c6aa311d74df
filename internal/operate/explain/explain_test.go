package explain_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/explain"
	"onefold/internal/record/words"
)

func text(t *testing.T, tl explain.Timeline) string {
	t.Helper()
	var b strings.Builder
	if err := tl.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const whyTwo = `email ada@example.org, tenant demo
  This person got 2 mails.
  I1 answers E1 under rule welcome, version 1: the provider took it in 2 attempts.
  I1 was sent 2 times: attempt 2 was made although an earlier outcome was unknown, since the policy accepts a possible duplicate.
  E2 led to no mail of its own: it was taken as an opt-out: its words ask for no more mail.
  Now, all mail to this address is stopped since 2026-03-02 15:00:31 (the person asked for no more mail).
  At 2026-03-02 15:00:31 mail to the address was stopped, after attempt 2 of I1 had been claimed and before its outcome was stored: it came too late to hold that mail back.

contact c-ada: active, consent version 2

E1  form/website/f-1
    received 2026-03-02 09:00:00, 2 deliveries, read in 1 try
    a follow-up was made: the address was not known before; rule welcome answers it
    I1  i-1, rule welcome version 1, auto to ada@example.org
        the provider took it
        attempt 1, claimed 2026-03-02 09:00:10: accepted, message m-1, delivered 2026-03-02 15:00:40
        attempt 2, claimed 2026-03-02 15:00:30: accepted, message m-2, made although an earlier outcome was unknown, since the policy accepts a possible duplicate
E2  form/website/f-2
    received 2026-03-02 15:00:28, 1 delivery, read in 1 try
    it was taken as an opt-out: its words ask for no more mail

crm_note       open       1 try

`

// The lines, in the order of time and then of what follows from what.
const lines = `2026-03-02 09:00:00.000  E1      ingest    the event was recorded
2026-03-02 09:00:00.000  E1      ingest    delivered: recorded as a new event, request r-1
2026-03-02 09:00:01.000  E1      extract   read by rules, prompt 1: it wants product question
2026-03-02 09:00:02.000  E1      extract   matched: a new contact by rule email_key, contact c-ada - the address was not known before
2026-03-02 09:00:02.000  E1      extract   the event was decided: follow up - the address was not known before; rule welcome answers it [recorded > decided]
2026-03-02 09:00:02.000  E1      extract     the contact was made - nobody had this address
2026-03-02 09:00:02.000  E1  I1  extract     the follow-up was made - rule welcome answers it
2026-03-02 09:00:02.000  E1      extract     work was put down, to file the enquiry in the CRM
2026-03-02 09:00:04.000  E1      crmsync     work ended, to file the enquiry in the CRM, record 77 - the CRM confirmed it [open > done]
2026-03-02 09:00:05.000  E1      ingest    delivered again: a duplicate, nothing follows from it, request r-2
2026-03-02 09:00:10.000  E1  I1  send        the submission was claimed: nothing stood against it (attempt 1) [ready > sending]
2026-03-02 09:00:10.000  E1  I1  send          the attempt was written down (attempt 1)
2026-03-02 09:00:20.000  E1  I1  send        the outcome was lost (attempt 1) - no answer came [sending > unknown]
2026-03-02 09:00:20.000  E1  I1  send          the attempt's outcome is unknown (attempt 1) [begun > unknown]
2026-03-02 15:00:20.000  E1  I1  send        a possible duplicate was accepted - the policy accepts a possible duplicate [unknown > ready]
2026-03-02 15:00:28.000  E2      ingest    the event was recorded
2026-03-02 15:00:28.000  E2      ingest    delivered: recorded as a new event, request r-3
2026-03-02 15:00:30.000  E1  I1  send        the submission was claimed: nothing stood against it (attempt 2) [ready > sending]
2026-03-02 15:00:30.000  E1  I1  send          the attempt was written down (attempt 2)
2026-03-02 15:00:31.000  E2      extract   the event was decided: opted out - its words ask for no more mail [recorded > decided]
2026-03-02 15:00:31.000  E2      extract     mail to the address was stopped - the person asked for no more mail
2026-03-02 15:00:31.000  E2      extract     the contact withdrew consent - consent was withdrawn
2026-03-02 15:00:32.000  E1  I1  send        the provider took the follow-up (attempt 2), message m-2 - the provider accepted it [sending > accepted]
2026-03-02 15:00:32.000  E1  I1  send          the attempt was accepted (attempt 2) [begun > accepted]
2026-03-02 15:00:41.000  E1  I1  feedback      evidence shows that the attempt was accepted (attempt 1), message m-1 - the recipient's server took it [unknown > accepted]
`

func TestWhyTwoMailsIsAnswered(t *testing.T) {
	t.Parallel()
	tl, err := twice(t).explain(explain.Query{Tenant: "demo", Email: " ADA@example.org "})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(whyTwo, "email ada@example.org", "email  ADA@example.org ", 1)
	want = strings.Replace(want, "crm_note       open       1 try\n", "crm_note       done       1 try, record 77, op-note\n", 1) + lines
	if got := text(t, tl); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAMessageLeadsToItsStoryWithoutTheAddress(t *testing.T) {
	t.Parallel()
	h := twice(t)
	for _, q := range []explain.Query{
		{Message: "m-2"}, // by the index item
		{Message: "m-1"}, // by the records: nothing indexed it
		{Tenant: "demo", Intent: "i-1"},
		{Tenant: "demo", Event: "form/website/f-1"},
	} {
		tl, err := h.explain(q)
		if err != nil {
			t.Fatal(err)
		}
		out := text(t, tl)
		if strings.Contains(out, "@") {
			t.Errorf("%s shows an address that nobody named:\n%s", tl.Asked, out)
		}
		for _, want := range []string{
			"For what was asked about, the person got 2 mails.",
			"attempt 2 was made although an earlier outcome was unknown",
			"it came too late to hold that mail back",
			"delivered again: a duplicate",
			"the contact withdrew consent",
			"evidence shows that the attempt was accepted (attempt 1), message m-1",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q:\n%s", tl.Asked, want, out)
			}
		}
		if !tl.Known || len(tl.Intents) != 1 || len(tl.Intents[0].Attempts) != 2 {
			t.Errorf("%s: %+v", tl.Asked, tl.Intents)
		}
	}
}

func TestWhyNoneIsAnsweredWhileAPersonHasToLook(t *testing.T) {
	t.Parallel()
	tl, err := waiting(t).explain(explain.Query{Tenant: "demo", Email: "bob@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `email bob@example.org, tenant demo
  This person got no mail.
  E1 led to no mail of its own: it waits for a person: the reader was not sure who wrote it.
  Now, nothing stops mail to this address.

E1  form/website/f-9
    received 2026-03-02 09:00:00, 0 deliveries, read in 1 try
    it waits for a person: the reader was not sure who wrote it

2026-03-02 09:00:00.000  E1      ingest   the event was recorded
2026-03-02 09:00:01.000  E1      extract  read by rules, prompt 1: it wants other
2026-03-02 09:00:02.000  E1      extract  the event was put before a person - the reader was not sure who wrote it [recorded > in_review]
2026-03-02 09:00:02.000  E1      extract    a question was put to people - the reader was not sure who wrote it
`
	if got := text(t, tl); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAnUnknownAddressIsSaidToBeUnknown(t *testing.T) {
	t.Parallel()
	h := twice(t)
	tl, err := h.explain(explain.Query{Tenant: "demo", Email: "nobody@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `email nobody@example.org, tenant demo
  Nobody with this address is known: no contact has it, and no open question is about it.
  As for the address itself, nothing stops mail to this address.
`
	if got := text(t, tl); got != want || tl.Known {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// The guard is wide: a dot and a tag are no other address to it.
	tl, err = h.explain(explain.Query{Tenant: "demo", Email: "a.da+x@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	if out := text(t, tl); tl.Known || len(tl.Intents) != 0 || strings.Contains(out, "ada@") || !strings.Contains(out, "As for the address itself, all mail to this address is stopped since 2026-03-02 15:00:31") {
		t.Errorf("the stop of an unknown address is not told:\n%s", out)
	}
}

func TestAQueryThatNamesNothingThereIsRefused(t *testing.T) {
	t.Parallel()
	h := twice(t)
	for _, c := range []struct {
		q    explain.Query
		want error
	}{
		{explain.Query{Tenant: "demo"}, explain.ErrQuery},
		{explain.Query{Tenant: "demo", Event: "x", Intent: "y"}, explain.ErrQuery},
		{explain.Query{Intent: "i-1"}, explain.ErrQuery},
		{explain.Query{Tenant: "demo", Email: "not an address"}, explain.ErrQuery},
		{explain.Query{Tenant: "demo", Intent: "none"}, explain.ErrNoSuch},
		{explain.Query{Message: "none"}, explain.ErrNoSuch},
		{explain.Query{Tenant: "other", Message: "m-2"}, explain.ErrNoSuch},
	} {
		if _, err := h.explain(c.q); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, err, c.want)
		}
	}
}

func TestTheJSONFormHasItsNames(t *testing.T) {
	t.Parallel()
	tl, err := twice(t).explain(explain.Query{Tenant: "demo", Intent: "i-1"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(tl)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tenant", "asked", "about", "known", "summary", "guard", "contacts", "events", "intents", "operations", "entries"} {
		if _, ok := m[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	first, _ := m["entries"].([]any)[0].(map[string]any)
	if first["noun"] != string(ledger.Event) || first["event"] != "record" || first["at"] != "2026-03-02T09:00:00.000Z" || first["what"] != "the event was recorded" {
		t.Errorf("first entry is %v", first)
	}
}

func TestMachineWordsBecomeSentencesOrStay(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"rule_welcome":          "rule welcome answers it",
		"suppressed_all":        "all mail to the address is stopped",
		"suppressed_follow_up":  "follow_up mail to the address is stopped",
		"intent_accepted":       "the follow-up is accepted",
		"sender_email_too_long": "the sender email is too long",
		"phone_malformed":       "the phone is malformed",
		"quiet_period_too_late": "the quiet period ends after it would be too late",
		"person:jo":             "jo said so",
		"a_word_of_newer_code":  "a_word_of_newer_code",
	} {
		if got := words.Plain(word); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
