import type { Query } from "../../api/base";
import { EVENTS, type Delivery, type EventType } from "../../api/webhooks";
import { dayOf, onlySet, textOf, wordOf } from "../../kit/search-values";

export const STATES = [
  "failed",
  "delivered",
  "pending",
  "sending",
  "skipped",
] as const satisfies Delivery["state"][];
export const TYPES = EVENTS.map(([type]) => type);

export interface DeliverySearch {
  state?: Delivery["state"];
  type?: EventType;
  invoice?: string;
  /** In the store's time zone, both included: `2026-03-01`. */
  from?: string;
  to?: string;
}

export type DeliverySearchChange = { [K in keyof DeliverySearch]?: DeliverySearch[K] | undefined };

export const readDeliverySearch = (search: Record<string, unknown>): DeliverySearch =>
  onlySet({
    state: wordOf(search["state"], STATES),
    type: wordOf(search["type"], TYPES),
    invoice: textOf(search["invoice"]),
    from: dayOf(search["from"]),
    to: dayOf(search["to"]),
  });

/** In a query, and in the body of "redeliver". */
export const deliveryFilter = ({ state, type, invoice, from, to }: DeliverySearch): Query =>
  onlySet({
    state,
    type,
    invoiceId: invoice,
    since: from,
    until: to,
  });
