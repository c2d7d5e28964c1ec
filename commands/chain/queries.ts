import { elementsOf, statement } from "../../database/statement";

/** No reorganisation undoes this many blocks. */
export const BURIED_DEPTH = 100;

/** SQL: whether a transaction, given as a column, is set aside. */
export const isSetAside = (txid: string): string =>
  `EXISTS (SELECT FROM set_aside WHERE set_aside.txid = ${txid})`;

/** SQL: whether a payment has its confirmations at the last processed block; not true of a payment in no block. */
export const IS_DEEP_ENOUGH =
  "block_height + required_confirmations - 1 <= (SELECT max(height) FROM chain_blocks)";

// The blocks

/** The last block that was processed. */
export interface ChainTip {
  height: number;
  hash: string;
  somethingSetAside: boolean;
}

export const readTip = statement<[], ChainTip>(
  "chain.read-tip",
  `SELECT last.height, last.hash, EXISTS (SELECT FROM set_aside) AS "somethingSetAside"
     FROM chain_blocks last ORDER BY last.height DESC LIMIT 1`,
);

/** If its loss would be harmless, the commit does not wait for the disk. */
export const insertBlock = statement<
  [height: number, hash: string, previousHash: string, mayBeLost: boolean],
  { processedAt: Date }
>(
  "chain.insert-block",
  `INSERT INTO chain_blocks (height, hash, previous_hash) VALUES ($1, $2, $3)
   RETURNING processed_at AS "processedAt", CASE WHEN $4 THEN set_config('synchronous_commit', 'off', true) END`,
);

/** KEY SHARE: chain-watch cannot delete the block while its payments are written. */
export const lockBlock = statement<[height: number], { hash: string }>(
  "chain.lock-block",
  `SELECT hash FROM chain_blocks WHERE height = $1 FOR KEY SHARE`,
);

/** There may be hundreds of thousands, so they are read as plain rows and not as entities. */
export const readBlocksUpTo = statement<[height: number], { height: number; hash: string }>(
  "chain.read-blocks-up-to",
  `SELECT height, hash FROM chain_blocks WHERE height <= $1 ORDER BY height`,
);

// Payments that may have been missed

/** A gap that lasts already, and that no block was to close, is closed by a block if the new one is to be. */
export const openGap = statement<[now: Date, untilHeight: number | null], { beganAt: Date }>(
  "chain.open-blind-gap",
  `INSERT INTO chain_gaps AS gap (kind, began_at, until_height)
   SELECT 'blind', least(caught_up_to, $1::timestamptz), $2 FROM payment_method_syncs
    WHERE type = 'BTC-CHAIN' AND caught_up_to IS NOT NULL
   ON CONFLICT (kind) WHERE kind = 'blind' AND ended_at IS NULL DO UPDATE SET until_height = NULL
     WHERE gap.until_height IS NOT NULL AND excluded.until_height IS NULL
   RETURNING began_at AS "beganAt"`,
);

export const endGap = statement<[startedAt: Date, height: number, highestHeader: number]>(
  "chain.end-blind-gap",
  `UPDATE chain_gaps SET
          closed_at = CASE WHEN until_height < $2 THEN $1::timestamptz END,
          until_height = coalesce(until_height, $3), ended_at = coalesce(ended_at, greatest(began_at, $1::timestamptz))
    WHERE kind = 'blind' AND closed_at IS NULL AND (ended_at IS NULL OR until_height < $2)`,
);

export const closeHolesWithin = statement<
  [now: Date, fromHeight: number, toHeight: number],
  { fromHeight: number; toHeight: number }
>(
  "chain.close-holes",
  `UPDATE chain_gaps SET closed_at = $1
    WHERE kind = 'pruned' AND closed_at IS NULL AND from_height >= $2 AND to_height <= $3
    RETURNING from_height AS "fromHeight", to_height AS "toHeight"`,
);

/** When a watcher or a worker last reported that it is working. */
export const readWorkAt = statement<[], { at: Date | null }>(
  "chain.read-work-at",
  `SELECT greatest((SELECT max(checked_at) FROM payment_method_syncs), (SELECT max(checked_at) FROM lightning_nodes), (SELECT max(beat_at) FROM heartbeats)) AS at`,
);

// Transactions that failed

/** Also the invoices whose payments by the transaction are recorded wait for it. */
export const writeSetAside = statement<
  [
    txid: string,
    height: number | null,
    blockHash: string | null,
    invoiceIds: readonly string[],
    now: Date,
    error: string,
  ]
>(
  "chain.write-set-aside",
  `INSERT INTO set_aside AS known (txid, height, block_hash, invoice_ids, failed_at, error)
   VALUES ($1, $2, $3, ARRAY(SELECT unnest($4::text[]) UNION SELECT invoice_id FROM payments WHERE txid = $1), $5, $6)
   ON CONFLICT (txid) DO UPDATE SET
     height = coalesce(excluded.height, known.height), block_hash = coalesce(excluded.block_hash, known.block_hash),
     invoice_ids = ARRAY(SELECT unnest(known.invoice_ids) UNION SELECT unnest(excluded.invoice_ids)),
     failed_at = excluded.failed_at, error = excluded.error, retry_asked = false`,
);

/** The transactions among these that are to be skipped. */
export const readSetAsideOf = statement<[txids: readonly string[]], { txid: string }>(
  "chain.read-set-aside-of",
  `SELECT txid FROM set_aside WHERE txid = ANY(${elementsOf("$1::text[]")})`,
);

export const deleteSetAside = statement<[txids: readonly string[]], { txid: string }>(
  "chain.delete-set-aside",
  `DELETE FROM set_aside WHERE txid = ANY($1::text[]) RETURNING txid`,
);
