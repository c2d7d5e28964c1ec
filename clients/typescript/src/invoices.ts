import { path, type Connection, type RequestOptions } from "./connection";
import type { components, operations } from "./generated";
import { everyEntry, type Page } from "./pages";

type Schemas = components["schemas"];
export type Invoice = Schemas["Invoice"];
export type CreateInvoice = Schemas["CreateInvoice"];
export type EditInvoice = Schemas["EditInvoice"];
export type HistoryEntry = Schemas["HistoryPage"]["data"][number];
export type InvoiceFilter = NonNullable<operations["listInvoices"]["parameters"]["query"]>;
export type InvoiceExport = NonNullable<operations["exportInvoices"]["parameters"]["query"]>;

export interface CreateInvoiceOptions extends RequestOptions {
  /**
   * A text for this one order. The same key and the same body give the same invoice, also after a connection that broke:
   * send it again until there is an answer.
   */
  idempotencyKey?: string;
}

export class Invoices {
  readonly #connection: Connection;
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  create(
    invoice: CreateInvoice,
    { idempotencyKey, ...options }: CreateInvoiceOptions = {},
  ): Promise<Invoice> {
    return this.#connection.json("POST", `${this.#connection.store}/invoices`, {
      ...options,
      body: invoice,
      ...(idempotencyKey === undefined ? {} : { headers: { "Idempotency-Key": idempotencyKey } }),
    });
  }

  get(invoiceId: string, options?: RequestOptions): Promise<Invoice> {
    return this.#connection.json("GET", this.#path(invoiceId), options);
  }

  /** Newest first. */
  list(filter: Omit<InvoiceFilter, "cursor"> = {}, options?: RequestOptions) {
    return everyEntry((cursor) =>
      this.page({ ...filter, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  page(filter: InvoiceFilter = {}, options?: RequestOptions): Promise<Page<Invoice>> {
    return this.#connection.json("GET", `${this.#connection.store}/invoices`, { ...options, query: filter });
  }

  /** Changes metadata (member by member) and redirectUrl. */
  edit(invoiceId: string, changes: EditInvoice, options?: RequestOptions): Promise<Invoice> {
    return this.#connection.json("PATCH", this.#path(invoiceId), { ...options, body: changes });
  }

  /** Settles or invalidates an invoice by hand, whatever was paid. */
  mark(invoiceId: string, mark: Schemas["MarkInvoice"], options?: RequestOptions): Promise<Invoice> {
    return this.#connection.json("POST", `${this.#path(invoiceId)}/status`, { ...options, body: mark });
  }

  /** Checks for payments now, and decides again. */
  check(invoiceId: string, options?: RequestOptions): Promise<Invoice> {
    return this.#connection.json("POST", `${this.#path(invoiceId)}/check`, options);
  }

  archive(invoiceId: string, options?: RequestOptions): Promise<Invoice> {
    return this.#connection.json("POST", `${this.#path(invoiceId)}/archive`, options);
  }

  unarchive(invoiceId: string, options?: RequestOptions): Promise<Invoice> {
    return this.#connection.json("POST", `${this.#path(invoiceId)}/unarchive`, options);
  }

  /**
   * Erases customer data for good: metadata except `orderId`, description, redirect URL, notes, and the bodies of its
   * events.
   */
  erase(invoiceId: string, options?: RequestOptions): Promise<Invoice> {
    return this.#connection.json("POST", `${this.#path(invoiceId)}/erase`, options);
  }

  /** What happened to it, newest first. */
  history(invoiceId: string, options?: RequestOptions) {
    return everyEntry<HistoryEntry>((cursor) =>
      this.#connection.json("GET", `${this.#path(invoiceId)}/events`, { ...options, query: { cursor } }),
    );
  }

  /** All invoices that fit as CSV or JSON text, in bytes as they come. */
  export(query: InvoiceExport, options?: RequestOptions): Promise<AsyncIterable<Uint8Array>> {
    return this.#connection.stream(`${this.#connection.store}/invoices/export`, { ...options, query });
  }

  #path(invoiceId: string): string {
    return `${this.#connection.store}${path`/invoices/${invoiceId}`}`;
  }
}
