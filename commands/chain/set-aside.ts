import { Any, type DataSource, type EntityManager, IsNull, LessThan, Not } from "typeorm";
import { SetAside } from "../../entities/set-aside";
import type { CommandContext } from "../context";
import { deleteSetAside, readSetAsideOf, writeSetAside } from "./queries";
import { raiseAlert, resolveAlerts } from "../server/raise-alert";
import type { Tx } from "../transaction";

type BlockId = { height: number; hash: string };

export interface FailedTransaction {
  txid: string;
  /** See the entity. Default: where it was before. */
  block?: BlockId;
  /** Invoices whose payments by it are recorded already are found without this. */
  invoiceIds?: readonly string[];
}

const ERROR_MAX_LENGTH = 500;
/** Several times within the time for which an expiry is held. */
export const RETRY_AFTER_MS = 600_000;
/** A check of the chain waits for them. */
const RETRIES_AT_ONCE = 20;

/**
 * Sets a transaction aside that could not be recorded, with an alert: all others are recorded without it, and the
 * invoices that it pays wait for it. It is tried again after ten minutes, and when a person asks.
 */
export async function setAside(
  tx: Tx,
  { txid, block, invoiceIds = [] }: FailedTransaction,
  reason: unknown,
): Promise<void> {
  const error = String(reason).slice(0, ERROR_MAX_LENGTH);
  const now = await tx.now();
  await writeSetAside(tx.manager, txid, block?.height ?? null, block?.hash ?? null, invoiceIds, now, error);
  const where = block === undefined ? "" : ` in block ${block.height}`;
  await raiseAlert(tx, {
    kind: "set-aside",
    severity: "critical",
    subject: alertSubject(txid),
    message: `The transaction ${txid}${where} could not be processed and was set aside: ${error}. Payments in it are not recorded, and invoices are not settled by it; all others continue. It is retried every ten minutes, and by: cli retry set-aside`,
    details: { txid },
  });
  tx.log.error({ err: reason, txid, height: block?.height }, "set-aside: transaction not recorded");
}

const alertSubject = (txid: string): string => `transaction ${txid}`;

/** The transactions among these that are to be skipped. */
export async function readSetAside(manager: EntityManager, txids: readonly string[]): Promise<Set<string>> {
  if (txids.length === 0) return new Set();
  const { rows } = await readSetAsideOf(manager, txids);
  return new Set(rows.map(({ txid }) => txid));
}

/** For transactions that were recorded or are gone. */
export async function endSetAside(tx: Tx, txids: readonly string[]): Promise<void> {
  const { rows } = await deleteSetAside(tx.manager, txids);
  const subjects = rows.map(({ txid }) => alertSubject(txid));
  await resolveAlerts(tx, "set-aside", subjects);
}

/** Notes that transactions that were set aside are in this block now, where a retry finds them. */
export async function placeSetAside(
  manager: EntityManager,
  txids: readonly string[],
  { height, hash }: BlockId,
): Promise<void> {
  if (txids.length > 0) await manager.update(SetAside, { txid: Any(txids) }, { height, blockHash: hash });
}

export function countSetAside(db: DataSource): Promise<number> {
  return db.manager.count(SetAside);
}

/** Null if nothing is set aside. */
export function describeSetAside(count: number): string | null {
  if (count === 0) return null;
  return `Set aside, because they could not be processed: ${count} transaction${count === 1 ? "" : "s"}. The alerts say why.`;
}

/** Makes chain-watch retry, within seconds, this transaction or all. Returns how many there are. */
export async function askToRetrySetAside(manager: EntityManager, txid?: string): Promise<number> {
  const asked = await manager.update(SetAside, { txid: txid ?? Not(IsNull()) }, { retryAsked: true });
  return asked.affected ?? 0;
}

/** The transactions to be retried now. */
export async function readRetries(ctx: CommandContext): Promise<SetAside[]> {
  const before = new Date((await ctx.now(ctx.db.manager)).getTime() - RETRY_AFTER_MS);
  return ctx.db.manager.find(SetAside, {
    where: [{ retryAsked: true }, { failedAt: LessThan(before) }],
    order: { height: { direction: "ASC", nulls: "LAST" }, txid: "ASC" },
    take: RETRIES_AT_ONCE,
  });
}
