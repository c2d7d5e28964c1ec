import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChainCustomer } from "../../demo/customer-door";
import { eventually, must, type Inside } from "./inside";

/** Of BIP 84's test vectors. */
const XPUB =
  "vpub5Y6cjg78GGuNLsaPhmYsiw4gYX3HoQiRBiSwDaBXKUafCt9bNwWQiitDk5VZ5BVxYnQdwoTyXSs2JHRPAgjAvtbBrf8ZhDYe2jWAqvZVnsc";
const SATS = 21_000n;

interface Invoice {
  invoiceId: string;
  paymentMethods: { destination: string }[];
}

/** A merchant's shop: it makes invoices, and keeps the webhooks that its secret verifies. */
export class Shop {
  private readonly received: string[] = [];
  private forged = 0;
  private constructor(
    private readonly api: string,
    private readonly key: string,
    private readonly secret: () => string,
  ) {}

  /** With a store, a key and a webhook made on the command line. */
  static async open(inside: Inside, api: string): Promise<Shop> {
    let secret = "";
    const { storeId = "" } = await inside.cli("store", "create", "--name", "Shop $HOME", "--xpub", XPUB);
    const { apiKey = "" } = await inside.cli("api-key", "create", "--store", storeId, "--name", "till");
    const shop = new Shop(`${api}/stores/${storeId}`, apiKey, () => secret);
    const url = `http://127.0.0.1:${await shop.listen()}/`;
    ({ secret = "" } = await inside.cli("webhook", "create", "--store", storeId, "--url", url));
    // A dollar in an argument of the command is a dollar.
    const { name } = await shop.request<{ name: string }>("GET", "");
    must(name === "Shop $HOME", `the store's name is ${name}`);
    return shop;
  }

  private async listen(): Promise<number> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        const signature = `sha256=${createHmac("sha256", this.secret()).update(body).digest("hex")}`;
        if (request.headers["x-service-sig"] !== signature) this.forged += 1;
        const { type, invoiceId } = JSON.parse(body.toString()) as { type: string; invoiceId: string };
        this.received.push(`${invoiceId} ${type}`);
        response.writeHead(204).end();
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  private async request<T>(method: string, where: string, body?: object): Promise<T> {
    const response = await fetch(`${this.api}${where}`, {
      method,
      headers: { "x-api-key": this.key, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    must(response.ok, `${method} ${where}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** One invoice, paid on-chain, until its webhook Settled was received and verified. */
  async sell(customer: ChainCustomer): Promise<string> {
    const { invoiceId, paymentMethods } = await this.request<Invoice>("POST", "/invoices", {
      amount: String(SATS),
      currency: "SATS",
    });
    await customer.pay(paymentMethods[0]?.destination ?? "", SATS);
    await customer.mine(1);
    await eventually(`webhook Settled of ${invoiceId}`, () =>
      Promise.resolve(this.received.includes(`${invoiceId} Settled`)),
    );
    must(this.forged === 0, `${this.forged} webhooks had a wrong signature`);
    return invoiceId;
  }
}
