import type { World } from "./world";

/** A sale as it goes without a fault. */
export interface Story {
  /** "An invoice that …" */
  name: string;
  lightning?: boolean;
  play(world: World): Promise<void>;
}

const PART = 60_000n;
/** Longer than a client waits before it asks again. */
const EXPIRES = { expiresInSeconds: 90 };

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
    lightning: true,
    async play(world) {
      const sale = await world.create();
      await world.payLightning(sale);
      await world.look();
    },
  },
  {
    name: "is paid in part on-chain and the rest by Lightning",
    lightning: true,
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
    name: "nobody pays, by Lightning neither",
    lightning: true,
    async play(world) {
      const sale = await world.create(EXPIRES);
      await world.passUntil(sale.expiresMs);
      await world.look();
      await world.sweep("A");
    },
  },
];

export const STORIES = { PAID, LATE, REPLACED, REORGANISED, BY_LIGHTNING };
