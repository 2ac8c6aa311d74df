package webhook

import "strings"

// Request is one HTTP request as its sender made it.
type Request struct {
	Method string // in capitals
	// URL is the address as the sender has it, scheme and query included: what
	// he may have signed. Behind a custom domain it is not what the function
	// sees, so an endpoint states it.
	URL     string
	Headers Header
	Body    []byte // raw bytes, after any base64 of the transport
}

// Header holds a request's headers by their lower-case names, in no order. Of a
// header that stands twice the values are joined by commas, as HTTP allows
// (RFC 9110, section 5.3) and API Gateway does.
type Header map[string]string

// HeaderOf joins headers as a server reads them, whatever the case of their
// names.
func HeaderOf(all map[string][]string) Header {
	h := make(Header, len(all))
	for name, values := range all {
		name = strings.ToLower(name)
		joined := strings.Join(values, ",")
		if before, ok := h[name]; ok {
			joined = before + "," + joined
		}
		h[name] = joined
	}
	return h
}

// Get is the value of a header, "" for none.
func (h Header) Get(name string) string { return h[strings.ToLower(name)] }

// MediaType is the content type in lower case without its parameters.
func (h Header) MediaType() string {
	media, _, _ := strings.Cut(h.Get("content-type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}
