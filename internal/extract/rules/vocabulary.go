package rules

import (
	_ "embed" // words.txt
	"fmt"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed words.txt
var wordFile string

// loadVocabulary reads the embedded list once; the result is never written to
// afterwards.
var loadVocabulary = sync.OnceValues(func() (vocabulary, error) { return readVocabulary(wordFile) })

// vocabulary holds, for each section, its runs of words in the form of plain,
// with their weight.
type vocabulary map[string]map[string]int64

func readVocabulary(text string) (vocabulary, error) {
	v := vocabulary{}
	section := ""
	for number, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, found := strings.CutPrefix(line, "["); found {
			section = strings.TrimSuffix(name, "]")
			v[section] = map[string]int64{}
			continue
		}
		weight := int64(1)
		if rest, found := strings.CutPrefix(line, "2 "); found {
			line, weight = rest, 2
		}
		if section == "" || plain(line) != line {
			return nil, fmt.Errorf("rules vocabulary: line %d not understood", number+1)
		}
		v[section][line] = weight
	}
	return v, nil
}

// score sums the weights of a section's runs that stand in a plain text, each
// counted once.
func (v vocabulary) score(section, plainText string) int64 {
	var sum int64
	padded := " " + plainText + " "
	for run, weight := range v[section] {
		if strings.Contains(padded, " "+run+" ") {
			sum += weight
		}
	}
	return sum
}

// meets tells whether any run of the section stands in a plain text.
func (v vocabulary) meets(section, plainText string) bool { return v.score(section, plainText) > 0 }

// is tells whether a plain text is one of the section's runs.
func (v vocabulary) is(section, plainText string) bool { return v[section][plainText] > 0 }

// hasRun tells whether the words of run stand in text one after the other.
func hasRun(text, run string) bool {
	return strings.Contains(" "+text+" ", " "+run+" ")
}

// plain is a text as bare words: lower case, without marks, signs and
// invisible characters, one space between. Apostrophes join.
func plain(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ReplaceAll(text, "´", "'")) {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Cf) || strings.ContainsRune("'’‘ʼ`", r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			switch r = unicode.ToLower(r); r {
			case 'ß':
				b.WriteString("ss")
			case 'ø':
				b.WriteRune('o')
			case 'ł':
				b.WriteRune('l')
			default:
				b.WriteRune(r)
			}
		default:
			gap = true
		}
	}
	return b.String()
}
