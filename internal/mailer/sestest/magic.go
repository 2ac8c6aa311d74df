package sestest

import (
	"net/http"
	"net/mail"
	"strings"
)

// The magic local parts, at any domain and before any +label. Every other
// recipient behaves as accept. Those that end in -once behave so at the first
// request to that address, label included, and as accept from then on.
const (
	Accept        = "accept"         // accepted; Send and Delivery
	Reject        = "reject"         // 400 MessageRejected
	Throttle      = "throttle"       // 429 TooManyRequestsException
	Paused        = "paused"         // 400 SendingPausedException
	Bounce        = "bounce"         // accepted; Send and a permanent Bounce
	Complain      = "complain"       // accepted; Send, Delivery and Complaint
	TimeoutSent   = "timeout-sent"   // accepted with its events, no answer
	TimeoutUnsent = "timeout-unsent" // not accepted, no answer

	ThrottleOnce      = "throttle-once"
	TimeoutSentOnce   = "timeout-sent-once"
	TimeoutUnsentOnce = "timeout-unsent-once"
)

// behaviour is what a recipient does to a request.
type behaviour struct {
	fault  *fault // refused with this
	accept bool
	silent bool // held, then cut, with no answer
	once   bool
}

func behaviourOf(address string) behaviour {
	local := localPart(address)
	base, once := strings.CutSuffix(local, "-once")
	b := behaviour{accept: true}
	switch {
	case local == Reject:
		return behaviour{fault: &fault{http.StatusBadRequest, "MessageRejected", "Message rejected."}}
	case local == Paused:
		return behaviour{fault: &fault{http.StatusBadRequest, "SendingPausedException", "Sending is paused for this account."}}
	case base == Throttle:
		b = behaviour{fault: &fault{http.StatusTooManyRequests, "TooManyRequestsException", "Maximum sending rate exceeded."}}
	case base == TimeoutSent:
		b = behaviour{accept: true, silent: true}
	case base == TimeoutUnsent:
		b = behaviour{silent: true}
	default:
		return b
	}
	b.once = once
	return b
}

// behave is what this request meets, and spends a once-only behaviour.
func (s *Server) behave(address string) behaviour {
	b := behaviourOf(address)
	if !b.once {
		return b
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used[address] {
		return behaviour{accept: true}
	}
	s.used[address] = true
	return b
}

// localPart is in lower case, up to the first +.
func localPart(address string) string {
	local, _, _ := strings.Cut(address, "@")
	local, _, _ = strings.Cut(local, "+")
	return strings.ToLower(local)
}

// addrSpec is the bare address of a mailbox that was checked before.
func addrSpec(s string) string {
	a, err := mail.ParseAddress(s)
	if err != nil {
		return s
	}
	return strings.ToLower(a.Address)
}
