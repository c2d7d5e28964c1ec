import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { makeSecretBox } from "../../adapters/crypto";
import { createDataSource } from "../../database/data-source";
import { appliedMigrations } from "../../database/server-facts";
import { migrateDatabase } from "../../scripts/cli/migrate";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { TEST_APP_SECRET } from "../support/context";
import { checkInvariants } from "../support/invariants";
import { Service, type PayableInvoice } from "../support/service";
import { keepSales } from "./keep-sales";
import {
  keptFolder,
  keptVersions,
  loadKept,
  schemaText,
  type LoadedDatabase,
  type SaleName,
} from "./kept-database";

const ROOT = path.join(__dirname, "../..");
const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const STATES: Record<SaleName, string> = {
  open: NEW,
  seen: PROCESSING,
  settled: SETTLED,
  overpaid: "Settled/Overpaid",
  underpaid: "Expired/Underpaid",
  expired: "Expired/None",
  byLightning: SETTLED,
};

describe("the kept databases", function () {
  this.timeout(180_000);

  it("are those of all released versions", () => {
    const changelog = readFileSync(path.join(ROOT, "CHANGELOG.md"), "utf8");
    const released = [...changelog.matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, version]) => version);
    expect(keptVersions()).to.include.members(released);
    expect(keptVersions()).to.include("before-0.1.0");
  });

  it("can be made by this version, for those that come after it", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "quittance-keep-"));
    await keepSales(folder);
    const { databaseUrl, schema, shop, nodeFolder } = await loadKept(folder);
    expect(schema.made).to.equal(schema.kept);
    const db = await createDataSource({ databaseUrl, poolMax: 1, applicationName: "test" }).initialize();
    expect(await appliedMigrations(db.manager)).to.have.lengthOf(db.migrations.length);
    const found = await db.query<unknown[]>("SELECT FROM invoices WHERE id = ANY ($1)", [
      Object.values(shop.invoices).map(({ invoiceId }) => invoiceId),
    ]);
    expect(found).to.have.lengthOf(Object.keys(STATES).length);
    await checkInvariants(db);
    await db.destroy();
    for (const made of [folder, nodeFolder]) rmSync(made, { recursive: true });
  });
});

for (const version of keptVersions())
  describe(`the database that version ${version} left, with this one`, function () {
    this.timeout(120_000);
    let kept: LoadedDatabase;
    let node: SimulatedNode;
    let service: Service;
    let applied: string[];

    const told = (name: SaleName, ...events: string[]): Promise<void> =>
      service.told(kept.shop.invoices[name].invoiceId, events);
    async function sell(): Promise<PayableInvoice> {
      const invoice = await service.createInvoice();
      const given = Object.values(kept.shop.invoices).map(({ address }) => address);
      expect(given, "an address was given out twice").not.to.include(invoice.address);
      return invoice;
    }
    async function sellAndPay(): Promise<void> {
      const { invoiceId, address } = await sell();
      await node.pay(address, 100_000n);
      await service.told(invoiceId, [NEW, PROCESSING]);
      await node.mine(1);
      await service.told(invoiceId, [NEW, PROCESSING, SETTLED]);
    }
    /** What was open then has some time left, as if it had been upgraded on the same day. */
    async function giveTime(): Promise<void> {
      const { open, seen } = kept.shop.invoices;
      const db = await createDataSource({
        databaseUrl: kept.databaseUrl,
        poolMax: 1,
        applicationName: "test",
      }).initialize();
      await db.query(
        `UPDATE invoices SET expires_at = now() + interval '1 hour', monitoring_until = now() + interval '1 day',
                decide_at = CASE WHEN status = 'New' THEN now() + interval '1 hour' ELSE decide_at END
          WHERE id = ANY ($1)`,
        [[open.invoiceId, seen.invoiceId]],
      );
      await db.destroy();
    }

    before(async () => {
      kept = await loadKept(keptFolder(version));
      const facts = { network: "regtest", ...makeSecretBox({ appSecret: TEST_APP_SECRET }) } as const;
      applied = await migrateDatabase(kept.databaseUrl, facts);
      await giveTime();
      node = await SimulatedNode.start({ dataDir: kept.nodeFolder });
      service = await Service.start({ databaseUrl: kept.databaseUrl, bitcoindRpcUrl: node.rpcUrl });
      const { storeId, apiKey, secret, webhookId } = kept.shop;
      service.shop = { storeId, apiKey, secret, xpub: null, path: "/kept" };
      const url = `${service.receiver.url}/kept`;
      const { status, text } = await service.call(service.shop, "PATCH", `/webhooks/${webhookId}`, { url });
      expect(status, text).to.equal(200);
    });
    after(async () => {
      await service?.stop();
      await node?.stop();
      if (kept) rmSync(kept.nodeFolder, { recursive: true, force: true });
    });
    afterEach(function () {
      if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
    });

    it("has the tables that the migrations of that version still make", () => {
      expect(kept.schema.made).to.equal(kept.schema.kept);
    });

    it("shows what was sold as it was, and every event", async () => {
      for (const [name, { invoiceId }] of Object.entries(kept.shop.invoices)) {
        const { status, additionalStatus } = await service.readInvoice(invoiceId);
        expect(`${status}/${additionalStatus}`, name).to.equal(STATES[name as SaleName]);
      }
      const feed = await service.call(service.shop, "GET", "/events?limit=200");
      const events = (feed.json as unknown as { data: { invoiceId: string }[] }).data;
      for (const { invoiceId } of Object.values(kept.shop.invoices))
        expect(events.filter((event) => event.invoiceId === invoiceId)).not.to.deep.equal([]);
      await checkInvariants(service.db);
    });

    it("sells on, and sends what happens to earlier invoices once, with their webhook's secret", async () => {
      await node.mine(1);
      await told("seen", SETTLED);
      await node.pay(kept.shop.invoices.open.address, 100_000n);
      await told("open", PROCESSING);
      await sellAndPay();
      await told("open", PROCESSING, SETTLED);
      await checkInvariants(service.db);
      service.expectSigned();
    });

    it("goes back to the tables of that version, and forward again, with every sale", async () => {
      await service.stopAll();
      const sold = (): Promise<unknown> => service.db.query("SELECT id, status FROM invoices ORDER BY id");
      const before = await sold();
      const { undone } = await service.cli<{ undone: string[] }>(
        "migrate",
        "--undo-to",
        kept.shop.lastMigration,
      );
      const newer = readdirSync(path.join(ROOT, "database/migrations")).filter(
        (file) => Number.parseInt(file, 10) > Number(/\d+$/.exec(kept.shop.lastMigration)?.[0]),
      );
      expect(undone).to.have.lengthOf(newer.length);
      expect(applied).to.include.members(undone);
      expect(await schemaText(service.db)).to.equal(kept.schema.kept);
      expect(await sold()).to.deep.equal(before);
      await service.cli("migrate");
      await service.startAll();
      await sellAndPay();
      await checkInvariants(service.db);
    });
  });
