import { FAULT_KINDS } from "./faults";
import type { Chance } from "./chance";
import type { Sale } from "./truth";
import type { World } from "./world";

const COPIES = ["A", "B"] as const;
const ACTS = 45;
/** Of a call of a node, the queue, a merchant's server, or a statement. */
const FAULT_PROBABILITY = 0.004;
const AMOUNTS = [25_000n, 50_000n, 60_000n, 99_999n, 100_000n, 100_000n, 100_000n, 100_001n, 130_000n];
/** Where a leader may stand still: where it waits for the node, or for the database, with locks in its hands. */
const STALLS = [/^bitcoind\./, /^bitcoind\./, /./];
const TICKS_TO_REST = 12;
/** Whoever leads has lost it by then to another. */
const LEASE_SECONDS = 12;

/** What happens next, and how often of all. */
interface Act {
  weight: number;
  act(round: Round): Promise<void>;
}

interface Round {
  world: World;
  chance: Chance;
  /** Transactions of customers that may be in no block yet. */
  sent: { sale: Sale; txid: string }[];
}

const saleOf = ({ world, chance }: Round): Sale => chance.of(world.openSales);

/** What customers, miners and merchants do. */
const OUTSIDE: readonly Act[] = [
  {
    weight: 3,
    act: async ({ world, chance }) => {
      await world.create({
        expiresInSeconds: chance.of([30, 60, 900]),
        requiredConfirmations: chance.of(world.zeroConf ? [0, 0, 1, 2] : [1, 1, 2, 3]),
        paymentTolerance: chance.of(["0", "0", "5"]),
      });
    },
  },
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
    weight: 3,
    act: async (round) => (round.world.lnd ? round.world.payLightning(saleOf(round)) : undefined),
  },
  { weight: 5, act: ({ world, chance }) => world.mine(1 + chance.pick(2)) },
  { weight: 2, act: (round) => replaceOne(round, false) },
  { weight: 2, act: (round) => replaceOne(round, true) },
  { weight: 1, act: (round) => doubleSpendOne(round) },
  { weight: 3, act: (round) => reorganise(round) },
  { weight: 4, act: ({ world, chance }) => world.pass(chance.of([1, 5, 12, 31, 61, 300])) },
  {
    weight: 2,
    act: (round) => {
      // To the border of a sale's time, and a moment over it.
      const { expiresMs } = saleOf(round);
      return expiresMs > round.world.clock.nowMs
        ? round.world.passUntil(expiresMs - 1_000 * round.chance.pick(3))
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
  { weight: 1, act: (round) => leaveAlone(round) },
  { weight: 1, act: (round) => restartNode(round) },
];

const ALL = [...OUTSIDE, ...INSIDE];

/** One round: some sales, what happens to them by the world's chance, and what must be true of them in the end. */
export async function playRound(world: World): Promise<string[]> {
  const { chance } = world;
  world.begin();
  world.faults.begin(null);
  world.faults.chance = () => (chance.happens(FAULT_PROBABILITY) ? chance.of(FAULT_KINDS) : null);
  const round: Round = { world, chance, sent: [] };
  await world.create();
  for (let at = 0; at < ACTS; at += 1) await pickAct(chance, ALL).act(round);
  world.faults.end();
  if (world.alone) await world.rejoin();
  world.merchant.manner = "accepts";
  // While the service's node may have missed payments, expiries wait for a complete check, which a dead leader's lease
  // delays, and for a block that is found after it.
  await world.pass(LEASE_SECONDS);
  await world.tick();
  await world.mine();
  await world.tick();
  return world.settle(TICKS_TO_REST);
}

function pickAct(chance: Chance, acts: readonly Act[]): Act {
  let left = chance.next() * acts.reduce((sum, { weight }) => sum + weight, 0);
  const found = acts.find(({ weight }) => (left -= weight) < 0);
  return found ?? chance.of(acts);
}

async function replaceOne({ world, chance, sent }: Round, back: boolean): Promise<void> {
  const { entries } = world.node.core.mempool;
  const open = sent.filter(({ txid }) => entries.has(txid));
  if (open.length === 0) return;
  const { sale, txid } = chance.of(open);
  if (back) sale.wavers = true;
  sent.push({ sale, txid: await world.replace(txid, { back }) });
}

async function doubleSpendOne({ world, chance, sent }: Round): Promise<void> {
  const { entries } = world.node.core.mempool;
  const open = sent.filter(({ txid }) => entries.has(txid));
  if (open.length === 0) return;
  const { sale, txid } = chance.of(open);
  sale.wavers = true;
  await world.doubleSpend(txid);
}

/** Some of what was in the blocks goes back to the mempool, or is spent otherwise. */
async function reorganise({ world, chance, sent }: Round): Promise<void> {
  const depth = 1 + chance.pick(chance.happens(0.2) ? 10 : 3);
  const { core } = world.node;
  const undone = new Set<string>();
  for (let at = core.chain.tip.height - depth + 1; at <= core.chain.tip.height; at += 1)
    for (const txid of core.chain.at(at)?.txids ?? []) undone.add(txid);
  const ours = sent.filter(({ txid }) => undone.has(txid));
  for (const { sale } of sent) sale.wavers ||= sale.doubleSpent;
  const exclude = ours.filter(() => chance.happens(0.4));
  const spent = ours.filter((each) => !exclude.includes(each) && chance.happens(0.2)).slice(0, 1);
  for (const { sale } of spent) sale.wavers = true;
  const txids = (some: typeof ours): string[] => some.map(({ txid }) => txid);
  await world.reorganise(depth, { exclude: txids(exclude), doubleSpend: txids(spent) });
}

/** The service's node loses its peers, or finds them again. A loss that no check notices cannot be known. */
async function leaveAlone({ world }: Round): Promise<void> {
  if (world.ours === world.node) return;
  if (world.alone) return world.rejoin();
  await world.isolate();
  await world.pass(LEASE_SECONDS);
  await world.look("A");
  await world.look("B");
  if (!(await world.isBlind())) await world.rejoin();
}

/** Where the service's node is one of two. */
async function restartNode(round: Round): Promise<void> {
  const { world, chance } = round;
  if (world.ours === world.node) return;
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
