import type { Language } from "../language";
import type { CheckoutView } from "../view";
import type { Html } from "./html";
import { invoicePart } from "./invoice-part";

/** Of some 20 KiB each. */
const KEPT_MAX = 200;
/** By version, which differs with the view and the language; the one used last is last. */
const kept = new Map<string, Html>();

/** The part of the page that changes with the invoice, rendered once for a version: its codes are what is dear. */
export function keptPart(view: CheckoutView, language: Language, version: string): Html {
  const part = kept.get(version) ?? invoicePart(view, language);
  kept.delete(version);
  kept.set(version, part);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return part;
}
