import type { EntityManager } from "typeorm";
import { DomainError } from "../domain/errors";
import type { MethodReason } from "../domain/invoice/method-reason";
import { Bolt11 } from "../entities/bolt11";
import type { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import type { CommandContext } from "./context";
import { type Bolt11Text, issueBolt11, type MadeBolt11, NoBolt11Error } from "./issue-bolt11";
import { isKnownAway } from "./lightning-away";
import { newBolt11 } from "./plan-bolt11s";
import type { LightningPort } from "./ports";

/** What an invoice that is being created will ask for. */
export interface FirstBolt11Request extends Bolt11Text {
  invoiceId: string;
  amountSats: bigint;
  expiresInSeconds: number;
  /** The invoice can be paid in no other way. */
  alone: boolean;
}

/** A committed row, and what the node has made of it: nothing yet where there is a reason. */
export type FirstBolt11 = { paymentHash: string } & (
  { made: MadeBolt11; reason: null } | { made: null; reason: MethodReason }
);

/**
 * Asks for the BOLT11 of an invoice before that is written: no transaction waits for the node. The row is committed
 * first, so that whatever dies here leaves at most a row without an invoice, which the sweep cancels. Where there is an
 * address as well, nobody waits for a node that its watcher finds away.
 */
export async function firstBolt11(
  ctx: CommandContext,
  lightning: LightningPort,
  request: FirstBolt11Request,
): Promise<FirstBolt11> {
  const { invoiceId, amountSats, expiresInSeconds, alone, ...text } = request;
  const createdAt = await ctx.now(ctx.db.manager);
  const expiresAt = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
  const row = newBolt11(ctx, { invoiceId, amountSats, createdAt, expiresAt });
  const { paymentHash } = row;
  await ctx.db.manager.insert(Bolt11, row);
  if (!alone && (await isKnownAway(ctx.db.manager)))
    return { paymentHash, made: null, reason: "node-unavailable" };
  try {
    return { paymentHash, made: await issueBolt11(ctx, lightning, row, text), reason: null };
  } catch (error) {
    if (!(error instanceof NoBolt11Error)) throw error;
    ctx.log.warn({ invoiceId, reason: error.message }, "no BOLT11 for a new invoice");
    return { paymentHash, made: null, reason: error.reason };
  }
}

/**
 * Takes back the row of an invoice that is not created for want of a BOLT11. Nobody was given a text, so nothing can be
 * paid even where the node has made one; it runs out there by itself.
 * @throws DomainError `payment-method-unavailable`, always.
 */
export async function refuseWithoutBolt11(
  ctx: CommandContext,
  { paymentHash, reason }: FirstBolt11,
): Promise<never> {
  await ctx.db.manager.delete(Bolt11, { paymentHash });
  throw new DomainError(
    "payment-method-unavailable",
    reason === "exceeds-receivable"
      ? "The invoice can be paid by Lightning alone, and its price is more than the Lightning node can receive now."
      : "The invoice can be paid by Lightning alone, and the Lightning node does not answer now. Try again in a moment.",
  );
}

/** The invoice's method BTC-LN, for the transaction that writes it: there the BOLT11 is given out. */
export async function lightningMethod(
  manager: EntityManager,
  invoiceId: string,
  { paymentHash, made, reason }: FirstBolt11,
): Promise<InvoicePaymentMethod> {
  const destination = made && (await giveOut(manager, paymentHash, made)) ? made.invoice.bolt11 : null;
  return {
    invoiceId,
    type: "BTC-LN",
    destination,
    available: destination !== null,
    reason: destination === null ? (reason ?? "being-issued") : null,
  };
}

/** False when the sweep took us for dead and has canceled it: the invoice gets another one. */
async function giveOut(
  manager: EntityManager,
  paymentHash: string,
  { invoice, nodeKey }: MadeBolt11,
): Promise<boolean> {
  const { affected } = await manager.update(
    Bolt11,
    { paymentHash, state: "wanted", cancelWanted: false },
    { state: "open", bolt11: invoice.bolt11, nodeKey },
  );
  return affected === 1;
}
