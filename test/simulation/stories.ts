import { prune } from "../../commands/installation/prune";
import type { SimulatedLnd } from "../support/devnet/simulated-lnd";
import type { Sale, Shop } from "./truth";
import type { World, WorldOptions } from "./world";

/** A sale as it goes without a fault. */
export interface Story {
  /** "An invoice that …" */
  name: string;
  world?: WorldOptions;
  /** It takes so long, beside others like it, that it is played without a fault only. */
  long?: boolean;
  play(world: World): Promise<void>;
}

const PART = 60_000n;
/** Whoever leads has lost it by then to another. */
const LEASE_SECONDS = 12;
const WRITES_PAYMENTS = /^INSERT INTO "?payments\b/;
/** What a session with an LND has found. */
const WRITES_REPORT = /^WITH led AS/;
/** Too many for a statement with four values of each. */
const FLOOD_OUTPUTS = 16_500;
const WRONG_SECONDS = 120;
const LAST_INDEX = 0x7fff_ffff;
/** As far as an API key may set it. */
const FURTHER_ON = 9_000;
/** Longer than a client waits before it asks again. */
const EXPIRES = { expiresInSeconds: 90 };
/** A payment that the node refuses for so long, asked every 30 s, is gone. */
const VANISHES_AFTER_SECONDS = 640;
/** Looks so far apart are one watch. */
const WATCHED_SECONDS = 10;

const UNCONFIRMED = { requiredConfirmations: 0 };
/** What does not signal that it may be replaced. */
const FINAL = { replaceable: false };

const PAID: readonly Story[] = [
  {
    name: "is paid in time and confirmed",
    async play(world) {
      const sale = await world.create();
      await world.pay(sale);
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is paid in two parts, the first of which the copy that led has seen",
    async play(world) {
      const sale = await world.create();
      await world.pay(sale, PART);
      await world.look("A");
      await world.pass(15);
      await world.pay(sale, sale.dueSats);
      await world.look("B");
      await world.mine(2);
      await world.look("A");
      await world.look("B");
    },
  },
  {
    name: "is paid with three confirmations",
    async play(world) {
      const sale = await world.create({ requiredConfirmations: 3 });
      await world.pay(sale);
      await world.mine(2);
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is told of by a copy that cannot read the webhook's secret, and then by one that can",
    async play(world) {
      await world.create();
      await world.takeWithOtherSecret("B");
      await world.look();
    },
  },
  {
    name: "belongs to a merchant whose server does not answer",
    async play(world) {
      world.merchant.manner = "hangs";
      const sale = await world.create();
      await world.pay(sale);
      await world.mine();
      await world.look();
      await world.sweep("B");
    },
  },
];

const LATE: readonly Story[] = [
  {
    name: "nobody pays",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("B");
    },
  },
  {
    name: "is paid after it has expired",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
      await world.pay(sale);
      await world.look();
      await world.mine();
      await world.look("B");
    },
  },
  {
    name: "is paid in part",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.pay(sale, PART);
      await world.look();
      await world.passUntil(sale.expiresMs);
      await world.look("B");
      await world.sweep("A");
      await world.mine();
      await world.look("B");
    },
  },
  {
    name: "is paid in time, which nobody sees before its time is up",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.pay(sale);
      await world.mine();
      await world.passUntil(sale.expiresMs);
      await world.sweep("A");
      await world.look();
      await world.sweep("B");
    },
  },
  {
    name: "is paid in time and mined after the expiry, before anybody checks",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.pay(sale);
      await world.passUntil(sale.expiresMs);
      await world.mine();
      await world.sweep("A");
      await world.look();
    },
  },
  {
    name: "is paid in its last second, while the copy that checks the chain stands still",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs - 3_000);
      const { leader } = await world.roles();
      // It has the mempool's list in its hand, and goes on after the expiry.
      await world.stall(leader, { at: /^bitcoind\.mempoolTxids/, answered: true }, async () => {
        await world.pay(sale);
        await world.pass(4);
      });
      await world.sweep("A");
      await world.look();
    },
  },
];

/** While work goes on the database's clock is set back, and then right again. */
const BY_A_WRONG_CLOCK: readonly Story[] = [
  {
    name: "is paid and confirmed while the database's clock is wrong",
    async play(world) {
      const sale = await world.create();
      await world.pay(sale);
      await world.look();
      await world.clock.set(-WRONG_SECONDS);
      await world.mine();
      await world.look("B");
      await world.sweep("A");
      await world.clock.set(WRONG_SECONDS);
      await world.look("B");
    },
  },
  {
    name: "nobody pays, while the database's clock is set back at its expiry",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs);
      await world.check((await world.roles()).leader);
      await world.clock.set(-WRONG_SECONDS);
      await world.sweep("A");
      await world.look("B");
      await world.clock.set(WRONG_SECONDS);
      await world.look();
      await world.sweep("B");
    },
  },
];

const REPLACED: readonly Story[] = [
  {
    name: "is paid by a transaction whose fee is raised after the expiry",
    async play(world) {
      const sale = await world.create(EXPIRES);
      const txid = await world.pay(sale);
      await world.look();
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.replace(txid);
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is paid in two parts, the first of which is replaced after the expiry, before anybody has seen the second",
    async play(world) {
      const sale = await world.create(EXPIRES);
      const txid = await world.pay(sale, PART);
      await world.look();
      await world.pay(sale, sale.dueSats - PART);
      await world.passUntil(sale.expiresMs);
      await world.replace(txid);
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is paid by a transaction that the customer takes back",
    async play(world) {
      const sale = await world.create(EXPIRES);
      const txid = await world.pay(sale);
      await world.look();
      await world.replace(txid, { back: true });
      await world.look();
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
    },
  },
  {
    name: "is paid by half, which the customer takes back and pays once more while no copy runs",
    async play(world) {
      const sale = await world.create(EXPIRES);
      const txid = await world.pay(sale, PART);
      await world.look("A");
      await world.pass(LEASE_SECONDS);
      await world.replace(txid, { back: true });
      await world.pay(sale, PART);
      await world.look("B");
      await world.mine();
      await world.look("B");
    },
  },
  {
    name: "is moved to another block when its monitoring has ended, while the other copy decides",
    async play(world) {
      const sale = await world.create({ ...EXPIRES, monitoringSeconds: 60, requiredConfirmations: 2 });
      await world.pay(sale);
      await world.mine();
      await world.look();
      await world.passUntil(sale.monitoringMs);
      await world.look();
      await world.reorganise(1);
      await world.look();
      await world.sweep("B");
    },
  },
  {
    name: "is paid by a transaction that is taken back before the copy that has read it records it",
    async play(world) {
      const sale = await world.create(EXPIRES);
      const txid = await world.pay(sale);
      const { leader, standby } = await world.roles();
      await world.stall(leader, { at: /^bitcoind\.mempoolEntry/, answered: true }, async () => {
        await world.replace(txid, { back: true });
        await world.pass(LEASE_SECONDS);
        await world.check(standby);
      });
      await world.sweep(standby);
    },
  },
];

const REORGANISED: readonly Story[] = [
  {
    name: "is settled and then taken out of its block",
    async play(world) {
      const sale = await world.create();
      const txid = await world.pay(sale);
      await world.mine();
      await world.look();
      await world.reorganise(1, { exclude: [txid] });
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is settled and then double-spent",
    async play(world) {
      const sale = await world.create();
      const txid = await world.pay(sale);
      await world.mine();
      await world.look();
      await world.reorganise(1, { doubleSpend: [txid] });
      await world.look();
    },
  },
  {
    name: "is settled without a confirmation, then paid once more and double-spent while no copy runs",
    world: { zeroConf: true },
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      const txid = await world.pay(sale, sale.dueSats, FINAL);
      await world.look("A");
      await payAgainUnseen(world, sale, txid);
    },
  },
  {
    name: "is paid once more in time, and then double-spent while no copy runs",
    async play(world) {
      const sale = await world.create();
      const txid = await world.pay(sale, sale.dueSats, FINAL);
      await world.look("A");
      await payAgainUnseen(world, sale, txid);
    },
  },
  {
    name: "is paid once more when its time is up, and then double-spent while no copy runs",
    async play(world) {
      const sale = await world.create(EXPIRES);
      const txid = await world.pay(sale);
      await world.look("A");
      await world.passUntil(sale.expiresMs);
      await world.look("A");
      await payAgainUnseen(world, sale, txid);
    },
  },
  {
    name: "is double-spent in a block that is undone, whereupon its payment comes back to the mempool",
    async play(world) {
      const sale = await world.create();
      const txid = await world.pay(sale);
      await world.look();
      const comeBack = await world.doubleSpend(txid);
      await world.look();
      await comeBack();
      await world.look();
    },
  },
  {
    name: "is double-spent, while one copy takes its block back and the other confirms it",
    async play(world) {
      const sale = await world.create({ requiredConfirmations: 2 });
      const txid = await world.pay(sale);
      await world.mine(2);
      const { leader, standby } = await world.roles();
      await world.check(leader);
      await world.reorganise(2, { doubleSpend: [txid] });
      const confirm = (): Promise<void> => world.sweep(standby);
      await world.stall(standby, { at: WRITES_PAYMENTS }, () => world.check(leader), confirm);
      await world.look(leader);
    },
  },
  {
    name: "is moved to another block before it is confirmed",
    async play(world) {
      const sale = await world.create({ requiredConfirmations: 2 });
      await world.pay(sale);
      await world.mine();
      await world.look();
      await world.reorganise(1);
      await world.look("B");
      await world.look();
    },
  },
];

const BY_LIGHTNING: readonly Story[] = [
  {
    name: "is paid by Lightning",
    world: { lightning: true },
    async play(world) {
      const sale = await world.create();
      await world.payLightning(sale);
      await world.look();
    },
  },
  {
    name: "is paid in part on-chain and the rest by Lightning",
    world: { lightning: true },
    async play(world) {
      const sale = await world.create();
      await world.pay(sale, PART);
      await world.look();
      await world.payLightning(sale);
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is paid by Lightning in its last second, which nobody sees before its time is up",
    world: { lightning: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs - 3_000);
      await world.payLightning(sale);
      await world.passUntil(sale.expiresMs);
      await world.check((await world.roles()).leader);
      await world.sweep("A");
      await world.sweep("B");
      await world.look();
    },
  },
  {
    name: "nobody pays, whose BOLT11 an LND deletes that hides its key",
    world: { lightning: true, hidden: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
    },
  },
  {
    name: "is paid by Lightning, which LND holds for a while",
    world: { lightning: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.payLightning(sale, { held: true });
      await world.look();
      await world.pass(30);
      await world.settleHeld(sale);
      await world.look();
    },
  },
  {
    name: "is paid by Lightning, which LND holds until its time is up",
    world: { lightning: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.payLightning(sale, { held: true });
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
      await world.settleHeld(sale);
      await world.look();
    },
  },
  {
    name: "nobody pays, by Lightning neither",
    world: { lightning: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
    },
  },
];

const BY_A_BROKEN_LND: readonly Story[] = [
  {
    name: "is paid by Lightning, when LND has left out a settle index",
    world: { lightning: true },
    async play(world) {
      const sale = await world.create();
      const other = await world.create();
      await world.payLightning(other);
      await world.look();
      world.lnds[0]?.skipSettleIndex();
      await world.payLightning(sale);
      await world.look();
      // Longer than anybody waits for that index.
      await world.pass(700);
      await world.look("A");
      await world.look("B");
    },
  },
  {
    name: "is made by an LND that is then restored from a backup, which another one was paid to meanwhile",
    world: { lightning: true },
    async play(world) {
      const paid = await world.create();
      const sales: Sale[] = [];
      await world.restoreLnd(async () => {
        await world.payLightning(paid);
        // What LND forgets before it was read nobody can know: whoever comes after a copy that failed or died reads it.
        for (let at = 0; at < 4 && world.oracle.lastOf(paid) === "New/None"; at += 1) await world.tick();
        sales.push(await world.create());
      });
      await world.look();
      for (const sale of sales) await world.payLightning(sale);
      await world.look();
    },
  },
];

const BY_OWN_LNDS: readonly Story[] = [
  {
    name: "is paid to its store's LND, which is then away at its expiry, while another store's is not",
    world: { stores: true },
    async play(world) {
      const [one, other] = ownersOf(world);
      const sale = await world.create(EXPIRES, one);
      const unpaid = await world.create(EXPIRES, other);
      await world.payLightning(sale);
      await world.lockLnd(one.nodes[0]);
      await world.passUntil(unpaid.expiresMs);
      await world.look();
      await world.sweep("A");
      if (!world.faults.planned && world.oracle.lastOf(unpaid) !== "Expired/None")
        throw new Error("another store's LND delays an expiry");
      await world.unlockLnds();
      await world.look();
    },
  },
  {
    name: "is paid to an LND that its store has replaced, as is one after it to an LND that it has removed",
    world: { stores: true },
    async play(world) {
      const [shop] = ownersOf(world);
      const first = await world.create({}, shop);
      const shownFirst = await world.shownBolt11(first);
      await world.connectLnd(shop);
      const second = await world.create({}, shop);
      const shownSecond = await world.shownBolt11(second);
      await world.removeLnd(shop);
      if (shownFirst !== null) await world.payBolt11(first, shownFirst);
      if (shownSecond !== null) await world.payBolt11(second, shownSecond);
      await world.look();
      // Longer than a retired one is watched for creations that began before.
      await world.pass(700);
      await world.look();
      await world.connectLnd(shop);
    },
  },
  {
    name: "is paid to its store's LND, while the copy that watches it stands still and another takes over",
    world: { stores: true },
    async play(world) {
      const [shop] = ownersOf(world);
      const sale = await world.create({}, shop);
      await world.pass(LEASE_SECONDS);
      await world.look("A");
      await world.payLightning(sale);
      const watch = (): Promise<void> => world.watchLnd("A", shop.nodes[0]);
      await world.stall(
        "A",
        { at: WRITES_REPORT },
        async () => {
          await world.pass(LEASE_SECONDS);
          await world.look("B");
        },
        watch,
      );
      await world.look("B");
    },
  },
];

/** Of the stores that have LNDs of their own. */
function ownersOf({ shops }: World): [Owner, Owner] {
  return shops.slice(1) as [Owner, Owner];
}
type Owner = Shop & { readonly nodes: [SimulatedLnd, ...SimulatedLnd[]] };

const BLIND: readonly Story[] = [
  {
    name: "is paid while the node has no peers",
    world: { peers: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.isolate();
      // Somebody sees it: what nobody sees, since no copy runs, cannot be known later.
      await world.look();
      await world.pass(LEASE_SECONDS);
      await world.look("A");
      await world.look("B");
      await world.pay(sale);
      await world.rejoin();
      await world.look();
      await expireUnseen(world, sale);
    },
  },
  {
    name: "is paid while the line to the node's peers is dead, and they are listed",
    world: { peers: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.look();
      await world.loseLine();
      await world.pay(sale);
      await lookAll(world, 4);
      await world.passUntil(sale.expiresMs);
      await lookAll(world, 4);
      await world.rejoin();
      await lookAll(world, 2);
      await expireUnseen(world, sale);
    },
  },
  {
    name: "is paid in its last seconds, after the peers have answered and the line to them has died",
    world: { peers: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs - 25_000);
      const { leader } = await world.roles();
      while (world.clock.nowMs < sale.expiresMs - 6_000) {
        await world.pass(4);
        await world.look(leader);
      }
      await world.loseLine();
      await world.pay(sale);
      await world.passUntil(sale.expiresMs);
      await world.look(leader);
      await world.sweep("A");
      await lookAll(world, 3);
      await world.rejoin();
      await lookAll(world, 2);
      await expireUnseen(world, sale);
    },
  },
  {
    name: "is paid without a confirmation as soon as the node has found peers again",
    world: { peers: true, zeroConf: true },
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      await lookAll(world, 2);
      await world.isolate();
      await world.look((await world.roles()).leader);
      await world.rejoin();
      await payUnproven(world, sale);
    },
  },
  {
    name: "is paid without a confirmation as soon as the node is back",
    world: { peers: true, zeroConf: true },
    long: true,
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      await lookAll(world, 2);
      await world.restart(1, async () => {});
      await payUnproven(world, sale);
    },
  },
  {
    name: "is paid while the node stands still and answers nobody, and checked before it reads on",
    world: { peers: true },
    long: true,
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs - 15_000);
      await lookAll(world, 2);
      const { leader } = await world.roles();
      await world.stall(leader, { at: /^bitcoind\./ }, async () => {
        world.stopReading();
        await world.pay(sale);
        await world.passAsLeader(leader, 12);
      });
      await world.look(leader);
      await world.pass(3);
      await world.readOn();
      await lookAll(world, 4);
      await expireUnseen(world, sale);
    },
  },
  {
    name: "is paid after the node has lost its peers, and before it finds others, while nobody looks",
    world: { peers: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await lookAll(world, 2);
      await world.isolate();
      await world.pay(sale);
      await world.pass(2);
      await world.rejoin();
      await lookAll(world, 2);
      await expireUnseen(world, sale);
    },
  },
  {
    name: "is paid with change that is in no block, and then the node loses its mempool",
    world: { peers: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.payWithParent(sale);
      await lookAll(world, 3); // one that ends at the commit has a successor, which finds it
      await world.restart(10, async () => {}, { mempool: false });
      await lookAll(world, 3);
      await world.mineEmpty(); // ends the gap
      await lookAll(world, 3);
      await world.pass(VANISHES_AFTER_SECONDS);
      await lookAll(world, 1);
    },
  },
  {
    name: "is paid by what the node evicts, and then refuses by its policy",
    world: { peers: true },
    long: true,
    async play(world) {
      const sale = await world.create(EXPIRES);
      const txid = await world.pay(sale);
      await world.look();
      world.refuse(true);
      await world.evict(txid);
      // The refusal counts only while the node is watched.
      for (let passed = 0; passed < VANISHES_AFTER_SECONDS; passed += WATCHED_SECONDS) {
        await world.pass(WATCHED_SECONDS);
        await world.look();
      }
      world.refuse(false);
    },
  },
  {
    name: "is paid while the node is restarted",
    world: { peers: true },
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.look();
      await world.restart(10, async () => void (await world.pay(sale)));
      await world.look();
      await expireUnseen(world, sale);
    },
  },
  {
    name: "is marked Settled, and paid twice just before the node loses its mempool",
    world: { peers: true },
    async play(world) {
      const sale = await world.create({ ...EXPIRES, monitoringSeconds: 0 });
      await world.look();
      await world.mark(sale, "Settled");
      await world.pay(sale);
      await world.pay(sale);
      await world.restart(10, async () => {}, { mempool: false });
      await world.look();
      await expireUnseen(world, sale);
    },
  },
  {
    name: "is settled without a confirmation, then double-spent and paid once more while the node is down",
    world: { peers: true, zeroConf: true },
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      const txid = await world.pay(sale, sale.dueSats, FINAL);
      await world.look();
      await world.restart(10, async () => {
        await world.pay(sale);
        await world.doubleSpend(txid);
      });
      await world.look();
      // The mempool is read, but what came meanwhile is not in it.
      await world.pass(WATCHED_SECONDS);
      await world.look();
      await world.sweep("A");
      await world.look();
      await world.sweep("B");
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is paid in a block that the node prunes before it is read",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.pay(sale);
      await world.mine(3);
      const { tip } = world.node.core.chain;
      world.node.faults.prunedBelow = tip.height;
      await world.look();
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
      await world.sweep("B");
      world.node.faults.prunedBelow = 0;
      await world.rescan(tip.height - 2);
    },
  },
  {
    name: "is paid while the node is away, after the database's clock was set back",
    async play(world) {
      await world.faults.without(async () => {
        await world.clock.set(3_600);
        await world.look();
        await world.clock.set(-3_600);
        world.node.faults.warmingUp = true;
        await world.look();
      });
      const sale = await world.create(EXPIRES);
      await world.pay(sale);
      await world.passUntil(sale.expiresMs);
      await world.sweep("A");
      await world.sweep("B");
      world.node.faults.warmingUp = false;
      await world.look();
      await world.mine();
      await world.look();
    },
  },
];

/** While no copy runs, the customer pays once more, and a block double-spends what was paid before. */
async function payAgainUnseen(world: World, sale: Sale, txid: string): Promise<void> {
  await world.pass(LEASE_SECONDS);
  await world.pay(sale);
  await world.doubleSpend(txid);
  await world.look("B");
  await world.mine();
  await world.look("B");
}

async function lookAll(world: World, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await world.pass(5);
    await world.look("A");
    await world.look("B");
  }
}

/** By what the service cannot know to have no conflict, at once after its last complete check. */
async function payUnproven(world: World, sale: Sale): Promise<void> {
  await world.look((await world.roles()).leader);
  await world.pay(sale, sale.dueSats, FINAL);
  await lookAll(world, 2);
  await world.mine(2);
  await lookAll(world, 2);
}

/** The node's mempool does not have what was paid, so that only a block shows it. */
async function expireUnseen(world: World, sale: Sale): Promise<void> {
  await world.passUntil(sale.expiresMs);
  await world.look();
  await world.sweep("A");
  await world.sweep("B");
  await world.mine();
  await world.look();
}

const AT_RISK: readonly Story[] = [
  {
    name: "is settled by a transaction whose parent is then double-spent",
    async play(world) {
      const sale = await world.create();
      const { parent } = await world.payWithParent(sale);
      await world.mine();
      await world.look();
      await world.reorganise(1, { doubleSpend: [parent] });
      await world.look();
    },
  },
  {
    name: "is paid without a confirmation, by a transaction that signals nothing",
    world: { zeroConf: true },
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      await world.pay(sale, sale.dueSats, FINAL);
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is paid without a confirmation, by a transaction of version 3",
    world: { zeroConf: true },
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      await world.pay(sale, sale.dueSats, { ...FINAL, version: 3 });
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is paid without a confirmation, and then replaced by some sats",
    world: { zeroConf: true },
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      const txid = await world.pay(sale, sale.dueSats, FINAL);
      await world.look();
      await world.replace(txid, { leave: 300n });
      await world.look();
    },
  },
  {
    name: "is paid without a confirmation, and then replaced by nothing, which is mined while nobody looks",
    world: { zeroConf: true },
    async play(world) {
      const sale = await world.create(UNCONFIRMED);
      const txid = await world.pay(sale, sale.dueSats, FINAL);
      await world.look();
      await world.replace(txid, { back: true });
      await world.look();
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is settled without a confirmation, and taken back after its expiry by one who pays a part once more",
    world: { zeroConf: true },
    async play(world) {
      const sale = await world.create({ ...UNCONFIRMED, ...EXPIRES });
      const txid = await world.pay(sale, sale.dueSats, FINAL);
      await world.look();
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.replace(txid, { back: true });
      await world.look();
      await world.pay(sale, PART, FINAL);
      await world.look();
    },
  },
  {
    name: "belongs to a merchant to whom nothing is sent for longer than bodies are kept",
    async play(world) {
      const sale = await world.create(EXPIRES);
      world.queue.empty();
      await world.pass(2 * 86_400);
      await world.step("A", "prune", ({ ctx }) => prune(ctx, { keptDays: 1 }));
      await world.sweep("B");
      await world.passUntil(sale.expiresMs);
    },
  },
];

const BY_HAND: readonly Story[] = [
  {
    name: "is marked Invalid by hand, and paid all the same",
    async play(world) {
      const sale = await world.create();
      await world.mark(sale, "Invalid");
      await world.pay(sale);
      await world.mine();
      await world.look();
      await world.sweep("A");
    },
  },
  {
    name: "is marked Settled by hand after its expiry, and then paid in excess",
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
      await world.mark(sale, "Settled");
      await world.pay(sale, sale.dueSats * 2n);
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is settled, and whose first event the merchant has sent again",
    async play(world) {
      const sale = await world.create();
      await world.pay(sale);
      await world.mine();
      await world.look();
      await world.redeliver(sale, { first: true });
      await world.runJobs();
    },
  },
  {
    name: "belongs to a merchant who has what did not arrive sent again",
    async play(world) {
      world.merchant.manner = "fails";
      const sale = await world.create();
      await world.runJobs();
      world.merchant.manner = "accepts";
      await world.pay(sale);
      await world.redeliver(sale);
      await world.mine();
      await world.look();
    },
  },
];

const MISUSED: readonly Story[] = [
  {
    name: "shares a block with more outputs to another one than a statement has parameters for",
    long: true,
    async play(world) {
      const flooded = await world.create();
      const sale = await world.create();
      await world.flood(flooded, 1, FLOOD_OUTPUTS);
      await world.pay(sale);
      await world.mine();
      await world.look();
      await world.sweep("A");
    },
  },
  {
    name: "is made while the service has no Bitcoin node",
    world: { lightning: true },
    async play(world) {
      await world.configure({ node: false });
      const sale = await world.create(EXPIRES);
      await world.payAsShown(sale);
      await world.mine();
      await world.look();
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
      // Longer than an expiry is held.
      await world.pass(3_700);
      await world.look();
      await world.sweep("B");
      await world.configure({ node: true });
    },
  },
  {
    name: "is made when somebody has set the start index to the last there is",
    async play(world) {
      await world.setStartIndex(LAST_INDEX);
      const sale = await world.create(EXPIRES);
      await world.pay(sale);
      await world.mine();
      await world.look();
    },
  },
  {
    name: "is made when another store has set the same key further on",
    async play(world) {
      await world.setStartIndex(FURTHER_ON, { ofOther: true });
      const sale = await world.create(EXPIRES);
      await world.pay(sale);
      await world.mine();
      await world.look();
    },
  },
];

export const STORIES = {
  BY_HAND,
  MISUSED,
  PAID,
  LATE,
  BY_A_WRONG_CLOCK,
  REPLACED,
  REORGANISED,
  BY_LIGHTNING,
  BY_A_BROKEN_LND,
  BY_OWN_LNDS,
  BLIND,
  AT_RISK,
};
