import { createHash } from "node:crypto";
import { keptPart } from "./page/kept-part";
import type { Language } from "../../domain/languages/language";
import { pageTitle } from "./page/body";
import { isDone, isOpen } from "../../domain/invoice/phase";
import { type CheckoutView, mayChange } from "./view";

const VERSION_LENGTH = 22;

/** Differs whenever the page would, apart from the time. */
export function versionOf(view: CheckoutView, { code }: Language): string {
  const text = JSON.stringify([code, view], (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  return createHash("sha256").update(text).digest("base64url").slice(0, VERSION_LENGTH);
}

/** `html` is the content of `#invoice`; `poll`: it may still change. */
export function stateOf(
  view: CheckoutView,
  language: Language,
  { now, version }: { now: Date; version: string },
) {
  const { phase, expiresAt } = view;
  return {
    version,
    phase,
    done: isDone(phase),
    poll: mayChange(view),
    secondsLeft: isOpen(phase) ? Math.floor((expiresAt.getTime() - now.getTime()) / 1_000) : null,
    title: pageTitle(view, language),
    html: keptPart(view, language, version).text,
  };
}
