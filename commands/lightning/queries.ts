import type { JsonRows } from "../../database/insert-rows";
import { elementsOf, keysOf, statement, rowsOf } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import type { AlertKind } from "../../entities/alert";
import { Bolt11, type Bolt11State } from "../../entities/bolt11";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { type LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import type { WatchedNode } from "./lightning-node";

/** Reports come every few seconds. */
const BELIEVED_SECONDS = 20;

/** SQL, of a node `n`: the watcher has just found that it gives no answers. */
const KNOWN_AWAY = `n.fault IS NOT NULL AND n.checked_at > clock_timestamp() - ${BELIEVED_SECONDS} * interval '1 second'`;

/** Nodes of the invoice's BOLT11s. */
export const readAway = statement<[invoiceId: string], { nodeId: string }>(
  "lightning.read-away",
  `SELECT id AS "nodeId" FROM lightning_nodes n
    WHERE ${KNOWN_AWAY} AND id IN (SELECT node_id FROM bolt11s WHERE invoice_id = $1)`,
);

/** SQL: the subject of the alerts about the node (lightning-node.ts). */
const SUBJECT = `'BTC-LN' || CASE node_id WHEN '${SERVER_NODE_ID}' THEN '' ELSE ' ' || node_id END`;

export const RETURNING_SEEN = `RETURNING
  EXISTS (SELECT FROM lightning_nodes n WHERE n.id = node_id AND ${KNOWN_AWAY}) AS away,
  (SELECT n.receivable_sats FROM lightning_nodes n WHERE n.id = node_id) AS "receivableSats",
  EXISTS (SELECT FROM alerts WHERE kind = 'lightning-clock' AND subject = ${SUBJECT} AND resolved_at IS NULL) AS "clockIsWrong"`;

/**
 * Where an invoice's next BOLT11 is made: at the node that its store has now; where it has none any more, at the one that
 * made the last.
 */
export const readNodesOf = statement<[invoiceIds: readonly string[]], { id: string; nodeId: string }>(
  "lightning.read-nodes-of",
  `SELECT i.id, n.id AS "nodeId" FROM invoices i
     LEFT JOIN store_payment_methods m ON m.store_id = i.store_id AND m.type = 'BTC-LN'
     JOIN lightning_nodes n ON n.state = 'active' AND n.id = CASE
       WHEN m.store_id IS NOT NULL THEN m.lightning_node_id
       ELSE (SELECT b.node_id FROM bolt11s b WHERE b.invoice_id = i.id ORDER BY b.created_at DESC LIMIT 1) END
    WHERE i.id = ANY($1::text[])`,
  "each time",
);

/** Whose new invoices it makes BOLT11s for. */
export const readStoresOf = statement<[nodeId: string], { storeId: string }>(
  "lightning.read-stores-of",
  `SELECT store_id AS "storeId" FROM store_payment_methods
    WHERE type = 'BTC-LN' AND lightning_node_id = $1`,
);

/** Any number, of nothing else in the database. */
const COUNT_LOCK = 4_027_316;

/** Two that connect nodes at once would not see each other's. */
export const lockNodeCount = statement(
  "lightning.lock-node-count",
  `SELECT pg_advisory_xact_lock(${COUNT_LOCK})`,
);

export const COPY = "lightning-watch@";
export const leaseOf = (nodeId: string): string => `lightning-watch:${nodeId}`;

/** Also retired ones that could still be paid. `version` changes with the access. */
export const readNodesToWatch = statement<[], WatchedNode & { version: string; holder: string | null }>(
  "lightning.read-nodes-to-watch",
  `SELECT n.id, n.store_id AS "storeId", n.node_key AS "nodeKey", n.other_key AS "otherKey", n.state,
          n.state || coalesce(encode(n.mac, 'hex'), '') AS version,
          CASE WHEN l.expires_at > clock_timestamp() THEN l.holder END AS holder
     FROM lightning_nodes n LEFT JOIN leases l ON l.name = 'lightning-watch:' || n.id
    WHERE n.id = '${SERVER_NODE_ID}' OR n.macaroon IS NOT NULL
    ORDER BY n.store_id NULLS FIRST, n.id`,
  "each time",
);

/** The processes that watch nodes. */
export const readCopies = statement<[], { holder: string }>(
  "lightning.read-copies",
  `SELECT holder FROM leases WHERE name LIKE '${COPY}%' AND expires_at > clock_timestamp()`,
);

/** Which of these are open. */
export const readOpenAlerts = statement<
  [kinds: readonly AlertKind[], subjects: readonly string[]],
  { kind: AlertKind }
>(
  "lightning.read-open-alerts",
  `SELECT DISTINCT kind FROM alerts
    WHERE resolved_at IS NULL AND kind = ANY($1::text[]) AND subject = ANY($2::text[])`,
  "each time",
);

/** If the lease of each node's watcher is still held: the others are left out of the answer. */
export const writeNodeReports = statement<
  [
    reports: JsonRows<
      { id: string; epoch: string; lease: string } & Pick<
        LightningNode,
        "caughtUpTo" | "synchronized" | "problem" | "fault" | "receivableSats"
      >
    >,
  ],
  { id: string }
>(
  "lightning.write-node-reports",
  `WITH led AS MATERIALIZED (
     SELECT report.* FROM json_to_recordset($1) AS report (id text, lease text, epoch bigint, "caughtUpTo" timestamptz,
              synchronized boolean, problem text, fault text, "receivableSats" bigint)
       JOIN leases ON leases.name = report.lease AND leases.epoch = report.epoch AND leases.expires_at > clock_timestamp()
      ORDER BY leases.name FOR KEY SHARE OF leases
   )
   UPDATE lightning_nodes n SET caught_up_to = coalesce(led."caughtUpTo", n.caught_up_to), checked_at = clock_timestamp(),
          synchronized = led.synchronized, problem = led.problem, fault = led.fault, receivable_sats = led."receivableSats"
     FROM led WHERE n.id = led.id RETURNING n.id`,
  "each time",
);

export const readLatestOfNodes = statement<[nodeId: string], { nodeKey: string; paymentHash: string }>(
  "lightning.read-latest-of-nodes",
  `SELECT DISTINCT ON (node_key) node_key AS "nodeKey", payment_hash AS "paymentHash" FROM bolt11s
    WHERE node_id = $1 AND node_key IS NOT NULL AND bolt11 IS NOT NULL ORDER BY node_key, created_at DESC`,
);

export const readUnfinishedOfNodes = statement<[nodeId: string], { nodeKey: string; paymentHash: string }>(
  "lightning.read-unfinished-of-nodes",
  `SELECT DISTINCT ON (node_key) node_key AS "nodeKey", payment_hash AS "paymentHash" FROM bolt11s
    WHERE node_id = $1 AND state IN ('wanted', 'open') AND node_key IS NOT NULL ORDER BY node_key, created_at DESC`,
  "each time",
);

/** With an unfinished BOLT11 of the node. `payable`: it has not been over for a day. */
export const readInvoicesOfNode = statement<
  [nodeId: string, now: Date],
  { invoiceId: string; payable: boolean }
>(
  "lightning.read-invoices-of-node",
  `SELECT invoice_id AS "invoiceId", bool_or(expires_at > $2::timestamptz - interval '1 day') AS payable FROM bolt11s
    WHERE node_id = $1 AND state IN ('wanted', 'open') GROUP BY invoice_id`,
);

/** They are due from then on. Before the BOLT11s of the node change: a decision locks the invoice, then its BOLT11s. */
export const decideInvoicesOfNode = statement<[nodeId: string, now: Date]>(
  "lightning.decide-invoices-of-node",
  `UPDATE invoices SET decide_at = $2 WHERE id = ANY(ARRAY(
     SELECT id FROM invoices
      WHERE id IN (SELECT invoice_id FROM bolt11s WHERE node_id = $1 AND state IN ('wanted', 'open'))
      ORDER BY id FOR UPDATE))`,
  "each time",
);

export const cancelOfNode = statement<[nodeId: string]>(
  "lightning.cancel-of-node",
  "UPDATE bolt11s SET cancel_wanted = true WHERE node_id = $1 AND state IN ('wanted', 'open')",
);

/** Without the node's answer. */
export const endOfNode = statement<[nodeId: string]>(
  "lightning.end-of-node",
  `UPDATE bolt11s SET state = 'canceled', cancel_wanted = true WHERE node_id = $1 AND state IN ('wanted', 'open')`,
);

/** Cancellations first: nobody may pay them while another is being processed. */
export const unfinishedBolt11s = rowsOf(Bolt11).statement<[invoiceIds: readonly string[]]>(
  "lightning.read-unfinished-of-invoices",
  `WHERE invoice_id = ANY(${elementsOf("$1::text[]")}) AND ${unindexed("state")} IN ('wanted', 'open')
    ORDER BY cancel_wanted DESC, created_at`,
);

export interface PaidBolt11 {
  state: Bolt11State;
  /** Its payment is recorded. */
  recorded: boolean;
}

export const readPaidBolt11 = statement<[paymentHash: string, nodeId: string], PaidBolt11>(
  "lightning.read-paid-bolt11",
  `SELECT state, EXISTS (SELECT FROM payments WHERE id = payment_hash) AS recorded
     FROM bolt11s WHERE payment_hash = $1 AND node_id = $2`,
);

export const settleBolt11 = statement<[paymentHash: string]>(
  "lightning.settle-bolt11",
  "UPDATE bolt11s SET state = 'settled' WHERE payment_hash = $1",
);

export const readBolt11s = rowsOf(Bolt11, ["paymentHash", "invoiceId", "bolt11", "mac"]).statement<
  [paymentHashes: readonly string[]]
>("lightning.read-bolt11s", "WHERE payment_hash = ANY($1::text[])");

/** Returns those still wanted; by their keys, not by the index of unfinished ones. */
export const openBolt11s = statement<
  [made: JsonRows<{ paymentHash: string; bolt11: string; nodeKey: string; mac: Buffer }>],
  { paymentHash: string }
>(
  "lightning.open-bolt11s",
  `UPDATE bolt11s SET state = 'open', bolt11 = made.bolt11, node_key = made."nodeKey", mac = made.mac
     FROM json_to_recordset($1) AS made ("paymentHash" text, bolt11 text, "nodeKey" text, mac bytea)
    WHERE bolt11s.payment_hash = made."paymentHash" AND bolt11s.payment_hash = ANY(${keysOf("$1", "paymentHash")})
      AND NOT bolt11s.cancel_wanted AND ${unindexed("bolt11s.state")} = 'wanted'
    RETURNING bolt11s.payment_hash AS "paymentHash"`,
);

export type ShownMethod = Pick<InvoicePaymentMethod, "invoiceId" | "destination" | "mac" | "reason">;

export const showMethods = statement<[shown: JsonRows<ShownMethod>]>(
  "lightning.show-methods",
  `UPDATE invoice_payment_methods method
      SET destination = shown.destination, mac = shown.mac, reason = shown.reason,
          available = shown.destination IS NOT NULL
     FROM json_to_recordset($1) AS shown ("invoiceId" text, destination text, mac bytea, reason text)
    WHERE method.invoice_id = shown."invoiceId" AND method.invoice_id = ANY(${keysOf("$1", "invoiceId")})
      AND method.type = 'BTC-LN'`,
);

/** If the cursor of the BOLT11's node is beyond the index. */
export const setBackCursor = statement<[nodeId: string, paymentHash: string, settleIndex: string]>(
  "lightning.set-back-cursor",
  `UPDATE lightning_cursors SET settle_index = $3, gap_since = NULL
    WHERE settle_index > $3 AND node_id = $1
      AND node_key = (SELECT node_key FROM bolt11s WHERE payment_hash = $2 AND node_id = $1)`,
);
