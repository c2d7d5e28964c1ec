import { mailName } from "../../domain/account/mail-text";
import { phaseOf } from "../../domain/invoice/phase";
import { type Amount, amountsOf, receiptsOf } from "../../domain/invoice/receipt";
import { chooseLanguage } from "../../domain/languages/language";
import type { TextKey } from "../../domain/languages/texts/en";
import { calendarIn } from "../../domain/time-zone";
import type { CheckoutFacts } from "../invoices/read-checkout";

const METHODS = { "BTC-CHAIN": "onchain", "BTC-LN": "lightning" } as const;

/** Says what the invoice's page says after the payment, and no more. Times are in the store's time zone. */
export function receiptMail(
  { view, store, now }: CheckoutFacts,
  code: string,
  publicUrl: string,
): { subject: string; text: string } {
  const { invoice, payments } = view;
  const language = chooseLanguage([code]);
  const { currency, rate, priceFiat, of } = amountsOf(invoice);
  const { timeZone, read } = calendarIn(store.timeZone);
  const time = (at: Date | null): string | null => at && `${read(at)} (${timeZone})`;
  const amount = ({ sats, fiat }: Amount): string =>
    fiat === null || currency === null
      ? language.btc(sats)
      : `${language.fiat(fiat, currency)} (${language.btc(sats)})`;
  const line = (key: TextKey, value: string | null): string[] =>
    value === null ? [] : [`${language.text(key)}: ${language.isolated(value)}`];
  const url = `${publicUrl}/i/${invoice.id}?lang=${language.code}`;
  const paragraphs = [
    [language.text(`${phaseOf(invoice, now)}Title`)],
    [store.name, ...(store.sellerDetails === null ? [] : [store.sellerDetails])],
    [
      ...line("description", invoice.description),
      ...line("order", invoice.orderId === invoice.id ? null : invoice.orderId),
      ...line("invoiceId", invoice.id),
      ...line("price", amount({ sats: invoice.dueSats, fiat: priceFiat })),
      ...line("received", amount(of(invoice.paidSats))),
      ...(rate === null || currency === null
        ? []
        : [language.text("rate", { rate: language.fiat(rate, currency) })]),
      ...line("created", time(invoice.createdAt)),
    ],
    ...receiptsOf(payments, of).map((payment) => [
      language.text("payment", { method: language.text(METHODS[payment.type]) }),
      ...line("amount", amount(payment.amount)),
      ...line("seenAt", time(payment.firstSeenAt)),
      ...line("confirmedAt", time(payment.confirmedAt)),
      ...line(payment.type === "BTC-CHAIN" ? "txid" : "paymentHash", payment.reference),
    ]),
    [url],
    [language.text("mailWhy")],
  ];
  return {
    subject: [language.text("receipt"), mailName(store.name) ?? []].flat().join(": "),
    text: `${paragraphs.map((lines) => lines.join("\n")).join("\n\n")}\n`,
  };
}
