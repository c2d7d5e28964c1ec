import { Block } from "bitcoinjs-lib";
import { callRpc } from "../../devnet/bitcoin/call-rpc";
import { type Bench, figure } from "../bench";
import { openInvoices, untilCaughtUp } from "./block";
import { BlockNode } from "../block-node-process";
import { Changes } from "../changes";
import { fillScripts, scriptOfNumber } from "../fill/fill-scripts";

const TXS = 4_000;
const WATCHED = 1_000_000;
/** Every so many blocks one pays us. */
const PAID_EVERY = 10;
/** Blocks that are parsed for the raw limit. */
const PARSED = 20;
const ROUNDS = 4;

/** What an installation does that was away for a week: full blocks, one after another, of a node that has them all. */
export const catchUp: Bench = {
  name: "catch-up",
  title: "Catching up with full blocks",
  usesQueues: false,
  async run(lab) {
    const blocks = lab.size(1_000, 20);
    const txsEach = lab.size(TXS, 200);
    const watched = lab.size(WATCHED, 1_000);
    const databaseUrl = await lab.newDatabase();
    const node = await BlockNode.start(lab);
    const changes = await Changes.listen(databaseUrl);
    lab.onEnd(() => changes.close());
    await fillScripts(databaseUrl, 0, watched);
    const env = { BITCOIND_RPC_URL: node.rpcUrl };
    const service = await lab.startService({ apps: ["chain-watch"], databaseUrl, env });
    const { storeId } = await service.openStore();
    await untilCaughtUp(databaseUrl);
    const perRound = Math.floor(blocks / ROUNDS);
    const ours: number[] = [];
    const raw: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.stopApp("chain-watch");
      const numbers = Array.from({ length: Math.ceil(perRound / PAID_EVERY) }, () =>
        Math.floor(Math.random() * watched),
      );
      await openInvoices(databaseUrl, storeId, numbers);
      const paid = Array.from({ length: perRound }, (_, at) =>
        at % PAID_EVERY === 0
          ? [{ script: scriptOfNumber(numbers[at / PAID_EVERY] ?? 0).toString("hex"), valueSats: 50_000 }]
          : [],
      );
      const { height } = await node.mine({ blocks: perRound, txsEach, paid, fresh: false, tell: false });
      lab.say(`round ${round + 1} of ${ROUNDS}: ${perRound} blocks`);
      raw.push(await parsedPerSecond(node.rpcUrl, height, Math.min(PARSED, perRound)));
      const first = changes.next(({ topic }) => topic === "chain", 120_000);
      const last = changes.next((change) => change["height"] === height, 600_000);
      await service.startApp("chain-watch");
      await first;
      const begin = performance.now();
      await last;
      ours.push((perRound - 1) / ((performance.now() - begin) / 1_000));
      lab.noteMemory("catching up", service.memory());
    }
    return [
      figure({
        name: `${ROUNDS * perRound} blocks, ${watched.toLocaleString("en")} watched scripts`,
        unit: "blocks/s",
        ours,
        raw: { what: "bare parse of the blocks", rounds: raw },
        ...(lab.quick ? {} : { aim: { text: "≥ 10/s", atLeast: 10 } }),
        also: { transactions: txsEach },
      }),
    ];
  },
};

async function parsedPerSecond(rpcUrl: string, tip: number, blocks: number): Promise<number> {
  let spentMs = 0;
  for (let height = tip - blocks + 1; height <= tip; height += 1) {
    const hash = await callRpc<string>(rpcUrl, "getblockhash", [height]);
    const bytes = Buffer.from(await callRpc<string>(rpcUrl, "getblock", [hash, 0]), "hex");
    const begin = performance.now();
    Block.fromBuffer(bytes);
    spentMs += performance.now() - begin;
  }
  return blocks / (spentMs / 1_000);
}
