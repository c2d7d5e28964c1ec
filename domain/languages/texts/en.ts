/** `{name}` stands for a value. */
export const en = {
  invoiceFrom: "Invoice from {store}",
  testNetwork: "Test network ({network}): this is not real money.",
  amountDue: "Amount to pay",
  stillDue: "Still to pay",
  showIn: "Show amounts in",
  rate: "1 BTC = {rate}",
  timeLeft: "Time left: {time}",

  waitingTitle: "Waiting for your payment",
  waitingText:
    "Scan the code with your wallet app, or press “Open in wallet” if the wallet is on this device. Send exactly this amount. The page shows your payment as soon as it arrives.",
  partialTitle: "Part of the payment is missing",
  partialText:
    "{paid} has arrived and {remaining} is still to be paid. Please pay just the rest, with the new code below. If you paid from an exchange, it may have taken its fee off the amount.",
  checkingTitle: "Checking for payments",
  checkingText:
    "We are making sure that no payment is on its way: this takes a moment. Please do not send anything now. If you have already paid, nothing is lost.",
  seenTitle: "Payment received, waiting for confirmation",
  seenText:
    "Your payment has arrived. The Bitcoin network now confirms it, which takes from a few minutes to about an hour. You have nothing more to do and can close this page: {store} is notified automatically.",
  paidTitle: "Paid",
  paidText: "Thank you. Your payment is complete and has reached {store}.",
  acceptedTitle: "Accepted as paid",
  acceptedText: "{store} has accepted this invoice as paid. You have nothing more to do.",
  overpaidTitle: "Paid, and more than was asked",
  overpaidText:
    "Thank you. Your payment has reached {store}. You paid {excess} more than was asked, and {store} can send that back to you: see below.",
  paidLateTitle: "Paid after the time was up",
  paidLateText:
    "Your payment is complete, but it came after this invoice had expired. Nothing is lost: contact {store} to learn how your order goes on.",
  paidLateOverText:
    "Your payment is complete, but it came after this invoice had expired, and it is {excess} more than was asked. Nothing is lost: contact {store} to learn how your order goes on and to get the excess back.",
  expiredTitle: "This invoice has expired",
  expiredText: "Please do not pay it any more. If you still want to pay, ask {store} for a new invoice.",
  underpaidTitle: "Expired with a part of the payment",
  underpaidText:
    "{paid} of {due} has arrived, and the time to pay is up. Nothing is lost: contact {store} to pay the rest or to get your money back. Please do not send more to this invoice.",
  lateSeenTitle: "Your late payment has been seen",
  lateSeenText:
    "It came after this invoice had expired and is waiting for confirmation by the Bitcoin network. Nothing is lost and you have nothing to do now. Please do not pay again.",
  invalidTitle: "This invoice is no longer valid",
  invalidText:
    "Please do not pay it. If you have already paid, your payment is recorded: contact {store} and send them the details below.",
  vanishedOpen:
    "Your earlier payment was withdrawn from the network or replaced, so it did not arrive here. If you raised its fee in your wallet, wait a moment. Otherwise please pay with the code below.",
  vanishedClosed:
    "An earlier payment was withdrawn from the network or replaced, so it did not arrive here. The bitcoin should still be in your wallet; if it is not, contact {store}.",

  alreadyPaidTitle: "Already paid?",
  alreadyPaidText:
    "Nothing is lost. We still watch for your payment, and this page shows it as soon as it is found. Please do not pay a second time. If it does not appear, contact {store} and send them the details below and your transaction’s id, which your wallet shows.",

  refundTitle: "If money has to go back to you",
  refundText:
    "Leave a Bitcoin address of your own wallet, and {store} can send money back to it. {store} decides about that: nothing is sent automatically.",
  refundLabel: "Your Bitcoin address",
  refundHint: "Check it well: it cannot be changed here later.",
  refundLeave: "Leave this address",
  refundLeftTitle: "An address for a refund was left",
  refundLeftText:
    "{store} sees the whole address. Nothing is sent to it automatically. To change it, contact {store}.",
  refundEmpty: "Please give an address: copy a receiving address from your wallet.",
  refundLightning: "This is for Lightning. Please give a Bitcoin address instead.",
  refundOtherNetwork:
    "This is an address of another network. Please give one of the network on which you paid.",
  refundTypo: "This address has a typing error. Please copy it from your wallet again.",
  refundNoAddress: "This is not a Bitcoin address. Please copy a receiving address from your wallet.",
  refundOwn: "This address belongs to an invoice here. Please give an address of your own wallet.",
  refundTaken: "Another address was left before, so this one was not taken. To change it, contact {store}.",
  refundNotNeeded: "This invoice takes no address for a refund now.",

  receiptMailTitle: "Receipt by e-mail",
  receiptMailText:
    "It is sent when the payment is complete. Your address is used for nothing else, and is then deleted.",
  receiptMailLabel: "Your e-mail address",
  receiptMailLeave: "Send me the receipt",
  receiptMailLeft: "It will be sent to {email} when the payment is complete.",
  receiptMailSent: "The receipt has been sent.",
  receiptMailWrong: "This is not an e-mail address. It should look like this: name@example.com",
  receiptMailClosed: "No e-mail address is accepted for this invoice now.",
  mailWhy: "This address was left on the payment page to get this receipt. It is not kept.",

  waysTitle: "Ways to pay",
  any: "Any wallet",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "QR code for any Bitcoin or Lightning wallet",
  qrOnchain: "QR code for a Bitcoin wallet",
  qrLightning: "QR code for a Lightning wallet",
  openWallet: "Open in wallet",
  addressHint: "To pay from an exchange or to copy the address, choose “{bitcoin}” above.",
  address: "Bitcoin address",
  bolt11: "Lightning invoice",
  amount: "Amount",
  copy: "Copy",
  copyOf: "Copy: {what}",
  copied: "Copied",
  copyFailed: "Could not copy. Select the text and copy it.",
  dustRemainder: "The Bitcoin network carries no payment below {least}, so the address asks for that amount.",
  missingOnchain: "Paying to a Bitcoin address is not possible at the moment.",
  missingLightning: "Paying by Lightning is not possible at the moment.",
  noWays:
    "This invoice cannot be paid at the moment. Please wait: the page shows a way to pay as soon as there is one.",

  confirmations: "Confirmations: {have} of {need}",
  details: "Details",
  receipt: "Receipt",
  store: "Store",
  order: "Order",
  invoiceId: "Invoice",
  description: "Description",
  price: "Price",
  received: "Received",
  created: "Created",
  expires: "Pay before",
  expiredAt: "Expired",
  payment: "Payment by {method}",
  seenAt: "Seen",
  confirmedAt: "Confirmed",
  txid: "Transaction id",
  paymentHash: "Payment hash",
  print: "Print",
  returnToStore: "Return to {store}",
  redirecting: "You will return to {store} in {seconds} seconds.",
  contact: "Contact {store}",
  website: "Website of {store}",
  languages: "Language",
  offline: "No connection. What is shown may be out of date; we keep trying.",

  linkPay: "Pay",
  linkChoose: "Choose an amount",
  linkOwn: "Your amount",
  linkBounds: "From {least} to {most}",
  linkUnreadable: "Please enter an amount such as {example}.",
  linkNotOffered: "This amount cannot be paid here. Please choose another.",
  linkDelete: "Delete the last character",
  linkNext: "Next payment",
  linkScan: "Scan to pay with Bitcoin",
  chooseOnchain: "Pay to a Bitcoin address instead",
  linkUnknownTitle: "There is no such payment link",
  linkClosedTitle: "Nothing can be paid here any more",
  linkClosedText: "This payment link has been closed or used up. Ask {store} for another.",
  linkFullTitle: "Nothing more can be paid here today",
  linkFullText:
    "This payment link has reached its limit for today. Come back tomorrow, or ask {store} for another.",

  unknownTitle: "There is no such invoice",
  unknownText: "Check that the whole link was copied, or ask the store for a new one.",
  busyTitle: "Please wait a moment",
  busyText:
    "This page cannot be shown right now. It tries again by itself. If you have already paid, nothing is lost.",
};

export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, string>>;
