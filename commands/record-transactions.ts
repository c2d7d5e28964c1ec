import { In, type EntityManager } from "typeorm";
import {
  applyTransaction,
  type Evidence,
  type OnchainPayment,
  type PaidInvoice,
  type PaymentChange,
} from "../domain/chain/apply-transaction";
import type { DecodedTx } from "../domain/chain/decode-tx";
import {
  matchOutputs,
  matchSpends,
  outpointsToLookUp,
  scriptsToLookUp,
  type OutputMatch,
  type SpendMatch,
} from "../domain/chain/match-outputs";
import { type PackedKeys, splitPacket } from "../domain/chain/packed-keys";
import { Payment } from "../entities/payment";
import type { CommandContext } from "./context";
import { raiseAlert } from "./raise-alert";
import { writePayments, type PaymentLine } from "./write-payments";

export interface WatchedOutput {
  scriptPubKey: Buffer;
  invoiceId: string;
}

interface SpentInput {
  outpoint: Buffer;
  txid: string;
}

/** Transactions that touch what we watch, and how. */
export interface Hits {
  paid: OutputMatch<WatchedOutput>[];
  /** Inputs that a payment of ours, in another transaction, spends too. */
  spent: SpendMatch<SpentInput>[];
}

export interface Recorded {
  invoiceIds: string[];
  /** Payments that were seen for the first time. */
  payments: number;
  /** Transactions whose payments were replaced. */
  replacedTxids: string[];
  /** Some of the transactions pay to what we watch or spend what a payment of ours does, news or not. */
  concerned: boolean;
  /** The mempool contradicted the processed blocks: nothing of it was recorded; look again after walking the chain. */
  contradicted: boolean;
}

interface LockedPaidInvoice extends PaidInvoice {
  storeId: string;
  status: string;
}

/** Keys in one look-up. */
const LOOK_UP_SIZE = 10_000;
/** Where not more inputs of payments are kept, as a rule (they go when they are buried), a block's are looked up in them. */
const FEW_INPUTS = 1_000;
/** `$1` holds `$3` keys of `$2` bytes, one behind the other: thousands of values in a list would all be written as text. */
const KEYS =
  "ARRAY(SELECT substr($1::bytea, n * $2::int + 1, $2::int) FROM generate_series(0, $3::int - 1) AS n)";

/**
 * Which of the transactions concern us, by the indexes on scripts and on our payments' inputs. `scripts`: what they
 * pay, where that was made out before.
 */
export async function findHits(
  manager: EntityManager,
  txs: readonly DecodedTx[],
  scripts: readonly PackedKeys[] = scriptsToLookUp(txs),
): Promise<Hits> {
  const watched = await lookUp<WatchedOutput>(
    manager,
    `SELECT script_pub_key AS "scriptPubKey", invoice_id AS "invoiceId" FROM watched_scripts WHERE script_pub_key = ANY(${KEYS})`,
    scripts,
  );
  const inputs = await lookUpInputs(manager, txs);
  return {
    paid: matchOutputs(txs, watched),
    spent: matchSpends(txs, inputs).filter(({ tx, watched: input }) => tx.txid !== input.txid),
  };
}

/**
 * Records what transactions mean for our payments, in the caller's transaction: all at one place, with the evidence
 * that they were there. Locks the invoices first, in the order of their ids, as every change of an invoice does.
 * `scripts`: as for findHits.
 */
export async function recordTransactions(
  manager: EntityManager,
  ctx: CommandContext,
  txs: readonly DecodedTx[],
  evidence: Evidence,
  scripts?: readonly PackedKeys[],
): Promise<Recorded> {
  const recorded: Recorded = {
    invoiceIds: [],
    payments: 0,
    replacedTxids: [],
    concerned: false,
    contradicted: false,
  };
  const hits = await findHits(manager, txs, scripts);
  if (hits.paid.length === 0 && hits.spent.length === 0) return recorded;
  recorded.concerned = true;
  const { invoices, payments } = await lockAndRead(manager, hits);
  const lines: PaymentLine[] = [];
  for (const tx of new Set([...hits.paid, ...hits.spent].map((hit) => hit.tx))) {
    const changes = applyTransaction(gather(tx, hits, invoices, payments), payments, evidence);
    if (changes === null) return { ...recorded, contradicted: true };
    for (const change of changes) {
      lines.push({ ...change, before: payments.get(change.payment.id) ?? null });
      payments.set(change.payment.id, change.payment);
      if (change.kind === "seen") recorded.payments += 1;
      if (change.kind === "replaced") recorded.replacedTxids.push(change.payment.txid ?? "");
      if (change.doubleSpend) await alertDoubleSpend(manager, ctx, change, invoices);
    }
  }
  const paying = new Set(hits.paid.map((hit) => hit.tx));
  await keepInputs(manager, [...paying]);
  recorded.invoiceIds = await writePayments(manager, lines, evidence.now);
  return recorded;
}

/** Those of our payments' inputs that the transactions spend; where it is less work all that there are. */
async function lookUpInputs(manager: EntityManager, txs: readonly DecodedTx[]): Promise<SpentInput[]> {
  if (txs.length > FEW_INPUTS) {
    const all = await manager.query<SpentInput[]>(
      `SELECT outpoint, txid FROM payment_inputs LIMIT ${FEW_INPUTS + 1}`,
    );
    if (all.length <= FEW_INPUTS) return all;
  }
  return lookUp<SpentInput>(
    manager,
    `SELECT outpoint, txid FROM payment_inputs WHERE outpoint = ANY(${KEYS})`,
    outpointsToLookUp(txs),
  );
}

async function lookUp<Row>(
  manager: EntityManager,
  sql: string,
  packets: readonly PackedKeys[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { bytes, length, count } of packets.flatMap((packet) => splitPacket(packet, LOOK_UP_SIZE)))
    rows.push(...(await manager.query<Row[]>(sql, [bytes, length, count])));
  return rows;
}

async function lockAndRead(
  manager: EntityManager,
  { paid, spent }: Hits,
): Promise<{ invoices: Map<string, LockedPaidInvoice>; payments: Map<string, OnchainPayment> }> {
  const conflicted = [...new Set(spent.map((hit) => hit.watched.txid))];
  const losers = await manager.find(Payment, {
    select: { invoiceId: true },
    where: { txid: In(conflicted) },
  });
  const ids = [...paid.map((hit) => hit.watched.invoiceId), ...losers.map((payment) => payment.invoiceId)];
  const locked = await lockPaidInvoices(manager, ids);
  const own = paid.map(({ tx, output }) => `${tx.txid}:${output.vout}`);
  // Read after the lock: who held it before us may have changed them.
  const rows = await manager.findBy(Payment, [{ id: In(own) }, { txid: In(conflicted) }]);
  return {
    invoices: new Map(locked.map((invoice) => [invoice.id, invoice])),
    payments: new Map(rows.map((row) => [row.id, row])),
  };
}

/** In the order of their ids, so that two who lock several never wait for each other. */
export async function lockPaidInvoices(
  manager: EntityManager,
  ids: readonly string[],
): Promise<LockedPaidInvoice[]> {
  const rows = await manager.query<(Omit<LockedPaidInvoice, "zeroConfMaxSats"> & { cap: string | null })[]>(
    `SELECT i.id, i.store_id AS "storeId", i.status, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
            i.required_confirmations AS "requiredConfirmations", s.zero_conf_max_sats AS cap
     FROM invoices i JOIN stores s ON s.id = i.store_id
     WHERE i.id = ANY($1) ORDER BY i.id FOR UPDATE OF i`,
    [[...new Set(ids)]],
  );
  return rows.map(({ cap, ...row }) => ({ ...row, zeroConfMaxSats: cap === null ? null : BigInt(cap) }));
}

function gather(
  tx: DecodedTx,
  { paid, spent }: Hits,
  invoices: ReadonlyMap<string, PaidInvoice>,
  payments: ReadonlyMap<string, OnchainPayment>,
): Parameters<typeof applyTransaction>[0] {
  const invoiceOf = (id: string): PaidInvoice => {
    const invoice = invoices.get(id);
    if (!invoice) throw new Error(`invoice ${id} is gone, but its script or payment is not`);
    return invoice;
  };
  const rivals = new Set(spent.filter((hit) => hit.tx === tx).map((hit) => hit.watched.txid));
  return {
    tx,
    outputs: paid
      .filter((hit) => hit.tx === tx)
      .map(({ output, watched }) => ({ output, invoice: invoiceOf(watched.invoiceId) })),
    conflicting: [...payments.values()]
      .filter(({ txid }) => txid !== null && rivals.has(txid))
      .map((payment) => ({ payment, invoice: invoiceOf(payment.invoiceId) })),
  };
}

async function keepInputs(manager: EntityManager, txs: readonly DecodedTx[]): Promise<void> {
  const inputs = txs.flatMap((tx) =>
    tx.coinbase ? [] : tx.inputs.map(({ outpoint }) => ({ outpoint, txid: tx.txid })),
  );
  if (inputs.length === 0) return;
  await manager.query(
    `INSERT INTO payment_inputs (outpoint, txid) SELECT * FROM unnest($1::bytea[], $2::text[]) ON CONFLICT DO NOTHING`,
    [inputs.map((input) => input.outpoint), inputs.map((input) => input.txid)],
  );
}

async function alertDoubleSpend(
  manager: EntityManager,
  ctx: CommandContext,
  { payment }: PaymentChange,
  invoices: ReadonlyMap<string, LockedPaidInvoice>,
): Promise<void> {
  const invoice = invoices.get(payment.invoiceId);
  if (!invoice) return;
  const inBlock = payment.conflictHeight !== null;
  await raiseAlert(manager, ctx, {
    kind: "double-spend",
    severity: inBlock && invoice.status === "Settled" ? "critical" : "warning",
    subject: `${payment.id} ${inBlock ? "in a block" : "in the mempool"}`,
    storeId: invoice.storeId,
    invoiceId: invoice.id,
    message: inBlock
      ? `Payment ${payment.id} of ${payment.amountSats} sats is void: a transaction that spends the same coins elsewhere is in a block.`
      : `Payment ${payment.id} of ${payment.amountSats} sats is contested: an unconfirmed transaction spends the same coins elsewhere.`,
  });
}
