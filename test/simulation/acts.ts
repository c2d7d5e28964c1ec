import type { Transaction } from "bitcoinjs-lib";
import type { Chance } from "./chance";
import type { Sale } from "./truth";
import type { World } from "./world";

const COPIES = ["A", "B"] as const;
const AMOUNTS = [25_000n, 50_000n, 60_000n, 99_999n, 100_000n, 100_000n, 100_000n, 100_001n, 130_000n];
/** Where a leader may stand still: where it waits for the node, or for the database, with locks in its hands. */
const STALLS = [/^bitcoind\./, /^bitcoind\./, /./];
/** Whoever leads has lost it by then to another. */
export const LEASE_SECONDS = 12;
const DAY_SECONDS = 86_400;

const hex = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString("hex");

/** What happens next, and how often of all. */
export interface Act {
  weight: number;
  act(round: Round): Promise<void>;
}

/** A transaction of a customer: a payment, or the parent of one, which pays the customer himself. */
interface Sent {
  sale: Sale;
  txid: string;
  /** Default false. */
  parent?: boolean;
}

export interface Round {
  world: World;
  chance: Chance;
  /** Transactions that may be in no block yet. */
  sent: Sent[];
}

const saleOf = ({ world, chance }: Round): Sale => chance.of(world.openSales);

/** An invoice is made. */
export const CREATE: Act = {
  weight: 3,
  act: async ({ world, chance }) => {
    const terms = {
      expiresInSeconds: chance.of([30, 60, 900]),
      monitoringSeconds: chance.of([DAY_SECONDS, DAY_SECONDS, 60, 0]),
      requiredConfirmations: chance.of(world.zeroConf ? [0, 0, 1, 2] : [1, 1, 2, 3]),
      paymentTolerance: chance.of(["0", "0", "5"]),
    };
    await world.create(terms, chance.of(world.shops));
  },
};

/** What customers, miners and merchants do. */
const OUTSIDE: readonly Act[] = [
  CREATE,
  {
    weight: 6,
    act: async (round) => {
      const sale = saleOf(round);
      if (sale.address === null) return;
      const { world, chance } = round;
      const version: 2 | 3 = chance.happens(0.1) ? 3 : 2;
      const options = { version, replaceable: !world.zeroConf || chance.happens(0.4) };
      round.sent.push({ sale, txid: await world.pay(sale, chance.of(AMOUNTS), options) });
    },
  },
  {
    weight: 2,
    act: async (round) => {
      const sale = saleOf(round);
      if (sale.address === null) return;
      const { parent, txid } = await round.world.payWithParent(sale, {
        replaceable: round.chance.happens(0.5),
      });
      round.sent.push({ sale, txid: parent, parent: true }, { sale, txid });
    },
  },
  { weight: 5, act: ({ world, chance }) => world.mine(1 + chance.pick(2)) },
  { weight: 2, act: (round) => replaceOne(round, false) },
  { weight: 2, act: (round) => replaceOne(round, true) },
  { weight: 1, act: (round) => doubleSpendOne(round) },
  { weight: 3, act: (round) => reorganise(round) },
  { weight: 4, act: ({ world, chance }) => world.pass(chance.of([1, 5, 12, 31, 61, 300])) },
  {
    weight: 3,
    act: (round) => {
      // To the border of a sale's time, or of its monitoring, and a moment over it.
      const { world, chance } = round;
      const { expiresMs, monitoringMs } = saleOf(round);
      const borderMs = expiresMs > world.clock.nowMs || chance.happens(0.5) ? expiresMs : monitoringMs;
      return borderMs > world.clock.nowMs
        ? world.passUntil(borderMs - 1_000 * chance.pick(3))
        : Promise.resolve();
    },
  },
  { weight: 1, act: (round) => round.world.archive(saleOf(round)) },
  { weight: 1, act: (round) => round.world.mark(saleOf(round), round.chance.of(["Settled", "Invalid"])) },
  { weight: 2, act: (round) => round.world.redeliver(saleOf(round)) },
  {
    weight: 1,
    act: ({ world, chance }) => {
      world.merchant.manner = chance.of(["accepts", "fails", "hangs", "resets", "refuses"]);
      world.tell(`the merchant's server ${world.merchant.manner}`);
      return Promise.resolve();
    },
  },
];

/** What the service does, and what becomes of it. */
const INSIDE: readonly Act[] = [
  { weight: 10, act: ({ world, chance }) => world.look(chance.of(COPIES)) },
  { weight: 6, act: ({ world, chance }) => world.sweep(chance.of(COPIES)) },
  { weight: 1, act: ({ world, chance }) => world.kill(chance.of(COPIES)) },
  {
    weight: 1,
    act: ({ world }) => {
      world.queue.empty();
      world.tell("the queue loses all that is in it");
      return Promise.resolve();
    },
  },
  { weight: 3, act: (round) => stall(round) },
];

/** Where there is an LND. */
const LIGHTNING: readonly Act[] = [
  { weight: 5, act: (round) => round.world.payLightning(saleOf(round)) },
  { weight: 2, act: (round) => round.world.payLightning(saleOf(round), { held: true }) },
  { weight: 1, act: (round) => round.world.settleHeld(saleOf(round)) },
  { weight: 1, act: (round) => round.world.releaseHeld(saleOf(round)) },
  {
    weight: 1,
    act: ({ world, chance }) => {
      const lnd = chance.of(world.lnds);
      return lnd.core.walletState === "SERVER_ACTIVE" ? world.lockLnd(lnd) : world.unlockLnds();
    },
  },
  {
    weight: 1,
    act: ({ world }) => {
      world.lnds[0]?.skipSettleIndex();
      world.tell("LND leaves out a settle index");
      return Promise.resolve();
    },
  },
  {
    weight: 1,
    act: (round) =>
      round.world.restoreLnd(async () => {
        const acts = [...OUTSIDE, ...INSIDE, ...LIGHTNING.slice(0, 2)];
        for (let left = 1 + round.chance.pick(4); left > 0; left -= 1)
          await pickAct(round.chance, acts).act(round);
      }),
  },
];

/** Where stores have LNDs of their own. */
const OWNERS: readonly Act[] = [
  { weight: 2, act: ({ world, chance }) => world.connectLnd(chance.of(world.shops.slice(1))) },
  { weight: 1, act: ({ world, chance }) => world.removeLnd(chance.of(world.shops.slice(1))) },
];

/** Where the service's node is one of two. */
const WITH_PEERS: readonly Act[] = [
  { weight: 2, act: (round) => leaveAlone(round) },
  { weight: 1, act: (round) => loseAndFindPeers(round) },
  {
    weight: 1,
    act: ({ world }) => {
      world.refuse(world.ours.core.faults.refusal === null);
      return Promise.resolve();
    },
  },
  { weight: 2, act: (round) => restartNode(round) },
  {
    weight: 1,
    act: async (round) => {
      const found = unconfirmedOf(round);
      if (found !== null) await round.world.evict(found.txid);
    },
  },
];

/** What may happen in a world. */
export function actsOf({ lnds, shops, ours, node }: World): Act[] {
  const lightning = [...(lnds.length === 0 ? [] : LIGHTNING), ...(shops.length === 1 ? [] : OWNERS)];
  return [...OUTSIDE, ...INSIDE, ...lightning, ...(ours === node ? [] : WITH_PEERS)];
}

export function pickAct(chance: Chance, acts: readonly Act[]): Act {
  let left = chance.next() * acts.reduce((sum, { weight }) => sum + weight, 0);
  const found = acts.find(({ weight }) => (left -= weight) < 0);
  return found ?? chance.of(acts);
}

/** One that is in no block, if there is any. */
function unconfirmedOf({ world, chance, sent }: Round): Sent | null {
  const open = sent.filter(({ txid }) => world.node.core.mempool.entries.has(txid));
  return open.length === 0 ? null : chance.of(open);
}

async function replaceOne(round: Round, taken: boolean): Promise<void> {
  const found = unconfirmedOf(round);
  if (found === null) return;
  const { sale, txid, parent } = found;
  // What spends a parent is gone with it.
  const back = taken || parent === true;
  if (back) sale.wavers = true;
  round.sent.push({ sale, txid: await round.world.replace(txid, { back }) });
}

async function doubleSpendOne(round: Round): Promise<void> {
  const found = unconfirmedOf(round);
  if (found === null) return;
  found.sale.wavers = true;
  await round.world.doubleSpend(found.txid);
}

/** Some of what was in the blocks goes back to the mempool, or is spent otherwise. */
async function reorganise({ world, chance, sent }: Round): Promise<void> {
  const depth = 1 + chance.pick(chance.happens(0.2) ? 10 : 3);
  const { core } = world.node;
  const undone = new Map<string, Transaction>();
  for (let at = core.chain.tip.height - depth + 1; at <= core.chain.tip.height; at += 1) {
    const block = core.chain.at(at);
    block?.txs.forEach((tx, nth) => undone.set(block.txids[nth] ?? "", tx));
  }
  const ours = sent.filter(({ txid }) => undone.has(txid));
  for (const { sale } of sent) sale.wavers ||= sale.doubleSpent;
  const some = ours.filter(() => chance.happens(0.4));
  const spent = ours.filter((each) => !some.includes(each) && chance.happens(0.2)).slice(0, 1);
  for (const { sale } of spent) sale.wavers = true;
  // Whoever spends what a payment spends needs its parent.
  const needed = undone.get(spent[0]?.txid ?? "")?.ins.map(({ hash }) => hex(hash)) ?? [];
  const exclude = some.filter(({ txid }) => !needed.includes(txid));
  const txids = (each: typeof ours): string[] => each.map(({ txid }) => txid);
  await world.reorganise(depth, { exclude: txids(exclude), doubleSpend: txids(spent) });
}

/** The service's node loses its peers, or the line to them, or finds them again. */
async function leaveAlone({ world, chance }: Round): Promise<void> {
  if (world.alone) return world.rejoin();
  await (chance.happens(0.5) ? world.isolate() : world.loseLine());
  await world.pass(LEASE_SECONDS);
  await world.look("A");
  await world.look("B");
  if (!(await world.isBlind())) await world.rejoin();
}

/** While nobody looks. */
async function loseAndFindPeers(round: Round): Promise<void> {
  const { world, chance } = round;
  if (world.alone) return;
  await world.isolate();
  if (chance.happens(0.7)) await pickAct(chance, OUTSIDE).act(round);
  await world.pass(2);
  await world.rejoin();
}

async function restartNode(round: Round): Promise<void> {
  const { world, chance } = round;
  const mempool = chance.happens(0.7);
  await world.restart(
    chance.of([10, 40, 120]),
    async () => {
      if (chance.happens(0.7)) await pickAct(chance, OUTSIDE).act(round);
    },
    { mempool },
  );
}

/** A leader stands still in the middle of its look; others work, the world goes on, and its lease may run out. */
async function stall(round: Round): Promise<void> {
  const { world, chance } = round;
  const [stalled, other] = chance.happens(0.5) ? (["A", "B"] as const) : (["B", "A"] as const);
  const point = { at: chance.of(STALLS), nth: 1 + chance.pick(14), answered: chance.happens(0.5) };
  await world.stall(stalled, point, async () => {
    if (chance.happens(0.5)) await pickAct(chance, OUTSIDE).act(round);
    if (chance.happens(0.5)) await world.pass(chance.of([2, 12]));
    if (chance.happens(0.7)) await world.look(other);
    if (chance.happens(0.5)) await world.sweep(other);
  });
}
