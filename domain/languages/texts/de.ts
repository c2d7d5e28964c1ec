import type { Texts } from "./en";

export const de: Texts = {
  invoiceFrom: "Rechnung von {store}",
  testNetwork: "Testnetz ({network}): Das ist kein echtes Geld.",
  amountDue: "Zu zahlender Betrag",
  stillDue: "Noch zu zahlen",
  showIn: "Beträge anzeigen in",
  rate: "1 BTC = {rate}",
  timeLeft: "Verbleibende Zeit: {time}",

  waitingTitle: "Warten auf deine Zahlung",
  waitingText:
    "Scanne den Code mit deiner Wallet-App oder tippe auf „In Wallet öffnen“, wenn die Wallet auf diesem Gerät ist. Sende genau diesen Betrag. Die Seite zeigt deine Zahlung, sobald sie ankommt.",
  partialTitle: "Ein Teil der Zahlung fehlt",
  partialText:
    "{paid} sind angekommen, {remaining} sind noch zu zahlen. Bitte zahle nur den Rest, mit dem neuen Code unten. Falls du von einer Börse gezahlt hast, hat sie vielleicht ihre Gebühr vom Betrag abgezogen.",
  checkingTitle: "Zahlungen werden geprüft",
  checkingText:
    "Wir stellen sicher, dass keine Zahlung unterwegs ist; das dauert einen Moment. Bitte sende jetzt nichts. Falls du schon gezahlt hast: Es ist nichts verloren.",
  seenTitle: "Zahlung eingegangen, wartet auf Bestätigung",
  seenText:
    "Deine Zahlung ist angekommen. Das Bitcoin-Netz bestätigt sie jetzt; das dauert wenige Minuten bis etwa eine Stunde. Du musst nichts weiter tun und kannst diese Seite schließen: {store} erfährt es automatisch.",
  paidTitle: "Bezahlt",
  paidText: "Danke. Deine Zahlung ist vollständig und bei {store} angekommen.",
  acceptedTitle: "Als bezahlt angenommen",
  acceptedText: "{store} hat diese Rechnung als bezahlt angenommen. Du musst nichts weiter tun.",
  overpaidTitle: "Bezahlt, und mehr als verlangt",
  overpaidText:
    "Danke. Deine Zahlung ist bei {store} angekommen. Du hast {excess} mehr gezahlt als verlangt; {store} kann dir das zurücksenden: siehe unten.",
  paidLateTitle: "Nach Ablauf der Zeit bezahlt",
  paidLateText:
    "Deine Zahlung ist vollständig, kam aber nach dem Ablauf dieser Rechnung. Es ist nichts verloren: Frage {store}, wie es mit deiner Bestellung weitergeht.",
  paidLateOverText:
    "Deine Zahlung ist vollständig, kam aber nach dem Ablauf dieser Rechnung und ist um {excess} höher als verlangt. Es ist nichts verloren: Frage {store}, wie es mit deiner Bestellung weitergeht und wie du das zu viel Gezahlte zurückbekommst.",
  expiredTitle: "Diese Rechnung ist abgelaufen",
  expiredText:
    "Bitte zahle sie nicht mehr. Wenn du noch zahlen möchtest, bitte {store} um eine neue Rechnung.",
  underpaidTitle: "Abgelaufen, teilweise bezahlt",
  underpaidText:
    "{paid} von {due} sind angekommen, und die Zeit zum Zahlen ist um. Es ist nichts verloren: Wende dich an {store}, um den Rest zu zahlen oder dein Geld zurückzubekommen. Bitte sende nichts mehr an diese Rechnung.",
  lateSeenTitle: "Deine späte Zahlung wurde gesehen",
  lateSeenText:
    "Sie kam nach dem Ablauf dieser Rechnung und wartet auf Bestätigung durch das Bitcoin-Netz. Es ist nichts verloren, und du musst jetzt nichts tun. Bitte zahle nicht noch einmal.",
  invalidTitle: "Diese Rechnung ist nicht mehr gültig",
  invalidText:
    "Bitte zahle sie nicht. Falls du schon gezahlt hast, ist deine Zahlung festgehalten: Wende dich an {store} und schicke die Angaben unten mit.",
  vanishedOpen:
    "Deine frühere Zahlung wurde aus dem Netzwerk zurückgezogen oder ersetzt und ist deshalb nicht hier angekommen. Falls du in deiner Wallet ihre Gebühr erhöht hast, warte einen Moment. Sonst zahle bitte mit dem Code unten.",
  vanishedClosed:
    "Eine frühere Zahlung wurde aus dem Netzwerk zurückgezogen oder ersetzt und ist deshalb nicht hier angekommen. Die Bitcoin sollten noch in deiner Wallet sein; falls nicht, wende dich an {store}.",

  alreadyPaidTitle: "Schon bezahlt?",
  alreadyPaidText:
    "Es ist nichts verloren. Wir achten weiter auf deine Zahlung; diese Seite zeigt sie, sobald sie gefunden ist. Bitte zahle nicht ein zweites Mal. Erscheint sie nicht, wende dich an {store} und schicke die Angaben unten und die Transaktions-ID mit, die deine Wallet anzeigt.",

  refundTitle: "Falls Geld an dich zurückgehen soll",
  refundText:
    "Hinterlasse eine Bitcoin-Adresse deiner eigenen Wallet, dann kann {store} Geld dorthin zurücksenden. Darüber entscheidet {store}: Nichts wird automatisch gesendet.",
  refundLabel: "Deine Bitcoin-Adresse",
  refundHint: "Prüfe sie gut: Hier lässt sie sich später nicht mehr ändern.",
  refundLeave: "Adresse hinterlassen",
  refundLeftTitle: "Eine Adresse für die Rückzahlung ist hinterlassen",
  refundLeftText:
    "{store} sieht die ganze Adresse. Nichts wird automatisch dorthin gesendet. Um sie zu ändern, wende dich an {store}.",
  refundEmpty: "Bitte gib eine Adresse an: Kopiere eine Empfangsadresse aus deiner Wallet.",
  refundLightning: "Das ist für Lightning. Bitte gib stattdessen eine Bitcoin-Adresse an.",
  refundOtherNetwork:
    "Das ist eine Adresse eines anderen Netzwerks. Bitte gib eine des Netzwerks an, in dem du gezahlt hast.",
  refundTypo: "Diese Adresse enthält einen Tippfehler. Bitte kopiere sie noch einmal aus deiner Wallet.",
  refundNoAddress: "Das ist keine Bitcoin-Adresse. Bitte kopiere eine Empfangsadresse aus deiner Wallet.",
  refundOwn: "Diese Adresse gehört zu einer Rechnung hier. Bitte gib eine Adresse deiner eigenen Wallet an.",
  refundTaken:
    "Es wurde schon eine andere Adresse hinterlassen, diese wurde deshalb nicht übernommen. Um sie zu ändern, wende dich an {store}.",
  refundNotNeeded: "Für diese Rechnung wird derzeit keine Adresse für eine Rückzahlung angenommen.",

  receiptMailTitle: "Beleg per E-Mail",
  receiptMailText:
    "Er wird gesendet, wenn die Zahlung vollständig ist. Deine Adresse wird für nichts anderes verwendet und danach gelöscht.",
  receiptMailLabel: "Deine E-Mail-Adresse",
  receiptMailLeave: "Beleg zusenden",
  receiptMailLeft: "Er wird an {email} gesendet, wenn die Zahlung vollständig ist.",
  receiptMailSent: "Der Beleg wurde gesendet.",
  receiptMailWrong: "Das ist keine E-Mail-Adresse. Sie sieht zum Beispiel so aus: name@example.com",
  receiptMailClosed: "Für diese Rechnung wird jetzt keine E-Mail-Adresse angenommen.",
  mailWhy: "Diese Adresse wurde auf der Zahlungsseite für diesen Beleg angegeben. Sie wird nicht aufbewahrt.",

  waysTitle: "Zahlungswege",
  any: "Jede Wallet",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "QR-Code für jede Bitcoin- oder Lightning-Wallet",
  qrOnchain: "QR-Code für eine Bitcoin-Wallet",
  qrLightning: "QR-Code für eine Lightning-Wallet",
  openWallet: "In Wallet öffnen",
  addressHint: "Um von einer Börse zu zahlen oder die Adresse zu kopieren, wähle oben „{bitcoin}“.",
  address: "Bitcoin-Adresse",
  bolt11: "Lightning-Rechnung",
  amount: "Betrag",
  copy: "Kopieren",
  copyOf: "Kopieren: {what}",
  copied: "Kopiert",
  copyFailed: "Kopieren ging nicht. Markiere den Text und kopiere ihn.",
  dustRemainder:
    "Das Bitcoin-Netz befördert keine Zahlung unter {least}, deshalb verlangt die Adresse diesen Betrag.",
  missingOnchain: "Die Zahlung an eine Bitcoin-Adresse ist gerade nicht möglich.",
  missingLightning: "Die Zahlung über Lightning ist gerade nicht möglich.",
  noWays:
    "Diese Rechnung kann gerade nicht bezahlt werden. Bitte warte: Die Seite zeigt einen Zahlungsweg, sobald es einen gibt.",

  confirmations: "Bestätigungen: {have} von {need}",
  details: "Einzelheiten",
  receipt: "Beleg",
  store: "Geschäft",
  order: "Bestellung",
  invoiceId: "Rechnung",
  description: "Beschreibung",
  price: "Preis",
  received: "Eingegangen",
  created: "Erstellt",
  expires: "Zahlbar bis",
  expiredAt: "Abgelaufen",
  payment: "Zahlung über {method}",
  seenAt: "Gesehen",
  confirmedAt: "Bestätigt",
  txid: "Transaktions-ID",
  paymentHash: "Payment-Hash",
  print: "Drucken",
  returnToStore: "Zurück zu {store}",
  redirecting: "In {seconds} Sekunden geht es zurück zu {store}.",
  contact: "Kontakt zu {store}",
  website: "Website von {store}",
  languages: "Sprache",
  offline: "Keine Verbindung. Die Anzeige kann veraltet sein; wir versuchen es weiter.",

  linkPay: "Bezahlen",
  linkChoose: "Wähle einen Betrag",
  linkOwn: "Dein Betrag",
  linkBounds: "Von {least} bis {most}",
  linkUnreadable: "Bitte gib einen Betrag ein, zum Beispiel {example}.",
  linkNotOffered: "Dieser Betrag kann hier nicht gezahlt werden. Bitte wähle einen anderen.",
  linkDelete: "Letztes Zeichen löschen",
  linkNext: "Nächste Zahlung",
  linkScan: "Scannen und mit Bitcoin zahlen",
  chooseOnchain: "Stattdessen an eine Bitcoin-Adresse zahlen",
  linkUnknownTitle: "Diesen Zahlungslink gibt es nicht",
  linkClosedTitle: "Hier kann nichts mehr gezahlt werden",
  linkClosedText:
    "Dieser Zahlungslink wurde geschlossen oder ist aufgebraucht. Bitte {store} um einen anderen.",
  linkFullTitle: "Heute kann hier nichts mehr gezahlt werden",
  linkFullText:
    "Dieser Zahlungslink hat seine Grenze für heute erreicht. Komm morgen wieder oder bitte {store} um einen anderen.",

  unknownTitle: "Diese Rechnung gibt es nicht",
  unknownText: "Prüfe, ob der ganze Link kopiert wurde, oder bitte das Geschäft um einen neuen.",
  busyTitle: "Bitte warte einen Moment",
  busyText:
    "Diese Seite kann gerade nicht angezeigt werden. Sie versucht es von selbst noch einmal. Falls du schon gezahlt hast: Es ist nichts verloren.",
};
