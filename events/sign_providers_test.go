package events_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// snsKey is the key of nobody's SNS: made of two primes that are published
// here, so that the samples are the same each time.
func snsKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	const (
		p = "f9e9fe54af4ffa3f77c96e247a75330c08609fc54909b50ab5a0bad8429810fd" +
			"f2d2c5de13e1a2f264afb603515b61434a5358035315b7ffce21af79f5a637db" +
			"aeb2779c2c25904adad844b8d7c356d1990c8614bcfbfb457f440c3820a63120" +
			"98638dbc575b59fad6d099d519b7fa41515937bb7299772ec9a2c2a5f00dddcd"
		q = "ea5ece217842e2d5606cecef1555568f88ed506c6ab346792f4ba344a6ebfe9c" +
			"4dc42c146e7f26c162d155826c83401c4f908340c67ec301281630fe741c92b5" +
			"21a640aa08c7559d2dd7967b8661f90e98f43a5da4a601656d5ef22797f42d40" +
			"3feda5aa6a8532e7a5b31b04f1c3e7109f2b2f6c62417242d0c329e417e547a5"
	)
	primes, one := make([]*big.Int, 2), big.NewInt(1)
	for i, text := range []string{p, q} {
		n, ok := new(big.Int).SetString(text, 16)
		if !ok {
			t.Fatal("no number")
		}
		primes[i] = n
	}
	order := new(big.Int).Mul(new(big.Int).Sub(primes[0], one), new(big.Int).Sub(primes[1], one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(primes[0], primes[1]), E: 65537},
		D:         new(big.Int).ModInverse(big.NewInt(65537), order), Primes: primes,
	}
	key.Precompute()
	if err := key.Validate(); err != nil {
		t.Fatal(err)
	}
	return key
}

// snsCertificate is what lies at the address that the samples name.
func snsCertificate(t *testing.T) []byte {
	t.Helper()
	key := snsKey(t)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sample of nobody"}, SignatureAlgorithm: x509.SHA256WithRSA,
		NotBefore: signedAt().Add(-24 * time.Hour), NotAfter: signedAt().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(nil, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// signSNS signs a message by version 2: each name and value on a line, in byte
// order.
func signSNS(t *testing.T, m map[string]string) {
	t.Helper()
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name + "\n" + m[name] + "\n")
	}
	sum := sha256.Sum256([]byte(b.String()))
	signature, err := rsa.SignPKCS1v15(nil, snsKey(t), crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	m["SignatureVersion"], m["Signature"] = "2", base64.StdEncoding.EncodeToString(signature)
	m["SigningCertURL"] = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-sample.pem"
}

// sendGridKey is the key of nobody's SendGrid.
func sendGridKey(t *testing.T) (key *ecdsa.PrivateKey, public string) {
	t.Helper()
	secret := sha256.Sum256([]byte("onefold sample key, SendGrid"))
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret[:])
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return key, base64.StdEncoding.EncodeToString(der)
}
