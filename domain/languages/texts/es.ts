import type { Texts } from "./en";

export const es: Texts = {
  invoiceFrom: "Factura de {store}",
  testNetwork: "Red de pruebas ({network}): no es dinero real.",
  amountDue: "Importe a pagar",
  stillDue: "Falta por pagar",
  showIn: "Mostrar los importes en",
  rate: "1 BTC = {rate}",
  timeLeft: "Tiempo restante: {time}",

  waitingTitle: "Esperando tu pago",
  waitingText:
    "Escanea el código con tu monedero o pulsa «Abrir en el monedero» si lo tienes en este dispositivo. Envía exactamente este importe. La página mostrará tu pago en cuanto llegue.",
  partialTitle: "Falta una parte del pago",
  partialText:
    "Han llegado {paid} y faltan {remaining}. Paga solo el resto, con el nuevo código de abajo. Si pagaste desde una casa de cambio, puede que haya descontado su comisión del importe.",
  checkingTitle: "Comprobando los pagos",
  checkingText:
    "Estamos comprobando que no haya ningún pago en camino; tarda un momento. No envíes nada ahora. Si ya has pagado, no se ha perdido nada.",
  seenTitle: "Pago recibido, pendiente de confirmación",
  seenText:
    "Tu pago ha llegado. La red Bitcoin lo está confirmando, lo que tarda desde unos minutos hasta cerca de una hora. No tienes que hacer nada más y puedes cerrar esta página: {store} recibe el aviso automáticamente.",
  paidTitle: "Pagado",
  paidText: "Gracias. Tu pago está completo y ha llegado a {store}.",
  acceptedTitle: "Aceptado como pagado",
  acceptedText: "{store} ha aceptado esta factura como pagada. No tienes que hacer nada más.",
  overpaidTitle: "Pagado, y más de lo pedido",
  overpaidText:
    "Gracias. Tu pago ha llegado a {store}. Has pagado {excess} más de lo pedido, y {store} te lo puede devolver: mira más abajo.",
  paidLateTitle: "Pagado fuera de plazo",
  paidLateText:
    "Tu pago está completo, pero llegó después de que caducara esta factura. No se ha perdido nada: contacta con {store} para saber cómo sigue tu pedido.",
  paidLateOverText:
    "Tu pago está completo, pero llegó después de que caducara esta factura y supera en {excess} lo pedido. No se ha perdido nada: contacta con {store} para saber cómo sigue tu pedido y recuperar lo que pagaste de más.",
  expiredTitle: "Esta factura ha caducado",
  expiredText: "No la pagues ya. Si todavía quieres pagar, pide una factura nueva a {store}.",
  underpaidTitle: "Caducada con una parte pagada",
  underpaidText:
    "Han llegado {paid} de {due} y el tiempo para pagar ha terminado. No se ha perdido nada: contacta con {store} para pagar el resto o recuperar tu dinero. No envíes nada más a esta factura.",
  lateSeenTitle: "Hemos visto tu pago tardío",
  lateSeenText:
    "Llegó después de que caducara esta factura y espera la confirmación de la red Bitcoin. No se ha perdido nada y ahora no tienes que hacer nada. No pagues otra vez.",
  invalidTitle: "Esta factura ya no es válida",
  invalidText:
    "No la pagues. Si ya has pagado, tu pago está registrado: contacta con {store} y envíales los datos de abajo.",
  vanishedOpen:
    "Tu pago anterior se retiró de la red o fue reemplazado, así que no ha llegado aquí. Si has aumentado su comisión en tu monedero, espera un momento. Si no, paga con el código de abajo.",
  vanishedClosed:
    "Un pago anterior se retiró de la red o fue reemplazado, así que no ha llegado aquí. Los bitcoins deberían seguir en tu monedero; si no es así, contacta con {store}.",

  alreadyPaidTitle: "¿Ya has pagado?",
  alreadyPaidText:
    "No se ha perdido nada. Seguimos atentos a tu pago y esta página lo mostrará en cuanto lo encontremos. No pagues una segunda vez. Si no aparece, contacta con {store} y envíales los datos de abajo y el identificador de tu transacción, que te muestra tu monedero.",

  refundTitle: "Si hay que devolverte dinero",
  refundText:
    "Deja una dirección Bitcoin de tu propio monedero y {store} podrá devolverte dinero allí. Lo decide {store}: nada se envía automáticamente.",
  refundLabel: "Tu dirección Bitcoin",
  refundHint: "Revísala bien: aquí no se puede cambiar después.",
  refundLeave: "Dejar esta dirección",
  refundLeftTitle: "Se dejó una dirección para el reembolso",
  refundLeftText:
    "{store} ve la dirección completa. Nada se envía a ella automáticamente. Para cambiarla, contacta con {store}.",
  refundEmpty: "Indica una dirección: copia una dirección de recepción de tu monedero.",
  refundLightning: "Esto es para Lightning. Indica en su lugar una dirección Bitcoin.",
  refundOtherNetwork: "Esta dirección es de otra red. Indica una de la red en la que pagaste.",
  refundTypo: "Esta dirección tiene un error. Cópiala de nuevo desde tu monedero.",
  refundNoAddress: "Esto no es una dirección Bitcoin. Copia una dirección de recepción de tu monedero.",
  refundOwn: "Esta dirección pertenece a una factura de aquí. Indica una dirección de tu propio monedero.",
  refundTaken:
    "Ya se había dejado otra dirección, por lo que esta no se guardó. Para cambiarla, contacta con {store}.",
  refundNotNeeded: "Esta factura no admite ahora una dirección para el reembolso.",

  receiptMailTitle: "Recibo por correo electrónico",
  receiptMailText:
    "Se envía cuando el pago está completo. Tu dirección no se usa para nada más y después se borra.",
  receiptMailLabel: "Tu correo electrónico",
  receiptMailLeave: "Enviarme el recibo",
  receiptMailLeft: "Se enviará a {email} cuando el pago esté completo.",
  receiptMailSent: "El recibo se ha enviado.",
  receiptMailWrong: "Esto no es una dirección de correo. Debe tener esta forma: name@example.com",
  receiptMailClosed: "Esta factura no admite ahora ninguna dirección de correo.",
  mailWhy: "Esta dirección se dejó en la página de pago para recibir este recibo. No se conserva.",

  waysTitle: "Formas de pago",
  any: "Cualquiera",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Código QR para cualquier monedero Bitcoin o Lightning",
  qrOnchain: "Código QR para un monedero Bitcoin",
  qrLightning: "Código QR para un monedero Lightning",
  openWallet: "Abrir en el monedero",
  addressHint: "Para pagar desde una casa de cambio o copiar la dirección, elige «{bitcoin}» arriba.",
  address: "Dirección Bitcoin",
  bolt11: "Factura Lightning",
  amount: "Importe",
  copy: "Copiar",
  copyOf: "Copiar: {what}",
  copied: "Copiado",
  copyFailed: "No se pudo copiar. Selecciona el texto y cópialo.",
  dustRemainder:
    "La red Bitcoin no transmite pagos de menos de {least}; por eso la dirección pide ese importe.",
  missingOnchain: "Ahora no es posible pagar a una dirección Bitcoin.",
  missingLightning: "Ahora no es posible pagar por Lightning.",
  noWays:
    "Ahora no es posible pagar esta factura. Espera: la página mostrará una forma de pago en cuanto la haya.",

  confirmations: "Confirmaciones: {have} de {need}",
  details: "Datos",
  receipt: "Recibo",
  store: "Tienda",
  order: "Pedido",
  invoiceId: "Factura",
  description: "Descripción",
  price: "Precio",
  received: "Recibido",
  created: "Creada",
  expires: "Pagar antes de",
  expiredAt: "Caducó",
  payment: "Pago por {method}",
  seenAt: "Visto",
  confirmedAt: "Confirmado",
  txid: "Identificador de la transacción",
  paymentHash: "Hash del pago",
  print: "Imprimir",
  returnToStore: "Volver a {store}",
  redirecting: "Volverás a {store} en {seconds} segundos.",
  contact: "Contactar con {store}",
  website: "Sitio web de {store}",
  languages: "Idioma",
  offline: "Sin conexión. Lo que se muestra puede estar anticuado; seguimos intentándolo.",

  linkPay: "Pagar",
  linkChoose: "Elige un importe",
  linkOwn: "Tu importe",
  linkBounds: "De {least} a {most}",
  linkUnreadable: "Escribe un importe, por ejemplo {example}.",
  linkNotOffered: "Este importe no se puede pagar aquí. Elige otro.",
  linkDelete: "Borrar el último carácter",
  linkNext: "Siguiente pago",
  linkScan: "Escanea para pagar con Bitcoin",
  chooseOnchain: "Pagar mejor a una dirección Bitcoin",
  linkUnknownTitle: "Este enlace de pago no existe",
  linkClosedTitle: "Aquí ya no se puede pagar nada",
  linkClosedText: "Este enlace de pago está cerrado o agotado. Pide otro a {store}.",
  linkFullTitle: "Hoy ya no se puede pagar nada aquí",
  linkFullText: "Este enlace de pago ha alcanzado su límite de hoy. Vuelve mañana o pide otro a {store}.",

  unknownTitle: "Esta factura no existe",
  unknownText: "Comprueba que copiaste el enlace completo o pide uno nuevo a la tienda.",
  busyTitle: "Espera un momento",
  busyText:
    "Ahora no se puede mostrar esta página. Lo intentará otra vez por sí sola. Si ya has pagado, no se ha perdido nada.",
};
