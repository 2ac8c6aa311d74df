package extract_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/send/evidence"
	"onefold/internal/utc"
)

const inReplyToOurs = "In-Reply-To: <0100-a-000000@eu-west-1.amazonses.com>\r\nReferences: <0100-a-000000@eu-west-1.amazonses.com>"

// mailedAda is a ledger in which a mail of ours went to Ada, as the message index
// knows, and its intent. Her days of quiet are over.
func mailedAda(t *testing.T) (*world, string) {
	t.Helper()
	w, intent := answeredAda(t)
	var index ledger.Commit
	if err := errors.Join(evidence.IndexMessage(&index, "ses", "0100-a-000000", "demo", intent, 1, utc.At(w.clock.Now())), w.store.Commit(t.Context(), index)); err != nil {
		t.Fatal(err)
	}
	w.clock.goTo(utc.At(w.clock.Now().Add(8 * 24 * time.Hour)))
	return w, intent
}

// TestReading04AWishInAnswerToOurMailFromAnotherAddress: somebody is mailed at one
// address, and answers that very mail from another. No next mail goes out to
// either, whether the words are plain or doubtful.
func TestReading04AWishInAnswerToOurMailFromAnotherAddress(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"plain": "Please unsubscribe me.", "doubtful": doubtful} {
		w, _ := mailedAda(t)
		s := w.service(w.store, w.reader)
		stop := w.record("hello@demo.example", "m2", within(rawMail("m2", "Ada <ada@private.example>", "Re: Huts", text), inReplyToOurs))
		w.settle(s, stop)
		if word := guard.Blocks(w.guardOf(adas), "follow_up"); word != "opt_out_in_doubt" {
			t.Errorf("%s: the event is %s %v, and the address that was mailed is %q", name, w.event(stop).Outcome, w.event(stop).Reasons, word)
		}
		if e := w.event(stop); e.State != inbound.InReview || e.Review == "" {
			t.Errorf("%s: nobody sees the text of an event that is %s", name, e.State)
		}
		w.clock.goTo(utc.At(w.clock.Now().Add(48 * time.Hour)))
		again := w.record("hello@demo.example", "m3", rawMail("m3", ada, "Huts in June", body))
		w.settle(s, again)
		if n := w.count(ledger.Intent); n != 1 {
			t.Errorf("%s: %d follow-ups, the last of them to the address after its wish (%s)", name, n, w.event(again).Outcome)
		}
	}
}

// attached is a wish that passes our own mail on as it came, with its mark.
func attached(w *world, from, intent string) []byte {
	raw := string(rawMail("m2", from, "Re: Huts", ""))
	raw = strings.Replace(raw, "text/plain; charset=utf-8", "multipart/mixed; boundary=b", 1)
	return []byte(raw + "--b\r\nContent-Type: text/plain\r\n\r\nPlease unsubscribe me.\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: hello@demo.example\r\n" +
		rawmail.MarkHeader + ": " + followup.Mark(w.ids, "demo", intent) + "\r\nSubject: Re: Huts\r\n\r\nThank you.\r\n--b--\r\n")
}

// TestReading04WhomAWishInAnswerToOurMailStops: through the parser, the key and
// the ledger, with merges and splits, also such as commit while it is decided.
func TestReading04WhomAWishInAnswerToOurMailStops(t *testing.T) {
	t.Parallel()
	const stopped, held, open = "suppressed_all", "opt_out_in_doubt", ""
	alias := func(w *world) { w.act(contacts.Act{Kind: contacts.Alias, Contact: adas, Address: adasOther}) }
	bobs := func(w *world) {
		w.settle(w.service(w.store, w.reader), w.record("hello@demo.example", "b1", rawMail("b1", bob, "Dogs", "Do you have a dog?")))
	}
	merge := func(w *world) { w.act(contacts.Act{Kind: contacts.Merge, Contact: bob, Into: adas}) }
	into := func(w *world) { w.act(contacts.Act{Kind: contacts.Merge, Contact: adas, Into: bob}) }
	split := func(w *world) { w.act(contacts.Act{Kind: contacts.Split, Contact: bob}) }
	answer := func(from string) func(*world, string) []byte {
		return func(*world, string) []byte {
			return within(rawMail("m2", from, "Re: Huts", "Please unsubscribe me."), inReplyToOurs)
		}
	}
	both := func(list ...func(*world)) func(*world) {
		return func(w *world) {
			for _, do := range list {
				do(w)
			}
		}
	}
	none := func(*world) {}
	for name, c := range map[string]struct {
		before, during func(*world)
		raw            func(w *world, intent string) []byte
		from, want     string // whom it comes from; of Ada's address, which we mailed
	}{
		"from a stranger":              {none, none, answer("stranger@example.net"), "stranger@example.net", held},
		"from an alias of hers":        {alias, none, answer(adasOther), adasOther, stopped},
		"from somebody else we know":   {bobs, none, answer(bob), bob, held},
		"from one merged into her":     {both(bobs, merge), none, answer(bob), bob, stopped},
		"from one she was merged into": {both(bobs, into), none, answer(bob), bob, stopped},
		"from one split off again":     {both(bobs, merge, split), none, answer(bob), bob, held},
		"merged while it is decided":   {bobs, merge, answer(bob), bob, stopped},
		"split while it is decided":    {both(bobs, merge), split, answer(bob), bob, held},
		"held by hand meanwhile":       {none, func(w *world) { w.doubt(adas) }, answer("stranger@example.net"), "stranger@example.net", held},
		"with our mail attached":       {none, none, func(w *world, i string) []byte { return attached(w, "stranger@example.net", i) }, "stranger@example.net", stopped},
		"with a mark made up":          {none, none, func(w *world, _ string) []byte { return attached(w, "stranger@example.net", "i1") }, "stranger@example.net", open},
		"of a mail that is not ours": {none, none, func(*world, string) []byte {
			return within(rawMail("m2", "stranger@example.net", "Re: Huts", "Please unsubscribe me."), "In-Reply-To: <0100-b@eu-west-1.amazonses.com>")
		}, "stranger@example.net", open},
		"no wish": {none, none, func(*world, string) []byte {
			return within(rawMail("m2", "stranger@example.net", "Re: Huts", "Do you have a dog?"), inReplyToOurs)
		}, "", open},
	} {
		w, intent := mailedAda(t)
		c.before(w)
		k := w.record("hello@demo.example", "m2", c.raw(w, intent))
		w.settle(w.service(&justBefore{Store: w.store, do: func() { c.during(w) }}, w.reader), k)
		if got := guard.Blocks(w.guardOf(adas), "follow_up"); got != c.want {
			t.Errorf("%s: the mailed address is %q, want %q (%s %v)", name, got, c.want, w.event(k).Outcome, w.event(k).Reasons)
		}
		if got := guard.Blocks(w.guardOf(cmp.Or(c.from, adas)), "follow_up"); c.from != "" && got != stopped {
			t.Errorf("%s: the address that it came from is %q", name, got)
		}
		if e := w.event(k); (e.State == inbound.InReview) != (c.want == held) {
			t.Errorf("%s: held %t, event %s %v", name, c.want == held, e.State, e.Reasons)
		}
	}
}

// justBefore has something happen before the commit that decides or refers an
// event, when everything that it stands on has been read.
type justBefore struct {
	ledger.Store
	do func()
}

func (m *justBefore) Commit(ctx context.Context, c ledger.Commit) error {
	ends := slices.ContainsFunc(c.Writes, func(w ledger.Write) bool {
		return w.Key.Entity == ledger.Event && (w.Set.Text("state") == inbound.Decided || w.Set.Text("state") == inbound.InReview)
	})
	if do := m.do; do != nil && ends {
		m.do = nil
		do()
	}
	return m.Store.Commit(ctx, c)
}

// TestReading04AComplaintThatNamesTheMailboxWeDidNotMail: the report names the
// address at which it was reported, to which Ada's is forwarded.
func TestReading04AComplaintThatNamesTheMailboxWeDidNotMail(t *testing.T) {
	t.Parallel()
	const there = "ada@private.example"
	for name, c := range map[string]struct {
		returned func(w *world, intent string) string
		want     string
	}{
		"our mark":       {func(w *world, i string) string { return rawmail.MarkHeader + ": " + followup.Mark(w.ids, "demo", i) }, "suppressed_all"},
		"its Message-ID": {func(*world, string) string { return "Message-ID: <0100-a-000000@eu-west-1.amazonses.com>" }, "opt_out_in_doubt"},
		"another's":      {func(*world, string) string { return "Message-ID: <0100-b-000000@eu-west-1.amazonses.com>" }, ""},
	} {
		w, intent := mailedAda(t)
		s := w.service(w.store, w.reader)
		k := w.record("hello@demo.example", "r1", complaintOf("r1", there, c.returned(w, intent)))
		w.settle(s, k)
		if got := guard.Blocks(w.guardOf(adas), "follow_up"); got != c.want {
			t.Errorf("%s: the mailed address is %q, want %q (%v)", name, got, c.want, w.event(k).Reasons)
		}
		if got := guard.Blocks(w.guardOf(there), "follow_up"); got != "opt_out_in_doubt" {
			t.Errorf("%s: the named address is %q", name, got)
		}
		if err := w.answer(s, k, decide.Answer{By: "person:grace"}); err != nil {
			t.Fatal(err)
		}
		lifted := c.want
		if c.want == "opt_out_in_doubt" {
			lifted = ""
		}
		if got := guard.Blocks(w.guardOf(adas), "follow_up"); got != lifted {
			t.Errorf("%s: after a no the mailed address is %q, want %q", name, got, lifted)
		}
	}
}
