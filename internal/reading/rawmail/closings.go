package rawmail

import "strings"

// isClosing: the line is a greeting that ends a letter, and nothing else.
func isClosing(line string) bool {
	line = strings.TrimRight(line, " \t,.!\u2013-")
	return len(line) <= 60 && closings[strings.ToLower(line)]
}

// closings are the greetings in lower case, in the languages of quotes.go.
var closings = closingSet()

func closingSet() map[string]bool {
	set := map[string]bool{}
	// each makes every combination of one word out of each list.
	each := func(lists ...string) {
		made := []string{""}
		for _, list := range lists {
			var next []string
			for _, begun := range made {
				for word := range strings.SplitSeq(list, "|") {
					next = append(next, strings.TrimSpace(begun+" "+word))
				}
			}
			made = next
		}
		for _, greeting := range made {
			set[greeting] = true
		}
	}
	each("|with", "|best|kind|kindest|warm|warmest|many", "regards|wishes")
	each("best|all the best|cheers|sincerely|yours sincerely|yours faithfully|yours truly|sincerely yours|cordially|respectfully")
	each("|many", "thanks and", "|best|kind", "regards")
	each("|mit", "freundlichen|freundlichem|besten|herzlichen|vielen", "grüßen|grüssen|gruß|gruss|grüße|dank")
	each("viele|beste|liebe|schöne|freundliche|herzliche", "grüße|grüsse")
	each("mfg|lg|vg|gruß|gruss")
	each("|bien|très", "cordialement")
	each("à vous|bien à vous|sincères salutations|salutations")
	each("saludos|saludos cordiales|un saludo|atentamente")
	each("cordiali saluti|distinti saluti|saluti")
	each("|met", "vriendelijke|hartelijke", "groet|groeten")
	each("groet|groeten|groetjes")
	each("atenciosamente|cumprimentos|melhores cumprimentos|com os melhores cumprimentos|abraços")
	each("med", "venlig|vennlig|vänlig|vänliga", "hilsen|hälsning|hälsningar")
	each("|vänliga|bästa", "hälsningar")
	each("mvh|terveisin|ystävällisin terveisin")
	each("с уважением|с наилучшими пожеланиями|з повагою|s pozdravem|s pozdravom|üdvözlettel|pozdrawiam|serdecznie pozdrawiam|z poważaniem")
	each("saygılarımla|en iyi saygılarımla|cu stimă|με εκτίμηση|lugupidamisega|pagarbiai|trân trọng|此致|敬具|祝好")
	return set
}
