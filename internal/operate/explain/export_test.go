package explain

// Words is for the test of the sentences.
func Words(word string) string { return words(word) }
