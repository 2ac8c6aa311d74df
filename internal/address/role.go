package address

import "strings"

// IsRole says that the address is a machine's or an office's (RFC 2142 and
// common use), where an automatic mail would start a loop or reach nobody in
// particular. Shared boxes that people do read and answer, such as info@ and
// sales@, are not among them.
func IsRole(a Address) bool {
	local, _, _ := strings.Cut(strings.ToLower(unquoteLocal(a.Local)), "+")
	// Separators differ by taste: no-reply, no_reply, no.reply and noreply are one.
	local = strings.NewReplacer("-", "", "_", "", ".", "").Replace(local)
	switch local {
	case "postmaster", "mailerdaemon", "daemon", "maildaemon", "maildelivery",
		"noreply", "noreplies", "donotreply", "donotrespond", "neverreply", "nepasrepondre", "nichtantworten",
		"bounce", "bounces", "bounced", "returns", "null", "devnull", "nobody", "root",
		"abuse", "hostmaster", "webmaster", "usenet", "news", "uucp",
		"listserv", "majordomo", "mailman", "autoreply", "autoresponder", "autorespond",
		"notification", "notifications", "alerts", "mdaemon", "symantecantivirus":
		return true
	}
	for _, prefix := range []string{"noreply", "donotreply", "mailerdaemon", "bounce=", "prvs="} {
		if strings.HasPrefix(local, prefix) {
			return true
		}
	}
	return strings.HasSuffix(local, "noreply") || strings.HasSuffix(local, "bounces") ||
		strings.HasPrefix(local, "owner") && strings.HasPrefix(strings.ToLower(a.Local), "owner-")
}
