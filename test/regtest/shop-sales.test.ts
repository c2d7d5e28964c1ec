import { expect } from "chai";
import { nativeId } from "../../domain/greenfield/id-text";
import { decodeBolt11 } from "../../domain/lightning/decode-bolt11";
import type { RealNode } from "../support/real-nodes/real-node";
import type { RealLnd } from "../support/real-nodes/real-lnd";
import type { PluginJson } from "../api/greenfield/plugin";
import { eventually } from "../support/eventually";
import { lndEnvironment } from "../support/lightning";
import { mineEmpty } from "../support/node-tricks";
import { type Orders, type PluginName, PluginShops, POS_SECRET } from "../support/plugin-shops";
import { startRealLnd, withRealLnd } from "../support/real-lnd";
import { Service } from "../support/service";
import { shopEventOf } from "../support/shop-webhook";

/** Sats of an amount as plugins read it: eight decimals of a bitcoin. */
const satsOf = (btc: unknown): bigint => BigInt(String(btc).replace(".", ""));

const SETTLED = ["InvoicePaymentSettled", "InvoiceSettled"];
const PAID = ["InvoiceCreated", "InvoiceReceivedPayment", "InvoiceProcessing", ...SETTLED];

/** Where every plugin agrees that the order is paid. */
const PAID_ORDERS: Orders = {
  woocommerce: "complete",
  "magento-2": "paid",
  "magento-2 with auto-cancel": "paid",
  prestashop: "accepted",
  opencart: "settled",
  "shopware-6": "paid",
  medusa: "captured",
  "zapier, settled": "InvoiceSettled",
  "zapier, expired": null,
};

withRealLnd("whole sales in shops, with a real bitcoind and real LNDs", (binary) => {
  let chain: RealNode;
  let lnd: RealLnd;
  let service: Service;
  let shops: PluginShops;
  let storyBegan = new Date();
  let sold = 0;

  before(async function () {
    this.timeout(180_000);
    ({ chain, lnd } = await startRealLnd(binary()));
    service = await Service.start({
      bitcoindRpcUrl: chain.rpcUrl,
      lndEnvironment: lndEnvironment(lnd.grpc),
      settings: { RATES_SOURCES: "fixed:USD=60000,EUR=55000" },
    });
    shops = await PluginShops.open(service);
    await eventually(async () => {
      const { json } = await shops.request("prestashop", "GET", "/server/info");
      expect(json["fullySynched"]).to.equal(true);
    }, 60_000);
  });
  after(async function () {
    this.timeout(60_000);
    await service?.stop();
    await lnd?.stop();
    await chain?.stop();
  });
  beforeEach(() => void (storyBegan = new Date()));
  afterEach(function () {
    if (this.currentTest?.state === "failed") process.stderr.write(service.logs(storyBegan));
  });

  /** An invoice as one plugin makes it; every other finds in it what it needs to know its order. */
  async function sell(
    body: { amount: unknown; currency?: string; checkout?: object },
    by: PluginName,
  ): Promise<PluginJson> {
    sold += 1;
    const metadata = { orderId: `10000${sold}`, posData: { secret: POS_SECRET } };
    const { json } = await shops.call(by, "POST", "/invoices", { currency: "EUR", ...body, metadata });
    expect(json).to.deep.include({ status: "New", additionalStatus: "None", metadata });
    return json;
  }

  async function methodsOf(id: string): Promise<[PluginJson, PluginJson]> {
    const { list } = await shops.call("magento-2", "GET", `/invoices/${id}/payment-methods`);
    expect(list.map(({ paymentMethodId }) => paymentMethodId)).to.deep.equal(["BTC-CHAIN", "BTC-LN"]);
    return list as [PluginJson, PluginJson];
  }

  /** The customer pays a share of the price, in per cent, to the address; answers the sats. */
  async function payOnChain(id: string, percent = 100n): Promise<bigint> {
    const [{ destination, ...method }] = await methodsOf(id);
    const sats = (satsOf(method.amount) * percent) / 100n;
    await chain.pay(destination, sats);
    return sats;
  }

  async function untilState(id: string, status: string, additionalStatus: string): Promise<void> {
    await eventually(async () => {
      const { json } = await shops.call("woocommerce", "GET", `/invoices/${id}`);
      expect(json).to.include({ status, additionalStatus });
    }, 30_000);
  }

  /** Ends an invoice's time, until it is decided; empty blocks wake the service, which checks by itself within 5 s. */
  async function expire(id: string, additionalStatus: string): Promise<void> {
    await service.endTime(nativeId(id));
    await eventually(async () => {
      const checking = service.check(id);
      await mineEmpty(chain);
      expect(await checking).to.include({ status: "Expired", additionalStatus });
    }, 60_000);
  }

  /** What every shop was sent, once each and in this order, and what it made of it. */
  async function ends(id: string, types: readonly string[], orders: Orders): Promise<void> {
    await eventually(() => expect(shops.typesOf(id)).to.deep.equal(shops.wantedOf(types)), 30_000);
    await service.verify();
    expect(shops.failures).to.deep.equal([]);
    expect(shops.typesOf(id)).to.deep.equal(shops.wantedOf(types));
    expect(shops.ordersOf(id)).to.deep.equal(orders);
  }

  const eventsOf = (id: string, type: string) =>
    service.receiver
      .at("/medusa")
      .map(shopEventOf)
      .filter((event) => event.invoiceId === id && event.type === type);

  function sale(title: string, tell: () => Promise<void>): void {
    it(title, async function () {
      this.timeout(120_000);
      await tell();
    });
  }

  sale("paid on-chain: every shop has the order paid once it is confirmed", async () => {
    const { id } = await sell(
      { amount: "12.5", checkout: { paymentMethods: ["BTC_CHAIN", "BTC_LN"] } },
      "woocommerce",
    );
    const sats = await payOnChain(id);
    await untilState(id, "Processing", "None");
    await chain.mine(1);
    await ends(id, PAID, PAID_ORDERS);
    const [onChain, lightning] = await methodsOf(id);
    expect([satsOf(onChain["paymentMethodPaid"]), satsOf(lightning["totalPaid"])]).to.deep.equal([
      sats,
      sats,
    ]);
    // PrestaShop's sum of what was paid, in the shop's currency.
    const paid = Number(onChain.payments[0].value) * Number(onChain["rate"]);
    expect(paid).to.be.closeTo(12.5, 0.001);
  });

  sale("paid by Lightning: every shop has the order paid, with the BOLT11 that was paid", async () => {
    const { id } = await sell({ amount: "166.00000000", currency: "USD" }, "magento-2");
    const [, { destination }] = await methodsOf(id);
    await lnd.pay(destination);
    await ends(id, PAID, PAID_ORDERS);
    const [, method] = await methodsOf(id);
    expect(method).to.include({ destination, paymentLink: "", due: "0.00000000" });
    const { paymentHash } = decodeBolt11(destination);
    expect(method.payments).to.have.length(1);
    expect(method.payments[0]).to.include({ id: paymentHash, destination, status: "Settled" });
    for (const type of ["InvoiceReceivedPayment", "InvoicePaymentSettled"]) {
      const [event] = eventsOf(id, type);
      expect(event?.["payment"], type).to.include({ id: paymentHash, destination });
    }
  });

  sale(
    "paid after the expiry: no shop completes the order but those whose rules take the money",
    async () => {
      const { id } = await sell(
        { amount: 119.9, checkout: { paymentMethods: ["BTC", "BTC-LightningNetwork"] } },
        "shopware-6",
      );
      await expire(id, "None");
      await payOnChain(id);
      await eventually(async () => {
        const { payments } = await service.readInvoice(id);
        expect(payments).to.have.length(1);
      }, 30_000);
      await chain.mine(1);
      await untilState(id, "Expired", "PaidLate");
      await ends(
        id,
        [
          "InvoiceCreated",
          "InvoiceExpired",
          "InvoiceReceivedPayment",
          "InvoicePaymentSettled",
          "InvoicePaidAfterExpiration",
        ],
        {
          woocommerce: "paid late",
          "magento-2": "pending",
          "magento-2 with auto-cancel": "canceled",
          prestashop: "waiting",
          opencart: "paid late",
          "shopware-6": "open",
          medusa: "captured",
          "zapier, settled": null,
          "zapier, expired": "InvoiceExpired",
        },
      );
      for (const type of ["InvoiceReceivedPayment", "InvoicePaymentSettled"])
        expect(eventsOf(id, type)[0], type).to.include({ afterExpiration: true });
    },
  );

  sale("paid too little: no shop has the order paid", async () => {
    const { id } = await sell({ amount: "49.99" }, "opencart");
    await payOnChain(id, 40n);
    await untilState(id, "New", "PaidPartial");
    await expire(id, "Underpaid");
    await ends(id, ["InvoiceCreated", "InvoiceExpired", "InvoiceExpiredPaidPartial"], {
      woocommerce: "expired, paid partly",
      "magento-2": "pending",
      "magento-2 with auto-cancel": "pending",
      prestashop: null,
      opencart: "expired, paid partly",
      "shopware-6": "open",
      medusa: "pending",
      "zapier, settled": null,
      "zapier, expired": "InvoiceExpired",
    });
    await untilState(id, "Expired", "PaidPartial");
  });

  sale("paid too much: every shop has the order paid, and those that ask hear of the excess", async () => {
    const { id } = await sell(
      { amount: "30", currency: "usd", checkout: { speedPolicy: "HighSpeed" } },
      "medusa",
    );
    await payOnChain(id, 150n);
    await untilState(id, "Processing", "PaidOver");
    await chain.mine(1);
    await ends(id, PAID, { ...PAID_ORDERS, woocommerce: "complete, paid over" });
    for (const type of ["InvoiceProcessing", "InvoiceSettled"])
      expect(eventsOf(id, type)[0], type).to.include({ overPaid: true });
    await untilState(id, "Settled", "PaidOver");
  });

  sale("marked Settled by hand: every shop that has an order has it paid", async () => {
    const { id } = await sell({ amount: "25" }, "prestashop");
    await shops.call("magento-2", "POST", `/invoices/${id}/status`, { status: "Settled" });
    await ends(id, ["InvoiceCreated", "InvoiceSettled"], { ...PAID_ORDERS, prestashop: null });
    expect(eventsOf(id, "InvoiceSettled")[0]).to.include({ manuallyMarked: true });
    await untilState(id, "Settled", "Marked");
    const [, { destination }] = await methodsOf(id);
    expect(destination, "what can be paid no more").to.equal("");
  });
});
