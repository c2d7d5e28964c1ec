import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TestCustomerRequest } from "../../adapters/http/test-customer";

export interface ChainCustomer {
  /** Returns the txid. */
  pay(address: string, sats: bigint): Promise<string>;
  /** Replaces an unconfirmed payment by one to the customer's own; returns its txid. */
  doubleSpend(txid: string, sats: bigint): Promise<string>;
  mine(blocks: number): Promise<void>;
}

export interface LightningCustomer {
  /** Returns the preimage, in hex. */
  pay(bolt11: string): Promise<string>;
}

/** Null is what the customer cannot do. */
export interface SimulatedCustomer {
  onChain: ChainCustomer | null;
  lightning: LightningCustomer | null;
}

export interface CustomerDoor {
  url: string;
  close(): Promise<void>;
}

export interface DoorOptions {
  host?: string;
  /** Default: a free one. */
  port?: number;
  /** Default: a random one. */
  path?: string;
  /** Each time the customer is asked to pay. */
  onPayment?: () => void;
}

const BLOCKS_MAX = 100;
const NO_WALLET = "The customer has no Bitcoin wallet: its node has none.";
const NO_CHANNEL = "The customer has no Lightning node.";

function unpaid(error: unknown): never {
  throw new Error(
    `The payment by Lightning failed: ${error instanceof Error ? error.message : String(error)}`,
  );
}

type Answer = (request: TestCustomerRequest) => Promise<object>;

/** What the customer does, and what he remembers of it: his last payment to each address. */
function answerFor({ onChain, lightning }: SimulatedCustomer, onPayment: () => void): Answer {
  const last = new Map<string, { txid: string; sats: bigint }>();
  const wallet = (): ChainCustomer => {
    if (onChain === null) throw new Error(NO_WALLET);
    return onChain;
  };
  return async (request) => {
    switch (request.do) {
      case "abilities":
        return { onChain: onChain !== null, lightning: lightning !== null };
      case "pay": {
        const sats = BigInt(request.sats);
        onPayment();
        const txid = await wallet().pay(request.address, sats);
        last.set(request.address, { txid, sats });
        return { txid };
      }
      case "pay-bolt11":
        if (lightning === null) throw new Error(NO_CHANNEL);
        return { preimage: await lightning.pay(request.bolt11).catch(unpaid) };
      case "double-spend": {
        const payment = last.get(request.address);
        if (payment === undefined) throw new Error("The customer has paid nothing to this address yet.");
        onPayment();
        const txid = await wallet().doubleSpend(payment.txid, payment.sats);
        last.delete(request.address);
        return { txid };
      }
      case "mine":
        await wallet().mine(request.blocks);
        return {};
    }
  };
}

/** @throws SyntaxError, or an Error for an invalid request. */
function requestOf(body: string): TestCustomerRequest {
  const asked = JSON.parse(body) as Record<string, unknown> | null;
  const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
  const isCount = (value: unknown, most: number): boolean =>
    Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most;
  const holds: Record<TestCustomerRequest["do"], () => boolean> = {
    abilities: () => true,
    pay: () => isText(asked?.["address"]) && isCount(asked?.["sats"], Number.MAX_SAFE_INTEGER),
    "pay-bolt11": () => isText(asked?.["bolt11"]),
    "double-spend": () => isText(asked?.["address"]),
    mine: () => isCount(asked?.["blocks"], BLOCKS_MAX),
  };
  const named = Object.entries(holds).find(([name]) => name === asked?.["do"]);
  if (named === undefined || !named[1]()) throw new Error("This is nothing that the customer can be asked.");
  return asked as TestCustomerRequest;
}

/** Headers that browsers send: no web page may spend the customer's coins. */
const isFromPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || !headers["content-type"]?.startsWith("application/json");

/**
 * Where other processes ask the customer: POST a TestCustomerRequest as JSON. 200 with the answer, or 422 with the
 * reason as `{"error"}`.
 */
export async function openCustomerDoor(
  customer: SimulatedCustomer,
  options: DoorOptions = {},
): Promise<CustomerDoor> {
  const { host = "127.0.0.1", port = 0, path = `/${randomBytes(16).toString("hex")}` } = options;
  const answerOf = answerFor(customer, options.onPayment ?? (() => undefined));
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.method !== "POST" || request.url !== path || isFromPage(request))
      return answer(404, { error: "There is nothing here." });
    text(request)
      .then(async (body) => answerOf(requestOf(body)))
      .then(
        (body) => answer(200, body),
        (error: unknown) => answer(422, { error: error instanceof Error ? error.message : String(error) }),
      );
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}${path}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
