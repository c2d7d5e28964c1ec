import type { EntityManager } from "typeorm";
import { created } from "../domain/invoice/decide";
import { eventBody } from "../domain/webhook/body";
import { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { WatchedScript } from "../entities/watched-script";
import type { CommandContext } from "./context";
import { type FirstBolt11, giveOutBolt11s } from "./first-bolt11";
import type { FreshAddress } from "./fresh-address";
import { insertTogether } from "./insert-together";
import type { InvoiceView } from "./read-invoice";
import { type NewDelivery, writeDeliveries } from "./write-event";

/** An invoice before its instant. */
export type Draft = Omit<Invoice, "createdAt" | "expiresAt" | "monitoringUntil" | "decideAt"> & {
  expiresInSeconds: number;
  monitoringSeconds: number;
};

export interface Destinations {
  /** It can be paid on-chain. */
  onchain: boolean;
  /** Null too where it is taken when the customer opens the page. */
  address: FreshAddress | null;
  bolt11: FirstBolt11 | null;
}

export interface NewInvoice {
  draft: Draft;
  destinations: Destinations;
}

export interface InsertedInvoice {
  view: InvoiceView;
  /** To be enqueued after the commit. */
  deliveries: NewDelivery[];
}

/** Writes invoices, the `New` event of each and its deliveries in the caller's transaction, nearly all by one statement. */
export async function insertInvoices(
  manager: EntityManager,
  ctx: CommandContext,
  asked: readonly NewInvoice[],
): Promise<InsertedInvoice[]> {
  const createdAt = await ctx.now(manager);
  const lightning = await lightningMethods(manager, asked);
  const made = asked.map(({ draft, destinations: { onchain, address } }) => {
    const invoice = invoiceOf(draft, createdAt);
    const byLightning = lightning.get(invoice.id);
    const methods = [
      ...(onchain ? [onchainMethod(invoice.id, address)] : []),
      ...(byLightning === undefined ? [] : [byLightning]),
    ];
    return { invoice, methods, address, eventId: ctx.newId("evt") };
  });
  const scripts = made.flatMap(({ invoice, address }) => scriptOf(invoice.id, address));
  const written = await insertTogether<{ eventId: string; eventSeq: string; webhookIds: string[] }>(
    manager,
    [
      { into: Invoice, rows: made.map(({ invoice }) => invoice) },
      ...(scripts.length === 0 ? [] : [{ into: WatchedScript, rows: scripts }]),
      { into: InvoicePaymentMethod, rows: made.flatMap(({ methods }) => methods) },
      { into: InvoiceHistory, rows: made.map(({ invoice }) => historyOf(invoice)) },
      { into: InvoiceEvent, rows: made.map(({ invoice, eventId }) => eventOf(invoice, eventId)) },
    ],
    { returning: "id, seq, store_id, type", select: WITH_SUBSCRIBED },
  );
  const eventOfId = new Map(written.map((event) => [event.eventId, event]));
  const events = made.map(({ invoice, eventId }) => {
    const event = eventOfId.get(eventId);
    if (event === undefined) throw new Error("the event was not written");
    return { ...event, invoice };
  });
  const deliveries = await writeDeliveries(manager, ctx, events, createdAt);
  return made.map(({ invoice, methods }) => ({
    view: { invoice, methods, payments: [], tipHeight: null },
    deliveries: deliveries.filter(({ invoiceId }) => invoiceId === invoice.id),
  }));
}

function invoiceOf(draft: Draft, createdAt: Date): Invoice {
  const expiresAt = new Date(createdAt.getTime() + draft.expiresInSeconds * 1_000);
  const monitoringUntil = new Date(expiresAt.getTime() + draft.monitoringSeconds * 1_000);
  return { ...draft, createdAt, expiresAt, monitoringUntil, decideAt: expiresAt };
}

/** By invoice: their methods BTC-LN. */
async function lightningMethods(
  manager: EntityManager,
  asked: readonly NewInvoice[],
): Promise<Map<string, InvoicePaymentMethod>> {
  const bolt11s = asked.flatMap(({ draft: { id: invoiceId }, destinations: { bolt11 } }) =>
    bolt11 === null ? [] : [{ ...bolt11, invoiceId }],
  );
  const methods = await giveOutBolt11s(manager, bolt11s);
  return new Map(methods.map((method) => [method.invoiceId, method]));
}

/** A disabled webhook is subscribed too: see writeEvents. */
const WITH_SUBSCRIBED = `SELECT id AS "eventId", seq AS "eventSeq", ARRAY(
    SELECT id FROM webhooks w
     WHERE w.store_id = written.store_id AND w.deleted_at IS NULL AND written.type = ANY(w.events)
  ) AS "webhookIds" FROM written`;

const { event: NEW, ...FIRST_STATE } = created();

function historyOf({ id: invoiceId, createdAt }: Invoice): Omit<InvoiceHistory, "id"> {
  const { row, status, additionalStatus, reason } = FIRST_STATE;
  return { invoiceId, at: createdAt, kind: "status", details: { row, status, additionalStatus, reason } };
}

function eventOf({ id: invoiceId, storeId, metadata, createdAt }: Invoice, eventId: string): object {
  if (NEW === null) throw new Error("a new invoice has no event");
  const body = eventBody({ ...NEW, invoiceId, metadata });
  return { ...NEW, id: eventId, storeId, invoiceId, body, createdAt };
}

function scriptOf(invoiceId: string, fresh: FreshAddress | null): object[] {
  if (fresh === null) return [];
  const { address: _, ...script } = fresh;
  return [{ ...script, invoiceId }];
}

function onchainMethod(invoiceId: string, fresh: FreshAddress | null): InvoicePaymentMethod {
  return {
    invoiceId,
    type: "BTC-CHAIN",
    destination: fresh?.address ?? null,
    available: fresh !== null,
    reason: fresh === null ? "not-activated" : null,
  };
}
