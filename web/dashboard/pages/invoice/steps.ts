import type { Invoice, InvoicePayment } from "../../api/invoices";
import { formatSats } from "../../kit/format/format-money";

export interface Step {
  title: string;
  /** `warn`: unusual; `bad`: the end of it. */
  state: "done" | "now" | "next" | "warn" | "bad";
  at?: string;
  until?: string;
  note?: string;
}

export function stepsOf(invoice: Invoice): Step[] {
  const { status, createdAt, expiresAt, payments } = invoice;
  const counted = payments.filter(
    ({ state, firstSeenAt }) => (state === "pending" || state === "confirmed") && firstSeenAt >= createdAt,
  );
  const seen = seenStep(invoice, counted);
  const expired: Step[] =
    status === "Expired" || invoice.additionalStatus === "PaidAfterExpiration"
      ? [{ title: "Expired", state: status === "Expired" ? "bad" : "warn", at: expiresAt }]
      : [];
  const paidBefore = counted.some(({ late }) => !late);
  return [
    { title: "Created", state: "done", at: createdAt },
    ...(paidBefore ? [...seen, ...expired] : [...expired, ...seen]),
    ...confirmationStep(invoice, counted),
    ...endStep(invoice, counted),
  ];
}

function seenStep({ status, expiresAt, remainingSats }: Invoice, counted: readonly InvoicePayment[]): Step[] {
  const [at] = counted.map(({ firstSeenAt }) => firstSeenAt).sort();
  if (at === undefined) return status === "New" ? [{ title: "Payment", state: "now", until: expiresAt }] : [];
  if (remainingSats === 0) return [{ title: "Payment seen", state: "done", at }];
  const note = `${formatSats(remainingSats)} missing`;
  return [{ title: "A part was paid", state: status === "New" ? "now" : "warn", at, note }];
}

/** Lightning payments have none. */
function confirmationStep(invoice: Invoice, counted: readonly InvoicePayment[]): Step[] {
  const { status, requiredConfirmations: needed, paymentMethods } = invoice;
  const onchain = counted.filter(({ type }) => type === "BTC-CHAIN");
  const pending = onchain.filter(({ state }) => state === "pending");
  if (pending.length > 0) {
    const have = Math.min(...pending.map(({ confirmations = 0 }) => confirmations));
    const state = status === "New" ? "next" : "now";
    return [{ title: `${Math.min(have, needed)} of ${needed} confirmations`, state }];
  }
  const at = lastConfirmed(onchain);
  if (at !== undefined) return [{ title: "Confirmed", state: "done", at }];
  const mayCome = status === "New" && paymentMethods.some(({ type }) => type === "BTC-CHAIN");
  return mayCome ? [{ title: "Confirmations", state: "next" }] : [];
}

function endStep(invoice: Invoice, counted: readonly InvoicePayment[]): Step[] {
  const { status, additionalStatus, remainingSats } = invoice;
  switch (status) {
    case "New":
    case "Processing":
      return [{ title: "Settled", state: "next" }];
    case "Settled": {
      const at = lastConfirmed(counted);
      const byHand = remainingSats > 0 || at === undefined;
      return [{ title: "Settled", state: "done", ...(byHand ? { note: "by hand" } : { at }) }];
    }
    case "Expired":
      if (additionalStatus === "Underpaid") return [{ title: "Review by hand", state: "now" }];
      return counted.length > 0 ? [{ title: "Settled", state: "next" }] : [];
    case "Invalid":
      return [{ title: "Invalid", state: "bad" }];
  }
}

const lastConfirmed = (payments: readonly InvoicePayment[]): string | undefined =>
  payments
    .map(({ confirmedAt }) => confirmedAt)
    .filter((at) => at !== null)
    .sort()
    .at(-1);
