import type { Query } from "../../api/base";
import { dayOf, onlySet, textOf } from "../../kit/search-values";

export const STATUSES = ["New", "Processing", "Settled", "Expired", "Invalid"] as const;
export const ADDITIONAL = ["None", "Underpaid", "Overpaid", "PaidAfterExpiration"] as const;

/** In the address: the same for everybody who gets the link. */
export interface InvoiceSearch {
  /** `New,Processing`. */
  status?: string;
  additional?: string;
  order?: string;
  /** In the store's time zone, both included: `2026-03-01`. */
  from?: string;
  to?: string;
  q?: string;
  archived?: true;
}

function known(value: unknown, words: readonly string[]): string | undefined {
  const given = textOf(value)?.split(",") ?? [];
  return words.filter((word) => given.includes(word)).join(",") || undefined;
}

export function readInvoiceSearch(search: Record<string, unknown>): InvoiceSearch {
  return onlySet({
    status: known(search["status"], STATUSES),
    additional: known(search["additional"], ADDITIONAL),
    order: textOf(search["order"]),
    from: dayOf(search["from"]),
    to: dayOf(search["to"]),
    q: textOf(search["q"]),
    archived: search["archived"] === true ? (true as const) : undefined,
  });
}

export const wordsOf = (value: string | undefined): string[] => value?.split(",") ?? [];

export function invoiceQuery(search: InvoiceSearch): Query {
  return {
    status: wordsOf(search.status),
    additionalStatus: wordsOf(search.additional),
    orderId: search.order,
    createdFrom: search.from,
    createdTo: search.to,
    search: search.q,
    archived: search.archived,
  };
}

export const hiddenFilters = ({ additional, order, from, to, archived }: InvoiceSearch): number =>
  [additional, order, from, to, archived].filter((value) => value !== undefined).length;
