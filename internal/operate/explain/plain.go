package explain

// Plain is a reason, a state or an outcome in plain words, for a page that shows
// one. A word that is not known is given as it is.
func Plain(word string) string { return words(word) }
