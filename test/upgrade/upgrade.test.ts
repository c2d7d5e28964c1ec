import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";
import { testDatabaseUrl } from "../support/database";
import { lndEnvironment } from "../support/lightning";
import { testRedis, type TestRedis } from "../support/redis";
import { APPS_WITH_LIGHTNING, Service, type PayableInvoice } from "../support/service";
import type { WorkerProcess } from "../support/worker-process";

const ROOT = path.join(__dirname, "../..");
const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const EXPIRED = "Expired/None";
/** Who looks late sees the payment in its block first. */
const PAID = [
  [NEW, SETTLED],
  [NEW, PROCESSING, SETTLED],
];

/** The older version: what a commit before this version's migrations was compiled to. */
function buildOlder(): string {
  const script = path.join(ROOT, "scripts/ci/older-version.sh");
  return execFileSync("bash", [script], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

/** The migrations of a version, the first one first. */
function migrationsIn(folder: string): string[] {
  return readdirSync(path.join(folder, "database/migrations"))
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

/** `1766300000000-name-wallets-and-syncs.ts` is `NameWalletsAndSyncs1766300000000`. */
function nameOf(file: string): string {
  const [at = "", ...words] = path.basename(file, ".ts").split("-");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("") + at;
}

/**
 * The steps of docs/operations/set-up.md, "Upgrades" and "Going back", with the older version's own processes: sales go
 * on all the time, and customers pay while no app runs.
 */
for (const queues of ["Postgres", "Redis"])
  describe(`an upgrade from the older version, and a return to it, with the queues on ${queues}`, function () {
    this.timeout(120_000);
    let older: string;
    let node: SimulatedNode;
    let lnd: SimulatedLnd;
    let redis: TestRedis | null = null;
    let service: Service;
    const addresses = new Set<string>();
    let paidBefore: PayableInvoice;
    let open: PayableInvoice;

    async function sell(base = service.base): Promise<PayableInvoice> {
      const invoice = await service.createInvoice({}, service.shop, base);
      expect(addresses, "an address was given out twice").not.to.include(invoice.address);
      addresses.add(invoice.address);
      return invoice;
    }
    /** On-chain, by Lightning, and not at all. */
    async function sellThree(base = service.base): Promise<void> {
      const [onchain, lightning, unpaid] = [await sell(base), await sell(base), await sell(base)];
      await node.pay(onchain.address, 100_000n);
      await service.told(onchain.invoiceId, [NEW, PROCESSING]);
      await lnd.pay(lightning.bolt11);
      await service.endTime(unpaid.invoiceId);
      await node.mine(1);
      await service.told(onchain.invoiceId, [NEW, PROCESSING, SETTLED]);
      await service.told(lightning.invoiceId, [NEW, SETTLED]);
      await service.told(unpaid.invoiceId, [NEW, EXPIRED]);
    }
    /** The migrations of this version, the first one first. */
    const added = (): string[] => {
      const known = migrationsIn(older);
      return migrationsIn(ROOT)
        .filter((file) => !known.includes(file))
        .map(nameOf);
    };
    const running = (): WorkerProcess[] => APPS_WITH_LIGHTNING.flatMap((app) => service.processesOf(app));
    async function end(processes: readonly WorkerProcess[]): Promise<void> {
      for (const process of processes) process.kill("SIGTERM");
      for (const { exited } of processes) expect((await exited).code).to.equal(0);
    }

    before(async function () {
      this.timeout(300_000);
      older = buildOlder();
      [node, lnd] = await Promise.all([SimulatedNode.start(), SimulatedLnd.start()]);
      if (queues === "Redis") redis = await testRedis();
      service = await Service.start({
        build: path.join(older, "dist"),
        databaseUrl: await testDatabaseUrl({ empty: true }),
        bitcoindRpcUrl: node.rpcUrl,
        lndEnvironment: lndEnvironment(lnd.grpc),
        ...(redis === null ? {} : { redisUrl: redis.url }),
      });
    });
    after(async () => {
      await service?.stop();
      await redis?.stop();
      await lnd?.stop();
      await node?.stop();
    });
    afterEach(function () {
      if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
    });

    it("begins with sales of the older version in every state", async () => {
      await sellThree();
      [paidBefore, open] = [await sell(), await sell()];
      await node.pay(paidBefore.address, 100_000n);
      await service.told(paidBefore.invoiceId, [NEW, PROCESSING]);
      await service.told(open.invoiceId, [NEW]);
    });

    it("migrates while the older apps sell, and they go on with the new tables", async () => {
      service.build = undefined;
      let migrating = true;
      const selling = (async () => {
        const sold: PayableInvoice[] = [];
        while (migrating) {
          const invoice = await sell();
          await node.pay(invoice.address, 100_000n);
          sold.push(invoice);
        }
        return sold;
      })();
      const { applied } = await service
        .cli<{ applied: string[] }>("migrate")
        .finally(() => (migrating = false));
      expect(applied).to.include.members(added());
      const sold = await selling;
      expect(sold).not.to.have.length(0);
      for (const { invoiceId } of sold) await service.told(invoiceId, [NEW, PROCESSING]);
      await node.mine(1);
      for (const { invoiceId } of sold) await service.told(invoiceId, [NEW, PROCESSING, SETTLED]);
      await sellThree();
    });

    it("has copies of both versions side by side: each event once, no address twice", async () => {
      const olders = running();
      await service.startAll();
      const [ofOlder, ofNewer] = service.bases();
      await sellThree(ofOlder);
      await sellThree(ofNewer);
      const crossing = await sell(ofOlder);
      await node.pay(crossing.address, 100_000n);
      await end(olders);
      await node.mine(1);
      await service.told(crossing.invoiceId, ...PAID);
      await service.told(paidBefore.invoiceId, [NEW, PROCESSING, SETTLED]);
      await sellThree(ofNewer);
      await service.verify();
    });

    it("undoes nothing while apps run, and goes back once they are stopped", async () => {
      const to = nameOf(migrationsIn(older).at(-1) ?? "");
      const refused = await service.cli("migrate", "--undo-to", to).catch((error: unknown) => error);
      expect(String(refused)).to.include("Stop all apps first");
      await end(running());
      const invoices = (): Promise<unknown> => service.db.query("SELECT count(*) FROM invoices");
      const before = await invoices();
      const { undone } = await service.cli<{ undone: string[] }>("migrate", "--undo-to", to);
      expect(undone).to.deep.equal(added().toReversed());
      expect(await invoices()).to.deep.equal(before);
      await node.pay(open.address, 100_000n);
      await node.mine(1);
      service.build = path.join(older, "dist");
      await service.startAll();
      await service.told(open.invoiceId, ...PAID);
      await sellThree();
    });

    it("upgrades again, and finds what was paid while no app ran", async () => {
      const late = await sell();
      await end(running());
      await node.pay(late.address, 100_000n);
      await node.mine(1);
      service.build = undefined;
      const { applied } = await service.cli<{ applied: string[] }>("migrate");
      expect(applied).to.deep.equal(added());
      await service.startAll();
      await service.told(late.invoiceId, ...PAID);
      await sellThree();
      await service.verify();
      service.expectSigned();
    });
  });
