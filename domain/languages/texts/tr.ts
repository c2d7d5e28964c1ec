import type { Texts } from "./en";

export const tr: Texts = {
  invoiceFrom: "Fatura: {store}",
  testNetwork: "Test ağı ({network}): bu gerçek para değildir.",
  amountDue: "Ödenecek tutar",
  stillDue: "Kalan tutar",
  showIn: "Tutarların birimi",
  rate: "1 BTC = {rate}",
  timeLeft: "Kalan süre: {time}",

  waitingTitle: "Ödemeniz bekleniyor",
  waitingText:
    "Kodu cüzdan uygulamanızla tarayın veya cüzdan bu cihazdaysa “Cüzdanda aç” düğmesine basın. Tam olarak bu tutarı gönderin. Ödemeniz ulaşır ulaşmaz bu sayfada görünür.",
  partialTitle: "Ödemenin bir kısmı eksik",
  partialText:
    "{paid} ulaştı, {remaining} daha ödenmesi gerekiyor. Lütfen aşağıdaki yeni kodla yalnızca kalanı ödeyin. Bir borsadan ödediyseniz borsa ücretini tutardan düşmüş olabilir.",
  checkingTitle: "Ödemeler kontrol ediliyor",
  checkingText:
    "Yolda bir ödeme olmadığından emin oluyoruz; bu kısa sürer. Lütfen şimdi bir şey göndermeyin. Ödeme yaptıysanız hiçbir şey kaybolmadı.",
  seenTitle: "Ödeme alındı, onay bekleniyor",
  seenText:
    "Ödemeniz ulaştı. Bitcoin ağı şimdi onu onaylıyor; bu birkaç dakika ile yaklaşık bir saat arasında sürer. Yapmanız gereken başka bir şey yok, bu sayfayı kapatabilirsiniz: {store} otomatik olarak haberdar edilir.",
  paidTitle: "Ödendi",
  paidText: "Teşekkürler. Ödemeniz tamamlandı ve alıcıya ({store}) ulaştı.",
  acceptedTitle: "Ödenmiş sayıldı",
  acceptedText: "{store} bu faturayı ödenmiş kabul etti. Yapmanız gereken başka bir şey yok.",
  overpaidTitle: "Ödendi, istenenden fazla",
  overpaidText:
    "Teşekkürler. Ödemeniz alıcıya ({store}) ulaştı. İstenenden {excess} fazla ödediniz; {store} bunu size geri gönderebilir: aşağıya bakın.",
  paidLateTitle: "Süre dolduktan sonra ödendi",
  paidLateText:
    "Ödemeniz tamamlandı, ancak bu faturanın süresi dolduktan sonra ulaştı. Hiçbir şey kaybolmadı: siparişinizin durumunu öğrenmek için {store} ile iletişime geçin.",
  paidLateOverText:
    "Ödemeniz tamamlandı, ancak bu faturanın süresi dolduktan sonra ve istenenden {excess} fazla ulaştı. Hiçbir şey kaybolmadı: siparişinizin durumunu öğrenmek ve fazlasını geri almak için {store} ile iletişime geçin.",
  expiredTitle: "Bu faturanın süresi doldu",
  expiredText: "Lütfen artık ödemeyin. Hâlâ ödemek istiyorsanız yeni bir fatura isteyin: {store}.",
  underpaidTitle: "Süresi doldu, kısmen ödendi",
  underpaidText:
    "{due} tutarının {paid} kadarı ulaştı ve ödeme süresi doldu. Hiçbir şey kaybolmadı: kalanı ödemek veya paranızı geri almak için {store} ile iletişime geçin. Lütfen bu faturaya daha fazla göndermeyin.",
  lateSeenTitle: "Geç gelen ödemeniz görüldü",
  lateSeenText:
    "Bu faturanın süresi dolduktan sonra ulaştı ve Bitcoin ağının onayını bekliyor. Hiçbir şey kaybolmadı, şimdi yapmanız gereken bir şey yok. Lütfen yeniden ödemeyin.",
  invalidTitle: "Bu fatura artık geçerli değil",
  invalidText:
    "Lütfen ödemeyin. Ödeme yaptıysanız ödemeniz kayıtlıdır: {store} ile iletişime geçin ve aşağıdaki bilgileri gönderin.",
  vanishedOpen:
    "Önceki ödemeniz ağdan geri çekildi veya değiştirildi, bu yüzden buraya ulaşmadı. Cüzdanınızda ücretini yükselttiyseniz biraz bekleyin. Aksi halde lütfen aşağıdaki kodla ödeyin.",
  vanishedClosed:
    "Önceki bir ödeme ağdan geri çekildi veya değiştirildi, bu yüzden buraya ulaşmadı. Bitcoin hâlâ cüzdanınızda olmalı; değilse {store} ile iletişime geçin.",

  alreadyPaidTitle: "Ödeme yaptınız mı?",
  alreadyPaidText:
    "Hiçbir şey kaybolmadı. Ödemenizi izlemeyi sürdürüyoruz; bulunur bulunmaz bu sayfada görünür. Lütfen ikinci kez ödemeyin. Görünmezse {store} ile iletişime geçin; aşağıdaki bilgileri ve cüzdanınızın gösterdiği işlem kimliğini gönderin.",

  refundTitle: "Size para iade edilecekse",
  refundText:
    "Kendi cüzdanınızdan bir Bitcoin adresi bırakın; {store} parayı oraya geri gönderebilir. Buna {store} karar verir: hiçbir şey otomatik gönderilmez.",
  refundLabel: "Bitcoin adresiniz",
  refundHint: "İyi kontrol edin: burada sonradan değiştirilemez.",
  refundLeave: "Bu adresi bırak",
  refundLeftTitle: "İade için bir adres bırakıldı",
  refundLeftText:
    "{store} adresin tamamını görür. Bu adrese hiçbir şey otomatik gönderilmez. Değiştirmek için {store} ile iletişime geçin.",
  refundEmpty: "Lütfen bir adres girin: cüzdanınızdan bir alma adresi kopyalayın.",
  refundLightning: "Bu, Lightning içindir. Lütfen bunun yerine bir Bitcoin adresi girin.",
  refundOtherNetwork: "Bu, başka bir ağın adresi. Lütfen ödeme yaptığınız ağdan bir adres girin.",
  refundTypo: "Bu adreste yazım hatası var. Lütfen cüzdanınızdan yeniden kopyalayın.",
  refundNoAddress: "Bu bir Bitcoin adresi değil. Lütfen cüzdanınızdan bir alma adresi kopyalayın.",
  refundOwn: "Bu adres buradaki bir faturaya ait. Lütfen kendi cüzdanınızdan bir adres girin.",
  refundTaken:
    "Daha önce başka bir adres bırakıldığı için bu adres kaydedilmedi. Değiştirmek için {store} ile iletişime geçin.",
  refundNotNeeded: "Bu fatura için şu anda iade adresi gerekmiyor.",

  receiptMailTitle: "E-postayla makbuz",
  receiptMailText:
    "Ödeme tamamlanınca gönderilir. Adresiniz başka bir şey için kullanılmaz ve sonra silinir.",
  receiptMailLabel: "E-posta adresiniz",
  receiptMailLeave: "Makbuzu bana gönder",
  receiptMailLeft: "Ödeme tamamlanınca {email} adresine gönderilecek.",
  receiptMailSent: "Makbuz gönderildi.",
  receiptMailWrong: "Bu bir e-posta adresi değil. Şöyle görünmelidir: name@example.com",
  receiptMailClosed: "Bu fatura şu anda e-posta adresi kabul etmiyor.",
  mailWhy: "Bu adres, bu makbuzu almak için ödeme sayfasına bırakıldı. Saklanmaz.",

  waysTitle: "Ödeme yolları",
  any: "Her cüzdan",
  onchain: "Bitcoin",
  lightning: "Lightning",
  qrAny: "Her Bitcoin veya Lightning cüzdanı için QR kodu",
  qrOnchain: "Bitcoin cüzdanı için QR kodu",
  qrLightning: "Lightning cüzdanı için QR kodu",
  openWallet: "Cüzdanda aç",
  addressHint: "Borsadan ödemek veya adresi kopyalamak için yukarıdan “{bitcoin}” seçin.",
  address: "Bitcoin adresi",
  bolt11: "Lightning faturası",
  amount: "Tutar",
  copy: "Kopyala",
  copyOf: "Kopyala: {what}",
  copied: "Kopyalandı",
  copyFailed: "Kopyalanamadı. Metni seçip kopyalayın.",
  dustRemainder: "Bitcoin ağı {least} altındaki ödemeleri iletmez; bu yüzden adres bu tutarı ister.",
  missingOnchain: "Şu anda bir Bitcoin adresine ödeme yapılamıyor.",
  missingLightning: "Şu anda Lightning ile ödeme yapılamıyor.",
  noWays: "Bu fatura şu anda ödenemiyor. Lütfen bekleyin: bir ödeme yolu olur olmaz sayfa onu gösterir.",

  confirmations: "Onaylar: {have} / {need}",
  details: "Ayrıntılar",
  receipt: "Makbuz",
  store: "Mağaza",
  order: "Sipariş",
  invoiceId: "Fatura",
  description: "Açıklama",
  price: "Fiyat",
  received: "Alınan",
  created: "Oluşturulma",
  expires: "Son ödeme",
  expiredAt: "Sürenin dolduğu an",
  payment: "{method} ödemesi",
  seenAt: "Görülme",
  confirmedAt: "Onaylanma",
  txid: "İşlem kimliği",
  paymentHash: "Ödeme özeti (hash)",
  print: "Yazdır",
  returnToStore: "Geri dön: {store}",
  redirecting: "{seconds} saniye içinde geri dönülüyor: {store}.",
  contact: "İletişim: {store}",
  website: "Web sitesi: {store}",
  languages: "Dil",
  offline: "Bağlantı yok. Gösterilenler güncel olmayabilir; denemeye devam ediyoruz.",

  linkPay: "Öde",
  linkChoose: "Bir tutar seçin",
  linkOwn: "Tutarınız",
  linkBounds: "{least} ile {most} arası",
  linkUnreadable: "Lütfen bir tutar girin, örneğin {example}.",
  linkNotOffered: "Bu tutar burada ödenemez. Lütfen başka bir tutar seçin.",
  linkDelete: "Son karakteri sil",
  linkNext: "Sonraki ödeme",
  linkScan: "Bitcoin ile ödemek için tarayın",
  chooseOnchain: "Bunun yerine bir Bitcoin adresine öde",
  linkUnknownTitle: "Böyle bir ödeme bağlantısı yok",
  linkClosedTitle: "Burada artık ödeme yapılamıyor",
  linkClosedText:
    "Bu ödeme bağlantısı kapatıldı veya tükendi. {store} mağazasından başka bir bağlantı isteyin.",
  linkFullTitle: "Bugün burada artık ödeme yapılamıyor",
  linkFullText:
    "Bu ödeme bağlantısı bugünkü sınırına ulaştı. Yarın yeniden gelin veya {store} mağazasından başka bir bağlantı isteyin.",

  unknownTitle: "Böyle bir fatura yok",
  unknownText: "Bağlantının tamamının kopyalandığını kontrol edin veya mağazadan yeni bir bağlantı isteyin.",
  busyTitle: "Lütfen biraz bekleyin",
  busyText:
    "Bu sayfa şu anda gösterilemiyor. Kendiliğinden yeniden deneyecek. Ödeme yaptıysanız hiçbir şey kaybolmadı.",
};
