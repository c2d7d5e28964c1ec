import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { resolveAlertByHand } from "../../commands/installation/resolve-alert-by-hand";
import { Alert } from "../../entities/alert";
import type { BitcoinNode } from "../support/devnet/bitcoin-node";
import type { LightningNode } from "../support/devnet/lightning-node";
import { testContext } from "../support/context";
import { dumpableDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { installedPostgres } from "../support/installed-postgres";
import { checkInvariants } from "../support/invariants";
import type { Nodes } from "./lightning-stories";
import { Service, type PayableInvoice } from "../support/service";

const NEW = "New/None";
const PROCESSING = "Processing/None";
const SETTLED = "Settled/None";
const EXPIRED = "Expired/None";
const SKIPPED = 50;

interface FeedEvent {
  seq: string;
  invoiceId: string;
  type: string;
}
interface Feed {
  data: FeedEvent[];
  nextAfter: string;
}
interface Delivery {
  deliveryId: string;
  invoiceId: string;
  type: string;
  state: string;
  error: string | null;
}

/**
 * The drill of docs/operations/recovery.md: sales continue, a backup is taken, more is sold, the machine is lost, and
 * the backup is restored on another one. The nodes and the shop's server keep running.
 */
export function restoreStories(startNodes: () => Promise<Nodes>): void {
  let node: BitcoinNode;
  let lnd: LightningNode;
  let bin: string;
  let folder: string;
  let service: Service;
  const addresses = new Set<string>();
  let feedInBackup: string;
  let feedAtLoss: string;
  let requestsAtLoss: number;
  let sold: Record<
    | "before"
    | "paidOnchain"
    | "paidByLightning"
    | "seen"
    | "expired"
    | "queued"
    | "paidMeanwhile"
    | "open"
    | "lost",
    PayableInvoice
  >;

  async function sell(fields: Record<string, unknown> = {}): Promise<PayableInvoice> {
    const invoice = await service.createInvoice(fields);
    expect(addresses, "an address was given out twice").not.to.include(invoice.address);
    addresses.add(invoice.address);
    return invoice;
  }

  async function readFeed(after?: string): Promise<Feed> {
    const events: FeedEvent[] = [];
    let nextAfter = after;
    for (;;) {
      const query = nextAfter === undefined ? "" : `?after=${nextAfter}`;
      const answer = await service.call(service.shop, "GET", `/events${query}`);
      expect(answer.status, answer.text).to.equal(200);
      const feed = answer.json as unknown as Feed;
      events.push(...feed.data);
      nextAfter = feed.nextAfter;
      if (feed.data.length === 0) return { data: events, nextAfter };
    }
  }

  async function held(): Promise<Delivery[]> {
    const list = await service.call(service.shop, "GET", "/webhooks");
    const [webhook] = (list.json as unknown as { data: { webhookId: string }[] }).data;
    const answer = await service.call(
      service.shop,
      "GET",
      `/webhooks/${webhook?.webhookId}/deliveries?state=failed&limit=100`,
    );
    return (answer.json as unknown as { data: Delivery[] }).data.filter(
      ({ error }) => error === "held-after-restore",
    );
  }

  const isHeld = async ({ invoiceId }: PayableInvoice, type: string): Promise<Delivery | undefined> =>
    (await held()).find((delivery) => delivery.invoiceId === invoiceId && delivery.type === type);

  before(async function () {
    this.timeout(180_000);
    bin = installedPostgres(this);
    ({ chain: node, lnd } = await startNodes());
    folder = mkdtempSync(path.join(os.tmpdir(), "quittance-restore-"));
    writeFileSync(path.join(folder, "tls.cert"), lnd.grpc.tlsCert);
    writeFileSync(path.join(folder, "quittance.macaroon"), lnd.grpc.adminMacaroon);
    service = await Service.start({
      bitcoindRpcUrl: node.rpcUrl,
      databaseUrl: await dumpableDatabaseUrl(bin),
      settings: { PATH: `${bin}${path.delimiter}${process.env["PATH"]}` },
      lndEnvironment: {
        LND_GRPC_URL: lnd.grpc.url,
        LND_TLS_CERT_FILE: path.join(folder, "tls.cert"),
        LND_MACAROON_FILE: path.join(folder, "quittance.macaroon"),
      },
    });
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await lnd?.stop();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs());
  });

  it("is prepared by a backup while sales continue, and more is sold before the loss", async function () {
    this.timeout(90_000);
    const expired = await sell({ expiresInSeconds: 30 });
    const [before, paidOnchain, paidByLightning, seen, paidMeanwhile, open] = [
      await sell(),
      await sell(),
      await sell(),
      await sell(),
      await sell(),
      await sell(),
    ];
    await node.pay(before.address, 100_000n);
    await node.mine(1);
    await service.told(before.invoiceId, [NEW, SETTLED], [NEW, PROCESSING, SETTLED]);
    await node.pay(seen.address, 100_000n);
    await service.told(seen.invoiceId, [NEW, PROCESSING]);
    for (const { invoiceId } of [expired, paidOnchain, paidByLightning, paidMeanwhile, open])
      await service.told(invoiceId, [NEW]);
    await service.stopApp("webhook-delivery");
    const queued = await sell();
    feedInBackup = (await readFeed()).nextAfter;

    let selling = true;
    const sales = (async () => {
      while (selling) await sell();
    })();
    await service.cli("backup", "--to", path.join(folder, "backup"));
    selling = false;
    await sales;

    await service.startApp("webhook-delivery");
    const lost = await sell();
    for (const { address } of [paidOnchain, lost]) await node.pay(address, 100_000n);
    await lnd.pay(paidByLightning.bolt11);
    await service.told(paidByLightning.invoiceId, [NEW, SETTLED]);
    for (const { invoiceId } of [paidOnchain, lost]) await service.told(invoiceId, [NEW, PROCESSING]);
    await node.mine(1);
    for (const { invoiceId } of [paidOnchain, lost, seen])
      await service.told(invoiceId, [NEW, PROCESSING, SETTLED]);
    await service.told(queued.invoiceId, [NEW]);
    await eventually(() => expect(service.eventsOf(expired.invoiceId)).to.deep.equal([NEW, EXPIRED]), 60_000);
    await service.told(expired.invoiceId, [NEW, EXPIRED]);
    await service.verify();
    feedAtLoss = (await readFeed()).nextAfter;
    sold = { before, paidOnchain, paidByLightning, seen, expired, queued, paidMeanwhile, open, lost };
    await service.lose();
    requestsAtLoss = service.receiver.requests.length;
    await node.pay(paidMeanwhile.address, 100_000n);
    await node.mine(1);
  });

  it("finds every payment since, and sends nothing by itself that may have been sent", async function () {
    this.timeout(90_000);
    service = await service.onAnotherMachine(await dumpableDatabaseUrl(bin));
    const restored = await service.cli<{ wallets: { from: number; to: number }[]; heldDeliveries: number }>(
      ...["restore", "--from", path.join(folder, "backup"), "--skip-addresses", String(SKIPPED)],
    );
    expect(restored.wallets.map(({ from, to }) => to - from)).to.deep.equal([SKIPPED]);
    expect(restored.heldDeliveries).to.be.greaterThan(0);
    await service.db.initialize();
    await service.startAll();
    for (const { invoiceId } of [sold.paidOnchain, sold.paidByLightning, sold.seen, sold.paidMeanwhile])
      await service.until(invoiceId, { status: "Settled", additionalStatus: "None" }, 30_000);
    await service.until(sold.expired.invoiceId, { status: "Expired", additionalStatus: "None" }, 30_000);
    for (const invoice of [sold.paidOnchain, sold.paidByLightning, sold.seen, sold.paidMeanwhile])
      expect(await isHeld(invoice, "Settled"), invoice.invoiceId).not.to.equal(undefined);
    expect(await isHeld(sold.expired, "Expired")).not.to.equal(undefined);
    expect(await isHeld(sold.queued, "New")).not.to.equal(undefined);
    expect(service.receiver.requests).to.have.lengthOf(requestsAtLoss);
    const lost = await service.call(service.shop, "GET", `/invoices/${sold.lost.invoiceId}`);
    expect(lost.status).to.equal(404);
  });

  it("sends a held delivery when it is redelivered by hand", async () => {
    const delivery = await isHeld(sold.paidMeanwhile, "Settled");
    await service.cli(
      ...["webhook", "redeliver", "--store", service.shop.storeId, "--delivery", delivery?.deliveryId ?? ""],
    );
    await service.told(sold.paidMeanwhile.invoiceId, [NEW, SETTLED]);
  });

  it("gives no address twice, and sends what is new by itself, also about earlier invoices once its alert is resolved", async function () {
    this.timeout(60_000);
    const { id: alertId } = await service.db.manager.findOneByOrFail(Alert, { kind: "restored" });
    await resolveAlertByHand(await testContext({ db: service.db }), { alertId });
    const sales = [await sell(), await sell(), await sell()];
    for (const { address } of [...sales, sold.open]) await node.pay(address, 100_000n);
    for (const { invoiceId } of [...sales, sold.open]) await service.told(invoiceId, [NEW, PROCESSING]);
    await node.mine(1);
    for (const { invoiceId } of [...sales, sold.open])
      await service.told(invoiceId, [NEW, PROCESSING, SETTLED]);
  });

  it("names the feed position from which a reader continues, and puts nothing new behind it", async () => {
    const refused = await service.call(service.shop, "GET", `/events?after=${feedAtLoss}`);
    expect(refused.status).to.equal(422);
    const { errors } = refused.json as unknown as { errors: { pointer: string; message: string }[] };
    expect(errors[0]?.pointer).to.equal("/after");
    const from = /\d{16}/.exec(errors[0]?.message ?? "")?.[0] ?? "";
    expect(from >= feedInBackup && from < feedAtLoss, `${feedInBackup} ${from} ${feedAtLoss}`).to.equal(true);
    const again = await readFeed(from);
    expect(again.data.map(({ invoiceId, type }) => `${invoiceId} ${type}`)).to.include.members(
      [sold.paidOnchain, sold.paidByLightning, sold.seen, sold.paidMeanwhile, sold.open].map(
        ({ invoiceId }) => `${invoiceId} Settled`,
      ),
    );
    for (const { seq } of again.data) expect(seq > feedAtLoss, seq).to.equal(true);
    const all = await readFeed();
    const sinceBackup = await readFeed(feedInBackup);
    expect(all.data.slice(-sinceBackup.data.length)).to.deep.equal(sinceBackup.data);
    expect(sinceBackup.data.slice(-again.data.length)).to.deep.equal(again.data);
  });

  it("leaves a database in which everything agrees", async () => {
    await checkInvariants(service.db);
  });
}
