import type { Texts } from "./en";

export const nl: Texts = {
  invoiceFrom: "Factuur van {store}",
  testNetwork: "Testnetwerk ({network}): dit is geen echt geld.",
  amountDue: "Te betalen bedrag",
  stillDue: "Nog te betalen",
  showIn: "Bedragen tonen in",
  rate: "1 BTC = {rate}",
  timeLeft: "Resterende tijd: {time}",

  waitingTitle: "Wachten op je betaling",
  waitingText:
    "Scan de code met je wallet-app, of tik op ‘Openen in wallet’ als de wallet op dit apparaat staat. Stuur precies dit bedrag. De pagina toont je betaling zodra ze binnenkomt.",
  partialTitle: "Een deel van de betaling ontbreekt",
  partialText:
    "{paid} is aangekomen en {remaining} moet nog betaald worden. Betaal alleen de rest, met de nieuwe code hieronder. Als je vanaf een beurs hebt betaald, heeft die misschien haar kosten van het bedrag afgehaald.",
  checkingTitle: "Betalingen worden gecontroleerd",
  checkingText:
    "We gaan na of er geen betaling onderweg is; dat duurt even. Stuur nu niets. Heb je al betaald, dan is er niets verloren.",
  seenTitle: "Betaling ontvangen, wacht op bevestiging",
  seenText:
    "Je betaling is aangekomen. Het Bitcoin-netwerk bevestigt haar nu; dat duurt enkele minuten tot ongeveer een uur. Je hoeft niets meer te doen en kunt deze pagina sluiten: {store} krijgt automatisch bericht.",
  paidTitle: "Betaald",
  paidText: "Bedankt. Je betaling is volledig en bij {store} aangekomen.",
  acceptedTitle: "Als betaald aanvaard",
  acceptedText: "{store} heeft deze factuur als betaald aanvaard. Je hoeft niets meer te doen.",
  overpaidTitle: "Betaald, en meer dan gevraagd",
  overpaidText:
    "Bedankt. Je betaling is bij {store} aangekomen. Je hebt {excess} meer betaald dan gevraagd; {store} kan dat naar je terugsturen: zie hieronder.",
  paidLateTitle: "Betaald nadat de tijd om was",
  paidLateText:
    "Je betaling is volledig, maar kwam nadat deze factuur was verlopen. Er is niets verloren: vraag {store} hoe het met je bestelling verdergaat.",
  paidLateOverText:
    "Je betaling is volledig, maar kwam nadat deze factuur was verlopen en is {excess} meer dan gevraagd. Er is niets verloren: vraag {store} hoe het met je bestelling verdergaat en hoe je het teveel terugkrijgt.",
  expiredTitle: "Deze factuur is verlopen",
  expiredText: "Betaal haar niet meer. Wil je nog betalen, vraag {store} dan om een nieuwe factuur.",
  underpaidTitle: "Verlopen, deels betaald",
  underpaidText:
    "{paid} van {due} is aangekomen en de tijd om te betalen is om. Er is niets verloren: neem contact op met {store} om de rest te betalen of je geld terug te krijgen. Stuur niets meer naar deze factuur.",
  lateSeenTitle: "Je late betaling is gezien",
  lateSeenText:
    "Ze kwam nadat deze factuur was verlopen en wacht op bevestiging door het Bitcoin-netwerk. Er is niets verloren en je hoeft nu niets te doen. Betaal niet nog een keer.",
  invalidTitle: "Deze factuur is niet meer geldig",
  invalidText:
    "Betaal haar niet. Als je al hebt betaald, is je betaling vastgelegd: neem contact op met {store} en stuur de gegevens hieronder mee.",
  vanishedOpen:
    "Je eerdere betaling is van het netwerk teruggetrokken of vervangen en is daarom niet hier aangekomen. Heb je in je wallet de kosten ervan verhoogd, wacht dan even. Betaal anders met de code hieronder.",
  vanishedClosed:
    "Een eerdere betaling is van het netwerk teruggetrokken of vervangen en is daarom niet hier aangekomen. De bitcoin hoort nog in je wallet te staan; is dat niet zo, neem dan contact op met {store}.",

  alreadyPaidTitle: "Al betaald?",
  alreadyPaidText:
    "Er is niets verloren. We blijven op je betaling letten en deze pagina toont haar zodra ze gevonden is. Betaal niet een tweede keer. Verschijnt ze niet, neem dan contact op met {store} en stuur de gegevens hieronder mee en de transactie-ID die je wallet toont.",

  refundTitle: "Als er geld naar je terug moet",
  refundText:
    "Laat een Bitcoin-adres van je eigen wallet achter, dan kan {store} daar geld naar terugsturen. {store} beslist daarover: er wordt niets automatisch gestuurd.",
  refundLabel: "Je Bitcoin-adres",
  refundHint: "Controleer het goed: je kunt het hier later niet meer wijzigen.",
  refundLeave: "Dit adres achterlaten",
  refundLeftTitle: "Er is een adres voor terugbetaling achtergelaten",
  refundLeftText:
    "{store} ziet het hele adres. Er wordt niets automatisch naartoe gestuurd. Neem contact op met {store} om het te wijzigen.",
  refundEmpty: "Geef een adres op: kopieer een ontvangstadres uit je wallet.",
  refundLightning: "Dit is voor Lightning. Geef in plaats daarvan een Bitcoin-adres op.",
  refundOtherNetwork:
    "Dit adres is van een ander netwerk. Geef er een van het netwerk waarop je hebt betaald.",
  refundTypo: "Er zit een typefout in dit adres. Kopieer het opnieuw uit je wallet.",
  refundNoAddress: "Dit is geen Bitcoin-adres. Kopieer een ontvangstadres uit je wallet.",
  refundOwn: "Dit adres hoort bij een factuur van deze dienst. Geef een adres van je eigen wallet op.",
  refundTaken:
    "Er was al een ander adres achtergelaten, dus dit is niet opgeslagen. Neem contact op met {store} om het te wijzigen.",
  refundNotNeeded: "Voor deze factuur is nu geen adres voor terugbetaling nodig.",

  receiptMailTitle: "Betaalbewijs per e-mail",
  receiptMailText:
    "Het wordt verstuurd als de betaling compleet is. Je adres wordt nergens anders voor gebruikt en daarna gewist.",
  receiptMailLabel: "Je e-mailadres",
  receiptMailLeave: "Stuur mij het bewijs",
  receiptMailLeft: "Het betaalbewijs gaat naar {email} als de betaling compleet is.",
  receiptMailSent: "Het betaalbewijs is verstuurd.",
  receiptMailWrong: "Dit is geen e-mailadres. Het moet er zo uitzien: name@example.com",
  receiptMailClosed: "Voor deze factuur wordt nu geen e-mailadres aangenomen.",
  mailWhy:
    "Dit adres is op de betaalpagina opgegeven om dit betaalbewijs te krijgen. Het wordt niet bewaard.",

  waysTitle: "Manieren om te betalen",
  any: "Elke wallet",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "QR-code voor elke Bitcoin- of Lightning-wallet",
  qrOnchain: "QR-code voor een Bitcoin-wallet",
  qrLightning: "QR-code voor een Lightning-wallet",
  openWallet: "Openen in wallet",
  addressHint: "Wil je vanaf een beurs betalen of het adres kopiëren, kies dan hierboven ‘{bitcoin}’.",
  address: "Bitcoin-adres",
  bolt11: "Lightning-factuur",
  amount: "Bedrag",
  copy: "Kopiëren",
  copyOf: "Kopiëren: {what}",
  copied: "Gekopieerd",
  copyFailed: "Kopiëren is niet gelukt. Selecteer de tekst en kopieer die.",
  dustRemainder:
    "Het Bitcoin-netwerk geeft geen betalingen onder {least} door; daarom vraagt het adres dat bedrag.",
  missingOnchain: "Betalen naar een Bitcoin-adres is op dit moment niet mogelijk.",
  missingLightning: "Betalen via Lightning is op dit moment niet mogelijk.",
  noWays:
    "Deze factuur kan op dit moment niet betaald worden. Even geduld: de pagina toont een manier om te betalen zodra die er is.",

  confirmations: "Bevestigingen: {have} van {need}",
  details: "Gegevens",
  receipt: "Betaalbewijs",
  store: "Winkel",
  order: "Bestelling",
  invoiceId: "Factuur",
  description: "Omschrijving",
  price: "Prijs",
  received: "Ontvangen",
  created: "Aangemaakt",
  expires: "Betalen vóór",
  expiredAt: "Verlopen",
  payment: "Betaling via {method}",
  seenAt: "Gezien",
  confirmedAt: "Bevestigd",
  txid: "Transactie-ID",
  paymentHash: "Betalingshash",
  print: "Afdrukken",
  returnToStore: "Terug naar {store}",
  redirecting: "Je gaat over {seconds} seconden terug naar {store}.",
  contact: "Contact met {store}",
  website: "Website van {store}",
  languages: "Taal",
  offline: "Geen verbinding. Wat je ziet kan verouderd zijn; we blijven het proberen.",

  linkPay: "Betalen",
  linkChoose: "Kies een bedrag",
  linkOwn: "Je bedrag",
  linkBounds: "Van {least} tot {most}",
  linkUnreadable: "Vul een bedrag in, bijvoorbeeld {example}.",
  linkNotOffered: "Dit bedrag kan hier niet betaald worden. Kies een ander.",
  linkDelete: "Laatste teken wissen",
  linkNext: "Volgende betaling",
  linkScan: "Scan om met bitcoin te betalen",
  chooseOnchain: "Liever naar een Bitcoin-adres betalen",
  linkUnknownTitle: "Deze betaallink bestaat niet",
  linkClosedTitle: "Hier kan niets meer betaald worden",
  linkClosedText: "Deze betaallink is gesloten of opgebruikt. Vraag {store} om een andere.",
  linkFullTitle: "Vandaag kan hier niets meer betaald worden",
  linkFullText:
    "Deze betaallink heeft de limiet van vandaag bereikt. Kom morgen terug of vraag {store} om een andere.",

  unknownTitle: "Deze factuur bestaat niet",
  unknownText: "Controleer of de hele link is gekopieerd, of vraag de winkel om een nieuwe.",
  busyTitle: "Een ogenblik geduld",
  busyText:
    "Deze pagina kan nu niet getoond worden. Ze probeert het vanzelf opnieuw. Heb je al betaald, dan is er niets verloren.",
};
