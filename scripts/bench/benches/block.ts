import { randomBytes } from "node:crypto";
import { Block } from "bitcoinjs-lib";
import type pg from "pg";
import { type Bench, type Figure, figure, type Lab, medianOf } from "../bench";
import { BlockNode } from "../block-node";
import { withFiller } from "../fill/fill";
import { fillScripts, scriptOfNumber } from "../fill/fill-scripts";
import { untilCaughtUp } from "../parts";

const TXS = 4_000;
/** Of a transaction. */
const OUTPUTS = 2;
/** Payments to us in each block. */
const PAID = 20;
const WITHIN_MS = 60_000;
const MILLION = 1_000_000;

interface Round {
  ours: number;
  raw: number;
}

/** Resolves when the service says that it has processed a block. `client` listens to its notifications. */
function processed(client: pg.Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("the block was not processed")), WITHIN_MS);
    client.on("notification", function hear({ payload = "{}" }) {
      if ((JSON.parse(payload) as { topic?: string }).topic !== "chain") return;
      client.removeListener("notification", hear);
      clearTimeout(late);
      resolve();
    });
  });
}

/** From the node's word of a block to its commit. */
async function oneBlock(node: BlockNode, client: pg.Client, txs: number, numbers: number[]): Promise<Round> {
  const { bytes, publish } = node.mine(txs, numbers.map(scriptOfNumber));
  const begin = performance.now();
  const ended = processed(client);
  publish();
  await ended;
  return { ours: performance.now() - begin, raw: await rawLimit(client, bytes, txs) };
}

async function rawLimit(client: pg.Client, bytes: Buffer, txs: number): Promise<number> {
  const scripts = Array.from({ length: OUTPUTS * txs }, () =>
    Buffer.concat([Buffer.from([0, 20]), randomBytes(20)]),
  );
  const begin = performance.now();
  Block.fromBuffer(bytes);
  await client.query("SELECT invoice_id FROM watched_scripts WHERE script_pub_key = ANY($1)", [scripts]);
  return performance.now() - begin;
}

/** New invoices over 50,000 sats for scripts that are watched already. */
async function openInvoices(client: pg.Client, storeId: string, numbers: readonly number[]): Promise<void> {
  await client.query(
    `INSERT INTO invoices (id, store_id, amount, currency, due_sats, min_due_sats, metadata, order_id,
            required_confirmations, created_at, expires_at, monitoring_until, decide_at)
     SELECT 'inv_' || n, $1, '50000', 'SATS', 50000, 50000, '{}', 'order-' || n, 1, clock_timestamp(),
            clock_timestamp() + interval '1 hour', clock_timestamp() + interval '1 day', clock_timestamp() + interval '1 hour'
       FROM unnest($2::int[]) AS n ON CONFLICT DO NOTHING`,
    [storeId, [...new Set(numbers)]],
  );
}

/**
 * The state after blocks and mempool were scanned for a while: every page of the index was read. The fill has left
 * them on disk, where the first blocks find them one by one.
 */
async function readIndex(client: pg.Client): Promise<void> {
  await client.query("SET enable_seqscan = off");
  await client.query("SET enable_bitmapscan = off");
  await client.query("SELECT count(*) FROM watched_scripts WHERE script_pub_key >= ''");
}

function figureOf(size: number, txs: number, rounds: readonly Round[]): Figure {
  return figure({
    name: `${size.toLocaleString("en")} watched scripts`,
    unit: "ms a block",
    ours: rounds.map(({ ours }) => ours),
    raw: {
      what: "bare parse, and one SELECT of as many scripts by primary key",
      rounds: rounds.map(({ raw }) => raw),
    },
    ...(size === MILLION ? { aim: { text: "< 1,000 ms", atMost: 1_000 } } : {}),
    also: { transactions: txs, "payments to us": PAID },
  });
}

/** Blocks against more and more watched scripts. */
export const block: Bench = {
  name: "block",
  title: "A full block against many watched scripts",
  async run(lab: Lab) {
    const sizes = lab.quick ? [1_000] : [1_000, MILLION, 10 * MILLION];
    const databaseUrl = await lab.newDatabase();
    const { node, rpcUrl } = await BlockNode.start(lab);
    const env = { BITCOIND_RPC_URL: rpcUrl };
    const service = await lab.startService({ apps: ["chain-watch"], databaseUrl, env });
    const { storeId } = await service.openStore();
    await untilCaughtUp(databaseUrl);
    const txs = lab.size(TXS, 200);
    const medians: number[] = [];
    const figures: Figure[] = [];
    for (const [at, size] of sizes.entries()) {
      lab.say(`${size.toLocaleString("en")} watched scripts`);
      await fillScripts(databaseUrl, sizes[at - 1] ?? 0, size);
      const rounds = await withFiller(databaseUrl, async (client) => {
        await readIndex(client);
        await client.query("LISTEN quittance_changes");
        const made: Round[] = [];
        for (let round = 0; round < lab.size(9, 3); round += 1) {
          const numbers = Array.from({ length: PAID }, () => Math.floor(Math.random() * size));
          await openInvoices(client, storeId, numbers);
          made.push(await oneBlock(node, client, txs, numbers));
        }
        return made.slice(1);
      });
      medians.push(medianOf(rounds.map(({ ours }) => ours)));
      figures.push(figureOf(size, txs, rounds));
    }
    const [, million, ten] = medians;
    if (million === undefined || ten === undefined) return figures;
    const aim = { text: "≤ 1.5 ×", atMost: 1.5 };
    return [
      ...figures,
      figure({ name: "ten million beside one million", unit: "×", ours: [ten / million], aim }),
    ];
  },
};
