package webhook

// Headers are the three values that a request is verified with, as received.
// Their encoding is the transport's; nothing in them is trusted.
type Headers struct {
	ID        string // webhook-id: the same on each try of one delivery
	Timestamp string // webhook-timestamp: of this try, Unix seconds
	Signature string // webhook-signature: one or more "v1,<base64>", space-separated
}

// HeadersFrom takes them from headers whose names are in lower case, as API
// Gateway's HTTP API (payload 2.0) gives them.
//
// Svix and those who build on it send the same values as svix-id,
// svix-timestamp and svix-signature, some send both sets. The two are never
// mixed: the first complete set counts, webhook-* before svix-*. If neither is
// complete, what webhook-* has is returned, and Verify says ErrMissingHeader.
func HeadersFrom(lowerCased map[string]string) Headers {
	standard := headerSet(lowerCased, "webhook-")
	if standard.complete() {
		return standard
	}
	if alias := headerSet(lowerCased, "svix-"); alias.complete() {
		return alias
	}
	return standard
}

func headerSet(h map[string]string, prefix string) Headers {
	return Headers{ID: h[prefix+"id"], Timestamp: h[prefix+"timestamp"], Signature: h[prefix+"signature"]}
}

func (h Headers) complete() bool {
	return h.ID != "" && h.Timestamp != "" && h.Signature != ""
}
