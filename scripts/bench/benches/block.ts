import { randomBytes } from "node:crypto";
import { Transaction } from "bitcoinjs-lib";
import type pg from "pg";
import type { SimulatedNode } from "../../devnet/bitcoin/simulated-node";
import { type Bench, type Figure, figure, type Lab, medianOf } from "../bench";
import { withFiller } from "../fill/fill";
import { fillScripts, scriptOfNumber } from "../fill/fill-scripts";
import { simulatedNodes } from "../nodes";
import { untilCaughtUp } from "../parts";

const TXS = 4_000;
const INPUTS = 2;
const OUTPUTS = 2;
const SIGNATURE_BYTES = 71;
const PUBLIC_KEY_BYTES = 33;
const PAID_SATS = 50_000n;
/** Payments to us in each block. */
const PAID = 20;
const WITHIN_MS = 60_000;
const MILLION = 1_000_000;

const strangersScript = (): Buffer => Buffer.concat([Buffer.from([0, 20]), randomBytes(20)]);

/** Of real size: two inputs with witnesses as long as a real wallet's, and two outputs. */
function transactionTo(script: Buffer): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (let input = 0; input < INPUTS; input += 1) {
    transaction.addInput(randomBytes(32), 0, 0xffff_fffd);
    transaction.setWitness(input, [randomBytes(SIGNATURE_BYTES), randomBytes(PUBLIC_KEY_BYTES)]);
  }
  for (let output = 0; output < OUTPUTS; output += 1)
    transaction.addOutput(output === 0 ? script : strangersScript(), PAID_SATS);
  return transaction;
}

/** Mines a block that pays these scripts, which is published when the returned function is called. */
function mineQuietly(node: SimulatedNode, txs: number, paid: readonly Buffer[]): () => void {
  const news: (() => void)[] = [];
  const { core } = node;
  core.listen({
    rawtx: (raw) => void news.push(() => node.publish("rawtx", raw)),
    hashblock: (hash) => void news.push(() => node.publish("hashblock", hash)),
  });
  const scripts = Array.from({ length: txs - 1 }, (_, at) => paid[at] ?? strangersScript());
  const full = scripts.map((script) => ({ tx: transactionTo(script), feeSats: 0n }));
  core.mineOne(core.wallet.rewardScript, full);
  return () => news.forEach((publishOne) => publishOne());
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

/** Milliseconds from the node's word of a block to its commit. */
async function oneBlock(
  node: SimulatedNode,
  client: pg.Client,
  txs: number,
  numbers: number[],
): Promise<number> {
  const publish = mineQuietly(node, txs, numbers.map(scriptOfNumber));
  const begin = performance.now();
  const ended = processed(client);
  publish();
  await ended;
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

function figureOf(size: number, txs: number, ours: readonly number[]): Figure {
  return figure({
    name: `${size.toLocaleString("en")} watched scripts`,
    unit: "ms a block",
    ours,
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
    const { node, env } = await simulatedNodes(lab, { lightning: false });
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
        const made: number[] = [];
        for (let round = 0; round < lab.size(9, 3); round += 1) {
          const numbers = Array.from({ length: PAID }, () => Math.floor(Math.random() * size));
          await openInvoices(client, storeId, numbers);
          made.push(await oneBlock(node, client, txs, numbers));
        }
        return made.slice(1);
      });
      medians.push(medianOf(rounds));
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
