import type { EntityManager } from "typeorm";
import { applyTransaction } from "../../domain/chain/apply-transaction";
import type {
  FoundTransaction,
  OnchainPayment,
  PaidInvoice,
  Sighting,
} from "../../domain/chain/onchain-payment";
import type { KnownTxids } from "../../domain/chain/known-txids";
import type { DecodedTx } from "../../domain/chain/decode-tx";
import {
  matchOutputs,
  matchSpends,
  outpointsToLookUp,
  scriptsToLookUp,
  type OutputMatch,
  type SpendMatch,
} from "../../domain/chain/match-outputs";
import { seesConflicts } from "../../domain/invoice/confirmations-required";
import { isOverdue, notAhead, unknownArrival } from "../../domain/invoice/expiry-hold";
import { groupBy } from "../../domain/group-by";
import { alertDoubleSpends, alertPaidBefore } from "./alert-payments";
import { holdUntil, readChainStanding } from "../invoices/decisions";
import { markDue } from "../invoices/queries";
import { isItemFailure, ItemFailure } from "../../database/item-failure";
import { pipelined } from "../../database/pipelined";
import type { Statement } from "../../database/statement";
import {
  FEW_INPUTS,
  readFewInputs,
  readInputs,
  readInvoicesOf,
  readOnchainPayments,
  readWatched,
  type SpentInput,
  type WatchedOutput,
} from "./payment-queries";
import { keepTransactions } from "./payment-transactions";
import { setAside } from "./set-aside";
import {
  invoicesOf,
  writePayments,
  type PaymentLine,
  lockPaidInvoices,
  type LockedPaidInvoice,
} from "./write-payments";
import { inSavepoint, type Tx } from "../transaction";

/** Transactions that touch scripts or coins of ours, and how. */
export interface ScriptMatches {
  paid: OutputMatch<WatchedOutput>[];
  /** Inputs that are also spent by a payment of ours in another transaction, or by an ancestor of it. */
  spent: SpendMatch<SpentInput>[];
}

/** The invoices that one of the transactions pays. */
export function invoicesPaidIn({ paid }: Pick<ScriptMatches, "paid">, tx: DecodedTx): string[] {
  return [...new Set(paid.filter((hit) => hit.tx === tx).map((hit) => hit.watched.invoiceId))];
}

export interface RecordResult {
  invoiceIds: readonly string[];
  /** That count, and were seen for the first time. */
  payments: number;
  /** Transactions whose payments were replaced. */
  replacedTxids: string[];
  /**
   * The mempool contradicted the processed blocks: nothing was recorded; check again after following the chain.
   */
  contradicted: boolean;
}

/** Keys in one query. */
const LOOK_UP_SIZE = 10_000;

/** Finds the transactions that concern us, by the indexes on scripts and on the inputs of our payments. */
export async function findMatches(manager: EntityManager, txs: readonly DecodedTx[]): Promise<ScriptMatches> {
  const [watched, spent] = await pipelined(
    lookUp(manager, readWatched, scriptsToLookUp(txs)),
    findSpends(manager, txs),
  );
  return { paid: matchOutputs(txs, watched), spent };
}

/** Coins that the transactions spend, and a payment of ours in another transaction too. */
export async function findSpends(
  manager: EntityManager,
  txs: readonly DecodedTx[],
): Promise<ScriptMatches["spent"]> {
  return matchSpends(txs, await lookUpInputs(manager, txs)).filter(
    ({ tx, watched: input }) => tx.txid !== input.txid && tx.txid !== input.ancestorTxid,
  );
}

/** The matches of one transaction among those of several. */
export function matchesOf({ paid, spent }: ScriptMatches, tx: DecodedTx): ScriptMatches {
  return { paid: paid.filter((hit) => hit.tx === tx), spent: spent.filter((hit) => hit.tx === tx) };
}

/**
 * Records what transactions mean for our payments, in the caller's transaction. Locks the invoices first, ordered
 * by id, as every change of an invoice does. `follow`, or the caller's transaction, decides the invoices that this
 * returns (decide-invoices). Behind the writes of new payments on the connection, `follow` does not wait for their
 * answers; others may be losses or end alerts. Null if the transactions neither pay nor spend anything of ours.
 */
export async function recordTransactions(
  tx: Tx,
  hits: ScriptMatches,
  sighting: Sighting,
  known?: KnownTxids,
  follow: (invoiceIds: readonly string[]) => Promise<unknown> = () => Promise.resolve(),
): Promise<RecordResult | null> {
  if (hits.paid.length === 0 && hits.spent.length === 0) return null;
  const { invoices, payments, now } = await lockAndRead(tx, hits);
  const { where } = sighting;
  const recorded: RecordResult = { invoiceIds: [], payments: 0, replacedTxids: [], contradicted: false };
  const conflictsUnseen = where === "mempool" && (await mayMissConflicts(tx.manager, invoices, now));
  await noteUnknownArrivals(tx, invoices, now);
  const lines: PaymentLine[] = [];
  const replaced = new Set<string>();
  for (const found of foundTransactions(hits, invoices, payments)) {
    const { txid } = found.tx;
    const remembered = { listedAt: known?.listedAt(txid) ?? null, absentAt: known?.absentAt(txid) ?? null };
    const evidence = { ...sighting, ...remembered, now, conflictsUnseen };
    const changes = applyTransaction(found, payments, evidence);
    if (changes === null) return { ...recorded, contradicted: true };
    for (const change of changes) {
      lines.push({ ...change, before: payments.get(change.payment.id) ?? null });
      payments.set(change.payment.id, change.payment);
      if (change.kind === "seen" && !change.payment.neverCounts) recorded.payments += 1;
      if (change.kind === "replaced") replaced.add(change.payment.txid ?? "");
    }
    await alertPaidBefore(tx, changes, invoices);
    await alertDoubleSpends(tx, changes, invoices);
  }
  recorded.replacedTxids = [...replaced];
  const paying = new Set(
    hits.paid.filter(({ tx, output }) => payments.has(`${tx.txid}:${output.vout}`)).map((hit) => hit.tx),
  );
  const invoiceIds = invoicesOf(lines);
  const written = pipelined(
    writePayments(tx, lines, invoices, now),
    keepTransactions(tx.manager, [...paying]),
  );
  const onlyNew = lines.every(({ before }) => before === null);
  await pipelined(written, onlyNew ? follow(invoiceIds) : written.then(() => follow(invoiceIds)));
  return { ...recorded, invoiceIds };
}

/** The inputs of our payments that the transactions spend; or all inputs, if reading those is less work. */
async function lookUpInputs(manager: EntityManager, txs: readonly DecodedTx[]): Promise<SpentInput[]> {
  if (txs.length > FEW_INPUTS) {
    const { rows: all } = await readFewInputs(manager);
    if (all.length <= FEW_INPUTS) return all;
  }
  return lookUp(manager, readInputs, outpointsToLookUp(txs));
}

/** `keys`: hex, sent as the literal of an array. */
async function lookUp<Row>(
  manager: EntityManager,
  read: Statement<[keys: string], Row>,
  keys: readonly string[],
): Promise<Row[]> {
  let rows: Row[] = [];
  for (let from = 0; from < keys.length; from += LOOK_UP_SIZE) {
    const some = keys.slice(from, from + LOOK_UP_SIZE).map((key) => `"\\\\x${key}"`);
    rows = rows.concat((await read(manager, `{${some.join()}}`)).rows);
  }
  return rows;
}

async function lockAndRead(
  tx: Tx,
  { paid, spent }: ScriptMatches,
): Promise<{ invoices: Map<string, LockedPaidInvoice>; payments: Map<string, OnchainPayment>; now: Date }> {
  const conflicted = [...new Set(spent.map((hit) => hit.watched.txid))];
  const losers = conflicted.length === 0 ? [] : await readInvoicesOf(tx.manager, conflicted);
  const ids = [...paid.map((hit) => hit.watched.invoiceId), ...losers.map((payment) => payment.invoiceId)];
  const own = paid.map(({ tx, output }) => `${tx.txid}:${output.vout}`);
  // Behind the lock on the connection: its former holder may have changed them.
  const [invoices, rows, now] = await pipelined(
    lockPaidInvoices(tx.manager, ids),
    readOnchainPayments(tx.manager, own, conflicted),
    tx.now(),
  );
  return { invoices, payments: new Map(rows.map((row) => [row.id, row])), now };
}

/** Asked only where an invoice requires no confirmation, so that no other payment waits for the answer. */
async function mayMissConflicts(
  manager: EntityManager,
  invoices: ReadonlyMap<string, LockedPaidInvoice>,
  now: Date,
): Promise<boolean> {
  if (![...invoices.values()].some(({ requiredConfirmations }) => requiredConfirmations === 0)) return false;
  return !seesConflicts(await readChainStanding(manager), now);
}

/** Notes the invoices of which a payment that is found only now may have come in time. */
async function noteUnknownArrivals(
  tx: Tx,
  invoices: ReadonlyMap<string, LockedPaidInvoice>,
  now: Date,
): Promise<void> {
  const overdue = [...invoices.values()].filter((invoice) => isOverdue(invoice, now));
  if (overdue.length === 0) return;
  const chain = await readChainStanding(tx.manager);
  const readUntil = notAhead(chain.caughtUpTo, now);
  for (const invoice of overdue) {
    const holdExpiryUntil = holdUntil(tx, invoice.expiresAt, chain);
    invoice.arrivalUnknown = unknownArrival(invoice, { ...chain, readUntil, holdExpiryUntil }, now);
  }
}

/** Each transaction with what it pays and what it conflicts with, given the changes made by those before it. */
function* foundTransactions(
  { paid, spent }: ScriptMatches,
  invoices: ReadonlyMap<string, PaidInvoice>,
  payments: ReadonlyMap<string, OnchainPayment>,
): Generator<FoundTransaction, void, undefined> {
  const invoiceOf = (id: string): PaidInvoice => {
    const invoice = invoices.get(id);
    if (!invoice) throw new ItemFailure(`invoice ${id} is gone, but its script or payment is not`);
    return invoice;
  };
  const paidBy = groupBy(paid, ({ tx }) => tx);
  const spentBy = groupBy(spent, ({ tx }) => tx);
  const paymentsOf = groupBy([...payments.values()], ({ txid }) => txid);
  for (const tx of new Set([...paidBy.keys(), ...spentBy.keys()])) {
    const rivals = new Set((spentBy.get(tx) ?? []).map(({ watched }) => watched.txid));
    const conflicting = [...rivals]
      .flatMap((txid) => paymentsOf.get(txid) ?? [])
      .map((before) => payments.get(before.id) ?? before);
    yield {
      tx,
      outputs: (paidBy.get(tx) ?? []).map(({ output, watched }) => ({
        output,
        invoice: invoiceOf(watched.invoiceId),
      })),
      conflicting: conflicting.map((payment) => ({ payment, invoice: invoiceOf(payment.invoiceId) })),
    };
  }
}

interface Recorded {
  invoiceIds: readonly string[];
  /** That count, and were seen for the first time. */
  payments: number;
  /** Transactions that were set aside. */
  failed?: string[];
}

/** Records what a block's transactions mean, in the caller's transaction. Null if they do not concern us. */
export type RecordBlock = (
  tx: Tx,
  hits: ScriptMatches,
  sighting: Extract<Sighting, { where: "block" }>,
  known?: KnownTxids,
) => Promise<Recorded | null>;

/** `work` records a block's transactions together; where that fails, it runs again and records each alone. */
export async function togetherOrEach<T>(work: (record: RecordBlock) => Promise<T>): Promise<T> {
  try {
    return await work(recordTransactions);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    return work(recordEach);
  }
}

/** A transaction that fails is set aside. */
const recordEach: RecordBlock = async (tx, hits, sighting, known) => {
  const failed: string[] = [];
  const invoiceIds = new Set<string>();
  let payments = 0;
  const txs = new Set([...hits.paid, ...hits.spent].map((hit) => hit.tx));
  if (txs.size === 0) return null;
  for (const each of txs)
    try {
      const one = await inSavepoint(tx, async (within) => {
        const recorded = await recordTransactions(within, matchesOf(hits, each), sighting, known);
        // An invoice whose row cannot be written fails here, and not later with the whole block.
        if (recorded !== null) await markDue(within.manager, recorded.invoiceIds, await within.now());
        return recorded;
      });
      for (const invoiceId of one?.invoiceIds ?? []) invoiceIds.add(invoiceId);
      payments += one?.payments ?? 0;
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      failed.push(each.txid);
      const item = { txid: each.txid, block: sighting, invoiceIds: invoicesPaidIn(hits, each) };
      await setAside(tx, item, error);
    }
  return { invoiceIds: [...invoiceIds], payments, failed };
};
