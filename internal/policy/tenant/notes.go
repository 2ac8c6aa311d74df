package tenant

import "fmt"

// Notes are what a policy says without effect. It is a policy all the same.
func (p Policy) Notes() []Problem {
	var found problems
	for i, e := range p.Endpoints {
		if e.Content == ContentMail && e.AuthservID == "" && p.Mail.Unauthenticated != UnauthenticatedAccept && !saysDMARC(e) {
			found.add(fmt.Sprintf("is missing: nobody says of its mail whether DMARC failed, so mail.unauthenticated (%q) has no effect on it. "+
				"Name the server that checks it before; see docs/policy.md", p.Mail.Unauthenticated), "endpoints", i, "authserv_id")
		}
	}
	return found.list
}

// saysDMARC reports whether an endpoint's source says with each mail what came of
// DMARC.
func saysDMARC(e Endpoint) bool {
	if e.Scheme == SchemeSES {
		return true
	}
	source, err := e.Source()
	return err == nil && source.About().DMARC
}
