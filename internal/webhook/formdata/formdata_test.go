package formdata_test

import (
	"errors"
	"strings"
	"testing"

	"onefold/internal/webhook"
	"onefold/internal/webhook/formdata"
)

func post(media, body string) webhook.Request {
	return webhook.Request{Method: "POST", Body: []byte(body), Headers: webhook.Header{"content-type": media}}
}

const parts = "--b\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\nFrom: a\r\n\r\n\xff\r\n\r\n--b\r\n" +
	"Content-Disposition: form-data; name=\"attachment1\"; filename=\"Gr\xc3\xbc\xc3\x9fe.pdf\"\r\nContent-Type: application/pdf\r\nContent-ID: <1@example.org>\r\n" +
	"Content-Transfer-Encoding: quoted-printable\r\n\r\n=3D\x00\r\n--b--\r\n"

func TestValuesAreTheBytesThatWereSent(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"CRLF": parts, "with a preamble": "hello\r\n" + parts, "with an epilogue": parts + "more",
	} {
		f, err := formdata.Read(post(`Multipart/Form-Data; boundary="b"`, body))
		if err != nil || len(f) != 2 {
			t.Fatalf("%s: %+v, %v", name, f, err)
		}
		if got := f.Get("email"); got != "From: a\r\n\r\n\xff\r\n" {
			t.Errorf("%s: email %q", name, got)
		}
		files := f.Files()
		if len(files) != 1 || string(files[0].Value) != "=3D\x00" || files[0].FileName != "Grüße.pdf" || files[0].Type != "application/pdf" || files[0].ID != "<1@example.org>" {
			t.Errorf("%s: %+v", name, files)
		}
		if _, ok := f.Look("attachment1"); ok {
			t.Errorf("%s: a file is a field", name)
		}
	}
	f, err := formdata.Read(post("application/x-www-form-urlencoded; charset=utf-8", "a=1&a=2&gr%C3%BC%C3%9Fe=%ff+%2B&empty=&bare"))
	if err != nil || f.Get("a") != "1" || f.Get("grüße") != "\xff +" || len(f) != 5 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, ok := f.Look("empty"); !ok {
		t.Error("a field without a value is none")
	}
}

func TestWhatIsNoFormIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		media, body string
		want        error
	}{
		"JSON":             {"application/json", "{}", webhook.ErrKind},
		"none":             {"", parts, webhook.ErrKind},
		"two types":        {"application/x-www-form-urlencoded,application/json", "a=1", webhook.ErrKind},
		"no boundary":      {"multipart/form-data", parts, webhook.ErrMalformed},
		"another boundary": {"multipart/form-data; boundary=c", parts, webhook.ErrMalformed},
		"cut":              {"multipart/form-data; boundary=b", parts[:len(parts)-6], webhook.ErrMalformed},
		"no name":          {"multipart/form-data; boundary=b", strings.ReplaceAll(parts, "; name=\"email\"", ""), webhook.ErrMalformed},
		"long name":        {"application/x-www-form-urlencoded", strings.Repeat("n", 257) + "=1", webhook.ErrMalformed},
		"no escape":        {"application/x-www-form-urlencoded", "a=%zz", webhook.ErrMalformed},
		"many fields":      {"application/x-www-form-urlencoded", strings.Repeat("a=1&", 1001), webhook.ErrTooLarge},
		"many parts": {"multipart/form-data; boundary=b", strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n", 1001) +
			"--b--\r\n", webhook.ErrTooLarge},
	} {
		if f, err := formdata.Read(post(c.media, c.body)); !errors.Is(err, c.want) || f != nil {
			t.Errorf("%s: %d parts, %v, want %v", name, len(f), err, c.want)
		}
	}
}
