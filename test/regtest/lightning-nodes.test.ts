import { expect } from "chai";
import { allowWalletChangesByKey } from "../../commands/wallets/change-wallet";
import { decodeBolt11 } from "../../domain/lightning/decode-bolt11";
import { TcpGate } from "../support/devnet/tcp-gate";
import { testContext } from "../support/context";
import { eventually } from "../support/eventually";
import { startRealLnds, withRealLnd } from "../support/real-lnd";
import type { RealLnd } from "../support/real-nodes/real-lnd";
import type { RealNode } from "../support/real-nodes/real-node";
import { APPS_WITH_LIGHTNING, Service, type PayableInvoice, type Shop } from "../support/service";

const NEW = "New/None";
const SETTLED = "Settled/None";
const PATH = "/payment-methods/BTC-LN";
/** For whom nothing is wrong: less than any wait for a node that does not answer. */
const AT_ONCE_MS = 10_000;

interface Merchant {
  lnd: RealLnd;
  shop: Shop;
  /** The address that the store knows. */
  gate: TcpGate;
}

const portOf = ({ grpc }: RealLnd): number => Number(grpc.url.split(":").at(-1));

/** As a node package shows it. */
function lndconnect({ gate }: Merchant, { grpc }: RealLnd): string {
  const der = Buffer.from(grpc.tlsCert.replace(/-----[^-]+-----|\s/g, ""), "base64").toString("base64url");
  return `lndconnect://127.0.0.1:${gate.port}?cert=${der}&macaroon=${grpc.quittanceMacaroon.toString("base64url")}`;
}

withRealLnd("two merchants, each paid into a real LND of his own", (binary) => {
  let chain: RealNode;
  let service: Service;
  let a: Merchant;
  let b: Merchant;
  const gates: TcpGate[] = [];
  let storyBegan = new Date();

  before(async function () {
    this.timeout(180_000);
    const { chain: started, lnds } = await startRealLnds(binary(), [{}, { database: "sqlite" }]);
    chain = started;
    service = await Service.start({
      bitcoindRpcUrl: chain.rpcUrl,
      settings: { LIGHTNING_ALLOWED_CIDRS: "127.0.0.0/8" },
      apps: [...APPS_WITH_LIGHTNING, "lightning-watch"],
    });
    [a, b] = (await Promise.all(lnds.map(open))) as [Merchant, Merchant];
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    for (const gate of gates) await gate.close();
    await a?.lnd.stop();
    await chain?.stop();
  });
  beforeEach(() => void (storyBegan = new Date()));
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs(storyBegan));
  });

  async function gateTo(lnd: RealLnd): Promise<TcpGate> {
    const gate = TcpGate.make(0);
    gates.push(gate);
    await gate.open(portOf(lnd));
    return gate;
  }

  async function open(lnd: RealLnd): Promise<Merchant> {
    const merchant = { lnd, gate: await gateTo(lnd), shop: await service.openShop() };
    await connect(merchant);
    await allowWalletChangesByKey(await testContext({ db: service.db }), merchant.shop.storeId, true);
    await untilState(merchant, "available");
    return merchant;
  }

  async function connect(merchant: Merchant, lnd = merchant.lnd): Promise<void> {
    const { status, text } = await service.call(merchant.shop, "PUT", PATH, {
      lndconnect: lndconnect(merchant, lnd),
    });
    expect(status, text).to.equal(200);
  }

  async function untilState({ shop }: Merchant, state: string, problem?: RegExp): Promise<void> {
    await eventually(async () => {
      const { json } = await service.call(shop, "GET", PATH);
      expect(json).to.include({ state });
      if (problem) expect(json["problem"]).to.match(problem);
    }, 60_000);
  }

  const sell = ({ shop }: Merchant): Promise<PayableInvoice> => service.createInvoice({}, shop);

  async function sellPayable(merchant: Merchant, payee = merchant.lnd): Promise<PayableInvoice> {
    const invoice = await sell(merchant);
    const bolt11 = invoice.bolt11 || (await untilBolt11(merchant, invoice));
    expect(decodeBolt11(bolt11).payeeKey).to.equal(payee.nodeKey);
    return { ...invoice, bolt11 };
  }

  function untilBolt11({ shop }: Merchant, { invoiceId }: PayableInvoice): Promise<string> {
    return eventually(async () => {
      const { paymentMethods } = await service.readInvoice(invoiceId, shop);
      const { destination } = paymentMethods.find(({ type }) => type === "BTC-LN") ?? {};
      if (!destination) throw new Error("no BOLT11 yet");
      return destination;
    }, 40_000);
  }

  const settled = ({ invoiceId }: PayableInvoice): Promise<void> => service.told(invoiceId, [NEW, SETTLED]);

  /** While another merchant's node is in trouble. */
  async function sellsAtOnce(merchant: Merchant): Promise<void> {
    const invoice = await sell(merchant);
    expect(invoice.bolt11, "its BOLT11 comes with the invoice").not.to.equal("");
    const paying = performance.now();
    await merchant.lnd.pay(invoice.bolt11);
    await settled(invoice);
    expect(service.cameAt(invoice.invoiceId, SETTLED) - paying).to.be.lessThan(AT_ONCE_MS);
  }

  /** A story, and after it what must hold in any case. */
  function story(title: string, tell: () => Promise<void>): void {
    it(title, async function () {
      this.timeout(150_000);
      await tell();
      await service.verify();
    });
  }

  story("is paid into its own node only", async () => {
    for (const merchant of [a, b]) {
      const invoice = await sellPayable(merchant);
      const before = await Promise.all([a, b].map(({ lnd }) => lnd.receivableSats()));
      await merchant.lnd.pay(invoice.bolt11);
      await settled(invoice);
      const after = await Promise.all([a, b].map(({ lnd }) => lnd.receivableSats()));
      const fell = [a, b].map((_, i) => (before[i] ?? 0n) > (after[i] ?? 0n));
      expect(fell).to.deep.equal([merchant === a, merchant === b]);
    }
  });

  story("delays nobody when a node is killed and waits for its password", async () => {
    const sold = await sellPayable(a);
    await a.lnd.lock("SIGKILL");
    await untilState(a, "unavailable", /locked/);
    const waiting = await sell(a);
    expect(waiting.bolt11).to.equal("");
    await sellsAtOnce(b);
    await a.lnd.unlock();
    await a.lnd.pay(sold.bolt11);
    await a.lnd.pay(await untilBolt11(a, waiting));
    for (const invoice of [sold, waiting]) await settled(invoice);
  });

  story("takes a renewed certificate from the owner alone, and what was paid before", async () => {
    const sold = await sellPayable(a);
    await a.lnd.restart({ newCertificate: true });
    await untilState(a, "unavailable", /certificate/);
    await a.lnd.pay(sold.bolt11);
    await sellsAtOnce(b);
    expect(service.eventsOf(sold.invoiceId)).to.deep.equal([NEW]);
    await connect(a);
    await settled(sold);
    await untilState(a, "available");
  });

  story("takes a new macaroon after the former was revoked, and what was paid before", async () => {
    const sold = await sellPayable(a);
    await a.lnd.revokeMacaroon();
    await untilState(a, "unavailable", /macaroon/);
    await a.lnd.pay(sold.bolt11);
    await sellsAtOnce(b);
    await connect(a);
    await settled(sold);
    await untilState(a, "available");
  });

  story("sends nothing to another node behind the address that shows another certificate", async () => {
    const sold = await sellPayable(a);
    await a.gate.close();
    await a.gate.open(portOf(b.lnd));
    await untilState(a, "unavailable", /certificate/);
    await a.lnd.pay(sold.bolt11);
    await sellsAtOnce(b);
    await a.gate.close();
    await a.gate.open(portOf(a.lnd));
    await settled(sold);
    await untilState(a, "available");
  });

  story("uses no other node behind the address that has certificate and macaroon", async () => {
    const sold = await sellPayable(a);
    const { back } = await a.lnd.reinstall();
    await untilState(a, "other-node");
    await sellsAtOnce(b);
    expect((await sell(a)).bolt11).to.equal("");
    await back();
    await a.lnd.pay(sold.bolt11);
    await settled(sold);
    await untilState(a, "available");
  });

  story("loses no payment of a node that is set back to an older database", async () => {
    const setBack = await a.lnd.snapshot();
    await b.lnd.untilPayable();
    const sold = [await sellPayable(a), await sellPayable(a)];
    for (const { bolt11 } of sold) await a.lnd.pay(bolt11);
    for (const invoice of sold) await settled(invoice);
    const forgotten = await sellPayable(a);
    await setBack();
    await b.lnd.untilPayable();
    await untilState(a, "available");
    await sellsAtOnce(b);
    // Their settle indexes are those of the two before, which the stream does not send again: a look-up finds them.
    const again = [await sellPayable(a), await sellPayable(a), forgotten];
    for (const invoice of again) {
      await a.lnd.pay(await untilBolt11(a, invoice));
      await service.check(invoice.invoiceId, a.shop);
      await settled(invoice);
    }
  });

  story("is watched by the other copy when the one that leads is killed", async () => {
    for (let round = 0; round < 2; round++) {
      const [id] = await service.db.query<{ id: string }[]>(
        "SELECT id FROM lightning_nodes WHERE store_id = $1 AND state = 'active'",
        [a.shop.storeId],
      );
      const sold = [await sellPayable(a), await sellPayable(b)];
      const leader = await service.leader("lightning-watch", id?.id);
      leader.kill("SIGKILL");
      await leader.exited;
      for (const [i, { bolt11 }] of sold.entries()) await (i === 0 ? a : b).lnd.pay(bolt11);
      for (const invoice of sold) await settled(invoice);
      await service.startApp("lightning-watch");
    }
  });

  story("counts what is paid to a node after it was replaced or removed", async () => {
    const former = a;
    const [paid, open] = [await sellPayable(a), await sellPayable(a)];
    await former.gate.close();
    a = { ...former, gate: await gateTo(b.lnd) };
    // Only an operator, or an owner of both, may connect what another store uses.
    const uri = lndconnect(a, b.lnd);
    await service.cli("lightning", "connect", "--store", a.shop.storeId, "--lndconnect", uri);
    await former.lnd.pay(paid.bolt11);
    await former.gate.open(portOf(former.lnd));
    await settled(paid);
    await eventually(async () => {
      expect(decodeBolt11(await untilBolt11(a, open)).payeeKey).to.equal(b.lnd.nodeKey);
    }, 40_000);
    const refused = await former.lnd.pay(open.bolt11).catch(() => null);
    expect(refused, "the former BOLT11 is canceled").to.equal(null);

    const last = await sellPayable(a, b.lnd);
    await a.gate.close();
    const { status, text } = await service.call(a.shop, "DELETE", PATH);
    expect(status, text).to.equal(204);
    await b.lnd.pay(last.bolt11);
    await a.gate.open(portOf(b.lnd));
    await settled(last);
    await sellsAtOnce(b);
  });
});
