import { In, IsNull, Not } from "typeorm";
import { NodeUnavailableError } from "../../domain/errors";
import type { Move } from "../../domain/invoice/decide";
import { Bolt11, type Bolt11State } from "../../entities/bolt11";
import { Invoice } from "../../entities/invoice";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Store } from "../../entities/store";
import { changeInvoice } from "./change-invoice";
import { lockInvoice } from "../../database/rows";
import type { CommandContext } from "../context";
import { bolt11Fields } from "../wallets/destination-macs";
import { identifyNode } from "../lightning/identify-node";
import { type Bolt11Text, issueBolt11, NoBolt11Error, seenNow } from "../lightning/issue-bolt11";
import { type CallableNode, callableNode } from "../lightning/lightning-node";
import type { NodeInvoice } from "../ports";
import { readAway, readUnfinishedOfNodes, unfinishedBolt11s } from "../lightning/queries";
import { recordLightningPayment } from "./record-lightning-payment";
import { inTransaction } from "../transaction";

/** More rounds indicate a defect, and the sweep tries again. */
const ROUNDS_MAX = 6;

/**
 * Cancels, records, issues and decides after each answer, until nothing changes; in any number of processes at once.
 * `only`: of the BOLT11s of this node.
 * @throws NodeUnavailableError when the node did not answer: the plan stays in the rows; DomainError
 * `invoice-not-found`.
 */
export async function syncLightningInvoices(
  ctx: CommandContext,
  invoiceId: string,
  only?: string,
): Promise<readonly Move[]> {
  const now = await ctx.now(ctx.db.manager);
  const rows = await unfinishedBolt11s(ctx.db.manager, [invoiceId]);
  const planned = rows.length > 0 && rows.every((row) => row.cancelWanted || now < row.expiresAt);
  const moves = planned ? [] : (await changeInvoice(ctx, invoiceId)).moves;
  return [...moves, ...(await followAnswers(ctx, invoiceId, (nodeId) => nodeId === (only ?? nodeId)))];
}

/**
 * By the present facts, then by the node's answers. A payment never waits for the node; a job waits at most until the
 * call's deadline. Idempotent.
 * @throws DomainError `invoice-not-found`.
 */
export async function decideInvoice(ctx: CommandContext, invoiceId: string): Promise<readonly Move[]> {
  // First the earlier decision: a BOLT11 to be cancelled must not stay payable.
  const decided = (await unfinishedBolt11s(ctx.db.manager, [invoiceId])).some((row) => row.cancelWanted);
  const cancelled = decided ? await tryFollowAnswers(ctx, invoiceId) : [];
  const { moves, asksLightning } = await changeInvoice(ctx, invoiceId);
  return [...cancelled, ...moves, ...(asksLightning ? await tryFollowAnswers(ctx, invoiceId) : [])];
}

/** The node is called at once if it answers, otherwise later by lightning-watch. */
export async function tryFollowAnswers(ctx: CommandContext, invoiceId: string): Promise<readonly Move[]> {
  // A call would last until its deadline; the watcher calls when the node is back.
  const away = new Set((await readAway(ctx.db.manager, invoiceId)).rows.map(({ nodeId }) => nodeId));
  try {
    return await followAnswers(ctx, invoiceId, (nodeId) => !away.has(nodeId));
  } catch (error) {
    if (!(error instanceof NodeUnavailableError)) throw error;
    ctx.log.warn({ invoiceId, reason: error.message }, "lightning: node did not answer, retrying");
    return [];
  }
}

type Calls = (nodeId: string) => boolean;

async function followAnswers(ctx: CommandContext, invoiceId: string, calls: Calls): Promise<readonly Move[]> {
  const moves: Move[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (!(await askNodes(ctx, invoiceId, calls))) break;
    moves.push(...(await changeInvoice(ctx, invoiceId)).moves);
  }
  return moves;
}

/** True when an answer changed something. */
async function askNodes(ctx: CommandContext, invoiceId: string, calls: Calls): Promise<boolean> {
  const { manager } = ctx.db;
  const rows = await unfinishedBolt11s(manager, [invoiceId]);
  if (rows.length === 0) return false;
  const invoice = await manager.findOne(Invoice, { where: { id: invoiceId }, select: { storeId: true } });
  let answered = false;
  for (const row of rows) {
    const node = calls(row.nodeId) ? await callableNode(ctx, row.nodeId, invoice?.storeId) : null;
    if (node === null) continue;
    const ask = row.cancelWanted ? cancel : row.state === "wanted" ? issue : lookUp;
    answered = (await ask(ctx, node, row)) || answered;
  }
  return answered;
}

type Ask = (ctx: CommandContext, node: CallableNode, row: Bolt11) => Promise<boolean>;

const cancel: Ask = async (ctx, node, row) => {
  const answer = await node.calls.cancelInvoice(row.paymentHash);
  switch (answer) {
    case "canceled":
      return finish(ctx, row, "canceled");
    case "settled":
      return lookUp(ctx, node, row);
    case "accepted":
      return false; // it is being paid: the next look-up shows the outcome
    case "unknown":
      return finishUnknown(ctx, node, row);
  }
};

const lookUp: Ask = async (ctx, node, row) => {
  const found = await node.calls.lookUpInvoice(row.paymentHash);
  if (found === null) return finishUnknown(ctx, node, row);
  return takeAnswer(ctx, row, found);
};

const issue: Ask = async (ctx, node, row) => {
  try {
    const text = await textOf(ctx, row.invoiceId);
    const { invoice, nodeKey } = await issueBolt11(ctx, node, row, text, await seenNow(ctx, node));
    if (invoice.state === "settled" || invoice.state === "canceled")
      return await takeAnswer(ctx, row, invoice);
    const { invoiceId, paymentHash } = row;
    const { bolt11 } = invoice;
    const mac = ctx.secrets.mac(bolt11Fields({ invoiceId, paymentHash, bolt11 }));
    return await write(ctx, row, { state: "open", bolt11, mac, nodeKey });
  } catch (error) {
    if (!(error instanceof NoBolt11Error)) throw error;
    const { reason } = error;
    const bare = { invoiceId: row.invoiceId, type: "BTC-LN", destination: IsNull() } as const;
    const other = Not(In([reason, "no-longer-payable"]));
    await ctx.db.manager.update(InvoicePaymentMethod, { ...bare, reason: other }, { reason });
    if (error.cause) throw error.cause;
    return false;
  }
};

async function textOf({ db }: CommandContext, invoiceId: string): Promise<Bolt11Text> {
  const { description, storeId } = await db.manager.findOneByOrFail(Invoice, { id: invoiceId });
  const { name, privateRouteHints } = await db.manager.findOneByOrFail(Store, { id: storeId });
  return { description: description ?? name, privateRouteHints };
}

async function takeAnswer(ctx: CommandContext, row: Bolt11, found: NodeInvoice): Promise<boolean> {
  switch (found.state) {
    case "settled":
      return (await recordLightningPayment(ctx, row.nodeId, found)) !== null;
    case "canceled":
      return finish(ctx, row, "canceled");
    // Its expiry does not prove that no payment comes: the cancellation's answer does.
    case "accepted":
    case "open":
      return false;
  }
}

/**
 * Final from the issuing node, or if never shown. Where the macaroon hides that node: once the time is over, since LND
 * may delete canceled ones.
 */
async function finishUnknown(ctx: CommandContext, { calls }: CallableNode, row: Bolt11): Promise<boolean> {
  if (row.bolt11 === null) return finish(ctx, row, "canceled");
  const unfinished = () => readUnfinishedOfNodes(ctx.db.manager, row.nodeId);
  const nodeKey = await identifyNode(calls, await calls.info(), unfinished);
  const sure = nodeKey === null ? (await ctx.now(ctx.db.manager)) >= row.expiresAt : nodeKey === row.nodeKey;
  return sure && finish(ctx, row, "canceled");
}

function finish(ctx: CommandContext, row: Bolt11, state: Bolt11State): Promise<boolean> {
  return write(ctx, row, { state });
}

/** Unless another process has done so. The invoice is due from then on, so that the sweep decides it after a crash. */
async function write(ctx: CommandContext, row: Bolt11, values: Partial<Bolt11>): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, row.invoiceId);
    const { paymentHash, state, cancelWanted } = row;
    const asItWas = values.state === "open" ? { state, cancelWanted } : { state: In(["wanted", "open"]) };
    const { affected } = await tx.manager.update(Bolt11, { paymentHash, ...asItWas }, values);
    if (affected === 1) await tx.manager.update(Invoice, invoice.id, { decideAt: await tx.now() });
    return affected === 1;
  });
}
