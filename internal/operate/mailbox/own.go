package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/operate/mailbox/mbox"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
)

// How the own addresses are known.
const (
	ByPolicy        = "policy"
	ByFlag          = "flag"
	ByPolicyAndFlag = "policy_and_flag"
	ByDeliveredTo   = "delivered_to"
	ByFrequency     = "most_frequent"
)

// minShare is the part of the mails with a Delivered-To, in hundredths, that an
// address needs to be one of the owner's mailboxes: a few may have got there
// through a list or somebody else's forwarding.
const minShare = 5

// headerBytes bounds what is read of each mail to guess.
const headerBytes = 64 << 10

// GuessOwn looks through the headers of a mailbox for its owner: the addresses
// that servers say they delivered to, or else the one that most mails name as
// sender or recipient. Where the domain is not one at which anybody may have a
// mailbox, all of it counts. Of an empty mailbox there is none.
func GuessOwn(ctx context.Context, in io.Reader) (Own, error) {
	r := mbox.NewReader(in, headerBytes)
	delivered, named, routed := map[string]int{}, map[string]int{}, 0
	for {
		m, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Own{}, fmt.Errorf("read the mailbox: %w", err)
		}
		if ctx.Err() != nil {
			return Own{}, context.Cause(ctx)
		}
		msg := rawmail.Parse(headerOf(m.Raw), nil)
		if to := canonical(msg.Route.DeliveredTo); to != "" {
			delivered[to]++
			routed++
		}
		for addr := range namedIn(msg) {
			named[addr]++
		}
	}
	own := Own{How: ByDeliveredTo, Guessed: true}
	for addr, count := range delivered {
		if count*100 >= routed*minShare {
			own.Addresses = append(own.Addresses, addr)
		}
	}
	if len(own.Addresses) == 0 {
		own.How = ByFrequency
		if most := (tally(named)).list(); len(most) > 0 {
			own.Addresses = most[:1]
		}
	}
	own.Addresses = withDomains(own.Addresses)
	return own, nil
}

// namedIn are the addresses of a mail's headers, each once.
func namedIn(m rawmail.Message) map[string]bool {
	set := map[string]bool{}
	for _, box := range slices.Concat(m.From, m.To, m.Cc) {
		if a := canonical(box.Address); a != "" {
			set[a] = true
		}
	}
	return set
}

// canonical is an address in small letters, as own addresses are compared.
func canonical(written string) string {
	p := decide.Identify(digest.Key{}, tenant.Policy{}, written)
	if !p.Known() || p.Role {
		return ""
	}
	return strings.ToLower(p.Address.String())
}

// withDomains adds the domains that are the owner's alone.
func withDomains(addresses []string) []string {
	out := slices.Clone(addresses)
	for _, a := range addresses {
		if p := decide.Identify(digest.Key{}, tenant.Policy{}, a); p.Known() && !anybodys(p) {
			out = append(out, "@"+p.Address.Domain)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
