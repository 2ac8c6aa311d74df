package webhook

// ShortSecret makes a secret that ParseSecret would refuse, for vectors whose
// secret is shorter than the specification allows.
func ShortSecret(key []byte) Secret { return Secret{key: key} }
