import { createHash } from "node:crypto";
import { In, type EntityManager } from "typeorm";
import type { InvoiceFacts } from "../domain/invoice/facts";
import { lightningPlan, type LightningPlan } from "../domain/invoice/lightning-plan";
import type { MethodReason } from "../domain/invoice/method-reason";
import { Bolt11 } from "../entities/bolt11";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import type { CommandContext } from "./context";
import type { LockedInvoice } from "./lock-invoices";

/** A BOLT11's preimage. */
const PREIMAGE_BYTES = 32;
const UNFINISHED = ["wanted", "open"] as const;

/** An invoice that takes Lightning, as it stands in the caller's transaction. */
export interface LightningState {
  /** The invoice's row of BTC-LN. */
  method: InvoicePaymentMethod;
  /** Its BOLT11s of which the last word has not been said. */
  unfinished: readonly Bolt11[];
}

export interface Bolt11sPlanned {
  /** The node has to be asked or told something. */
  asksLightning: boolean;
  /** A customer is shown something else. */
  shown: boolean;
}

/** A row for a BOLT11 that LND shall be asked for, with a preimage of its own. */
export function newBolt11(
  ctx: CommandContext,
  asked: Pick<Bolt11, "invoiceId" | "amountSats" | "createdAt" | "expiresAt">,
): Bolt11 {
  const preimage = ctx.randomBytes(PREIMAGE_BYTES);
  return ctx.db.manager.create(Bolt11, {
    ...asked,
    paymentHash: createHash("sha256").update(preimage).digest("hex"),
    preimage,
    state: "wanted",
    bolt11: null,
    nodeKey: null,
    cancelWanted: false,
    lookedUpAt: null,
  });
}

/** Those that shall go stand first: nobody may pay them while another is looked at. */
export async function unfinishedBolt11s(
  manager: EntityManager,
  ...invoiceIds: readonly string[]
): Promise<Bolt11[]> {
  return manager.find(Bolt11, {
    where: { invoiceId: In(invoiceIds), state: In(UNFINISHED) },
    order: { cancelWanted: "DESC", createdAt: "ASC" },
  });
}

/** By invoice; those that take no Lightning are not in it. */
export async function readLightningStates(
  manager: EntityManager,
  methods: readonly InvoicePaymentMethod[],
): Promise<Map<string, LightningState>> {
  const taking = methods.filter(({ type }) => type === "BTC-LN");
  if (taking.length === 0) return new Map();
  const rows = await unfinishedBolt11s(manager, ...taking.map(({ invoiceId }) => invoiceId));
  return new Map(
    taking.map((method) => [
      method.invoiceId,
      { method, unfinished: rows.filter(({ invoiceId }) => invoiceId === method.invoiceId) },
    ]),
  );
}

/**
 * Writes down what an invoice's BOLT11s should be by what is known now, in the transaction that decided about it and
 * under its row lock: what shall go is shown to nobody from the same instant on. LND is told afterwards (tend-lightning),
 * and whoever finds these rows can tell it.
 */
export async function planBolt11s(
  manager: EntityManager,
  ctx: CommandContext,
  { method, unfinished }: LightningState,
  situation: { invoice: LockedInvoice; facts: InvoiceFacts; now: Date },
): Promise<Bolt11sPlanned> {
  const { invoice, facts, now } = situation;
  const plan = lightningPlan(facts, unfinished, now);
  // The text was given to nobody, so nobody can pay it, whatever LND has made of it.
  const unseen = plan.cancel.filter(({ bolt11 }) => bolt11 === null);
  const seen = plan.cancel.filter(({ bolt11, cancelWanted }) => bolt11 !== null && !cancelWanted);
  await writeWhere(manager, unseen, { state: "canceled", cancelWanted: true });
  await writeWhere(manager, seen, { cancelWanted: true });
  const shown = await showMethod(manager, method, plan);
  const clear = plan.keep === null && plan.cancel.length === unseen.length;
  if (!clear || plan.wantedSats === null || ctx.lightning === null) return { asksLightning: !clear, shown };
  const asked = { amountSats: plan.wantedSats, createdAt: now, expiresAt: invoice.expiresAt };
  await manager.insert(Bolt11, newBolt11(ctx, { invoiceId: invoice.id, ...asked }));
  return { asksLightning: true, shown };
}

async function writeWhere(
  manager: EntityManager,
  rows: readonly Bolt11[],
  values: Partial<Bolt11>,
): Promise<void> {
  if (rows.length === 0) return;
  const paymentHash = In(rows.map((row) => row.paymentHash));
  await manager.update(Bolt11, { paymentHash, state: In(UNFINISHED) }, values);
}

/** What a customer is shown: the one BOLT11 that may be paid, or why there is none. Answers whether that is news. */
async function showMethod(
  manager: EntityManager,
  { invoiceId, type, ...before }: InvoicePaymentMethod,
  { keep, wantedSats }: LightningPlan<Bolt11>,
): Promise<boolean> {
  const destination = keep?.bolt11 ?? null;
  const reason = destination === null ? whyNone(before.reason, wantedSats) : null;
  if (destination === before.destination && reason === before.reason) return false;
  const available = destination !== null;
  await manager.update(InvoicePaymentMethod, { invoiceId, type }, { destination, available, reason });
  return true;
}

function whyNone(before: MethodReason | null, wantedSats: bigint | null): MethodReason {
  if (wantedSats === null) return "no-longer-payable";
  // What the node said last stands until it says something else.
  return before === "node-unavailable" || before === "exceeds-receivable" ? before : "being-issued";
}
