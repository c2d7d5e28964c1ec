import { expect } from "chai";
import { createApiKey } from "../../commands/stores/api-key";
import { plugin, type PluginAnswer } from "../api/greenfield/plugin";
import { testContext } from "./context";
import type { Received } from "./receiver";
import type { Service } from "./service";
import { shopEventOf, shopSignatureHolds, type ShopEvent } from "./shop-webhook";

// Shops with the plugins' own rules, as far as docs/shop-dialect.md and the plugins' sources say them: which permissions
// and webhook each asks for, and what an order becomes with each event.

const FOUR = [
  "btcpay.store.canviewinvoices",
  "btcpay.store.cancreateinvoice",
  "btcpay.store.canviewstoresettings",
  "btcpay.store.canmodifyinvoices",
];
const WEBHOOKS = "btcpay.store.webhooks.canmodifywebhooks";
const FIVE = [...FOUR, WEBHOOKS];
const SIX = [
  "InvoiceReceivedPayment",
  "InvoicePaymentSettled",
  "InvoiceProcessing",
  "InvoiceExpired",
  "InvoiceSettled",
  "InvoiceInvalid",
];
export const POS_SECRET = "a1b2c3";

interface Reads {
  /** GET below `/stores/<the store>`. */
  store(path: string): Promise<PluginAnswer>;
  /** GET below `/api/v1`. */
  server(path: string): Promise<PluginAnswer>;
}

interface PluginRules {
  permissions: readonly string[];
  /** Types that it registers for; null: all. */
  types: readonly string[] | null;
  /** The order while the customer pays; null: there is none yet. */
  first: string | null;
  /** What the order becomes with an event. */
  next(event: ShopEvent, order: string | null, reads: Reads): Promise<string | null> | string | null;
}

const readInvoice = async ({ invoiceId }: ShopEvent, reads: Reads) =>
  (await reads.store(`/invoices/${invoiceId}`)).json;

/** The PHP library's `isSettled`: a late payment counts. */
async function isSettled(event: ShopEvent, reads: Reads): Promise<boolean> {
  const invoice = await readInvoice(event, reads);
  return invoice.status === "Settled" || invoice["additionalStatus"] === "PaidLate";
}

/** It reads all invoices of the order, which it finds by its number as a text, whatever the event is. */
const magento = (autoCancel: boolean): PluginRules => ({
  permissions: FIVE,
  types: null,
  first: "pending",
  async next({ metadata: { orderId } }, order, reads) {
    const { list } = await reads.store(`/invoices?orderId=${String(orderId)}`);
    expect(list.map(({ metadata }) => metadata["orderId"])).to.deep.equal(list.map(() => orderId));
    if (list.some(({ status }) => status === "Settled")) return "paid";
    const ended = list.every(
      (invoice) => invoice.status === "Expired" && invoice["additionalStatus"] !== "PaidPartial",
    );
    return autoCancel && ended ? "canceled" : order;
  },
});

const onlyOf = (type: string): PluginRules => ({
  permissions: FIVE,
  types: [type],
  first: null,
  next: (event) => event.type,
});

const PLUGINS = {
  woocommerce: {
    permissions: FIVE,
    types: SIX,
    first: "pending",
    async next(event, order, reads) {
      switch (event.type) {
        case "InvoiceProcessing":
          return "on hold";
        case "InvoiceReceivedPayment":
          return event["afterExpiration"] === true ? "expired, paid partly" : order;
        case "InvoicePaymentSettled":
          if (order !== "expired" && order !== "expired, paid partly") return order;
          return (await isSettled(event, reads)) ? "paid late" : "expired, paid partly";
        case "InvoiceSettled":
          return event["overPaid"] === true ? "complete, paid over" : "complete";
        case "InvoiceExpired":
          return event["partiallyPaid"] === true ? "expired, paid partly" : "expired";
        default:
          return "failed";
      }
    },
  },
  "magento-2": magento(false),
  "magento-2 with auto-cancel": magento(true),
  /** In its mode "order after payment". */
  prestashop: {
    permissions: [...FIVE, "btcpay.store.canmodifystoresettings"],
    types: null,
    first: null,
    async next(event, order, reads) {
      // What it answers 200 to and does nothing about.
      if ((await reads.server("/server/info")).json["fullySynched"] !== true) return order;
      const { posData } = (await readInvoice(event, reads)).metadata;
      if ((posData as { secret?: string } | undefined)?.secret !== POS_SECRET) return order;
      if (["InvoiceReceivedPayment", "InvoiceProcessing"].includes(event.type)) return order ?? "waiting";
      if (order === null) return null;
      if (event.type === "InvoiceSettled") return "accepted";
      return event.type === "InvoiceExpired" || event.type === "InvoiceInvalid" ? "failed" : order;
    },
  },
  /** The last event wins. */
  opencart: {
    permissions: [...FOUR.slice(0, 3), WEBHOOKS],
    types: SIX,
    first: "new",
    async next(event, order, reads) {
      switch (event.type) {
        case "InvoiceProcessing":
          return "processing";
        case "InvoicePaymentSettled":
          return event["afterExpiration"] === true && (await isSettled(event, reads)) ? "paid late" : "paid";
        case "InvoiceSettled":
          return "settled";
        case "InvoiceExpired":
          return event["partiallyPaid"] === true ? "expired, paid partly" : "expired";
        case "InvoiceInvalid":
          return "invalid";
        default:
          return order;
      }
    },
  },
  "shopware-6": {
    permissions: [...FOUR.slice(0, 3), WEBHOOKS],
    types: null,
    first: "open",
    next: async (event, order, reads) =>
      (await readInvoice(event, reads)).status === "Settled" ? "paid" : order,
  },
  /** A settled payment is the whole amount to it. */
  medusa: {
    permissions: FIVE,
    types: null,
    first: "pending",
    next: ({ type }, order) =>
      type === "InvoicePaymentSettled" || type === "InvoiceSettled" ? "captured" : order,
  },
  "zapier, settled": onlyOf("InvoiceSettled"),
  "zapier, expired": onlyOf("InvoiceExpired"),
} satisfies Record<string, PluginRules>;

export type PluginName = keyof typeof PLUGINS;
const PLUGIN_NAMES = Object.keys(PLUGINS) as PluginName[];
export type Orders = Record<PluginName, string | null>;

/** A shop of each plugin at one store of the service, each with a key and a webhook of its own. */
export class PluginShops {
  private readonly keys = new Map<PluginName, string>();
  private readonly orders = new Map<string, Orders>();
  private readonly types = new Map<string, Record<PluginName, string[]>>();
  /** What the receivers refused or could not do. */
  readonly failures: string[] = [];

  private constructor(private readonly service: Service) {}

  static async open(service: Service): Promise<PluginShops> {
    const shops = new PluginShops(service);
    const ctx = await testContext({ db: service.db });
    for (const name of PLUGIN_NAMES) {
      const { storeId } = service.shop;
      const permissions = [...PLUGINS[name].permissions];
      shops.keys.set(name, (await createApiKey(ctx, { storeId, name, permissions })).apiKey);
      await shops.register(name);
    }
    return shops;
  }

  /** A request of a plugin below `/stores/<the store>`, which must succeed. */
  async call(name: PluginName, method: string, path: string, body?: unknown): Promise<PluginAnswer> {
    return this.request(name, method, `/stores/${this.service.shop.storeId}${path}`, body);
  }

  /** The same below `/api/v1`. */
  async request(name: PluginName, method: string, path: string, body?: unknown): Promise<PluginAnswer> {
    const answer = await plugin(this.service.base, method, path, { key: this.keys.get(name), body });
    expect(answer.status, `${name} ${method} ${path}: ${answer.text}`).to.equal(200);
    return answer;
  }

  private async register(name: PluginName): Promise<void> {
    const path = `/${name.replaceAll(/\W+/g, "-")}`;
    const secret = `the secret of ${name} in its shop`;
    this.service.receiver.answer(path, {
      kind: "act",
      act: (request) => this.receive(name, request, secret),
    });
    const { types } = PLUGINS[name];
    const { json } = await this.call(name, "POST", "/webhooks", {
      url: `${this.service.receiver.url}${path}`,
      enabled: true,
      automaticRedelivery: true,
      secret,
      authorizedEvents: { everything: types === null, specificEvents: types ?? [] },
    });
    expect(json["secret"], name).to.equal(secret);
  }

  private async receive(name: PluginName, request: Received, secret: string): Promise<number> {
    try {
      expect(shopSignatureHolds(request, secret), `${name}: signature`).to.equal(true);
      const event = shopEventOf(request);
      expect(event.storeId, name).to.equal(this.service.shop.storeId);
      const { invoiceId } = event;
      this.typesOf(invoiceId)[name].push(event.type);
      const orders = this.ordersOf(invoiceId);
      orders[name] = await PLUGINS[name].next(event, orders[name], {
        store: (path) => this.call(name, "GET", path),
        server: (path) => this.request(name, "GET", path),
      });
      return 200;
    } catch (error) {
      this.failures.push(`${name}: ${(error as Error).message}`);
      throw error;
    }
  }

  /** What each shop has of the order that an invoice is for. */
  ordersOf(invoiceId: string): Orders {
    const known = this.orders.get(invoiceId);
    if (known !== undefined) return known;
    const made = Object.fromEntries(PLUGIN_NAMES.map((name) => [name, PLUGINS[name].first])) as Orders;
    this.orders.set(invoiceId, made);
    return made;
  }

  /** The types of events that each was sent of an invoice, in their order. */
  typesOf(invoiceId: string): Record<PluginName, string[]> {
    const known = this.types.get(invoiceId);
    if (known !== undefined) return known;
    const made = Object.fromEntries(PLUGIN_NAMES.map((name) => [name, []])) as unknown as Record<
      PluginName,
      string[]
    >;
    this.types.set(invoiceId, made);
    return made;
  }

  /** Of these types those that each asked for. */
  wantedOf(types: readonly string[]): Record<PluginName, string[]> {
    const wanted = PLUGIN_NAMES.map((name) => {
      const own: readonly string[] | null = PLUGINS[name].types;
      return [name, types.filter((type) => own === null || own.includes(type))];
    });
    return Object.fromEntries(wanted) as Record<PluginName, string[]>;
  }
}
