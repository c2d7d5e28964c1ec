import { type FindOperator, Raw } from "typeorm";
import { elementsOf, statement, rowsOf } from "../../database/statement";
import type { InvoiceStatus } from "../../domain/invoice/status";
import type { OnchainPayment } from "../../domain/chain/onchain-payment";
import { Payment, whereCounted, whereLive, whereLost, whereUnmined } from "../../entities/payment";
import { PaymentInput } from "../../entities/payment-input";
import { BLIND_AFTER_SECONDS } from "../invoices/decision-queries";
import { BURIED_DEPTH, IS_DEEP_ENOUGH, isSetAside } from "./queries";

/** SQL about a payment's conflictHeights, served by the index of payments that have any. */
export const holdsHeight = (height: number): FindOperator<number> =>
  Raw((column) => `${column} <> '{}' AND :height = ANY(${column})`, { height }) as FindOperator<number>;

const INVOICES_A_TRANSACTION = 200;
const IS_TO_BE_CONFIRMED = `state = 'pending' AND type = 'BTC-CHAIN' AND NOT ${isSetAside("payments.txid")}
      AND ${IS_DEEP_ENOUGH}`;

/** Invoices, ordered by id, with payments that have reached their depth. */
export const readDeepEnough = statement<[after: string], { id: string; payments: number }>(
  "chain.read-deep-enough",
  `SELECT invoice_id AS id, count(*)::int AS payments FROM payments
    WHERE invoice_id > $1 AND ${IS_TO_BE_CONFIRMED}
    GROUP BY invoice_id ORDER BY invoice_id LIMIT ${INVOICES_A_TRANSACTION}`,
);

/** All columns of an on-chain payment but its store, which is its invoice's. */
export const OF_PAYMENTS = [
  "id",
  "invoiceId",
  "amountSats",
  "state",
  "neverCounts",
  "firstSeenAt",
  "confirmedAt",
  "requiredConfirmations",
  "txid",
  "vout",
  "blockHeight",
  "blockHash",
  "conflictTxid",
  "conflictSince",
  "conflictHeights",
  "missingSince",
  "inputsMissingHeight",
  "givenUp",
  "leftBlockAt",
] as const satisfies readonly (keyof OnchainPayment)[];

/** Payments of the transactions, and others by their own ids. */
export const readOnchainPayments = rowsOf(Payment, OF_PAYMENTS).statement<
  [ids: readonly string[], txids: readonly string[]]
>("chain.read-onchain-payments", "WHERE id = ANY($1::text[]) OR txid = ANY($2::text[])");

export const readDeepPayments = rowsOf(Payment, OF_PAYMENTS).statement<[invoiceIds: readonly string[]]>(
  "chain.read-deep-payments",
  `WHERE invoice_id = ANY($1::text[]) AND ${IS_TO_BE_CONFIRMED}`,
);

/** The invoices of the transactions' payments. */
export const readInvoicesOf = rowsOf(Payment, ["invoiceId"]).statement<[txids: readonly string[]]>(
  "chain.read-invoices-of",
  "WHERE txid = ANY($1::text[])",
);

/** A transaction of ours that is in no block. */
export interface UnminedTransaction {
  txid: string;
  missing: boolean;
  contested: boolean;
}

const OF_UNMINED = `txid, bool_or(missing_since IS NOT NULL) AS missing,
  bool_or(conflict_txid IS NOT NULL) AS contested`;

export const readUnmined = statement<[], UnminedTransaction>(
  "chain.read-unmined",
  `SELECT ${OF_UNMINED} FROM payments WHERE ${whereUnmined()} GROUP BY txid ORDER BY txid`,
);

/** A coin of each payment that is in no block: in the mempool the payment itself spends it, unless it is not there. */
export const readUnminedCoins = statement<[], { txid: string; outpoint: Buffer }>(
  "chain.read-unmined-coins",
  `SELECT txid, outpoint
     FROM (SELECT DISTINCT txid FROM payments WHERE ${whereUnmined()}) unmined
    CROSS JOIN LATERAL (SELECT outpoint FROM payment_inputs inputs
                         WHERE inputs.txid = unmined.txid AND ancestor_txid IS NULL LIMIT 1) coin
    ORDER BY txid`,
  "each time",
);

export const readCounted = statement<[txids: string[]], { txid: string; sats: string }>(
  "chain.read-counted",
  `SELECT txid, sum(amount_sats)::text AS sats FROM payments
    WHERE txid = ANY($1::text[]) AND ${whereCounted()} GROUP BY txid`,
  "each time",
);

/** For how long a lost payment that was confirmed before is broadcast again at each block, and the others are remembered. */
const LOST_OFFERED_DAYS = 30;

export const readLost = statement<[now: Date], UnminedTransaction>(
  "chain.read-lost",
  `SELECT ${OF_UNMINED} FROM payments
   WHERE ${whereLost()}
     AND EXISTS (SELECT FROM payment_transactions kept WHERE kept.txid = payments.txid)
     AND coalesce(missing_since, conflict_since) > $1::timestamptz - ${LOST_OFFERED_DAYS} * interval '1 day'
   GROUP BY txid ORDER BY txid`,
);

export const restartLiveTimers = statement<[checkedAt: Date]>(
  "chain.restart-live-timers",
  `UPDATE payments SET inputs_missing_height = NULL,
          missing_since = CASE WHEN missing_since IS NULL THEN NULL ELSE $1::timestamptz END,
          conflict_since = CASE WHEN conflict_since IS NULL THEN NULL ELSE $1::timestamptz END
     FROM payment_method_syncs sync
    WHERE sync.type = 'BTC-CHAIN'
      AND sync.caught_up_to NOT BETWEEN $1::timestamptz - ${BLIND_AFTER_SECONDS} * interval '1 second'
                                    AND $1::timestamptz
      AND ${whereUnmined("payments")}
      AND (missing_since IS NOT NULL OR conflict_since IS NOT NULL)`,
);

export const restartLostTimers = statement<[checkedAt: Date]>(
  "chain.restart-lost-timers",
  `UPDATE payments SET inputs_missing_height = NULL
     FROM payment_method_syncs sync
    WHERE sync.type = 'BTC-CHAIN'
      AND sync.caught_up_to < $1::timestamptz - ${BLIND_AFTER_SECONDS} * interval '1 second'
      AND ${whereLost("payments")} AND inputs_missing_height IS NOT NULL`,
);

export interface WatchedOutput {
  scriptPubKey: Buffer;
  invoiceId: string;
}

/** The scripts are sent as the literal of an array of bytea. */
export const readWatched = statement<[scripts: string], WatchedOutput>(
  "chain.read-watched",
  `SELECT script_pub_key AS "scriptPubKey", invoice_id AS "invoiceId" FROM watched_scripts WHERE script_pub_key = ANY(${elementsOf("$1::bytea[]")})`,
);

export interface SpentInput {
  outpoint: Buffer;
  txid: string;
  /** The ancestor of the payment that spends it; null if the payment itself does. */
  ancestorTxid: string | null;
}

const OF_INPUTS = `SELECT outpoint, txid, ancestor_txid AS "ancestorTxid" FROM payment_inputs`;
/**
 * As long as no more inputs of payments than this are kept (PRUNE_FOLLOWED), they are all read, and
 * the block's inputs are looked up among them.
 */
export const FEW_INPUTS = 1_000;

/** All of them, or one more than `FEW_INPUTS`. */
export const readFewInputs = statement<[], SpentInput>(
  "chain.read-few-inputs",
  `${OF_INPUTS} LIMIT ${FEW_INPUTS + 1}`,
);

/** The outpoints are sent as the literal of an array of bytea. */
export const readInputs = statement<[outpoints: string], SpentInput>(
  "chain.read-inputs",
  `${OF_INPUTS} WHERE outpoint = ANY(${elementsOf("$1::bytea[]")})`,
);

/** Inputs of these payments and of their ancestors. */
export const readInputsOf = rowsOf(PaymentInput, ["outpoint", "txid", "ancestorTxid"]).statement<
  [txids: readonly string[]]
>("chain.read-inputs-of", "WHERE txid = ANY($1::text[])");

/**
 * The outputs of these transactions that unconfirmed payments spend. Transaction ids are given in wire order, as in
 * outpoints.
 */
export const readSpendsOf = statement<[txids: Buffer[]], { txid: string; outpoint: Buffer }>(
  "chain.read-spends-of",
  `SELECT DISTINCT inputs.txid, inputs.outpoint
     FROM unnest($1::bytea[]) AS made (txid)
     JOIN payment_inputs inputs
       ON inputs.outpoint BETWEEN made.txid || '\\x00000000'::bytea AND made.txid || '\\xffffffff'::bytea
     JOIN payments ON payments.txid = inputs.txid AND payments.block_height IS NULL`,
  "each time",
);

/** Each known ancestor that was in no block with the payment; without bytes where they are not stored. */
export const readAncestorsOf = statement<
  [txid: string, most: number],
  { rawTx: Buffer | null; inputs: number }
>(
  "chain.read-ancestors-of",
  `SELECT kept.raw_tx AS "rawTx", known.inputs
     FROM (SELECT ancestor_txid, count(*)::int AS inputs FROM payment_inputs
            WHERE txid = $1 AND ancestor_txid IS NOT NULL GROUP BY ancestor_txid LIMIT $2) known
     LEFT JOIN payment_transactions kept ON kept.txid = known.ancestor_txid`,
);

/** SQL: whether a payment of this transaction may still vanish, or come back by an offer of ours. $1: now. */
const isFollowed = (txid: string): string => `(SELECT bool_or(CASE WHEN p.block_height IS NOT NULL
    THEN p.block_height > (SELECT max(height) FROM chain_blocks) - ${BURIED_DEPTH} OR ${isSetAside("p.txid")}
    ELSE ${whereLive("p")} OR coalesce(p.missing_since, p.conflict_since, p.first_seen_at)
           > $1::timestamptz - ${LOST_OFFERED_DAYS} * interval '1 day' END)
  FROM payments p WHERE p.txid = ${txid})`;

/** Inputs and transactions of payments that are final, and that no other needs. */
export const PRUNE_FOLLOWED = [
  statement<[now: Date]>(
    "chain.prune-inputs",
    `DELETE FROM payment_inputs WHERE (outpoint, txid) IN (SELECT outpoint, txid FROM payment_inputs kept
       WHERE ${isFollowed("kept.txid")} IS NOT TRUE LIMIT 1000)`,
    "each time",
  ),
  statement<[now: Date]>(
    "chain.prune-transactions",
    `DELETE FROM payment_transactions WHERE txid IN (SELECT txid FROM payment_transactions kept
       WHERE NOT EXISTS (SELECT FROM payment_inputs spend WHERE spend.ancestor_txid = kept.txid)
         AND ${isFollowed("kept.txid")} IS NOT TRUE LIMIT 1000)`,
  ),
];

export interface PaidInvoiceRow {
  id: string;
  storeId: string;
  status: InvoiceStatus;
  createdAt: Date;
  expiresAt: Date;
  monitoringUntil: Date;
  requiredConfirmations: number;
  zeroConfMaxSats: string | null;
}

/** In the order of their ids, so that two processes never deadlock. */
export const lockPaid = statement<[ids: readonly string[]], PaidInvoiceRow>(
  "invoices.lock-paid",
  `SELECT i.id, i.store_id AS "storeId", i.status, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
          i.monitoring_until AS "monitoringUntil", i.required_confirmations AS "requiredConfirmations",
          (SELECT s.zero_conf_max_sats FROM stores s WHERE s.id = i.store_id) AS "zeroConfMaxSats"
     FROM invoices i WHERE i.id = ANY(${elementsOf("$1::text[]")}) ORDER BY i.id FOR UPDATE`,
);
