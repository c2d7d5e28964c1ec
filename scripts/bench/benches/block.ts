import { randomFillSync } from "node:crypto";
import { Block } from "bitcoinjs-lib";
import { callRpc } from "../../devnet/bitcoin/call-rpc";
import { type Bench, type Figure, figure, medianOf } from "../bench";
import { BlockNode } from "../block-node-process";
import { Changes } from "../changes";
import { withFiller } from "../fill/fill";
import { fillScripts, scriptOfNumber } from "../fill/fill-scripts";
import type { Lab } from "../lab";
import { until } from "../parts";
import type { Service } from "../service";

const TXS = 4_000;
const OUTPUTS = 2 * TXS;
/** Payments to us in each block. */
const PAID = 20;
const WITHIN_MS = 60_000;

interface Setting {
  lab: Lab;
  service: Service;
  node: BlockNode;
  changes: Changes;
  txs: number;
}

interface Round {
  ours: number;
  raw: number;
}

/** One block against more and more watched scripts: from the node's word of it to its commit. */
export const block: Bench = {
  name: "block",
  title: "A full block against many watched scripts",
  usesQueues: false,
  async run(lab) {
    const sizes = lab.quick ? [1_000, 2_000] : [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
    const databaseUrl = await lab.newDatabase();
    const node = await BlockNode.start(lab);
    const changes = await Changes.listen(databaseUrl);
    lab.onEnd(() => changes.close());
    const env = { BITCOIND_RPC_URL: node.rpcUrl };
    const service = await lab.startService({ apps: ["chain-watch"], databaseUrl, env });
    const { storeId } = await service.openStore();
    await untilCaughtUp(databaseUrl);
    const setting: Setting = { lab, service, node, changes, txs: lab.size(TXS, 200) };
    const figures: Figure[] = [];
    const medians = new Map<number, number>();
    let filled = 0;
    for (const size of sizes) {
      lab.say(`${size.toLocaleString("en")} watched scripts`);
      await fillScripts(databaseUrl, filled, size);
      filled = size;
      const cold = await measure(setting, storeId, size, 1);
      await readIndex(databaseUrl);
      const [, ...rounds] = await measure(setting, storeId, size, lab.size(8, 2));
      medians.set(size, medianOf(rounds.map(({ ours }) => ours)));
      figures.push(figureOf(size, setting.txs, rounds, cold));
    }
    lab.noteMemory("full blocks", service.memory());
    const million = medians.get(1_000_000);
    const ten = medians.get(10_000_000);
    if (million !== undefined && ten !== undefined)
      figures.push(
        figure({
          name: "ten million beside one million",
          unit: "×",
          ours: [ten / million],
          aim: { text: "≤ 1.5 ×", atMost: 1.5 },
        }),
      );
    return figures;
  },
};

/**
 * The state after blocks and mempool were scanned for a while: every page of the index was read. The fill has left
 * them on disk, where the first blocks find them one by one.
 */
async function readIndex(databaseUrl: string): Promise<void> {
  await withFiller(databaseUrl, async (client) => {
    await client.query("SET enable_seqscan = off");
    await client.query("SET enable_bitmapscan = off");
    await client.query("SELECT count(*) FROM watched_scripts WHERE script_pub_key >= ''");
  });
}

function figureOf(size: number, txs: number, rounds: readonly Round[], cold: readonly Round[]): Figure {
  return figure({
    name: `${size.toLocaleString("en")} watched scripts`,
    unit: "ms a block",
    ours: rounds.map(({ ours }) => ours),
    raw: {
      what: "bare parse, and one SELECT of as many scripts by primary key",
      rounds: rounds.map(({ raw }) => raw),
    },
    ...(size === 1_000_000 ? { aim: { text: "< 1,000 ms", atMost: 1_000 } } : {}),
    also: {
      transactions: txs,
      "payments to us": PAID,
      "the first after the fill, ms": medianOf(cold.map(({ ours }) => ours)),
    },
  });
}

export async function untilCaughtUp(databaseUrl: string): Promise<void> {
  await withFiller(databaseUrl, (client) =>
    until(
      async () =>
        (await client.query("SELECT 1 FROM payment_method_syncs WHERE type = 'BTC-CHAIN' AND synchronized"))
          .rowCount === 1,
      "chain-watch has seen the chain",
    ),
  );
}

async function measure(setting: Setting, storeId: string, size: number, times: number): Promise<Round[]> {
  const { service } = setting;
  const rounds: Round[] = [];
  for (let round = 0; round < times; round += 1) {
    const numbers = Array.from({ length: PAID }, () => Math.floor(Math.random() * size));
    await openInvoices(service.databaseUrl, storeId, numbers);
    const { tookMs, hash } = await oneBlock(setting, numbers);
    rounds.push({ ours: tookMs, raw: await rawLimit(setting, hash) });
  }
  return rounds;
}

async function oneBlock(
  { node, changes, txs }: Setting,
  numbers: readonly number[],
): Promise<{ tookMs: number; hash: string }> {
  const processed = changes.next(({ topic }) => topic === "chain", WITHIN_MS);
  const scripts = numbers.map((number) => ({
    script: scriptOfNumber(number).toString("hex"),
    valueSats: 50_000,
  }));
  const order = { blocks: 1, txsEach: txs, paid: [scripts], fresh: true, tell: true };
  const { at, height } = await node.mine(order);
  await processed;
  const tookMs = Date.now() - at;
  return { tookMs, hash: await callRpc<string>(node.rpcUrl, "getblockhash", [height]) };
}

async function rawLimit({ node, service, txs }: Setting, hash: string): Promise<number> {
  const bytes = Buffer.from(await callRpc<string>(node.rpcUrl, "getblock", [hash, 0]), "hex");
  const scripts = Array.from({ length: Math.round((OUTPUTS * txs) / TXS) }, () => {
    const script = randomFillSync(Buffer.alloc(22));
    script.writeUInt16BE(20);
    return script;
  });
  return withFiller(service.databaseUrl, async (client) => {
    const begin = performance.now();
    Block.fromBuffer(bytes);
    await client.query("SELECT invoice_id FROM watched_scripts WHERE script_pub_key = ANY($1)", [scripts]);
    return performance.now() - begin;
  });
}

/** New invoices over 50,000 sats for scripts that are watched already. */
async function openInvoices(databaseUrl: string, storeId: string, numbers: readonly number[]): Promise<void> {
  await withFiller(databaseUrl, (client) =>
    client.query(
      `INSERT INTO invoices (id, store_id, amount, currency, due_sats, min_due_sats, metadata, order_id,
              required_confirmations, created_at, expires_at, monitoring_until, decide_at)
       SELECT 'inv_' || n, $1, '50000', 'SATS', 50000, 50000, '{}', 'order-' || n, 1, clock_timestamp(),
              clock_timestamp() + interval '1 hour', clock_timestamp() + interval '1 day', clock_timestamp() + interval '1 hour'
         FROM unnest($2::int[]) AS n ON CONFLICT DO NOTHING`,
      [storeId, [...new Set(numbers)]],
    ),
  );
}
