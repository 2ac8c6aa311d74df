package mailbox_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/operate/mailbox"
	"onefold/internal/operate/mailbox/planted"
)

func guessed(t *testing.T, file string) mailbox.Own {
	t.Helper()
	own, err := mailbox.GuessOwn(t.Context(), strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// message is a mail with its separator.
func message(header string) string {
	return "From x@example.com Mon Jan  5 10:00:00 2026\n" + header + "\n\ntext\n\n"
}

func TestTheOwnersAddressesAreGuessed(t *testing.T) {
	t.Parallel()
	in := message("Delivered-To: Ann@shop.example\nFrom: pat@customer.example\nTo: ann@shop.example")
	for name, c := range map[string]struct {
		file, how string
		want      []string
	}{
		"nothing":         {"", mailbox.ByFrequency, nil},
		"by Delivered-To": {strings.Repeat(in, 30) + message("Delivered-To: list@other.example\nFrom: a@b.example"), mailbox.ByDeliveredTo, []string{"@shop.example", "ann@shop.example"}},
		// What a mailbox sends and what it gets both name it.
		"by frequency": {
			message("From: ann@shop.example\nTo: a@customer.example") + message("From: b@customer.example\nTo: Ann <ann@shop.example>") + message("From: no-reply@bank.example\nTo: ann@shop.example"),
			mailbox.ByFrequency, []string{"@shop.example", "ann@shop.example"},
		},
		// At a domain of everybody's the address alone is ours.
		"free mail": {message("Delivered-To: ann@gmail.com\nFrom: a@b.example"), mailbox.ByDeliveredTo, []string{"ann@gmail.com"}},
	} {
		own := guessed(t, c.file)
		if own.How != c.how || !own.Guessed || !slices.Equal(own.Addresses, c.want) {
			t.Errorf("%s: %+v, want %v by %s", name, own, c.want, c.how)
		}
	}
}

func TestTheSamplesOwnerIsGuessedRightly(t *testing.T) {
	t.Parallel()
	own := guessed(t, string(planted.Whole().File(nil)))
	if !slices.Contains(own.Addresses, "@demo.example") || len(own.Addresses) > 4 {
		t.Errorf("guessed %v", own.Addresses)
	}
	o := options(t)
	o.Policy.OwnAddresses, o.Own = own.Addresses, own
	box := planted.Whole()
	planted.Same(t, box.Truth, planted.Of(audited(t, box.File(nil), o)))
}

func TestAMailBeyondTheLimitIsCountedAndNamed(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	file.WriteString("From a@example.com Mon Jan  5 10:00:00 2026\nFrom: Ann <ann@customer.example>\nSubject: A film\nMessage-ID: <film@customer.example>\n\n")
	line := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range 31 {
		file.Write(line)
	}
	file.WriteString("\n" + pat)
	r := audited(t, file.Bytes(), options(t))
	large := r.Mailbox.TooLarge
	if r.Mailbox.Kinds[mailbox.KindTooLarge] != 1 || len(large) != 1 || large[0].Position != 1 || large[0].From != "ann@customer.example" {
		t.Errorf("kinds %v, too large %+v", r.Mailbox.Kinds, large)
	}
	if len(r.People) != 1 || r.People[0].Address != "pat@customer.example" {
		t.Errorf("people %+v", r.People)
	}
}

func TestAnEndedContextEndsTheAudit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mailbox.Run(ctx, strings.NewReader(pat), options(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := mailbox.GuessOwn(ctx, strings.NewReader(pat)); !errors.Is(err, context.Canceled) {
		t.Errorf("error of the guess %v", err)
	}
}

// A mailbox without a mail has a report as well, with no list that is null.
func TestAnEmptyMailboxHasAReport(t *testing.T) {
	t.Parallel()
	r := audited(t, nil, options(t))
	if r.Mailbox.Messages != 0 || r.People == nil || r.OptOuts == nil || r.Review.Items == nil || r.TwoReplies.Groups == nil ||
		r.Duplicates == nil || r.Unanswered.Items == nil || r.Stopped == nil || r.Mailbox.TooLarge == nil {
		t.Errorf("%+v", r)
	}
}
