import { fullBtc } from "../money/money";
import type { EmittedEvent } from "../invoice/facts";
import type { EventType, PaymentMethodType, PaymentState } from "../invoice/status";

// Several events of theirs are one of ours, in the order in which plugins need them (ADR 0003); each one's content
// is decided when the event is written.

export const WEBHOOK_DIALECTS = ["native", "greenfield"] as const;
export type WebhookDialect = (typeof WEBHOOK_DIALECTS)[number];

/** How long a request may take: a shop sends mail and books stock before it answers, also on shared hosting. */
export const REQUEST_SECONDS: Readonly<Record<WebhookDialect, number>> = { native: 10, greenfield: 30 };

export const DIALECT_EVENTS = [
  "InvoiceCreated",
  "InvoiceReceivedPayment",
  "InvoicePaymentSettled",
  "InvoiceProcessing",
  "InvoiceSettled",
  "InvoiceExpired",
  "InvoiceInvalid",
  "InvoicePaidAfterExpiration",
  "InvoiceExpiredPaidPartial",
] as const;
export type DialectEvent = (typeof DIALECT_EVENTS)[number];

/** Events that say the invoice's state. The others say that something was paid, which no later one takes back. */
export const STATE_EVENTS: readonly DialectEvent[] = [
  "InvoiceCreated",
  "InvoiceProcessing",
  "InvoiceSettled",
  "InvoiceExpired",
  "InvoiceInvalid",
  "InvoicePaidAfterExpiration",
];

/** A payment as the plugins' events name it. */
interface NamedPayment {
  id: string;
  receivedDate: number;
  value: string;
  fee: string;
  status: "Processing" | "Settled";
  destination: string;
}

/** Fields of each type, and always all of them: plugins read them without asking whether they are there. */
export interface PartFields {
  afterExpiration?: boolean;
  paymentMethodId?: PaymentMethodType;
  payment?: NamedPayment;
  manuallyMarked?: boolean;
  overPaid?: boolean;
  partiallyPaid?: boolean;
}

export interface Part {
  type: DialectEvent;
  fields: PartFields;
}

/** A payment that counts. */
export interface PaidBy {
  /** `txid:vout`, or the payment hash. */
  id: string;
  type: PaymentMethodType;
  amountSats: bigint;
  state: PaymentState;
  firstSeenAt: Date;
  /** First seen no later than `monitoringUntil`. */
  inWindow: boolean;
  /** The address or BOLT11; null where it is not kept. */
  destination: string | null;
}

/** Known of an invoice when one of its events is written. */
export interface EventCircumstances {
  /** Earlier events of the same invoice. */
  earlier: readonly Pick<EmittedEvent, "type">[];
  /** More than the price was paid, confirmed or not. */
  overPaid: boolean;
  /** The least that pays the price. */
  minDueSats: bigint;
  /** Payments that count, in any order. */
  payments: readonly PaidBy[];
}

export const NOTHING_BEFORE: EventCircumstances = {
  earlier: [],
  overPaid: false,
  minDueSats: 0n,
  payments: [],
};

type Emitted = Pick<EmittedEvent, "type" | "additionalStatus" | "byHand">;

/**
 * The plugins' events for one of ours, in their order. No part payment is sent as a payment, for a plugin may book the
 * whole amount; a late payment is never `InvoiceSettled`, for a plugin would release the goods.
 */
export function partsOf(
  event: Emitted,
  { earlier, overPaid, minDueSats, payments }: EventCircumstances,
): Part[] {
  const was = (type: EventType): boolean => earlier.some((one) => one.type === type);
  const received = (afterExpiration: boolean): Part => ({
    type: "InvoiceReceivedPayment",
    fields: { afterExpiration, ...named(last(payments, minDueSats)) },
  });
  const confirmed = (afterExpiration: boolean): Part => ({
    type: "InvoicePaymentSettled",
    fields: {
      afterExpiration,
      ...named(
        last(
          payments.filter(({ state }) => state === "confirmed"),
          minDueSats,
        ),
      ),
    },
  });
  const processing: Part = { type: "InvoiceProcessing", fields: { overPaid } };
  switch (event.type) {
    case "New":
      return [{ type: "InvoiceCreated", fields: {} }];
    case "Processing":
      return [received(false), processing];
    case "Settled":
      return settled(event, { was, received, confirmed, processing });
    case "Expired":
      return expired(event, was("Expired") ? received(true) : null);
    case "Invalid":
      return [{ type: "InvoiceInvalid", fields: { manuallyMarked: event.byHand } }];
  }
}

interface Payments {
  was: (type: EventType) => boolean;
  received: (afterExpiration: boolean) => Part;
  confirmed: (afterExpiration: boolean) => Part;
  processing: Part;
}

function settled(
  { additionalStatus, byHand }: Emitted,
  { was, received, confirmed, processing }: Payments,
): Part[] {
  const overPaid = additionalStatus === "Overpaid";
  const done: Part = { type: "InvoiceSettled", fields: { manuallyMarked: byHand, overPaid } };
  if (byHand) return [done];
  if (additionalStatus === "PaidAfterExpiration")
    return [received(true), confirmed(true), { type: "InvoicePaidAfterExpiration", fields: {} }];
  // A second InvoiceSettled could take an order back that was completed meanwhile.
  if (overPaid && was("Settled")) return [confirmed(false)];
  // A plugin may make the order when the payment is received, and ignore the end of one that it does not know.
  if (was("Processing")) return [confirmed(false), done];
  return [received(false), processing, confirmed(false), done];
}

function expired({ additionalStatus }: Emitted, later: Part | null): Part[] {
  if (later !== null) return [later];
  const partiallyPaid = additionalStatus === "Underpaid";
  const ended: Part = { type: "InvoiceExpired", fields: { partiallyPaid } };
  return partiallyPaid ? [ended, { type: "InvoiceExpiredPaidPartial", fields: {} }] : [ended];
}

/**
 * The payment seen last, among those first seen by `monitoringUntil` if these pay the price: money that somebody sends to the
 * old address later is not what paid it.
 */
function last(payments: readonly PaidBy[], minDueSats: bigint): PaidBy | undefined {
  const inWindow = payments.filter((payment) => payment.inWindow);
  const paid = inWindow.reduce((sum, { amountSats }) => sum + amountSats, 0n);
  return (paid > 0n && paid >= minDueSats ? inWindow : payments)
    .toSorted((a, b) => a.firstSeenAt.getTime() - b.firstSeenAt.getTime() || (a.id < b.id ? -1 : 1))
    .at(-1);
}

function named(payment: PaidBy | undefined): Pick<PartFields, "paymentMethodId" | "payment"> {
  if (payment === undefined) return {};
  const { id, type, amountSats, state, firstSeenAt, destination } = payment;
  return {
    paymentMethodId: type,
    payment: {
      id: id.replace(":", "-"),
      receivedDate: Math.floor(firstSeenAt.getTime() / 1000),
      value: fullBtc(amountSats),
      fee: fullBtc(0n),
      status: state === "confirmed" ? "Settled" : "Processing",
      destination: destination ?? "",
    },
  };
}

/** Which of the parts a webhook is sent; null asks for all. */
export function subscribedParts(parts: readonly Part[], specificEvents: readonly string[] | null): Part[] {
  return parts.filter(({ type }) => specificEvents === null || specificEvents.includes(type));
}
