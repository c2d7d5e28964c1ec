import { Any, type DataSource, type EntityManager, In, IsNull, Not } from "typeorm";
import { countFailure, failsForGood } from "../../domain/chain/failure-count";
import { SetAside, type SetAsideKind } from "../../entities/set-aside";
import { closeHoles } from "./chain-gaps";
import type { CommandContext } from "../context";
import { countEachSetAside, deleteSetAside, insertFailure, readInvoicesPaidBy, readWorkAt } from "./queries";
import { raiseAlert, resolveAlerts } from "../server/raise-alert";

/** What failed. For a transaction in a block, and for a block, `block` identifies the block. */
export interface FailedItem {
  kind: SetAsideKind;
  subject: string;
  block?: { height: number; hash: string };
  /** The invoices that a transaction pays. Those for which it is recorded already are found without this. */
  invoiceIds?: readonly string[];
}

const ERROR_MAX_LENGTH = 500;

/**
 * Counts a failure of one item, and sets it aside with an alert when it has failed for good: processing continues
 * without it. It stays set aside until it is processed. Returns whether it is set aside.
 */
export async function noteFailure(ctx: CommandContext, item: FailedItem, error: unknown): Promise<boolean> {
  const { kind, subject, block, invoiceIds = [] } = item;
  const words = String(error).slice(0, ERROR_MAX_LENGTH);
  const row = await ctx.db.transaction(async (manager) => {
    const before = await lockRow(manager, item);
    const now = await ctx.now(manager);
    const count = countFailure(before, now);
    const isNew = (before?.setAsideAt ?? null) === null && failsForGood(count, await otherWorkAt(manager));
    const paid = kind === "transaction" ? (await readInvoicesPaidBy(manager, subject)).rows : [];
    const after = {
      ...count,
      invoiceIds: [...new Set([...(before?.invoiceIds ?? []), ...invoiceIds, ...paid.map(({ id }) => id)])],
      height: block?.height ?? before?.height ?? null,
      blockHash: block?.hash ?? before?.blockHash ?? null,
      setAsideAt: isNew ? now : (before?.setAsideAt ?? null),
      error: words,
      version: ctx.settings.version,
      retryAsked: false,
    };
    await manager.update(SetAside, { kind, subject }, after);
    // Whoever asked for a retry may have resolved the alert.
    if (isNew || before?.retryAsked === true) await alertSetAside(manager, ctx, item, words);
    return after;
  });
  const { failures, setAsideAt, height } = row;
  ctx.log.error(
    { err: error, kind, subject, height, failures, setAside: setAsideAt !== null },
    "set-aside: item failed",
  );
  return setAsideAt !== null;
}

/** Null if it has not failed before; its row is created and locked in any case. */
async function lockRow(
  manager: EntityManager,
  { kind, subject }: Pick<FailedItem, "kind" | "subject">,
): Promise<SetAside | null> {
  const made = await insertFailure(manager, kind, subject);
  if (made.count > 0) return null;
  return manager.findOne(SetAside, { where: { kind, subject }, lock: { mode: "pessimistic_write" } });
}

async function otherWorkAt(manager: EntityManager): Promise<Date | null> {
  return (await readWorkAt(manager)).rows[0]?.at ?? null;
}

async function alertSetAside(
  manager: EntityManager,
  ctx: CommandContext,
  { kind, subject, block }: FailedItem,
  words: string,
): Promise<void> {
  const where = block === undefined || kind === "block" ? "" : ` in block ${block.height}`;
  const name = kind === "block" ? `${block?.height ?? ""} (${subject})` : subject;
  const meaning =
    kind === "invoice"
      ? "It is no longer decided"
      : "Payments in it are not recorded, and invoices are not settled by it";
  await raiseAlert(manager, ctx, {
    kind: "set-aside",
    severity: "critical",
    subject: alertSubject(kind, subject),
    ...(kind === "invoice" ? { invoiceId: subject } : {}),
    message: `The ${kind} ${name}${where} could not be processed and was set aside: ${words}. ${meaning}; all others continue. It is retried after an upgrade, and by: cli retry set-aside`,
    details: { item: { kind, subject } },
  });
}

const alertSubject = (kind: SetAsideKind, subject: string): string => `${kind} ${subject}`;

/** Those among `subjects` that are to be skipped. */
export async function readSetAside(
  manager: EntityManager,
  kind: SetAsideKind,
  subjects: readonly string[],
): Promise<Set<string>> {
  if (subjects.length === 0) return new Set();
  const rows = await manager.find(SetAside, {
    select: { kind: true, subject: true },
    where: { kind, setAsideAt: Not(IsNull()), subject: Any(subjects) },
  });
  return new Set(rows.map(({ subject }) => subject));
}

/** For items that were processed or are gone: nothing is left to be retried, and a block is no longer a gap. */
export async function endSetAside(
  manager: EntityManager,
  ctx: CommandContext,
  kind: SetAsideKind,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length === 0) return;
  const { rows: ended } = await deleteSetAside(manager, kind, subjects);
  if (kind === "block")
    for (const { height } of ended)
      if (height !== null) await closeHoles(manager, ctx, { fromHeight: height, toHeight: height });
  await resolveAlerts(
    manager,
    ctx,
    "set-aside",
    subjects.map((subject) => alertSubject(kind, subject)),
  );
}

/**
 * For an alert that the operator has resolved: a block is given up, and no longer holds an expiry. A transaction is tried
 * once more, since it may be gone and hold the loss of another payment.
 */
export async function resolveSetAside(
  manager: EntityManager,
  ctx: CommandContext,
  { kind, subject }: Pick<FailedItem, "kind" | "subject">,
): Promise<void> {
  if (kind === "block") await endSetAside(manager, ctx, kind, [subject]);
  if (kind === "transaction") await manager.update(SetAside, { kind, subject }, { retryAsked: true });
}

/** Notes that transactions that were set aside are in this block now, where a retry finds them. */
export async function placeSetAside(
  manager: EntityManager,
  txids: readonly string[],
  block: { height: number; hash: string },
): Promise<void> {
  if (txids.length === 0) return;
  const standing = { height: block.height, blockHash: block.hash };
  await manager.update(SetAside, { kind: "transaction", subject: Any(txids) }, standing);
}

/**
 * For a block that was reorganised away: nothing in it is to be retried, and its transactions may come in another
 * one.
 */
export async function forgetBlock(manager: EntityManager, ctx: CommandContext, hash: string): Promise<void> {
  await endSetAside(manager, ctx, "block", [hash]);
  const inBlock = { kind: "transaction", blockHash: hash } as const;
  await manager.update(SetAside, inBlock, { height: null, blockHash: null });
}

/** For what was set aside in this block and has been processed, or only for some of its transactions. */
export async function endSetAsideInBlock(
  manager: EntityManager,
  ctx: CommandContext,
  hash: string,
  only?: readonly string[],
): Promise<void> {
  const rows = await manager.findBy(SetAside, {
    kind: "transaction",
    blockHash: hash,
    ...(only === undefined ? {} : { subject: Any(only) }),
  });
  await endSetAside(
    manager,
    ctx,
    "transaction",
    rows.map(({ subject }) => subject),
  );
  if (only === undefined) await endSetAside(manager, ctx, "block", [hash]);
}

/** How many of each kind are set aside. */
export async function countSetAside(db: DataSource): Promise<Record<SetAsideKind, number>> {
  const { rows } = await countEachSetAside(db.manager);
  const counts = { invoice: 0, transaction: 0, block: 0 };
  for (const { kind, count } of rows) counts[kind] = count;
  return counts;
}

/** A description; null if nothing of these kinds is set aside. */
export function describeSetAside(
  counts: Record<SetAsideKind, number>,
  kinds: readonly SetAsideKind[],
): string | null {
  const some = kinds.filter((kind) => counts[kind] > 0);
  if (some.length === 0) return null;
  const words = some.map((kind) => `${counts[kind]} ${kind}${counts[kind] === 1 ? "" : "s"}`);
  return `Set aside, because they could not be processed: ${words.join(", ")}. The alerts say why.`;
}

/**
 * Makes the watchers and workers retry, within seconds, everything that is set aside. Returns how many items there
 * are.
 */
export async function askToRetrySetAside(ctx: CommandContext): Promise<number> {
  const asked = await ctx.db.manager.update(SetAside, { setAsideAt: Not(IsNull()) }, { retryAsked: true });
  return asked.affected ?? 0;
}

/** Items to be retried now: requested, or last tried by another version of the service. */
export async function readRetries(
  ctx: CommandContext,
  kinds: readonly SetAsideKind[],
  most: number,
): Promise<SetAside[]> {
  const some = { kind: In(kinds), setAsideAt: Not(IsNull()) };
  return ctx.db.manager.find(SetAside, {
    where: [
      { ...some, retryAsked: true },
      { ...some, version: Not(ctx.settings.version) },
    ],
    order: { height: { direction: "ASC", nulls: "LAST" }, subject: "ASC" },
    take: most,
  });
}
