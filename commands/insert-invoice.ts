import type { EntityManager } from "typeorm";
import { created } from "../domain/invoice/decide";
import { eventBody } from "../domain/webhook/body";
import { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { WatchedScript } from "../entities/watched-script";
import type { CommandContext } from "./context";
import { type FirstBolt11, lightningMethod } from "./first-bolt11";
import type { FreshAddress } from "./fresh-address";
import { insertTogether, type Row } from "./insert-together";
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

export interface InsertedInvoice {
  view: InvoiceView;
  /** To be enqueued after the commit. */
  deliveries: NewDelivery[];
}

/** Writes an invoice, its `New` event and its deliveries in the caller's transaction, nearly all by one statement. */
export async function insertInvoice(
  manager: EntityManager,
  ctx: CommandContext,
  draft: Draft,
  { onchain, address, bolt11 }: Destinations,
): Promise<InsertedInvoice> {
  const { expiresInSeconds, monitoringSeconds, ...fields } = draft;
  const createdAt = await ctx.now(manager);
  const expiresAt = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
  const monitoringUntil = new Date(expiresAt.getTime() + monitoringSeconds * 1_000);
  const invoice: Invoice = { ...fields, createdAt, expiresAt, monitoringUntil, decideAt: expiresAt };
  const methods = onchain ? [onchainMethod(invoice.id, address)] : [];
  if (bolt11) methods.push(await lightningMethod(manager, invoice.id, bolt11));
  const eventId = ctx.newId("evt");
  const [written] = await insertTogether<{ eventSeq: string; webhookIds: string[] }>(
    manager,
    [
      { into: Invoice, fields: invoice },
      ...scriptRows(invoice.id, address),
      ...methods.map((method) => ({ into: InvoicePaymentMethod, fields: method })),
      ...firstRows(invoice, eventId),
    ],
    { returning: "seq, store_id, type", select: WITH_SUBSCRIBED },
  );
  if (written === undefined) throw new Error("the event was not written");
  const deliveries = await writeDeliveries(manager, ctx, [{ ...written, eventId, invoice }], createdAt);
  return { view: { invoice, methods, payments: [], tipHeight: null }, deliveries };
}

/** A disabled webhook is subscribed too: see writeEvents. */
const WITH_SUBSCRIBED = `SELECT seq AS "eventSeq", ARRAY(
    SELECT id FROM webhooks w
     WHERE w.store_id = written.store_id AND w.deleted_at IS NULL AND written.type = ANY(w.events)
  ) AS "webhookIds" FROM written`;

/** The event comes last: its place is what is answered. */
function firstRows({ id: invoiceId, storeId, metadata, createdAt }: Invoice, eventId: string): Row[] {
  const { row, status, additionalStatus, reason, event } = created();
  if (event === null) throw new Error("a new invoice has no event");
  const details = { row, status, additionalStatus, reason };
  const body = eventBody({ ...event, invoiceId, metadata });
  return [
    { into: InvoiceHistory, fields: { invoiceId, at: createdAt, kind: "status", details } },
    { into: InvoiceEvent, fields: { ...event, id: eventId, storeId, invoiceId, body, createdAt } },
  ];
}

function scriptRows(invoiceId: string, fresh: FreshAddress | null): Row[] {
  if (fresh === null) return [];
  const { address: _, ...script } = fresh;
  return [{ into: WatchedScript, fields: { ...script, invoiceId } }];
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
