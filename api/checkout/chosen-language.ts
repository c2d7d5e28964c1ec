import type { Context } from "koa";
import { chooseLanguage, type Language } from "../../domain/languages/language";

/** By `?lang=`, else by the invoice's language, else by the browser's. */
export function chosenLanguage(koa: Context, ofInvoice: string | null): Language {
  const { lang } = koa.query;
  const wished = [typeof lang === "string" ? lang : null, ofInvoice, ...koa.acceptsLanguages()];
  return chooseLanguage(wished.filter((tag) => tag !== null));
}
