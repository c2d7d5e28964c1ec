import type { Texts } from "./en";

export const it: Texts = {
  invoiceFrom: "Fattura di {store}",
  testNetwork: "Rete di prova ({network}): non è denaro reale.",
  amountDue: "Importo da pagare",
  stillDue: "Ancora da pagare",
  showIn: "Mostra gli importi in",
  rate: "1 BTC = {rate}",
  timeLeft: "Tempo rimasto: {time}",

  waitingTitle: "In attesa del tuo pagamento",
  waitingText:
    "Scansiona il codice con il tuo wallet, oppure premi «Apri nel wallet» se il wallet è su questo dispositivo. Invia esattamente questo importo. La pagina mostra il pagamento appena arriva.",
  partialTitle: "Manca una parte del pagamento",
  partialText:
    "Sono arrivati {paid} e mancano ancora {remaining}. Paga solo il resto, con il nuovo codice qui sotto. Se hai pagato da un exchange, potrebbe aver trattenuto la sua commissione dall’importo.",
  checkingTitle: "Controllo dei pagamenti",
  checkingText:
    "Stiamo controllando che non ci siano pagamenti in arrivo: ci vuole un momento. Non inviare nulla adesso. Se hai già pagato, nulla è perduto.",
  seenTitle: "Pagamento ricevuto, in attesa di conferma",
  seenText:
    "Il tuo pagamento è arrivato. La rete Bitcoin ora lo conferma: ci vogliono da pochi minuti a circa un’ora. Non devi fare altro e puoi chiudere questa pagina: {store} viene avvisato automaticamente.",
  paidTitle: "Pagato",
  paidText: "Grazie. Il tuo pagamento è completo ed è arrivato a {store}.",
  acceptedTitle: "Accettata come pagata",
  acceptedText: "{store} ha accettato questa fattura come pagata. Non devi fare altro.",
  overpaidTitle: "Pagato, e più del richiesto",
  overpaidText:
    "Grazie. Il tuo pagamento è arrivato a {store}. Hai pagato {excess} in più del richiesto, e {store} può restituirteli: vedi sotto.",
  paidLateTitle: "Pagato fuori tempo",
  paidLateText:
    "Il tuo pagamento è completo, ma è arrivato dopo la scadenza di questa fattura. Nulla è perduto: contatta {store} per sapere come prosegue il tuo ordine.",
  paidLateOverText:
    "Il tuo pagamento è completo, ma è arrivato dopo la scadenza di questa fattura e supera di {excess} l’importo richiesto. Nulla è perduto: contatta {store} per sapere come prosegue il tuo ordine e riavere l’eccedenza.",
  expiredTitle: "Questa fattura è scaduta",
  expiredText: "Non pagarla più. Se vuoi ancora pagare, chiedi una nuova fattura a {store}.",
  underpaidTitle: "Scaduta, pagata in parte",
  underpaidText:
    "Sono arrivati {paid} su {due} e il tempo per pagare è scaduto. Nulla è perduto: contatta {store} per pagare il resto o riavere il tuo denaro. Non inviare altro a questa fattura.",
  lateSeenTitle: "Il tuo pagamento in ritardo è stato visto",
  lateSeenText:
    "È arrivato dopo la scadenza di questa fattura e attende la conferma della rete Bitcoin. Nulla è perduto e ora non devi fare niente. Non pagare di nuovo.",
  invalidTitle: "Questa fattura non è più valida",
  invalidText:
    "Non pagarla. Se hai già pagato, il tuo pagamento è registrato: contatta {store} e invia i dati qui sotto.",
  vanishedOpen:
    "Il tuo pagamento precedente è stato ritirato dalla rete o sostituito, quindi non è arrivato qui. Se ne hai aumentato la commissione nel tuo wallet, attendi un momento. Altrimenti paga con il codice qui sotto.",
  vanishedClosed:
    "Un pagamento precedente è stato ritirato dalla rete o sostituito, quindi non è arrivato qui. I bitcoin dovrebbero essere ancora nel tuo wallet; se non è così, contatta {store}.",

  alreadyPaidTitle: "Hai già pagato?",
  alreadyPaidText:
    "Nulla è perduto. Continuiamo a cercare il tuo pagamento e questa pagina lo mostra appena viene trovato. Non pagare una seconda volta. Se non compare, contatta {store} e invia i dati qui sotto e l’ID della transazione, che trovi nel tuo wallet.",

  refundTitle: "Se del denaro deve tornare a te",
  refundText:
    "Lascia un indirizzo Bitcoin del tuo wallet e {store} potrà rimandare lì del denaro. Lo decide {store}: nulla viene inviato automaticamente.",
  refundLabel: "Il tuo indirizzo Bitcoin",
  refundHint: "Controllalo bene: qui non si potrà più cambiare.",
  refundLeave: "Lascia questo indirizzo",
  refundLeftTitle: "Un indirizzo per il rimborso è stato lasciato",
  refundLeftText:
    "{store} vede l’indirizzo completo. Nulla vi viene inviato automaticamente. Per cambiarlo, contatta {store}.",
  refundEmpty: "Indica un indirizzo: copia un indirizzo di ricezione dal tuo wallet.",
  refundLightning: "Questo è per Lightning. Indica invece un indirizzo Bitcoin.",
  refundOtherNetwork: "Questo indirizzo è di un’altra rete. Indicane uno della rete su cui hai pagato.",
  refundTypo: "Questo indirizzo contiene un errore di battitura. Copialo di nuovo dal tuo wallet.",
  refundNoAddress: "Questo non è un indirizzo Bitcoin. Copia un indirizzo di ricezione dal tuo wallet.",
  refundOwn:
    "Questo indirizzo appartiene a una fattura di questo servizio. Indica un indirizzo del tuo wallet.",
  refundTaken:
    "Era già stato lasciato un altro indirizzo, perciò questo non è stato registrato. Per cambiarlo, contatta {store}.",
  refundNotNeeded: "Per questa fattura ora non serve un indirizzo per il rimborso.",

  receiptMailTitle: "Ricevuta via e-mail",
  receiptMailText:
    "Viene inviata quando il pagamento è completo. Il tuo indirizzo non serve ad altro e poi viene eliminato.",
  receiptMailLabel: "Il tuo indirizzo e-mail",
  receiptMailLeave: "Inviami la ricevuta",
  receiptMailLeft: "Sarà inviata a {email} quando il pagamento sarà completo.",
  receiptMailSent: "La ricevuta è stata inviata.",
  receiptMailWrong: "Questo non è un indirizzo e-mail. Deve avere questa forma: name@example.com",
  receiptMailClosed: "Per questa fattura ora non si accetta alcun indirizzo e-mail.",
  mailWhy:
    "Questo indirizzo è stato lasciato nella pagina di pagamento per ricevere questa ricevuta. Non viene conservato.",

  waysTitle: "Modi di pagamento",
  any: "Tutti i wallet",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Codice QR per qualsiasi wallet Bitcoin o Lightning",
  qrOnchain: "Codice QR per un wallet Bitcoin",
  qrLightning: "Codice QR per un wallet Lightning",
  openWallet: "Apri nel wallet",
  addressHint: "Per pagare da un exchange o copiare l’indirizzo, scegli «{bitcoin}» qui sopra.",
  address: "Indirizzo Bitcoin",
  bolt11: "Fattura Lightning",
  amount: "Importo",
  copy: "Copia",
  copyOf: "Copia: {what}",
  copied: "Copiato",
  copyFailed: "Copia non riuscita. Seleziona il testo e copialo.",
  dustRemainder:
    "La rete Bitcoin non trasmette pagamenti sotto {least}: per questo l’indirizzo chiede quell’importo.",
  missingOnchain: "Al momento non è possibile pagare a un indirizzo Bitcoin.",
  missingLightning: "Al momento non è possibile pagare con Lightning.",
  noWays:
    "Al momento questa fattura non può essere pagata. Attendi: la pagina mostra un modo di pagare appena ce n’è uno.",

  confirmations: "Conferme: {have} di {need}",
  details: "Dettagli",
  receipt: "Ricevuta",
  store: "Negozio",
  order: "Ordine",
  invoiceId: "Fattura",
  description: "Descrizione",
  price: "Prezzo",
  received: "Ricevuto",
  created: "Creata",
  expires: "Pagare entro",
  expiredAt: "Scaduta",
  payment: "Pagamento con {method}",
  seenAt: "Visto",
  confirmedAt: "Confermato",
  txid: "ID transazione",
  paymentHash: "Hash del pagamento",
  print: "Stampa",
  returnToStore: "Torna a {store}",
  redirecting: "Tornerai a {store} tra {seconds} secondi.",
  contact: "Contatta {store}",
  website: "Sito di {store}",
  languages: "Lingua",
  offline: "Nessuna connessione. I dati mostrati potrebbero non essere aggiornati; continuiamo a provare.",

  linkPay: "Paga",
  linkChoose: "Scegli un importo",
  linkOwn: "Il tuo importo",
  linkBounds: "Da {least} a {most}",
  linkUnreadable: "Inserisci un importo, per esempio {example}.",
  linkNotOffered: "Questo importo non può essere pagato qui. Scegline un altro.",
  linkDelete: "Cancella l’ultimo carattere",
  linkNext: "Pagamento successivo",
  linkScan: "Scansiona per pagare in bitcoin",
  chooseOnchain: "Paga invece a un indirizzo Bitcoin",
  linkUnknownTitle: "Questo link di pagamento non esiste",
  linkClosedTitle: "Qui non si può più pagare nulla",
  linkClosedText: "Questo link di pagamento è chiuso o esaurito. Chiedine un altro a {store}.",
  linkFullTitle: "Oggi qui non si può più pagare nulla",
  linkFullText:
    "Questo link di pagamento ha raggiunto il limite di oggi. Torna domani o chiedine un altro a {store}.",

  unknownTitle: "Questa fattura non esiste",
  unknownText: "Controlla di aver copiato tutto il link, oppure chiedine uno nuovo al negozio.",
  busyTitle: "Attendi un momento",
  busyText:
    "Questa pagina non può essere mostrata adesso. Riprova da sola. Se hai già pagato, nulla è perduto.",
};
