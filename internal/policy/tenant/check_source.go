package tenant

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"onefold/internal/webhook"
	"onefold/internal/webhook/sources"
)

// checkSource reports what the endpoint's scheme has no use for or lacks, and
// gives what is known of it; the zero About of SchemeSES, which checkMailboxes
// looks at, and of what cannot be made.
func checkSource(e Endpoint, i int, found *problems) webhook.About {
	if e.HMAC != nil && e.Scheme != SchemeHMAC {
		found.add(`has an effect with the scheme "hmac" alone: leave it out`, "endpoints", i, "hmac")
	}
	if len(e.Origins) > 0 && e.Scheme != SchemeOwnForm {
		found.add(`has an effect with the scheme "own-form" alone: leave it out`, "endpoints", i, "origins")
	}
	if len(e.Topics) > 0 && e.Scheme != SchemeSNS {
		found.add(`has an effect with the scheme "sns" alone: leave it out`, "endpoints", i, "topics")
	}
	if e.AuthservID != "" && (e.Content == ContentForm || saysDMARC(e)) {
		found.add("has an effect on mail alone that does not come from SES, which says who sent it: leave it out", "endpoints", i, "authserv_id")
	}
	if e.Scheme == SchemeSES {
		return webhook.About{}
	}
	source, err := e.Source()
	if err != nil {
		option := map[string]string{SchemeHMAC: "hmac", SchemeSNS: "topics"}[e.Scheme]
		if option == "" {
			option = "origins"
		}
		at := pointer("endpoints", strconv.Itoa(i), option)
		told := func(p Problem) bool { return p.Path == at || strings.HasPrefix(p.Path, at+"/") }
		// What the schema refused is not said twice.
		if !errors.Is(err, sources.ErrUnknown) && !slices.ContainsFunc(found.list, told) {
			found.add("is wrong: "+err.Error(), "endpoints", i, option)
		}
		return webhook.About{}
	}
	about := source.About()
	if e.Content != "" && !slices.Contains(about.Contents, e.Content) {
		found.add(fmt.Sprintf("must be %q: %s carries nothing else", strings.Join(about.Contents, `" or "`), about.Name), "endpoints", i, "content")
	}
	if !about.NeedsSecret() && e.Secret != "" {
		found.add("has no effect: whoever sends by this scheme holds no secret: leave it out", "endpoints", i, "secret")
	}
	return about
}
