import { DomainError } from "../../domain/errors";
import type { MethodReason } from "../../domain/invoice/method-reason";
import { Bolt11 } from "../../entities/bolt11";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import type { CommandContext } from "../context";
import { bolt11Fields } from "../wallets/destination-macs";
import { insertRows, jsonRows } from "../../database/insert-rows";
import { type Bolt11Text, issueBolt11, type MadeBolt11, NoBolt11Error, type SeenNow } from "./issue-bolt11";
import { newBolt11 } from "./plan-bolt11s";
import { openBolt11s, RETURNING_SEEN } from "./queries";
import type { CallableNode } from "./lightning-node";
import type { Tx } from "../transaction";

export interface FirstBolt11Request extends Bolt11Text {
  invoiceId: string;
  amountSats: bigint;
  expiresInSeconds: number;
  alone: boolean;
}

/** A committed row; without a text there is a reason. */
export type FirstBolt11 = { paymentHash: string } & (
  { made: MadeBolt11; reason: null } | { made: null; reason: MethodReason }
);

/**
 * Before the invoice is written, so that no transaction waits for the node; a crash leaves at most a row, which the
 * sweep cancels. With an address too, a node known to be away is not waited for.
 */
export async function firstBolt11(
  ctx: CommandContext,
  node: CallableNode,
  request: FirstBolt11Request,
): Promise<FirstBolt11> {
  const { invoiceId, alone, description, privateRouteHints } = request;
  const { row, away, seen } = await begin(ctx, node, request);
  const { paymentHash } = row;
  const text = { description, privateRouteHints };
  if (!alone && away) return { paymentHash, made: null, reason: "node-unavailable" };
  try {
    return { paymentHash, made: await issueBolt11(ctx, node, row, text, seen), reason: null };
  } catch (error) {
    if (!(error instanceof NoBolt11Error)) throw error;
    ctx.log.warn({ invoiceId, reason: error.message }, "lightning: no BOLT11 for a new invoice");
    return { paymentHash, made: null, reason: error.reason };
  }
}

interface StartedBolt11 {
  row: Bolt11;
  /** The watcher has just found that LND does not answer. */
  away: boolean;
  seen: SeenNow;
}

async function begin(
  ctx: CommandContext,
  { id: nodeId }: CallableNode,
  { invoiceId, amountSats, expiresInSeconds }: FirstBolt11Request,
): Promise<StartedBolt11> {
  const { manager } = ctx.db;
  const createdAt = await ctx.now(manager);
  const expiresAt = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
  const row = newBolt11(ctx, { nodeId, invoiceId, amountSats, createdAt, expiresAt });
  const [written] = await insertRows<{
    away: boolean;
    receivableSats: string | null;
    clockIsWrong: boolean;
  }>(manager, { into: Bolt11, rows: [row] }, RETURNING_SEEN);
  if (written === undefined) throw new Error("the row was not written");
  const { away, clockIsWrong } = written;
  const receivableSats = written.receivableSats === null ? null : BigInt(written.receivableSats);
  return { row, away, seen: { now: createdAt, receivableSats, clockIsWrong } };
}

/**
 * The text was never shown: it cannot be paid even if the node has issued it.
 * @throws DomainError `payment-method-unavailable`, always.
 */
export async function refuseWithoutBolt11(
  ctx: CommandContext,
  { paymentHash, reason }: FirstBolt11,
): Promise<never> {
  await ctx.db.manager.delete(Bolt11, { paymentHash });
  const why =
    reason === "exceeds-receivable"
      ? "its price is more than the Lightning node can receive now."
      : reason === "node-clock"
        ? "the clock of the Lightning node is wrong, so that wallets would refuse to pay. The operator was alerted."
        : "the Lightning node does not answer. Try again in a moment.";
  throw new DomainError(
    "payment-method-unavailable",
    `The invoice can be paid by Lightning only, and ${why}`,
  );
}

/**
 * In the invoices' transaction, which gives out the BOLT11s. If the sweep took one for a dead process's and canceled
 * it, its invoice gets another.
 */
export async function giveOutBolt11s(
  { manager, secrets }: Tx,
  bolt11s: readonly (FirstBolt11 & { invoiceId: string })[],
): Promise<InvoicePaymentMethod[]> {
  const made = bolt11s.flatMap(({ invoiceId, paymentHash, made: answer }) => {
    if (answer === null) return [];
    const { bolt11 } = answer.invoice;
    const mac = secrets.mac(bolt11Fields({ invoiceId, paymentHash, bolt11 }));
    return [{ paymentHash, bolt11, nodeKey: answer.nodeKey, mac }];
  });
  const { rows: opened } = made.length === 0 ? { rows: [] } : await openBolt11s(manager, jsonRows(made));
  const stillWanted = new Set(opened.map(({ paymentHash }) => paymentHash));
  const given = new Map(
    made.filter(({ paymentHash }) => stillWanted.has(paymentHash)).map((one) => [one.paymentHash, one]),
  );
  return bolt11s.map(({ invoiceId, paymentHash, reason }) => {
    const { bolt11: destination, mac } = given.get(paymentHash) ?? { bolt11: null, mac: null };
    return {
      invoiceId,
      type: "BTC-LN",
      destination,
      mac,
      available: destination !== null,
      reason: destination === null ? (reason ?? "being-issued") : null,
    };
  });
}
