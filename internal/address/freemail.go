package address

// IsFreeMail tells of the large domains where anybody has a mailbox: many
// people a day write from them, and what they share says nothing.
func IsFreeMail(domain string) bool {
	switch domain {
	case "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "hotmail.co.uk", "hotmail.fr", "live.com", "msn.com",
		"yahoo.com", "yahoo.co.uk", "yahoo.co.in", "yahoo.co.jp", "yahoo.fr", "yahoo.de", "ymail.com", "aol.com",
		"icloud.com", "me.com", "mac.com", "proton.me", "protonmail.com", "fastmail.com", "zoho.com", "mail.com",
		"gmx.com", "gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de", "t-online.de", "freenet.de", "posteo.de", "mailbox.org",
		"orange.fr", "wanadoo.fr", "free.fr", "laposte.net", "sfr.fr", "libero.it", "virgilio.it", "seznam.cz", "wp.pl", "o2.pl",
		"bluewin.ch", "btinternet.com", "comcast.net", "verizon.net", "att.net", "mail.ru", "yandex.ru", "qq.com", "163.com",
		"126.com", "naver.com", "uol.com.br", "bigpond.com", "rediffmail.com":
		return true
	}
	return false
}
