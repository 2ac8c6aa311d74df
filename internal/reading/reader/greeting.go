package reader

import (
	"regexp"
	"strings"
)

// A greeting is the beginning of a line that says whom the sender writes to, up
// to the first mark that ends it: "Dear Anna", "Guten Tag Herr Berg". It is
// looked for in the languages that the rules read and hear. What follows the
// mark is the sender's: "Hello! Anna Berg here". A comma behind the first word
// ends nothing: "Hi, Anna".
var greeting = regexp.MustCompile(`(?i)^[\s>*_¡"'“«„-]*(?:` + strings.Join([]string{
	`dear|hi there|hi|hiya|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day)|to whom it may concern`,
	`sehr geehrter?|sehr geehrtes|geehrter?|liebe[rs]?|hallo|guten (?:tag|morgen|abend)|moin|servus|grüezi|grüß (?:gott|dich|sie)|gruezi`,
	`bonjour|bonsoir|salut|chers?|chères?|cheres?|madame|monsieur|mesdames|messieurs`,
	`hola|buen(?:os|as)? (?:d[ií]as?|tardes|noches)|estimad[oa]s?|querid[oa]s?|apreciad[oa]s?|muy señor(?:es)?|distinguid[oa]s?`,
	`gentil(?:e|i|issim[oaie])|egregi[oa]?|spett(?:abile|\.le|\.)|buongiorno|buon giorno|buonasera|buona sera|ciao|salve|car[oaie]`,
	`prezad[oa]s?|exm[oa]s?\.?|car[oa]s|olá|ola|oi|bom dia|boa (?:tarde|noite)`,
	`beste|geachte|hoi|dag|goede(?:morgen|middag|navond)|goeden(?:dag|avond)`,
	`szanown[aiey]|drog[ai]|dzień dobry|dzien dobry|cześć|czesc|witam|witaj`,
	`hej|hejsan|tjena|bästa|kära|käre|god (?:dag|morgon|kväll|morgen|kveld|aften)|kære|kjære|bedste|goddag|hei|heisann`,
	`hyvä|hyvät|arvoisa|arvoisat|moi|terve|hyvää (?:päivää|huomenta|iltaa)|rakas`,
}, "|") + `)(?:$|[.!](?:[ \t]|$)|[^\pL\pN\n][^,;:!?\n]*)`)

// introduces finds that a line which begins as a greeting goes on to say who
// writes, without a mark between.
var introduces = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:i am|i['’]m|i write|my|me|this|here|from|here['’]s|ich|mein|meine|hier|je|c['’]est|m['’]appelle|ici|soy|me llamo|mi|aquí|de parte|` +
	`sono|chiamo|sou|chamo|meu|minha|aqui|ik|mijn|met|jestem|nazywam|mam|jag|heter|jeg|hedder|mitt|mit|min|olen|nimeni|tässä|täällä)(?:$|[^\pL])`)

// nameToo finds greetings that are people's names or begin firms' as well: they
// greet only with a mark behind.
var nameToo = regexp.MustCompile(`(?i)^[\s>*_¡"'“«„-]*(?:ola|dag|car[oaie]|salve|moin|terve|beste|drog[ai]|gentile|salut|bedste)(?:$|[^\pL])`)

// longestGreeting in words: a longer one is a sentence.
const longestGreeting = 9

// greeted cuts a line into its greetings and the rest; most lines have none.
// Formal letters greet each of those they are to: "Dear Ms Klein, dear Mr Berg,".
func greeted(line string) (greets, rest string) {
	greets, rest = greetedOnce(line)
	for greets != "" && rest != "" && strings.ContainsAny(rest[:1], ",;") {
		more, after := greetedOnce(rest[1:])
		if more == "" {
			break
		}
		greets, rest = greets+rest[:1]+more, after
	}
	return greets, rest
}

func greetedOnce(line string) (greets, rest string) {
	at := greeting.FindStringIndex(line)
	if at == nil {
		return "", line
	}
	greets, rest = line[:at[1]], line[at[1]:]
	if len(strings.Fields(greets)) > longestGreeting || introduces.MatchString(greets) ||
		nameToo.MatchString(greets) && !strings.ContainsAny(rest[:min(1, len(rest))], ",;:!") {
		return "", line
	}
	return greets, rest
}

func withoutGreetings(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		greets, rest := greeted(line)
		if greets != "" {
			b.WriteString(gap)
		}
		b.WriteString(rest)
	}
	return b.String()
}

func greetingsOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if greets, _ := greeted(line); greets != "" {
			b.WriteString(greets + "\n")
		}
	}
	return b.String()
}
