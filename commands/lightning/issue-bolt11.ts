import { NodeUnavailableError } from "../../domain/errors";
import type { MethodReason } from "../../domain/invoice/method-reason";
import { checkBolt11, clockOf } from "../../domain/lightning/check-bolt11";
import type { DecodedBolt11 } from "../../domain/lightning/decode-bolt11";
import type { Bolt11 } from "../../entities/bolt11";
import { LightningNode } from "../../entities/lightning-node";
import type { CommandContext } from "../context";
import type { LightningPort, NodeInvoice } from "../ports";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import { type CallableNode, subjectOf } from "./lightning-node";
import { inTransaction } from "../transaction";

export interface Bolt11Text {
  description: string;
  privateRouteHints: boolean;
}

export interface MadeBolt11 {
  invoice: NodeInvoice;
  /** The node that made it, hex. */
  nodeKey: string;
}

/** The row stays, so that it is requested again. */
export class NoBolt11Error extends Error {
  override readonly name = "NoBolt11Error";
  constructor(
    readonly reason: Extract<MethodReason, "node-unavailable" | "exceeds-receivable" | "node-clock">,
    override readonly cause?: NodeUnavailableError,
  ) {
    super(cause?.message ?? "The Lightning node cannot receive this amount now.");
  }
}

export interface SeenNow {
  now: Date;
  /** As the watcher last saw it; null if the node does not report it. */
  receivableSats: bigint | null;
  clockIsWrong: boolean;
}

/** The row was committed before. Idempotent: the node returns its invoice with this hash. @throws NoBolt11Error */
export async function issueBolt11(
  ctx: CommandContext,
  node: CallableNode,
  row: Bolt11,
  text: Bolt11Text,
  { now, receivableSats, clockIsWrong }: SeenNow,
): Promise<MadeBolt11> {
  const { paymentHash, preimage, amountSats, expiresAt } = row;
  const { network } = ctx.settings;
  const { calls, nodeKey: payeeKey } = node;
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1_000));
  try {
    if (await exceedsReceivable(calls, amountSats, receivableSats))
      throw new NoBolt11Error("exceeds-receivable");
    const invoice = await calls.addInvoice({ preimage, amountSats, expiresInSeconds, ...text });
    const decoded = checkBolt11(invoice.bolt11, { paymentHash, amountSats, network, payeeKey });
    await checkClock(ctx, node, decoded, { from: row.createdAt, clockIsWrong });
    return { invoice, nodeKey: decoded.payeeKey };
  } catch (error) {
    if (error instanceof NodeUnavailableError) throw new NoBolt11Error("node-unavailable", error);
    throw error;
  }
}

/** The node may have made it at any time since `from`. */
async function checkClock(
  ctx: CommandContext,
  { id, storeId }: CallableNode,
  bolt11: DecodedBolt11,
  { from, clockIsWrong }: { from: Date; clockIsWrong: boolean },
): Promise<void> {
  const { manager } = ctx.db;
  const { right, usable } = clockOf(bolt11, { from, to: await ctx.now(manager) });
  const made = new Date(bolt11.timestampSeconds * 1_000).toISOString();
  if (right && clockIsWrong)
    await inTransaction(ctx, (tx) => resolveAlert(tx, "lightning-clock", subjectOf(id)));
  if (!right)
    await inTransaction(ctx, (tx) =>
      raiseAlert(tx, {
        kind: "lightning-clock",
        severity: "critical",
        subject: subjectOf(id),
        ...(storeId === null ? {} : { storeId }),
        message: `LND dates a new BOLT11 ${made}, which is wrong by more than a minute. Wallets refuse BOLT11s that are over: set the clock of LND's host.`,
      }),
    );
  if (!usable) throw new NoBolt11Error("node-clock");
}

export async function seenNow(
  { now, db: { manager } }: CommandContext,
  { id }: Pick<CallableNode, "id">,
): Promise<SeenNow> {
  const node = await manager.findOneBy(LightningNode, { id });
  // Only a new BOLT11 shows that the clock is right again.
  return { now: await now(manager), receivableSats: node?.receivableSats ?? null, clockIsWrong: false };
}

/** The node is asked only if the watcher saw too little, perhaps some seconds ago. */
async function exceedsReceivable(
  calls: LightningPort,
  amountSats: bigint,
  seen: bigint | null,
): Promise<boolean> {
  if (seen === null || seen >= amountSats) return false;
  const receivable = await calls.receivableSats();
  return receivable !== null && receivable < amountSats;
}
