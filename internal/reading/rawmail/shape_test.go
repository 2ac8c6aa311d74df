package rawmail_test

import (
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

const answer = "From: Nora Quist <nora.quist@customer.example>\nTo: hello@demo.example\nSubject: Re: Trip dates\nDate: Wed, 4 Mar 2026 11:00:00 +0000\nMessage-ID: <m1@customer.example>\nMIME-Version: 1.0\n"

func reply(text string) rawmail.Message {
	return parse(answer + "Content-Type: text/plain; charset=utf-8\n\n" + text)
}

// The fields as Outlook and others write them, in languages read here and others:
// sender, date, recipient, subject.
var blockLabels = map[string][4]string{
	"English": {"From", "Sent", "To", "Subject"}, "German": {"Von", "Gesendet", "An", "Betreff"}, "French": {"De ", "Envoyé ", "À ", "Objet "},
	"Spanish": {"De", "Enviado el", "Para", "Asunto"}, "Italian": {"Da", "Inviato", "A", "Oggetto"}, "Dutch": {"Van", "Verzonden", "Aan", "Onderwerp"},
	"Portuguese": {"De", "Enviada em", "Para", "Assunto"}, "Swedish": {"Från", "Skickat", "Till", "Ämne"}, "Finnish": {"Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"},
	"Polish": {"Od", "Wysłano", "Do", "Temat"}, "Czech": {"Od", "Odesláno", "Komu", "Předmět"}, "Hungarian": {"Feladó", "Elküldve", "Címzett", "Tárgy"},
	"Greek": {"Από", "Εστάλη", "Προς", "Θέμα"}, "Russian": {"От", "Отправлено", "Кому", "Тема"}, "Turkish": {"Kimden", "Gönderildi", "Kime", "Konu"},
	"Hebrew": {"\u200fמאת", "נשלח", "אל", "נושא"}, "Arabic": {"من", "تاريخ الإرسال", "إلى", "الموضوع"}, "Thai": {"จาก", "ส่งเมื่อ", "ถึง", "เรื่อง"},
	"Japanese": {"差出人", "送信日時", "宛先", "件名"}, "Chinese": {"发件人", "发送时间", "收件人", "主题"}, "Korean": {"보낸 사람", "보낸 날짜", "받는 사람", "제목"},
	"Georgian": {"გამომგზავნი", "გაგზავნის თარიღი", "ადრესატი", "თემა"}, "Hindi": {"प्रेषक", "भेजा गया", "प्रति", "विषय"}, "Vietnamese": {"Từ", "Đã gửi", "Đến", "Chủ đề"},
}

func TestReading02AHeaderBlockIsKnownByItsShapeInAnyLanguage(t *testing.T) {
	t.Parallel()
	const old = "Please unsubscribe me.\n\nOther GmbH"
	values := map[string][4]string{
		"addresses":  {"Other Person <other@third.example>", "30.11.2026 9:11", "Nora Quist <nora.quist@customer.example>", "Trip dates"},
		"no address": {"Other Person", "Wednesday, March 4, 2026 10:12 AM", "Nora Quist", "RE: Trip dates"},
		"one":        {"other@third.example", "4 mars 2026 10h12", "Nora", "Huts"},
		"for":        {"Other Person [mailto:other@third.example] On Behalf Of Third", "2026年3月4日 10:12", "Nora", "Huts"},
		"no time":    {"Other Person <other@third.example>", "Wed, 4 Mar 2026", "Nora Quist <nora.quist@customer.example>; Ben Frost <ben@third.example>", "Huts"},
		"Notes":      {"Other Person/Third", "04.03.2026 17.45", "Nora Quist/Buying/Customer@CUSTOMER", "Huts"},
		"12 hours":   {"\"Person, Other\" <other@third.example>", "3/4/26 3 PM", "Nora", "Huts"},
	}
	forms := map[string]func(l, v [4]string) string{
		"plain": func(l, v [4]string) string {
			return line(l[0], v[0]) + line(l[1], v[1]) + line(l[2], v[2]) + line(l[3], v[3]) + "\n"
		},
		"rule": func(l, v [4]string) string {
			return "________________________________\n" + line(l[0], v[0]) + line(l[1], v[1]) + line(l[2], v[2]) + line(l[3], v[3]) + "\n"
		},
		"short": func(l, v [4]string) string {
			return "-----\n\n" + line(l[0], v[0]) + line(l[1], v[1]) + line(l[2], v[2]) + line(l[3], v[3])
		},
		"to first": func(l, v [4]string) string {
			return line(l[2], v[2]) + "cc:\n" + line(l[1], v[1]) + line(l[0], v[0]) + line(l[3], v[3]) + "\n"
		},
		"bold": func(l, v [4]string) string {
			return "*" + l[0] + ":* " + v[0] + "\n*" + l[1] + ":* " + v[1] + "\n*" + l[2] + ":* " + v[2] + "\n*" + l[3] + ":* " + v[3] + "\n\n"
		},
		"indented": func(l, v [4]string) string {
			return "   " + line(l[0], v[0]) + "   " + line(l[1], v[1]) + "\n\t" + line(l[2], v[2]) + "\u00a0" + line(l[3], v[3]) + "\n"
		},
		"wide": func(l, v [4]string) string {
			return l[0] + "\uff1a" + v[0] + "\n" + l[1] + "\uff1a" + v[1] + "\n" + l[2] + "\uff1a" + v[2] + "\n" + l[3] + "\uff1a" + v[3] + "\n\n"
		},
		"tabs": func(l, v [4]string) string {
			return l[0] + ":\t" + v[0] + "\n" + l[1] + ":\t" + v[1] + "\n" + l[2] + ":\t" + v[2] + "\n" + l[3] + ":\t" + v[3] + "\n\n"
		},
		"cells": func(l, v [4]string) string {
			return l[0] + ":\n" + v[0] + "\n" + l[1] + ":\n" + v[1] + "\n" + l[2] + ":\n" + v[2] + "\n" + l[3] + ":\n" + v[3] + "\n\n"
		},
		"folded": func(l, v [4]string) string {
			return line(l[0], v[0]) + line(l[1], v[1]) + line(l[2], v[2]+",\n Ann Lee <ann@third.example>,\nBob Low <bob@third.example>\n, Cid May <cid@third.example>") + line(l[3], v[3]+"\n and more") + "\n"
		},
		"worded": func(l, v [4]string) string {
			return "-----Some words-----\n" + line(l[0], v[0]) + line(l[1], v[1]) + line(l[2], v[2]) + line(l[3], v[3]) + "\n"
		},
	}
	for language, l := range blockLabels {
		for value, v := range values {
			for form, block := range forms {
				m := reply("How much is the tent?\n\nNora\n\n" + block(l, v) + old + "\n")
				if m.Visible != "How much is the tent?\n\nNora" || m.Signature != "" || !strings.HasSuffix(m.Quoted, old) {
					t.Errorf("%s, %s, %s: visible %q", language, value, form, m.Visible)
				}
			}
		}
	}
}

func line(label, value string) string { return label + ": " + value + "\n" }

// Lines above an older mail of other programs, and in other languages.
func TestReading02OtherHeadersOfOlderMail(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"Ben Adler@DEMO\n03/04/2026 10:12 AM\nTo: Nora Quist/Buying/Customer@CUSTOMER\ncc:\nSubject: Trip dates\n\n",
		"Ben Adler <ben.adler@demo.example>\nSent by: Ida Brook\n04.03.2026 10:12\n\nTo: Nora Quist <nora.quist@customer.example>\ncc:\nSubject: Trip dates\n\n",
		"From: Ben Adler/DEMO on 03/04/2026 10:12 AM\nTo: Guest 0/Buying/Customer@CUSTOMER\n, Guest 1/Buying/Customer@CUSTOMER\n\ncc:\nSubject: Trip dates\n\n",
		">>> Ben Adler <ben.adler@demo.example> 3/4/2026 10:12 AM >>>\n",
		">>> On 3/4/2026 at 10:12 AM, in message <abc@demo.example>, \"Ben Adler\" <ben.adler@demo.example> wrote:\n",
		"--- Ben Adler <ben.adler@partner.example> wrote:\n\n",
		"\"Ben Adler\" <ben.adler@demo.example> on 03/04/2026 10:12:34 AM\nTo: Nora Quist/Buying/Customer@CUSTOMER\ncc:\nSubject: Trip dates\n\n",
		"\t\"Ben Adler\" <ben.adler@demo.example>\n\t03/04/2026 10:12 AM\n\tPlease respond to ben\n\t\t \n\t\t To: nora.quist@customer.example\n\t\t cc: \n\t\t Subject: Trip dates\n\n",
		"Ben Adler\n03/04/2026 10:12 AM\nTo:\tNora Quist/Buying/Customer@CUSTOMER\ncc:\t \nSubject:\tHuts\n\n",
		"From:\tBen Adler on 03/04/2026 10:12 AM\n\t\n\nTo:\tNora Quist/Buying/Customer@CUSTOMER\ncc:\t \nSubject:\tHuts\n\n",
		"At 10:12 AM 3/4/2026 +0000, Ben Adler wrote:\n\n",
		"In a message dated 3/4/2026 10:12:33 AM Eastern Standard Time, \nben.adler@demo.example writes:\n\n",
		"Ben Adler/Demo wrote on 03/04/2026 10:12:00 AM:\n\n",
		"Op 4 mrt. 2026 om 10:12 heeft Ben Adler <ben.adler@demo.example> het volgende geschreven:\n\n",
		"--- On Wed, 3/4/26, Ben Adler <ben.adler@partner.example> wrote:\n\n",
		"ben.adler@demo.example wrote:\n\n",
		"<ben.adler@demo.example> schrieb:\n\n",
		"Ben Adler <ben.adler@demo.example> เขียนว่า:\n\n",
		"เมื่อ พ. 4 มี.ค. 2026 เวลา 10:12 Ben Adler <ben.adler@demo.example> เขียนว่า:\n\n",
		"Dne st 4. 3. 2026 10:12 uživatel Ben Adler <ben.adler@demo.example>\nnapsal:\n\n",
		"בתאריך יום ד׳, 4 במרץ 2026 ב-10:12 מאת \u202aBen Adler\u202c <\u202aben.adler@demo.example\u202c>:\n\n",
		"Vào Th 4, 4 thg 3, 2026 vào lúc 10:12 Ben Adler <ben.adler@demo.example> đã viết:\n\n",
		"Pada Rab, 4 Mar 2026 pukul 10.12 Ben Adler <ben.adler@demo.example> menulis:\n\n",
		"2026년 3월 4일 (수) 오전 10:12, Ben Adler <ben.adler@demo.example>님이 작성:\n\n",
		"Date: Wed, 4 Mar 2026 10:12:00 +0000\nFrom: ben.adler@demo.example\nTo: nora.quist@customer.example\nSubject: Trip dates\n\n",
		"From: Ben Adler\nSent: Wednesday, March 4, 2026 10:12 AM\nTo: Nora Quist\nCc: Ida Brook\nSubject: RE: Trip dates\nAttachments: list.pdf\nImportance: High\n\n",
		"________________________________________\nFrom: Ben Adler\nSent: Wednesday, March 4, 2026 10:12 AM\nTo: Nora Quist\nSubject: Other\n\n",
	} {
		m := reply("The second week of June suits us.\n\nNora\n\n\n" + header + "Which week suits you?\n\nBen\nAdler Walks Ltd.\n")
		if m.Visible != "The second week of June suits us.\n\nNora" || !strings.Contains(m.Quoted, "Adler Walks") {
			t.Errorf("%q: visible %q", header, m.Visible)
		}
	}
}

// What looks like fields and is what the writer says.
func TestReading02WhatIsInDoubtStaysVisible(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"itinerary":           "We want to travel:\n\nFrom: Munich\nTo: Innsbruck\nDate: 3 June\n\nHow much is the guide?",
		"itinerary with time": "We want to travel:\n\nFrom: Munich Central\nTo: Innsbruck West\nDate: 3 June 2026 10:00\nPeople: 4\n\nHow much is the guide?",
		"itinerary, contact":  "We want to travel:\n\nFrom: Munich\nTo: Innsbruck\nDate: 3 June 2026 10:00\nContact: nora.quist@customer.example\n\nHow much is the guide?",
		"itinerary, German":   "Unsere Reise:\n\nVon: Bad Reichenhall\nNach: Innsbruck\nAm: 3. Juni 2026 um 10:00\nZurück: 5. Juni 2026 um 18:00\n\nWas kostet der Führer?",
		"filled form":         "My details:\n\nName: Nora Quist\nEmail: nora.quist@customer.example\nDate: 3 June 2026 10:00\nMessage: two huts\n\nHow much is the guide?",
		"filled form, German": "Meine Daten:\n\nName: Nora Quist\nE-Mail: nora.quist@kunde.example\nTermin: 3. Juni 2026 10:00\nNachricht: zwei Hütten\n\nWas kostet es?",
		"form with a phone":   "My details:\n\nGuest: Ida Brook\nAddress for mail: ida@partner.example\nPhone: +44 20 7946 0111\nArrival: 3 June 2026 10:00\n\nHow much is it?",
		"meeting":             "We meet on 3 June 2026 at 10:00.\nPlace: Hut North\nGuide: Ben Frost <ben@partner.example>\nBring: boots\n\nDoes that suit you?",
		"attendees":           "Who comes:\n\nLead: Ben Frost <ben@partner.example>\nSecond: Ida Brook <ida@partner.example>\nThird: Nora Quist <nora.quist@customer.example>\n\nDoes that suit you?",
		"event":               "The event:\n\nWhat: Walk\nWhen: 3 June 2026 10:00\nWho: Ben Frost, Nora Quist\n\nDoes that suit you?",
		"passengers":          "We travel:\n\nName: Nora Quist\nName: Ben Frost\nFrom: Hut North\nTime: 3 June 2026 10:00\n\nHow much is it?",
		"Spanish form":        "Mis datos:\n\nNombre: Nora Quist\nCorreo electrónico: nora.quist@customer.example\nFecha: 3 de junio de 2026 10:00\nMensaje: hola\n\n¿Cuánto cuesta?",
		"spoken":              "Ben called on 3 June at 10:00 and said:\nthe hut is closed.\n\nIs it?",
		"order":               "I want:\n\nItem: Tent\nQty: 2\nSize: L\nDeliver: 3 June 2026 10:00\n\nIs it in stock?",
		"minutes":             "What we said:\n\nPresent: Nora, Ben\nDate: 3 June 2026 10:00\nPlace: Hut North\nTopic: huts\n\nDo you agree?",
		"agenda":              "The day:\n\n10:00: arrival\n11:00: walk\n12:30: lunch\n\nDoes that suit you?",
		"address block":       "Write to me.\n\nNora Quist\nQuist Ltd\nTel: +44 20 7946 0222\nMail: nora.quist@customer.example\nWeb: https://customer.example\n\nPlease answer soon.",
		"address block, last": "Write to me.\n\nContact: Nora Quist\nOffice: nora.quist@customer.example\nOpen: Mon 10:00 to 18:00, 2026",
		"speaker":             "Did you wrote: \"the hut is closed\"? My friend wrote: it is open.\nHow much is it?",
		"sentence":            "On 3 June 2026 at 10:00 you can reach me under nora@customer.example:\nsay when it suits you.",
		"sentence, dated":     "Our list of 2026 is at nora@customer.example:\n\nplease look.",
		"rule":                "Two things.\n\n---\n\nCan you send a quote?\n\n* * *\n\nAnd a list?\n\n___\n\n=====\n\nThanks",
		"closing":             "Here is where I am.\n\nBest,\nNora\n\n\nHut North\n\nCan you send the key there?",
		"phone":               "Here.\n\nSent from my phone\n\nPS: can you send the key?",
		"notification":        "From: Nora Quist <nora.quist@customer.example>\nDate: 3 June 2026 10:00\nTo: hello@demo.example\nSubject: Trip dates\n\nHow much is the guide?",
	} {
		m := reply(text + "\n")
		want := strings.Join(strings.Fields(strings.Replace(text, "Sent from my phone", "", 1)), " ")
		if got := strings.Join(strings.Fields(m.Visible), " "); got != want {
			t.Errorf("%s: visible %q\nquoted %q", name, m.Visible, m.Quoted)
		}
	}
}

// A forwarding whose owner cannot be read names nobody, and is a question.
func TestReading03AForwardingWithoutAReadableOwnerIsAQuestion(t *testing.T) {
	t.Parallel()
	const block = "From: Ida Brook\nDate: Tue, 3 Mar 2026\nSubject: Huts\nTo: Nora\n\nCan we book two huts?\n\nIda\n"
	for name, c := range map[string]struct{ mail, owner string }{
		"Notes":              {"Subject: Huts\n\nPlease read.\n\n---------------------- Forwarded by Nora Quist/Buying/Customer on 03/04/2026\n11:00 AM ---------------------------\n\n\nIda Brook@PARTNER\n03/03/2026 04:20 PM\nTo: Nora Quist/Buying/Customer@CUSTOMER\ncc:\nSubject: Huts\n\nCan we book two huts?\n", ""},
		"Gmail":              {"Subject: Fwd: Huts\n\nsee below\n\n---------- Forwarded message ---------\n" + block, ""},
		"Gmail, Czech":       {"Subject: Fwd: Huts\n\n---------- Přeposlaná zpráva ---------\nOd: Ida Brook\nDatum: út 3. 3. 2026 v 10:12\nPředmět: Huts\nKomu: Nora\n\nCan we book two huts?\n", ""},
		"Gmail, Thai":        {"Subject: Huts\n\nsee below\n\n---------- ข้อความที่ส่งต่อ ---------\nจาก: Ida Brook <ida@partner.example>\nวันที่: 3 Mar 2026 10:12\nเรื่อง: Huts\nถึง: Nora\n\nCan we book two huts?\n", "ida@partner.example"},
		"Outlook":            {"Subject: FW: Huts\n\nsee below\n\n________________________________\n" + block, ""},
		"recipient first":    {"Subject: Fwd: Huts\n\nsee below\n\nTo: nora.quist@customer.example\ncc:\nDate: 03/03/2026 10:12 AM\nFrom: ida@partner.example\nSubject: Huts\n\nCan we book two huts?\n", "ida@partner.example"},
		"nothing above":      {"Subject: Fwd: Huts\n\nDe: Ida Brook <ida@partner.example>\nEnviado: 3 mar 2026 10:12\nPara: Nora\nAsunto: Huts\n\nCan we book two huts?\n", "ida@partner.example"},
		"no block":           {"Subject: Fwd: Huts\n\nsee below\n\n> Can we book two huts?\n> Ida\n", ""},
		"Apple, no block":    {"Subject: Huts\n\nBegin forwarded message:\n\nCan we book two huts?\n", ""},
		"a file":             {"Subject: Huts\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee below\n--b\nContent-Type: application/octet-stream; name=\"Huts.msg\"\n\nx\n--b--\n", ""},
		"attached, no owner": {"Subject: Huts\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee below\n--b\nContent-Type: message/rfc822\n\nSubject: Huts\n\nCan we?\n--b--\n", ""},
	} {
		m := parse("From: nora.quist@customer.example\nTo: hello@demo.example\nDate: Wed, 4 Mar 2026 11:00:00 +0000\nMessage-ID: <m1@c.example>\n" + c.mail)
		if m.Forwarded == nil || m.Forwarded.From.Address != c.owner || len(m.Doubts) != 1 || m.Doubts[0] != rawmail.DoubtForwarded || strings.Contains(m.Visible, "huts") {
			t.Errorf("%s: %+v, doubts %v, visible %q", name, m.Forwarded, m.Doubts, m.Visible)
		}
	}
	for _, mail := range []string{
		"Subject: Fwd: Huts\n\nCan we book two huts?\n",
		"Subject: Re: Huts\n\nCan we book two huts?\n\nOn Tue, 3 Mar 2026 at 10:00, Ben <ben@x.example> wrote:\n> ---------- Forwarded message ---------\n> old\n",
		"Subject: Huts\n\n---------- Part two of it ---------\n\nCan we book two huts?\n",
	} {
		if m := parse("From: nora.quist@customer.example\nTo: hello@demo.example\n" + mail); m.Forwarded != nil || len(m.Doubts) > 0 || !strings.Contains(m.Visible, "two huts") {
			t.Errorf("%q: %+v, doubts %v", mail, m.Forwarded, m.Doubts)
		}
	}
}

func TestReading04AWishBesideAPlaceholderIsLookedForInWhatIsThere(t *testing.T) {
	t.Parallel()
	for plain, want := range map[string]string{
		"[cid:image001.png]":                       "Please take me off your list.",
		"[image: logo]\n\n":                        "Please take me off your list.",
		"<https://x.example/logo.png>":             "Please take me off your list.",
		"________________":                         "Please take me off your list.",
		"Hello":                                    "Hello\n\nPlease take me off your list.",
		"See https://x.example/a in your browser.": "See https://x.example/a in your browser.\n\nPlease take me off your list.",
		"Please":                                   "Please take me off your list.",
		"Your program shows no HTML.":              "Please take me off your list.",
		"Please take me off your list.\n\nAnn":     "Please take me off your list.\n\nAnn",
		"Stop.":                                    "Stop.\n\nPlease take me off your list.",
		strings.Repeat("Nothing of it is there. ", 20): strings.TrimSpace(strings.Repeat("Nothing of it is there. ", 20)),
	} {
		m := parse(answer + "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n" + plain + "\n--b\nContent-Type: text/html\n\n<p>Please take me off your list.</p>\n--b--\n")
		if m.Visible != want {
			t.Errorf("%q: %q, want %q", plain, m.Visible, want)
		}
	}
}

func TestReading08EncryptedTextIsAQuestion(t *testing.T) {
	t.Parallel()
	for name, mail := range map[string]string{
		"inline":   "\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n=ABCD\n-----END PGP MESSAGE-----\n",
		"PGP/MIME": "Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\n--b--\n",
		"S/MIME":   "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nQUJD\n",
		"x-S/MIME": "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nA notice of a gateway.\n--b\nContent-Type: application/x-pkcs7-mime\n\nQUJD\n--b--\n",
	} {
		if m := parse(answer + mail); m.Kind != rawmail.Human || len(m.Doubts) != 1 || m.Doubts[0] != rawmail.DoubtUndecoded {
			t.Errorf("%s: %s, doubts %v", name, m.Kind, m.Doubts)
		}
	}
	if m := reply("Can you read this?\n\n> -----BEGIN PGP MESSAGE-----\n> x\n"); len(m.Doubts) > 0 {
		t.Errorf("quoted: %v", m.Doubts)
	}
	m := parse(answer + "Content-Type: multipart/signed; protocol=\"application/pkcs7-signature\"; boundary=b\n\n--b\n\nHow much?\n--b\nContent-Type: application/pkcs7-signature; name=smime.p7s\n\nQUJD\n--b--\n")
	if len(m.Doubts) > 0 || m.Visible != "How much?" {
		t.Errorf("signed: %v, %q", m.Doubts, m.Visible)
	}
}
