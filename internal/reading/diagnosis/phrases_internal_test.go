package diagnosis

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/reading/phrases"
	"onefold/internal/reading/phrases/phrasestest"
)

var all = map[string]*phrases.Phrases{
	"noSuchAddress": noSuchAddress, "mailboxFull": mailboxFull, "notTheAddress": notTheAddress, "senderFault": senderFault, "passes": passes, "ofMail": ofMail,
}

func TestEveryMatchHoldsAnAnchor(t *testing.T) {
	t.Parallel()
	for name, p := range all {
		phrasestest.Anchored(t, name, p)
	}
}

// TestPhrasesFindWhatTheirPatternFinds: wherever in a text it stands. An anchor
// that is missing, or a window too narrow, would lose a match.
func TestPhrasesFindWhatTheirPatternFinds(t *testing.T) {
	t.Parallel()
	words := strings.Split("user.unknown.unknown user.recipient.no such user.no mailbox here by that name.mailbox.account.address.host.domain.does not exist.doesn't exist.not found.is not known.isn't known.not recognized."+
		"not listed.no longer available.couldn't be found.wasn't found.recipientnotfound.invalid recipient.not our customer.no valid recipients.unrouteable address.bad destination.addressee unknown.inactive email address."+
		"host name lookup fail.host unknown.name service error.doesn't have a example account.not a valid user.not enough disk space.full.over quota.quota full.exceeds the storage limit.disk is full.insufficient system storage."+
		"spam.spammer.virus.blocked.black list.dnsbl.policy.policies.dmarc.spf.dkim.authenticated.content rejected.message size.access denied.sender.rejected.domain of sender.relaying denied.not allowed.temporary.try again later."+
		"timed out.disabled.suspended.frozen.locked.clock.is inactive.too many.frequency.rate limit.hop count.mail loop.reputation.after end of data.rejected by the domain filter.deferred.expired.delayed.open relay.turn on smtp."+
		"smtp command\ndata.in reply to end of data.procmail.recipient unknown.unknown mailbox.no such domain.not present.has moved.no longer accepts.bad recipient.unroutable address.no one at this address.no account by that name.not a known user."+
		"nullmx.null mx.no smtp service.non-existent hosts.nxdomain.domain does not accept mail.address lookups failed permanently.benutzer.unbekannt.empfänger.nicht gefunden.existiert nicht.utilisateur.inconnu.n'existe pas.introuvable.usuario."+
		"no existe.desconocido.no encontrado.utente.sconosciuto.non esiste.inesistente.non trovato.usuário.não existe.desconhecido.não encontrado.gebruiker.onbekend.bestaat niet.niet gevonden.użytkownik.nie istnieje.nieznany.användare.finns inte."+
		"hittades inte.okänd.modtager.ukendt.findes ikke.mottaker.ukjent.finnes ikke.eksisterer ikke.vastaanottaja.tuntematon.ei ole olemassa.ei löydy.postfach.voll.boîte.pleine.buzón.lleno.casella.piena.caixa.cheia."+
		"spamhaus.unsolicited.malware.phish.block list.rbl.banned.throttled.per hour.this hour.reverse dns.ptr.helo.sending server.your ip.client host.found, try again.servfail.greylisted.return path.could not be verified.not known.has been deleted.discontinued.closed.terminated.wrong address.incorrect recipient.recipient invalid.mailbox is invalid.no mail exchanger.nobody by that name.will retry.trying again.found.error.message.rate.connections.content.junk.bulk.listed.denied.country.tls.hourly.too fast. 192.the.words.of.a.text", ".")
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for n := rapid.IntRange(0, 12).Draw(t, "n"); n > 0; n-- {
			b.WriteString(rapid.SampledFrom(words).Draw(t, "word"))
			b.WriteString(rapid.SampledFrom([]string{" ", ". ", "\n", " (", ") ", "\u00e9 "}).Draw(t, "gap"))
			// So that matches stand at every place of a window, and in different ones.
			b.WriteString(strings.Repeat("filler ", rapid.SampledFrom([]int{0, 0, 0, 5, 70, 74, 150, 300}).Draw(t, "far")))
		}
		text := b.String()
		for name, p := range all {
			if got, want := p.In(text), p.Pattern.MatchString(text); got != want {
				t.Fatalf("%s: %v, want %v in %q", name, got, want, text)
			}
		}
	})
}
