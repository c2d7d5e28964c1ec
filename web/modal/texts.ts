interface Texts {
  title: string;
  close: string;
  loading: string;
  open: string;
}

const texts = (title: string, close: string, loading: string, open: string): Texts => ({
  title,
  close,
  loading,
  open,
});

const EN = texts("Payment", "Close", "Loading …", "Open the payment page");
/** The page's languages (domain/languages/texts). */
const TEXTS: Readonly<Record<string, Texts>> = {
  en: EN,
  ar: texts("الدفع", "إغلاق", "جارٍ التحميل…", "فتح صفحة الدفع"),
  de: texts("Zahlung", "Schließen", "Wird geladen …", "Zahlungsseite öffnen"),
  es: texts("Pago", "Cerrar", "Cargando…", "Abrir la página de pago"),
  fa: texts("پرداخت", "بستن", "در حال بارگیری…", "باز کردن صفحهٔ پرداخت"),
  fr: texts("Paiement", "Fermer", "Chargement…", "Ouvrir la page de paiement"),
  hi: texts("भुगतान", "बंद करें", "लोड हो रहा है…", "भुगतान पृष्ठ खोलें"),
  id: texts("Pembayaran", "Tutup", "Memuat…", "Buka halaman pembayaran"),
  it: texts("Pagamento", "Chiudi", "Caricamento…", "Apri la pagina di pagamento"),
  ja: texts("お支払い", "閉じる", "読み込み中…", "支払いページを開く"),
  ko: texts("결제", "닫기", "불러오는 중…", "결제 페이지 열기"),
  nl: texts("Betaling", "Sluiten", "Laden…", "Betaalpagina openen"),
  pl: texts("Płatność", "Zamknij", "Wczytywanie…", "Otwórz stronę płatności"),
  pt: texts("Pagamento", "Fechar", "Carregando…", "Abrir a página de pagamento"),
  ru: texts("Оплата", "Закрыть", "Загрузка…", "Открыть страницу оплаты"),
  th: texts("การชำระเงิน", "ปิด", "กำลังโหลด…", "เปิดหน้าชำระเงิน"),
  tr: texts("Ödeme", "Kapat", "Yükleniyor…", "Ödeme sayfasını aç"),
  uk: texts("Оплата", "Закрити", "Завантаження…", "Відкрити сторінку оплати"),
  vi: texts("Thanh toán", "Đóng", "Đang tải…", "Mở trang thanh toán"),
  zh: texts("付款", "关闭", "正在加载…", "打开付款页面"),
};
const FROM_THE_RIGHT = ["ar", "fa"];

export interface Words extends Texts {
  language: string;
  direction: "ltr" | "rtl";
}

export function wordsFor(wished: readonly (string | undefined)[]): Words {
  const codes = wished.map((tag) => tag?.toLowerCase().split("-")[0] ?? "");
  const language = codes.find((code) => Object.hasOwn(TEXTS, code)) ?? "en";
  const direction = FROM_THE_RIGHT.includes(language) ? "rtl" : "ltr";
  return { language, direction, ...(TEXTS[language] ?? EN) };
}
