import { wholeAmount } from "./amounts";
import { html, type Html } from "../../http/html";
import type { Language } from "../../../domain/languages/language";
import { isDone, isOpen } from "../../../domain/invoice/phase";
import type { Receipt } from "../../../domain/invoice/receipt";
import type { TextKey } from "../../../domain/languages/texts/en";
import type { CheckoutView } from "../view";

const METHODS = { "BTC-CHAIN": "onchain", "BTC-LN": "lightning" } as const;

/** Machine-readable: a script shows it by the reader's own clock. */
export const time = (at: Date, language: Language): Html =>
  html`<time datetime="${at.toISOString()}">${language.time(at)}</time>`;

export function detailsSection(view: CheckoutView, language: Language): Html {
  const { receipts, receiptsOmitted, currency, rate, orderId, description, invoiceId } = view;
  const row = (key: TextKey, value: Html | string | null): Html | null =>
    value === null
      ? null
      : html`<dt>${language.text(key)}</dt>
          <dd><bdi>${value}</bdi></dd>`;
  const isReceipt = isDone(view.phase) || view.phase === "seen";
  const excess = view.receipts.length > 0 || isDone(view.phase);
  return html`<section class="details" aria-labelledby="details">
    <h2 id="details">${language.text(isReceipt ? "receipt" : "details")}</h2>
    <dl>
      ${row("store", isReceipt ? seller(view.store) : view.store.name)} ${row("description", description)}
      ${row("order", orderId)} ${row("invoiceId", html`<code dir="ltr">${invoiceId}</code>`)}
      ${row("price", wholeAmount(language, view.due, currency))}
      ${excess ? row("received", wholeAmount(language, view.paid, currency)) : null}
      ${row("created", time(view.createdAt, language))}
      ${isReceipt || isOpen(view.phase) || view.phase === "invalid" ? null : row("expiredAt", time(view.expiresAt, language))}
    </dl>
    ${
      rate === null || currency === null
        ? null
        : html`<p class="note">
            <bdi>${language.text("rate", { rate: language.fiat(rate, currency) })}</bdi>
          </p>`
    }
    ${receipts.map((receipt) => payment(receipt, view, language))}
    ${receiptsOmitted === 0 ? null : html`<p class="note" dir="ltr">… +${receiptsOmitted}</p>`}
    ${
      isReceipt
        ? html`<button type="button" class="button scripted" id="print" data-print>
            ${language.text("print")}
          </button>`
        : null
    }
  </section>`;
}

const seller = ({ name, sellerDetails }: CheckoutView["store"]): Html =>
  html`${name}${(sellerDetails ?? "") === "" ? null : html`<span class="seller">${sellerDetails}</span>`}`;

function payment(receipt: Receipt, { currency }: CheckoutView, language: Language): Html {
  const { type, amount, firstSeenAt, confirmedAt, reference } = receipt;
  const row = (key: TextKey, value: Html): Html =>
    html`<dt>${language.text(key)}</dt>
      <dd>${value}</dd>`;
  const bytes = (key: TextKey, hex: string): Html =>
    html`<dt class="wide">${language.text(key)}</dt>
      <dd class="wide"><code dir="ltr">${hex}</code></dd>`;
  return html`<h3>${language.text("payment", { method: language.text(METHODS[type]) })}</h3>
    <dl>
      ${row("amount", wholeAmount(language, amount, currency))} ${row("seenAt", time(firstSeenAt, language))}
      ${confirmedAt === null ? null : row("confirmedAt", time(confirmedAt, language))}
      ${bytes(type === "BTC-CHAIN" ? "txid" : "paymentHash", reference)}
    </dl>`;
}
