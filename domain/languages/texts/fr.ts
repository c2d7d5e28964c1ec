import type { Texts } from "./en";

export const fr: Texts = {
  invoiceFrom: "Facture de {store}",
  testNetwork: "Réseau de test ({network}) : ce n’est pas de l’argent réel.",
  amountDue: "Montant à payer",
  stillDue: "Reste à payer",
  showIn: "Afficher les montants en",
  rate: "1 BTC = {rate}",
  timeLeft: "Temps restant : {time}",

  waitingTitle: "En attente de votre paiement",
  waitingText:
    "Scannez le code avec votre portefeuille, ou touchez « Ouvrir le portefeuille » s’il est sur cet appareil. Envoyez exactement ce montant. La page affichera votre paiement dès son arrivée.",
  partialTitle: "Il manque une partie du paiement",
  partialText:
    "{paid} reçus, il reste {remaining} à payer. Payez seulement le reste, avec le nouveau code ci-dessous. Si vous avez payé depuis une plateforme d’échange, elle a peut-être retenu ses frais sur le montant.",
  checkingTitle: "Vérification des paiements",
  checkingText:
    "Nous vérifions qu’aucun paiement n’est en route ; cela prend un instant. N’envoyez rien maintenant. Si vous avez déjà payé, rien n’est perdu.",
  seenTitle: "Paiement reçu, en attente de confirmation",
  seenText:
    "Votre paiement est arrivé. Le réseau Bitcoin le confirme, ce qui prend de quelques minutes à une heure environ. Vous n’avez plus rien à faire et pouvez fermer cette page : {store} est prévenu automatiquement.",
  paidTitle: "Payé",
  paidText: "Merci. Votre paiement est complet et {store} l’a reçu.",
  acceptedTitle: "Acceptée comme payée",
  acceptedText: "{store} a accepté cette facture comme payée. Vous n’avez plus rien à faire.",
  overpaidTitle: "Payé, et plus que demandé",
  overpaidText:
    "Merci. {store} a reçu votre paiement. Vous avez payé {excess} de plus que demandé, et {store} peut vous les renvoyer : voir ci-dessous.",
  paidLateTitle: "Payé hors délai",
  paidLateText:
    "Votre paiement est complet, mais il est arrivé après l’expiration de cette facture. Rien n’est perdu : contactez {store} pour connaître la suite de votre commande.",
  paidLateOverText:
    "Votre paiement est complet, mais il est arrivé après l’expiration de cette facture et dépasse de {excess} le montant demandé. Rien n’est perdu : contactez {store} pour connaître la suite de votre commande et être remboursé du surplus.",
  expiredTitle: "Cette facture a expiré",
  expiredText: "Ne la payez plus. Si vous souhaitez encore payer, demandez une nouvelle facture à {store}.",
  underpaidTitle: "Expirée, payée en partie",
  underpaidText:
    "{paid} reçus sur {due}, et le délai de paiement est écoulé. Rien n’est perdu : contactez {store} pour payer le reste ou être remboursé. N’envoyez plus rien pour cette facture.",
  lateSeenTitle: "Votre paiement tardif a été vu",
  lateSeenText:
    "Il est arrivé après l’expiration de cette facture et attend la confirmation du réseau Bitcoin. Rien n’est perdu et vous n’avez rien à faire pour l’instant. Ne payez pas une seconde fois.",
  invalidTitle: "Cette facture n’est plus valable",
  invalidText:
    "Ne la payez pas. Si vous avez déjà payé, votre paiement est enregistré : contactez {store} et envoyez les données ci-dessous.",
  vanishedOpen:
    "Votre paiement précédent a été retiré du réseau ou remplacé : il n’est donc pas arrivé ici. Si vous avez augmenté ses frais dans votre portefeuille, attendez un instant. Sinon, payez avec le code ci-dessous.",
  vanishedClosed:
    "Un paiement précédent a été retiré du réseau ou remplacé : il n’est donc pas arrivé ici. Les bitcoins devraient toujours être dans votre portefeuille ; sinon, contactez {store}.",

  alreadyPaidTitle: "Déjà payé ?",
  alreadyPaidText:
    "Rien n’est perdu. Nous guettons toujours votre paiement ; cette page l’affichera dès qu’il sera trouvé. Ne payez pas une seconde fois. S’il n’apparaît pas, contactez {store} et envoyez les données ci-dessous et l’identifiant de votre transaction, que votre portefeuille affiche.",

  refundTitle: "Si de l’argent doit vous être rendu",
  refundText:
    "Laissez une adresse Bitcoin de votre propre portefeuille : {store} pourra vous y renvoyer de l’argent. C’est {store} qui en décide : rien n’est envoyé automatiquement.",
  refundLabel: "Votre adresse Bitcoin",
  refundHint: "Vérifiez-la bien : elle ne pourra plus être changée ici.",
  refundLeave: "Laisser cette adresse",
  refundLeftTitle: "Une adresse de remboursement a été laissée",
  refundLeftText:
    "{store} voit l’adresse entière. Rien n’y est envoyé automatiquement. Pour la changer, contactez {store}.",
  refundEmpty: "Indiquez une adresse : copiez une adresse de réception depuis votre portefeuille.",
  refundLightning: "Ceci est pour Lightning. Indiquez plutôt une adresse Bitcoin.",
  refundOtherNetwork:
    "Cette adresse est d’un autre réseau. Indiquez-en une du réseau sur lequel vous avez payé.",
  refundTypo: "Cette adresse contient une faute de frappe. Copiez-la de nouveau depuis votre portefeuille.",
  refundNoAddress:
    "Ce n’est pas une adresse Bitcoin. Copiez une adresse de réception depuis votre portefeuille.",
  refundOwn:
    "Cette adresse appartient à une facture d’ici. Indiquez une adresse de votre propre portefeuille.",
  refundTaken:
    "Une autre adresse avait déjà été laissée, celle-ci n’a donc pas été retenue. Pour la changer, contactez {store}.",
  refundNotNeeded: "Cette facture n’accepte pas d’adresse de remboursement pour le moment.",

  receiptMailTitle: "Reçu par e-mail",
  receiptMailText:
    "Il est envoyé quand le paiement est complet. Votre adresse ne sert à rien d’autre et est ensuite supprimée.",
  receiptMailLabel: "Votre adresse e-mail",
  receiptMailLeave: "M’envoyer le reçu",
  receiptMailLeft: "Il sera envoyé à {email} quand le paiement sera complet.",
  receiptMailSent: "Le reçu a été envoyé.",
  receiptMailWrong: "Ce n’est pas une adresse e-mail. Elle ressemble à ceci : name@example.com",
  receiptMailClosed: "Aucune adresse e-mail n’est acceptée pour cette facture maintenant.",
  mailWhy:
    "Cette adresse a été laissée sur la page de paiement pour recevoir ce reçu. Elle n’est pas conservée.",

  waysTitle: "Moyens de paiement",
  any: "Tous",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Code QR pour tout portefeuille Bitcoin ou Lightning",
  qrOnchain: "Code QR pour un portefeuille Bitcoin",
  qrLightning: "Code QR pour un portefeuille Lightning",
  openWallet: "Ouvrir le portefeuille",
  addressHint:
    "Pour payer depuis une plateforme d’échange ou copier l’adresse, choisissez « {bitcoin} » ci-dessus.",
  address: "Adresse Bitcoin",
  bolt11: "Facture Lightning",
  amount: "Montant",
  copy: "Copier",
  copyOf: "Copier : {what}",
  copied: "Copié",
  copyFailed: "Impossible de copier. Sélectionnez le texte et copiez-le.",
  dustRemainder:
    "Le réseau Bitcoin ne transmet aucun paiement inférieur à {least} : l’adresse demande donc ce montant.",
  missingOnchain: "Le paiement à une adresse Bitcoin n’est pas possible pour le moment.",
  missingLightning: "Le paiement par Lightning n’est pas possible pour le moment.",
  noWays:
    "Cette facture ne peut pas être payée pour le moment. Patientez : la page montrera un moyen de paiement dès qu’il y en aura un.",

  confirmations: "Confirmations : {have} sur {need}",
  details: "Données",
  receipt: "Reçu",
  store: "Boutique",
  order: "Commande",
  invoiceId: "Facture",
  description: "Description",
  price: "Prix",
  received: "Reçu",
  created: "Créée",
  expires: "À payer avant",
  expiredAt: "Expirée",
  payment: "Paiement par {method}",
  seenAt: "Vu",
  confirmedAt: "Confirmé",
  txid: "Identifiant de transaction",
  paymentHash: "Empreinte du paiement",
  print: "Imprimer",
  returnToStore: "Retour à {store}",
  redirecting: "Retour à {store} dans {seconds} secondes.",
  contact: "Contacter {store}",
  website: "Site de {store}",
  languages: "Langue",
  offline: "Pas de connexion. L’affichage n’est peut-être plus à jour ; nous réessayons.",

  linkPay: "Payer",
  linkChoose: "Choisissez un montant",
  linkOwn: "Votre montant",
  linkBounds: "De {least} à {most}",
  linkUnreadable: "Veuillez saisir un montant, par exemple {example}.",
  linkNotOffered: "Ce montant ne peut pas être payé ici. Veuillez en choisir un autre.",
  linkDelete: "Effacer le dernier caractère",
  linkNext: "Paiement suivant",
  linkScan: "Scannez pour payer en bitcoin",
  chooseOnchain: "Payer plutôt à une adresse Bitcoin",
  linkUnknownTitle: "Ce lien de paiement n’existe pas",
  linkClosedTitle: "On ne peut plus rien payer ici",
  linkClosedText: "Ce lien de paiement est fermé ou épuisé. Demandez-en un autre à {store}.",
  linkFullTitle: "On ne peut plus rien payer ici aujourd’hui",
  linkFullText:
    "Ce lien de paiement a atteint sa limite du jour. Revenez demain ou demandez-en un autre à {store}.",

  unknownTitle: "Cette facture n’existe pas",
  unknownText: "Vérifiez que le lien a été copié en entier, ou demandez-en un nouveau à la boutique.",
  busyTitle: "Un instant, s’il vous plaît",
  busyText:
    "Cette page ne peut pas être affichée pour le moment. Elle réessaie toute seule. Si vous avez déjà payé, rien n’est perdu.",
};
