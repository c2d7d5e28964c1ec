import type { Texts } from "./en";

export const pl: Texts = {
  invoiceFrom: "Rachunek od: {store}",
  testNetwork: "Sieć testowa ({network}): to nie są prawdziwe pieniądze.",
  amountDue: "Kwota do zapłaty",
  stillDue: "Pozostało do zapłaty",
  showIn: "Pokaż kwoty w",
  rate: "1 BTC = {rate}",
  timeLeft: "Pozostały czas: {time}",

  waitingTitle: "Czekamy na Twoją płatność",
  waitingText:
    "Zeskanuj kod aplikacją portfela albo naciśnij „Otwórz w portfelu”, jeśli portfel jest na tym urządzeniu. Wyślij dokładnie tę kwotę. Strona pokaże płatność, gdy tylko dotrze.",
  partialTitle: "Brakuje części płatności",
  partialText:
    "Dotarło {paid}, a do zapłaty pozostało {remaining}. Zapłać tylko resztę, używając nowego kodu poniżej. Jeśli płatność wyszła z giełdy, mogła ona potrącić z kwoty swoją opłatę.",
  checkingTitle: "Sprawdzamy płatności",
  checkingText:
    "Upewniamy się, że żadna płatność nie jest w drodze; to chwilę potrwa. Nie wysyłaj teraz niczego. Jeśli płatność już wyszła, nic nie przepadło.",
  seenTitle: "Płatność otrzymana, czeka na potwierdzenie",
  seenText:
    "Twoja płatność dotarła. Sieć Bitcoin teraz ją potwierdza, co trwa od kilku minut do około godziny. Nie musisz nic więcej robić i możesz zamknąć tę stronę: {store} otrzyma wiadomość automatycznie.",
  paidTitle: "Zapłacono",
  paidText: "Dziękujemy. Płatność jest kompletna i dotarła do odbiorcy: {store}.",
  acceptedTitle: "Uznano za zapłacony",
  acceptedText: "Odbiorca, {store}, uznał ten rachunek za zapłacony. Nie musisz nic więcej robić.",
  overpaidTitle: "Zapłacono więcej, niż trzeba",
  overpaidText:
    "Dziękujemy. Płatność dotarła do odbiorcy: {store}. Nadpłata wynosi {excess}; odbiorca może ją odesłać: zobacz niżej.",
  paidLateTitle: "Zapłacono po terminie",
  paidLateText:
    "Płatność jest kompletna, ale dotarła po wygaśnięciu tego rachunku. Nic nie przepadło: zapytaj odbiorcę ({store}), co dalej z Twoim zamówieniem.",
  paidLateOverText:
    "Płatność jest kompletna, ale dotarła po wygaśnięciu tego rachunku, a nadpłata wynosi {excess}. Nic nie przepadło: zapytaj odbiorcę ({store}), co dalej z Twoim zamówieniem i jak odzyskać nadpłatę.",
  expiredTitle: "Ten rachunek wygasł",
  expiredText: "Nie opłacaj go już. Jeśli nadal chcesz zapłacić, poproś odbiorcę ({store}) o nowy rachunek.",
  underpaidTitle: "Wygasł, opłacony częściowo",
  underpaidText:
    "Dotarło {paid} z {due}, a czas na zapłatę minął. Nic nie przepadło: skontaktuj się z odbiorcą ({store}), aby dopłacić resztę lub odzyskać pieniądze. Nie wysyłaj nic więcej na ten rachunek.",
  lateSeenTitle: "Widzimy Twoją spóźnioną płatność",
  lateSeenText:
    "Dotarła po wygaśnięciu tego rachunku i czeka na potwierdzenie przez sieć Bitcoin. Nic nie przepadło i nie musisz teraz nic robić. Nie płać ponownie.",
  invalidTitle: "Ten rachunek jest już nieważny",
  invalidText:
    "Nie opłacaj go. Jeśli płatność już wyszła, została zapisana: skontaktuj się z odbiorcą ({store}) i prześlij dane podane niżej.",
  vanishedOpen:
    "Twoja wcześniejsza płatność została wycofana z sieci lub zastąpiona, więc tu nie dotarła. Jeśli jej opłata została podniesiona w portfelu, poczekaj chwilę. W przeciwnym razie zapłać, używając kodu poniżej.",
  vanishedClosed:
    "Wcześniejsza płatność została wycofana z sieci lub zastąpiona, więc tu nie dotarła. Bitcoiny powinny nadal być w Twoim portfelu; jeśli ich tam nie ma, skontaktuj się z odbiorcą ({store}).",

  alreadyPaidTitle: "Już zapłacone?",
  alreadyPaidText:
    "Nic nie przepadło. Nadal wypatrujemy Twojej płatności, a ta strona pokaże ją, gdy tylko się znajdzie. Nie płać drugi raz. Jeśli się nie pojawi, skontaktuj się z odbiorcą ({store}) i prześlij dane podane niżej oraz identyfikator transakcji, który pokazuje Twój portfel.",

  refundTitle: "Jeśli pieniądze mają do Ciebie wrócić",
  refundText:
    "Zostaw adres Bitcoin z własnego portfela, a odbiorca ({store}) będzie mógł odesłać na niego pieniądze. Decyzja należy do odbiorcy: nic nie jest wysyłane automatycznie.",
  refundLabel: "Twój adres Bitcoin",
  refundHint: "Sprawdź go dokładnie: nie da się go tu później zmienić.",
  refundLeave: "Zostaw ten adres",
  refundLeftTitle: "Adres do zwrotu został zapisany",
  refundLeftText:
    "Odbiorca ({store}) widzi cały adres. Nic nie jest na niego wysyłane automatycznie. Aby go zmienić, skontaktuj się z odbiorcą.",
  refundEmpty: "Podaj adres: skopiuj adres odbiorczy ze swojego portfela.",
  refundLightning: "To jest dla Lightning. Podaj zamiast tego adres Bitcoin.",
  refundOtherNetwork: "To adres z innej sieci. Podaj adres z sieci, w której wyszła płatność.",
  refundTypo: "W tym adresie jest literówka. Skopiuj go jeszcze raz ze swojego portfela.",
  refundNoAddress: "To nie jest adres Bitcoin. Skopiuj adres odbiorczy ze swojego portfela.",
  refundOwn: "Ten adres należy do rachunku w tym serwisie. Podaj adres z własnego portfela.",
  refundTaken:
    "Wcześniej zostawiono już inny adres, więc ten nie został zapisany. Aby go zmienić, skontaktuj się z odbiorcą: {store}.",
  refundNotNeeded: "Dla tego rachunku adres do zwrotu nie jest teraz potrzebny.",

  receiptMailTitle: "Potwierdzenie e-mailem",
  receiptMailText:
    "Zostanie wysłane, gdy płatność będzie kompletna. Twój adres nie służy do niczego innego i zostanie potem usunięty.",
  receiptMailLabel: "Twój adres e-mail",
  receiptMailLeave: "Wyślij mi potwierdzenie",
  receiptMailLeft: "Zostanie wysłane na {email}, gdy płatność będzie kompletna.",
  receiptMailSent: "Potwierdzenie zostało wysłane.",
  receiptMailWrong: "To nie jest adres e-mail. Powinien wyglądać tak: name@example.com",
  receiptMailClosed: "Ta faktura nie przyjmuje teraz żadnego adresu e-mail.",
  mailWhy: "Ten adres podano na stronie płatności, aby otrzymać to potwierdzenie. Nie jest przechowywany.",

  waysTitle: "Sposoby płatności",
  any: "Dowolny portfel",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Kod QR dla dowolnego portfela Bitcoin lub Lightning",
  qrOnchain: "Kod QR dla portfela Bitcoin",
  qrLightning: "Kod QR dla portfela Lightning",
  openWallet: "Otwórz w portfelu",
  addressHint: "Aby zapłacić z giełdy lub skopiować adres, wybierz powyżej „{bitcoin}”.",
  address: "Adres Bitcoin",
  bolt11: "Faktura Lightning",
  amount: "Kwota",
  copy: "Kopiuj",
  copyOf: "Kopiuj: {what}",
  copied: "Skopiowano",
  copyFailed: "Nie udało się skopiować. Zaznacz tekst i skopiuj go.",
  dustRemainder: "Sieć Bitcoin nie przekazuje płatności poniżej {least}, dlatego adres wymaga tej kwoty.",
  missingOnchain: "Płatność na adres Bitcoin nie jest w tej chwili możliwa.",
  missingLightning: "Płatność przez Lightning nie jest w tej chwili możliwa.",
  noWays:
    "Tego rachunku nie można w tej chwili zapłacić. Zaczekaj: strona pokaże sposób płatności, gdy tylko będzie dostępny.",

  confirmations: "Potwierdzenia: {have} z {need}",
  details: "Szczegóły",
  receipt: "Potwierdzenie zapłaty",
  store: "Odbiorca",
  order: "Zamówienie",
  invoiceId: "Rachunek",
  description: "Opis",
  price: "Cena",
  received: "Otrzymano",
  created: "Utworzono",
  expires: "Zapłać do",
  expiredAt: "Wygasł",
  payment: "Płatność: {method}",
  seenAt: "Zauważono",
  confirmedAt: "Potwierdzono",
  txid: "Identyfikator transakcji",
  paymentHash: "Hash płatności",
  print: "Drukuj",
  returnToStore: "Wróć do: {store}",
  redirecting: "Powrót do: {store} za {seconds} s.",
  contact: "Kontakt: {store}",
  website: "Strona: {store}",
  languages: "Język",
  offline: "Brak połączenia. Wyświetlane dane mogą być nieaktualne; próbujemy dalej.",

  linkPay: "Zapłać",
  linkChoose: "Wybierz kwotę",
  linkOwn: "Twoja kwota",
  linkBounds: "Od {least} do {most}",
  linkUnreadable: "Wpisz kwotę, na przykład {example}.",
  linkNotOffered: "Tej kwoty nie można tu zapłacić. Wybierz inną.",
  linkDelete: "Usuń ostatni znak",
  linkNext: "Następna płatność",
  linkScan: "Zeskanuj, aby zapłacić w bitcoinach",
  chooseOnchain: "Zapłać zamiast tego na adres Bitcoin",
  linkUnknownTitle: "Nie ma takiego linku do płatności",
  linkClosedTitle: "Tutaj nie można już nic zapłacić",
  linkClosedText: "Ten link do płatności został zamknięty lub wykorzystany. Poproś {store} o inny.",
  linkFullTitle: "Dziś nie można już tu nic zapłacić",
  linkFullText: "Ten link do płatności osiągnął dzisiejszy limit. Wróć jutro albo poproś {store} o inny.",

  unknownTitle: "Nie ma takiego rachunku",
  unknownText: "Sprawdź, czy link został skopiowany w całości, albo poproś sklep o nowy.",
  busyTitle: "Chwileczkę",
  busyText:
    "Tej strony nie można teraz wyświetlić. Spróbuje ponownie sama. Jeśli płatność już wyszła, nic nie przepadło.",
};
