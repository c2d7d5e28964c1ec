import type { Language } from "../../../domain/languages/language";
import type { CheckoutView } from "../view";
import type { Html } from "../../http/html";
import { invoicePart } from "./invoice-part";

/** Each has some 20 KiB. */
const KEPT_MAX = 200;
const kept = new Map<string, Html>();

/** Once for a version: its codes are what is dear. */
export function keptPart(view: CheckoutView, language: Language, version: string): Html {
  const part = kept.get(version) ?? invoicePart(view, language);
  kept.delete(version);
  kept.set(version, part);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return part;
}
