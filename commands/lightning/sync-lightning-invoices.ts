import { In, IsNull, Not } from "typeorm";
import { NodeUnavailableError } from "../../domain/errors";
import type { Move } from "../../domain/invoice/decide";
import { Bolt11, type Bolt11State } from "../../entities/bolt11";
import { Invoice } from "../../entities/invoice";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Store } from "../../entities/store";
import { changeInvoice } from "../invoices/change-invoice";
import { lockInvoice } from "../invoices/lock-invoices";
import type { CommandContext } from "../context";
import { bolt11Fields } from "../wallets/destination-macs";
import { identifyNode } from "./identify-node";
import { type Bolt11Text, issueBolt11, NoBolt11Error, seenNow } from "./issue-bolt11";
import { unfinishedBolt11s } from "./plan-bolt11s";
import type { LightningPort, NodeInvoice } from "../ports";
import { readAway, readUnfinishedOfNodes } from "./queries";
import { recordLightningPayment } from "./record-lightning-payment";

/** Each round ends a BOLT11 or issues one; more rounds indicate a defect, and the sweep tries again. */
const ROUNDS_MAX = 6;

/**
 * Brings the BOLT11s of one invoice into their planned state: cancels, records payments, issues what is missing,
 * and decides the invoice again after each answer, until nothing changes. Any number of processes may do so at
 * once.
 * @throws NodeUnavailableError when the node did not answer: the plan stays in the rows; DomainError
 * `invoice-not-found`.
 */
export async function syncLightningInvoices(
  ctx: CommandContext,
  invoiceId: string,
): Promise<readonly Move[]> {
  const now = await ctx.now(ctx.db.manager);
  const rows = await unfinishedBolt11s(ctx.db.manager, invoiceId);
  const planned = rows.length > 0 && rows.every((row) => row.cancelWanted || now < row.expiresAt);
  const moves = planned ? [] : (await changeInvoice(ctx, invoiceId)).moves;
  return [...moves, ...(await followAnswers(ctx, invoiceId))];
}

/**
 * Decides one invoice again by the present facts, then by the Lightning node's answers if it must be called. A
 * payment never waits for that node: it is decided when it is recorded. A job, such as an expiry
 * (docs/invoice-lifecycle.md), waits at most until the call's deadline. Idempotent.
 * @throws DomainError `invoice-not-found`.
 */
export async function decideInvoice(ctx: CommandContext, invoiceId: string): Promise<readonly Move[]> {
  // First what was decided already: a BOLT11 to be cancelled must not be payable for longer than necessary.
  const decided = (await unfinishedBolt11s(ctx.db.manager, invoiceId)).some((row) => row.cancelWanted);
  const cancelled = decided ? await tryFollowAnswers(ctx, invoiceId) : [];
  const { moves, asksLightning } = await changeInvoice(ctx, invoiceId);
  return [...cancelled, ...moves, ...(asksLightning ? await tryFollowAnswers(ctx, invoiceId) : [])];
}

/** Runs after a change of the invoice: the node is called at once if it answers, otherwise later by lightning-watch. */
export async function tryFollowAnswers(ctx: CommandContext, invoiceId: string): Promise<readonly Move[]> {
  const [watched] = (await readAway(ctx.db.manager)).rows;
  if (watched?.away === true) return []; // a call would last until its deadline; the watcher calls when LND is back
  try {
    return await followAnswers(ctx, invoiceId);
  } catch (error) {
    if (!(error instanceof NodeUnavailableError)) throw error;
    ctx.log.warn({ invoiceId, reason: error.message }, "lightning: node did not answer, retrying");
    return [];
  }
}

async function followAnswers(ctx: CommandContext, invoiceId: string): Promise<readonly Move[]> {
  const { lightning } = ctx;
  if (lightning === null) return [];
  const moves: Move[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (!(await askNode(ctx, lightning, invoiceId))) break;
    moves.push(...(await changeInvoice(ctx, invoiceId)).moves);
  }
  return moves;
}

/** Looks up every unfinished BOLT11 of the invoice. True when an answer changed something. */
async function askNode(ctx: CommandContext, lightning: LightningPort, invoiceId: string): Promise<boolean> {
  let news = false;
  for (const row of await unfinishedBolt11s(ctx.db.manager, invoiceId)) {
    const ask = row.cancelWanted ? cancel : row.state === "wanted" ? issue : lookUp;
    news = (await ask(ctx, lightning, row)) || news;
  }
  return news;
}

type Ask = (ctx: CommandContext, lightning: LightningPort, row: Bolt11) => Promise<boolean>;

const cancel: Ask = async (ctx, lightning, row) => {
  const answer = await lightning.cancelInvoice(row.paymentHash);
  switch (answer) {
    case "canceled":
      return finish(ctx, row, "canceled");
    case "settled":
      return lookUp(ctx, lightning, row);
    case "accepted":
      return false; // it is being paid: the next look-up shows the outcome
    case "unknown":
      return finishUnknown(ctx, lightning, row);
  }
};

const lookUp: Ask = async (ctx, lightning, row) => {
  const found = await lightning.lookUpInvoice(row.paymentHash);
  if (found === null) return finishUnknown(ctx, lightning, row);
  return takeAnswer(ctx, row, found);
};

const issue: Ask = async (ctx, lightning, row) => {
  try {
    const text = await textOf(ctx, row.invoiceId);
    const { invoice, nodeKey } = await issueBolt11(ctx, lightning, row, text, await seenNow(ctx));
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
      return (await recordLightningPayment(ctx, found)) !== null;
    case "canceled":
      return finish(ctx, row, "canceled");
    // Its expiry does not prove that no payment comes: the answer to the cancellation does.
    case "accepted":
    case "open":
      return false;
  }
}

/**
 * An unknown hash is conclusive if it comes from the node that issued the BOLT11, or if the text was never shown. Where the
 * macaroon hides which node that is, and the node knows no other unfinished BOLT11 of ours, it is once the BOLT11's time is
 * over: LND may delete what it has canceled.
 */
async function finishUnknown(ctx: CommandContext, lightning: LightningPort, row: Bolt11): Promise<boolean> {
  if (row.bolt11 === null) return finish(ctx, row, "canceled");
  const unfinished = () => readUnfinishedOfNodes(ctx.db.manager);
  const nodeKey = await identifyNode(lightning, await lightning.info(), unfinished);
  const sure = nodeKey === null ? (await ctx.now(ctx.db.manager)) >= row.expiresAt : nodeKey === row.nodeKey;
  return sure && finish(ctx, row, "canceled");
}

function finish(ctx: CommandContext, row: Bolt11, state: Bolt11State): Promise<boolean> {
  return write(ctx, row, { state });
}

/**
 * Writes the node's answer to a row, unless another process has done so meanwhile. The invoice is due from then on,
 * so that the sweep decides it after a crash.
 */
async function write(ctx: CommandContext, row: Bolt11, values: Partial<Bolt11>): Promise<boolean> {
  return ctx.db.transaction(async (manager) => {
    const invoice = await lockInvoice(manager, row.invoiceId);
    const { paymentHash, state, cancelWanted } = row;
    const asItWas = values.state === "open" ? { state, cancelWanted } : { state: In(["wanted", "open"]) };
    const { affected } = await manager.update(Bolt11, { paymentHash, ...asItWas }, values);
    if (affected === 1) await manager.update(Invoice, invoice.id, { decideAt: await ctx.now(manager) });
    return affected === 1;
  });
}
