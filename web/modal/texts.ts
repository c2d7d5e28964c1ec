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
const TEXTS: Readonly<Record<string, Texts>> = {
  en: EN,
  de: texts("Zahlung", "Schließen", "Wird geladen …", "Zahlungsseite öffnen"),
  es: texts("Pago", "Cerrar", "Cargando…", "Abrir la página de pago"),
  fr: texts("Paiement", "Fermer", "Chargement…", "Ouvrir la page de paiement"),
  pt: texts("Pagamento", "Fechar", "A carregar…", "Abrir a página de pagamento"),
  ar: texts("الدفع", "إغلاق", "جارٍ التحميل…", "فتح صفحة الدفع"),
};

export interface Words extends Texts {
  language: string;
}

/** In the first language that there is; English is. */
export function wordsFor(wished: readonly (string | undefined)[]): Words {
  for (const tag of wished) {
    const language = tag?.toLowerCase().split("-")[0] ?? "";
    if (Object.hasOwn(TEXTS, language)) return { language, ...(TEXTS[language] ?? EN) };
  }
  return { language: "en", ...EN };
}
