import type { Texts } from "./en";

export const pt: Texts = {
  invoiceFrom: "Fatura de {store}",
  testNetwork: "Rede de testes ({network}): isto não é dinheiro real.",
  amountDue: "Valor a pagar",
  stillDue: "Falta pagar",
  showIn: "Mostrar os valores em",
  rate: "1 BTC = {rate}",
  timeLeft: "Tempo restante: {time}",

  waitingTitle: "Aguardando o seu pagamento",
  waitingText:
    "Leia o código com a sua carteira ou toque em “Abrir na carteira” se ela estiver neste aparelho. Envie exatamente este valor. A página mostra o seu pagamento assim que ele chegar.",
  partialTitle: "Falta uma parte do pagamento",
  partialText:
    "Chegaram {paid} e faltam {remaining}. Pague apenas o resto, com o novo código abaixo. Se pagou a partir de uma corretora, ela pode ter descontado a taxa do valor.",
  checkingTitle: "Verificando os pagamentos",
  checkingText:
    "Estamos verificando se não há um pagamento a caminho; isso leva um momento. Não envie nada agora. Se já pagou, nada se perdeu.",
  seenTitle: "Pagamento recebido, aguardando confirmação",
  seenText:
    "O seu pagamento chegou. A rede Bitcoin está confirmando o pagamento, o que leva de alguns minutos a cerca de uma hora. Não precisa fazer mais nada e pode fechar esta página: {store} recebe o aviso automaticamente.",
  paidTitle: "Pago",
  paidText: "Obrigado. O seu pagamento está completo e chegou a {store}.",
  acceptedTitle: "Aceita como paga",
  acceptedText: "{store} aceitou esta fatura como paga. Não precisa fazer mais nada.",
  overpaidTitle: "Pago, e mais do que o pedido",
  overpaidText:
    "Obrigado. O seu pagamento chegou a {store}. Pagou {excess} a mais do que o pedido, e {store} pode devolver esse valor: veja abaixo.",
  paidLateTitle: "Pago fora do prazo",
  paidLateText:
    "O seu pagamento está completo, mas chegou depois de esta fatura expirar. Nada se perdeu: entre em contato com {store} para saber como segue o seu pedido.",
  paidLateOverText:
    "O seu pagamento está completo, mas chegou depois de esta fatura expirar e excede em {excess} o valor pedido. Nada se perdeu: entre em contato com {store} para saber como segue o seu pedido e receber de volta o que pagou a mais.",
  expiredTitle: "Esta fatura expirou",
  expiredText: "Não a pague mais. Se ainda quiser pagar, peça uma nova fatura a {store}.",
  underpaidTitle: "Expirada com uma parte paga",
  underpaidText:
    "Chegaram {paid} de {due} e o tempo para pagar terminou. Nada se perdeu: entre em contato com {store} para pagar o resto ou receber o dinheiro de volta. Não envie mais nada para esta fatura.",
  lateSeenTitle: "O seu pagamento tardio foi visto",
  lateSeenText:
    "Chegou depois de esta fatura expirar e aguarda a confirmação da rede Bitcoin. Nada se perdeu e não precisa fazer nada agora. Não pague outra vez.",
  invalidTitle: "Esta fatura não é mais válida",
  invalidText:
    "Não a pague. Se já pagou, o seu pagamento está registrado: entre em contato com {store} e envie os dados abaixo.",
  vanishedOpen:
    "O seu pagamento anterior foi retirado da rede ou substituído, por isso não chegou aqui. Se aumentou a taxa dele na sua carteira, aguarde um momento. Caso contrário, pague com o código abaixo.",
  vanishedClosed:
    "Um pagamento anterior foi retirado da rede ou substituído, por isso não chegou aqui. Os bitcoins ainda devem estar na sua carteira; se não estiverem, entre em contato com {store}.",

  alreadyPaidTitle: "Já pagou?",
  alreadyPaidText:
    "Nada se perdeu. Continuamos atentos ao seu pagamento, e esta página o mostra assim que for encontrado. Não pague uma segunda vez. Se não aparecer, entre em contato com {store} e envie os dados abaixo e o identificador da sua transação, que a sua carteira mostra.",

  refundTitle: "Se houver dinheiro a devolver",
  refundText:
    "Deixe um endereço Bitcoin da sua própria carteira e {store} poderá devolver-lhe dinheiro para lá. Quem decide é {store}: nada é enviado automaticamente.",
  refundLabel: "O seu endereço Bitcoin",
  refundHint: "Confirme-o bem: depois não pode ser alterado aqui.",
  refundLeave: "Deixar este endereço",
  refundLeftTitle: "Foi deixado um endereço para o reembolso",
  refundLeftText:
    "{store} vê o endereço completo. Nada é enviado para lá automaticamente. Para o alterar, entre em contato com {store}.",
  refundEmpty: "Indique um endereço: copie um endereço de receção da sua carteira.",
  refundLightning: "Isto é para Lightning. Indique antes um endereço Bitcoin.",
  refundOtherNetwork: "Este endereço é de outra rede. Indique um da rede em que pagou.",
  refundTypo: "Este endereço tem um erro. Copie-o de novo da sua carteira.",
  refundNoAddress: "Isto não é um endereço Bitcoin. Copie um endereço de receção da sua carteira.",
  refundOwn: "Este endereço pertence a uma fatura daqui. Indique um endereço da sua própria carteira.",
  refundTaken:
    "Já tinha sido deixado outro endereço, por isso este não foi aceite. Para o alterar, entre em contato com {store}.",
  refundNotNeeded: "Esta fatura não aceita agora um endereço para reembolso.",

  receiptMailTitle: "Recibo por e-mail",
  receiptMailText:
    "É enviado quando o pagamento estiver completo. O seu endereço não é usado para mais nada e depois é apagado.",
  receiptMailLabel: "O seu endereço de e-mail",
  receiptMailLeave: "Enviar-me o recibo",
  receiptMailLeft: "Será enviado para {email} quando o pagamento estiver completo.",
  receiptMailSent: "O recibo foi enviado.",
  receiptMailWrong: "Isto não é um endereço de e-mail. Deve ter esta forma: name@example.com",
  receiptMailClosed: "Esta fatura não aceita agora nenhum endereço de e-mail.",
  mailWhy: "Este endereço foi deixado na página de pagamento para receber este recibo. Não é guardado.",

  waysTitle: "Formas de pagamento",
  any: "Qualquer uma",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Código QR para qualquer carteira Bitcoin ou Lightning",
  qrOnchain: "Código QR para uma carteira Bitcoin",
  qrLightning: "Código QR para uma carteira Lightning",
  openWallet: "Abrir na carteira",
  addressHint: "Para pagar a partir de uma corretora ou copiar o endereço, escolha “{bitcoin}” acima.",
  address: "Endereço Bitcoin",
  bolt11: "Fatura Lightning",
  amount: "Valor",
  copy: "Copiar",
  copyOf: "Copiar: {what}",
  copied: "Copiado",
  copyFailed: "Não foi possível copiar. Selecione o texto e copie.",
  dustRemainder:
    "A rede Bitcoin não transmite pagamentos abaixo de {least}; por isso o endereço pede esse valor.",
  missingOnchain: "No momento não é possível pagar a um endereço Bitcoin.",
  missingLightning: "No momento não é possível pagar por Lightning.",
  noWays:
    "No momento não é possível pagar esta fatura. Aguarde: a página mostra uma forma de pagamento assim que houver uma.",

  confirmations: "Confirmações: {have} de {need}",
  details: "Dados",
  receipt: "Recibo",
  store: "Loja",
  order: "Pedido",
  invoiceId: "Fatura",
  description: "Descrição",
  price: "Preço",
  received: "Recebido",
  created: "Criada",
  expires: "Pagar até",
  expiredAt: "Expirou",
  payment: "Pagamento por {method}",
  seenAt: "Visto",
  confirmedAt: "Confirmado",
  txid: "Identificador da transação",
  paymentHash: "Hash do pagamento",
  print: "Imprimir",
  returnToStore: "Voltar a {store}",
  redirecting: "Você voltará a {store} em {seconds} segundos.",
  contact: "Falar com {store}",
  website: "Site de {store}",
  languages: "Idioma",
  offline: "Sem conexão. O que é mostrado pode estar desatualizado; continuamos tentando.",

  linkPay: "Pagar",
  linkChoose: "Escolha um valor",
  linkOwn: "O seu valor",
  linkBounds: "De {least} a {most}",
  linkUnreadable: "Digite um valor, por exemplo {example}.",
  linkNotOffered: "Este valor não pode ser pago aqui. Escolha outro.",
  linkDelete: "Apagar o último caractere",
  linkNext: "Próximo pagamento",
  linkScan: "Escaneie para pagar com Bitcoin",
  chooseOnchain: "Pagar a um endereço Bitcoin",
  linkUnknownTitle: "Este link de pagamento não existe",
  linkClosedTitle: "Aqui já não se pode pagar nada",
  linkClosedText: "Este link de pagamento foi encerrado ou esgotado. Peça outro a {store}.",
  linkFullTitle: "Hoje já não se pode pagar nada aqui",
  linkFullText: "Este link de pagamento atingiu o limite de hoje. Volte amanhã ou peça outro a {store}.",

  unknownTitle: "Esta fatura não existe",
  unknownText: "Verifique se copiou o link inteiro ou peça um novo à loja.",
  busyTitle: "Aguarde um momento",
  busyText:
    "No momento esta página não pode ser mostrada. Ela tenta de novo sozinha. Se já pagou, nada se perdeu.",
};
