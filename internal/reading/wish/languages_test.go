package wish_test

import (
	"strings"
	"testing"

	"onefold/internal/reading/wish"
)

// wishes are sentences of our own, a line each: what a sender may write, by
// language and by what a careful person takes it for.
type wishes struct{ language, stop, unclear, nothing string }

func TestWishesInTwelveLanguages(t *testing.T) {
	t.Parallel()
	for _, w := range append(wishesWest(), append(wishesSouth(), wishesNorth()...)...) {
		t.Run(w.language, func(t *testing.T) {
			t.Parallel()
			for want, text := range map[wish.Verdict]string{explicit: w.stop, doubtful: w.unclear, none: w.nothing} {
				for line := range strings.Lines(strings.TrimSpace(text)) {
					line = strings.TrimSpace(line)
					if got := wish.OptOut("", line); got.Verdict != want {
						t.Errorf("%q: %v, want %s", line, got, want)
					}
				}
			}
		})
	}
}

func wishesWest() []wishes {
	return []wishes{
		{"en", `
			We have moved house and no longer need your mailings, so please strike us off the distribution list.
			I'd be grateful if you would not send me any further newsletters.
			Kindly cease emailing this company.
			Would you be so good as to remove our address from your records?
			For the last time, quit spamming me!
			I never signed up for this. Take me off.
			I object to the use of my address for direct marketing.
			We do not wish to be contacted again.
			Enough! I don't want your adverts any more.
			May I ask you to delete my details from your marketing database?
			I withdraw my permission to be mailed, and my consent too. I revoke my consent.
			Please do not write to this address again.
			We'd rather not receive your newsletter.
			I do not wish to receive these offers.
			Stop sending me catalogues.`, `
			Whatever you do, do not take me off the mailing list.
			My husband would like to be removed from your mailing list.
			Can you tell me where the unsubscribe button is?
			Please hold off on the newsletter until after Easter.
			Please stop the newsletters for the next three months.
			If the newsletter is weekly, then unsubscribe me.
			Please don't email me, phone me instead.
			Leave me alone.
			Thanks, not for us.`, `
			Please do not send the parts before Tuesday.
			Stop the delivery of order 17, please, the address is wrong.
			I do not need the quote this week.
			We no longer receive the invoices you send.
			Do not hesitate to send me more offers.
			Please don't forget to email us the catalogue again.
			Please take the second line off the quotation.
			Can you remove the label from the housing?
			The emergency stop does not work any more.
			I have not received your email yet.
			Please stop sending the wrong filters.`},
		{"de", `
			Hiermit widerspreche ich der Nutzung meiner Adresse für Werbezwecke.
			Ich wäre Ihnen dankbar, wenn Sie mich aus der Mailingliste streichen würden.
			Hören Sie endlich auf, mir ständig Werbung zu schicken!
			Bitte sehen Sie künftig davon ab, uns Werbemails zu senden. Wir möchten keine Werbung.
			Bitte meine Adresse aus dem Verteiler löschen.
			Wir wünschen keine weiteren Zusendungen.
			Ich will von euch nichts mehr hören.
			Streicht uns bitte von eurer Liste.
			Den Newsletter bitte abbestellen.
			Ich möchte Ihren Rundbrief nicht mehr bekommen.
			Bitte tragen Sie mich aus.
			Schickt mir keine Mails mehr.
			Ich widerrufe meine Einwilligung.
			Lassen Sie es gut sein: keine Newsletter mehr, bitte.
			Unterlassen Sie die Zusendung weiterer Newsletter.`, `
			Bitte melden Sie mich auf keinen Fall vom Newsletter ab.
			Mein Chef möchte keine weiteren E-Mails von Ihnen.
			Wo kann ich den Newsletter abbestellen?
			Bitte bis Jahresende keine Newsletter mehr.
			Bitte keine Werbung per Post schicken, sondern per Mail.
			Falls ich zu viele Mails bekomme, melde ich mich vom Newsletter ab.
			Ich bekomme seit Mai keine E-Mails mehr von Ihnen.
			Derzeit kein Bedarf.
			Ich muss mich leider von der Schulung abmelden, bitte melden Sie mich von der Schulung ab.`, `
			Wir brauchen keine weiteren Informationen, das Angebot passt.
			Zögern Sie nicht, uns weitere Angebote zu schicken.
			Die Bestellung vom Montag haben wir abbestellt.
			Das Gerät hört nicht auf zu piepen.
			Bitte schicken Sie mir keine Rechnung ohne Bestellnummer.
			Bitte nehmen Sie die zweite Position aus dem Angebot.
			Kann man den Alarm stoppen?
			Bitte senden Sie mir nicht die alte, sondern die neue Preisliste.
			Unser Techniker meldet sich morgen ab.`},
		{"nl", `
			Gelieve ons van uw verzendlijst te schrappen.
			Ik stel geen prijs op uw nieuwsbrieven.
			Houd eens op met mij die reclame te sturen!
			Ik wil graag van de mailinglijst af, schrijf mij uit.
			Zou u mijn adres uit uw bestand willen verwijderen?
			Wij wensen geen reclame meer te ontvangen.
			Stuur me nooit meer mail.
			Graag afmelden voor de nieuwsbrief.
			Ik trek mijn toestemming in.
			Ik wil jullie nieuwsbrief niet meer ontvangen.`, `
			Haal mij alsjeblieft niet van de lijst.
			Hoe kan ik me uitschrijven voor de nieuwsbrief?
			Stuur tot september geen mails meer.
			Mijn collega wil geen mails meer ontvangen.
			Ik krijg sinds mei geen mails meer van jullie.
			Geen belangstelling.`, `
			Stuur de onderdelen niet voor dinsdag.
			De weegschaal stopt steeds met meten.
			Aarzel niet om ons meer aanbiedingen te sturen.
			Wij hebben geen factuur ontvangen.
			Ik kan me niet aanmelden in het portaal.`},
	}
}

func wishesSouth() []wishes {
	return []wishes{
		{"fr", `
			Je vous prie de bien vouloir me retirer de votre liste de diffusion.
			Cessez immédiatement de m'importuner avec vos publicités.
			Nous ne désirons plus être sollicités.
			Merci de ne plus nous écrire.
			Je m'oppose à l'utilisation de mon adresse à des fins commerciales.
			Veuillez procéder à ma désinscription.
			Rayez-moi de vos fichiers !
			Pourriez-vous enlever notre adresse de votre base ?
			Je préfère ne plus recevoir votre infolettre.
			Arrêtez vos mails.
			Je vous serais reconnaissante de ne plus m'envoyer vos offres.
			Je ne veux plus de vos newsletters.`, `
			Surtout, ne me désabonnez pas.
			Mon mari ne veut plus recevoir vos messages.
			Où trouve-t-on le lien de désinscription ?
			Merci de ne plus m'écrire jusqu'à la rentrée.
			Ne m'envoyez plus de mails, mais appelez-moi.
			Pas intéressée.
			Laissez-moi tranquille.`, `
			N'hésitez pas à m'envoyer plus d'offres.
			Je n'ai plus reçu de nouvelles du livreur.
			La balance ne s'arrête plus de sonner.
			Merci de retirer la deuxième ligne du devis.
			Il n'y a plus de papier dans la boîte.
			Pouvez-vous m'envoyer la facture ? Je ne la trouve plus.
			Nous souhaitons arrêter la location en juin.`},
		{"es", `
			Les ruego que me eliminen de su base de datos.
			Les agradecería que no me enviaran nada: no deseo recibir sus promociones.
			¡Paren ya de mandarme propaganda!
			Ya no deseo recibir el boletín.
			Me opongo al tratamiento de mis datos con fines comerciales.
			Tramiten mi baja, por favor.
			Podrían quitar nuestra dirección de sus listas.
			No vuelvan a escribirme.
			Dejad de enviarme publicidad.
			Que me quitéis de la lista, por favor.
			No nos manden más mensajes.
			Solicito la baja del boletín.`, `
			Por favor, no me quiten de la lista.
			¿Dónde se cancela la suscripción al boletín?
			Mi esposa no quiere recibir más correos.
			De momento no me envíen más publicidad.
			Déjenme en paz.
			Si siguen así, me daré de baja.
			No me interesa.`, `
			Estoy de baja por enfermedad, les escribo en julio.
			No dude en enviarme más ofertas.
			La báscula no para de pitar.
			No me ha llegado más que una pieza.
			Necesito una dirección para las ofertas.
			Queremos eliminar un producto de la lista de la compra.
			¿Pueden enviarme más información?`},
		{"it", `
			Vi prego di togliere il mio nominativo dal vostro elenco.
			Smettetela di mandarmi pubblicità!
			Non desidero essere più contattato.
			Chiedo la cancellazione dalla newsletter.
			Mi oppongo al trattamento dei dati per finalità di marketing.
			Per cortesia, non scriveteci più.
			Gradirei non ricevere più le vostre offerte.
			Revoco il mio consenso.
			Toglietemi dalla lista.
			Non vogliamo altre email.`, `
			Non cancellatemi dalla lista, per favore.
			Come faccio a disiscrivermi?
			Mia moglie non vuole più ricevere la newsletter.
			Per ora non mandatemi più email.
			Lasciatemi in pace.
			Non siamo interessati.`, `
			Non esiti a inviarmi altre offerte.
			La bilancia non si accende più.
			Potete togliere la seconda riga dal preventivo?
			Non ho più ricevuto la merce.
			Basta una bilancia piccola.`},
		{"pt", `
			Solicito a remoção do meu email da vossa lista.
			Parem de me mandar propaganda!
			Não desejamos receber mais comunicações.
			Por favor, não me escrevam mais.
			Gostaria de cancelar a minha subscrição da newsletter.
			Revogo o meu consentimento.
			Tirem-nos da vossa lista.
			Não quero receber essas mensagens.
			Agradecia que não me enviassem nada: retirem o meu endereço da base de dados.
			Chega de emails.`, `
			Não me retirem da lista, por favor.
			Onde posso cancelar a subscrição da newsletter?
			O meu colega não quer receber mais emails.
			Por agora, não me enviem mais mensagens.
			Deixem-me em paz.
			Não temos interesse.`, `
			Não hesite em enviar-me mais ofertas.
			A balança parou de pesar.
			Quero cancelar a encomenda 12.
			Não recebi mais nada do transportador.
			Podem remover a segunda linha do orçamento?`},
		{"pl", `
			Uprzejmie proszę o usunięcie mojego adresu z Państwa bazy.
			Przestańcie mi wysyłać ten spam!
			Nie życzę sobie otrzymywania reklam.
			Sprzeciwiam się przetwarzaniu moich danych w celach marketingowych.
			Nie chcemy już dostawać waszych maili.
			Proszę o zaprzestanie wysyłania wiadomości.
			Wycofuję zgodę na kontakt.
			Wykreślcie nas z listy.
			Proszę nie wysyłać mi więcej ofert.
			Chciałabym zrezygnować z newslettera.`, `
			Proszę mnie nie wypisywać z listy.
			Jak mogę się wypisać?
			Moja koleżanka nie chce otrzymywać newslettera.
			Proszę nie wysyłać mi więcej ofert do końca roku.
			Dajcie mi spokój.
			Nie jesteśmy zainteresowani.`, `
			Proszę nie wysyłać paczki przed środą.
			Waga przestała ważyć.
			Rezygnujemy z zamówienia 14.
			Nie otrzymałem jeszcze faktury.
			Czy możecie przysłać więcej informacji?`},
	}
}

func wishesNorth() []wishes {
	return []wishes{
		{"sv", `
			Jag vore tacksam om ni tog bort mig, jag vill inte längre ha era utskick.
			Sluta genast skicka reklam till mig!
			Vi önskar inte bli kontaktade igen.
			Var snälla och stryk min adress från ert register.
			Jag ber er att inte skicka fler erbjudanden.
			Jag återkallar mitt samtycke.
			Ta bort oss från listan, tack.
			Jag vill säga upp nyhetsbrevet.
			Skicka inte mer reklam.`, `
			Ta inte bort mig från listan.
			Hur avregistrerar jag mig?
			Min kollega vill inte ha fler mejl.
			Skicka inga fler utskick till hösten.
			Lämna mig ifred.
			Inte intresserad, tack.`, `
			Tveka inte att skicka mig fler erbjudanden.
			Vågen slutar visa vikten.
			Jag har inte fått några mejl från er.
			Kan ni ta bort den andra raden i offerten?
			Skicka inte varorna före tisdag.`},
		{"da", `
			Jeg beder jer slette min adresse fra jeres database.
			Hold nu op med at sende mig reklamer!
			Vi ønsker ikke at blive kontaktet igen.
			Jeg frabeder mig flere henvendelser.
			Jeg vil gerne afmelde nyhedsbrevet.
			Send mig ikke flere tilbudsmails.
			Jeg trækker mit samtykke tilbage.
			Vil du være sød at slette mig fra listen?
			Kontakt os aldrig igen.`, `
			I må ikke slette mig fra listen.
			Hvordan afmelder jeg mig nyhedsbrevet?
			Min kollega ønsker ikke flere mails.
			Send ikke flere mails indtil videre.
			Lad mig være i fred.
			Ikke interesseret.`, `
			Tøv ikke med at sende mig flere tilbud.
			Vægten holder op med at veje.
			Jeg har ikke fået nogen faktura.
			Kan I fjerne den anden linje fra tilbuddet?
			Send ikke varerne før tirsdag.`},
		{"nb", `
			Jeg ber dere slette adressen min fra registeret.
			Slutt nå å sende meg reklame!
			Vi ønsker ikke å bli kontaktet igjen.
			Jeg vil gjerne melde meg av nyhetsbrevet.
			Ikke send meg flere tilbud.
			Jeg trekker samtykket mitt tilbake.
			Kan dere være så snille å fjerne meg fra listen?
			Vi vil ikke lenger motta nyhetsbrev.
			Jeg ønsker å si opp nyhetsbrevet.`, `
			Ikke fjern meg fra listen.
			Hvordan melder jeg meg av?
			Kollegaen min vil ikke ha flere e-poster.
			Ikke send meg flere tilbud før høsten.
			La meg være i fred.
			Ikke interessert.`, `
			Ikke nøl med å sende meg flere tilbud.
			Vekten slutter å veie.
			Jeg har ikke fått noen faktura.
			Kan dere fjerne den andre linjen fra tilbudet?
			Ikke send varene før tirsdag.`},
		{"fi", `
			Pyydän poistamaan osoitteeni rekisteristänne.
			Lopettakaa mainosten lähettäminen!
			Emme halua enää saada uutiskirjeitä.
			Älkää ottako minuun enää yhteyttä.
			Kiellän suoramarkkinoinnin.
			Haluaisin peruuttaa uutiskirjeen.
			Voisitteko poistaa minut listaltanne?
			En halua teiltä lisää mainoksia.
			Peruutan suostumukseni.`, `
			Älkää poistako minua postituslistalta.
			Miten pääsen pois postituslistalta?
			Kollegani ei halua enää viestejä.
			Älkää lähettäkö toistaiseksi enää viestejä.
			Jättäkää minut rauhaan.
			Ei kiinnosta.`, `
			Vaaka lakkaa punnitsemasta.
			En ole saanut laskua.
			Haluan perua tilauksen 14, toimitus kestää liian kauan eikä tuote ole enää tarpeen meille.
			Voitteko poistaa toisen rivin tarjouksesta?
			Älkää lähettäkö tavaroita ennen tiistaita.`},
	}
}
