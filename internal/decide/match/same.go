package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Same reports whether two values of a contact's field are one value in two
// spellings. To say less is to say nothing else: a first name beside the full
// name, a firm without its legal form. region is the country, in two letters, of
// phone numbers written without one, or "".
func Same(field, a, b, region string) bool {
	switch {
	case strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " ")):
		return true
	case field == "phone":
		return samePhone(a, b, region)
	case field == "company":
		return sameFirm(a, b)
	}
	return sameName(a, b)
}

// sameName: the first words agree, and what the shorter name has besides is in the
// longer one, in its order; or the words are the same in another order, as of those
// who write the family's name first. An initial agrees with its word.
func sameName(a, b string) bool {
	for _, x := range orders(a) {
		for _, y := range orders(b) {
			short, long := x, y
			if len(short) > len(long) {
				short, long = y, x
			}
			if len(short) > 0 && agree(short[0], long[0]) && within(short[1:], long[1:]) {
				return true
			}
		}
	}
	x, y := words(a), words(b)
	slices.Sort(x)
	slices.Sort(y)
	return len(x) > 0 && slices.Equal(x, y)
}

// orders are the words of a name, and those of "Last, First" in their usual order.
func orders(name string) [][]string {
	all := [][]string{words(name)}
	if last, first, swapped := strings.Cut(name, ","); swapped {
		all = append(all, slices.Concat(words(first), words(last)))
	}
	return all
}

// FirstName is the first word of a name, without case and marks.
func FirstName(name string) string {
	all := orders(name)
	if usual := all[len(all)-1]; len(usual) > 0 {
		return usual[0]
	}
	return ""
}

// FullName reports whether a name has two words that are not initials, enough to
// tell two people apart who share an address.
func FullName(name string) bool {
	full := 0
	for _, w := range words(name) {
		if !single(w) {
			full++
		}
	}
	return full > 1
}

func agree(x, y string) bool {
	return x == y || single(x) && strings.HasPrefix(y, x) || single(y) && strings.HasPrefix(x, y)
}

func single(word string) bool { return utf8.RuneCountInString(word) == 1 }

func within(short, long []string) bool {
	for _, w := range long {
		if len(short) > 0 && agree(short[0], w) {
			short = short[1:]
		}
	}
	return len(short) == 0
}

// sameFirm: the names are equal, and the legal forms too where both have one.
func sameFirm(a, b string) bool {
	x, formX := firm(a)
	y, formY := firm(b)
	return x == y && (formX == formY || formX == "" || formY == "")
}

// firm splits a firm's name from its legal form, both in one spelling.
func firm(value string) (name, form string) {
	all := strings.Fields(shortForms.Replace("  " + strings.Join(joined(words(value)), "  ") + "  "))
	at := len(all)
	for at > 1 && isForm[all[at-1]] {
		at--
	}
	return strings.Join(all[:at], " "), strings.Join(all[at:], " ")
}

// joined makes one word of letters that are by themselves: "b v" of "B.V.".
func joined(list []string) (out []string) {
	open := false
	for _, w := range list {
		if open && single(w) {
			out[len(out)-1] += w
			continue
		}
		out, open = append(out, w), single(w)
	}
	return out
}

// forms are the legal forms that are also written out, by their short form.
var forms = [][2]string{
	{"public limited company", "plc"}, {"limited liability company", "llc"}, {"limited liability partnership", "llp"},
	{"limited", "ltd"}, {"incorporated", "inc"}, {"corporation", "corp"}, {"company", "co"}, {"proprietary", "pty"},
	{"gesellschaft mit beschrankter haftung", "gmbh"}, {"aktiengesellschaft", "ag"}, {"kommanditgesellschaft", "kg"},
	{"besloten vennootschap", "bv"}, {"naamloze vennootschap", "nv"}, {"societe anonyme", "sa"}, {"sociedad anonima", "sa"},
	{"sociedad limitada", "sl"}, {"societa per azioni", "spa"}, {"spolka akcyjna", "sa"}, {"aktiebolag", "ab"}, {"osakeyhtio", "oy"},
	{"et", "and"}, {"und", "and"},
}

var shortForms, isForm = func() (*strings.Replacer, map[string]bool) {
	var pairs []string
	known := map[string]bool{}
	for _, f := range forms {
		pairs = append(pairs, " "+strings.ReplaceAll(f[0], " ", "  ")+" ", " "+f[1]+" ")
		known[f[1]] = true
	}
	for _, f := range strings.Fields("sarl sas srl aps as ug eg ev se oyj kgaa ohg eurl sro spzoo") {
		known[f] = true
	}
	return strings.NewReplacer(pairs...), known
}()

// words are the words of a text without case, marks on letters and punctuation.
// "&" is a word.
func words(text string) []string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x300 && r <= 0x36f || strings.ContainsRune("'’ʼ`´", r):
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r):
			return r
		}
		return ' '
	}, norm.NFKD.String(strings.ReplaceAll(cases.Fold().String(text), "&", " and ")))
	return strings.Fields(text)
}

// samePhone compares numbers with their country. One without is of the region, or
// of the other's country where there is none.
func samePhone(a, b, region string) bool {
	if region == "" {
		for _, value := range []string{a, b} {
			if n := number(value, ""); n != nil {
				region = phonenumbers.GetRegionCodeForCountryCode(int(n.GetCountryCode()))
			}
		}
	}
	x := Phone(a, region)
	return x != "" && x == Phone(b, region)
}

// Phone is a number in E.164, its extension left out, or its digits where the
// country is not known; "" of what names no line.
func Phone(value, region string) string {
	if n := number(value, region); n != nil {
		return phonenumbers.Format(n, phonenumbers.E164)
	}
	if digits := phonenumbers.NormalizeDigitsOnly(value); len(digits) >= 6 {
		return digits
	}
	return ""
}

// number reads what reader believes; "00" is taken for "+" as there.
func number(value, region string) *phonenumbers.PhoneNumber {
	value = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '+' || r == '#' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return ' '
	}, value))
	if rest, found := strings.CutPrefix(value, "00"); found {
		value = "+" + rest
	}
	n, err := phonenumbers.Parse(value, region)
	if err != nil || !phonenumbers.IsPossibleNumber(n) {
		return nil
	}
	return n
}
