import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { BitcoinNode } from "../../../scripts/devnet/bitcoin/bitcoin-node";
import { LndError, type LndRest } from "../../../scripts/devnet/lightning/call-lnd";
import type {
  LightningGrpc,
  LightningNode,
  LightningPayment,
} from "../../../scripts/devnet/lightning/lightning-node";
import { LndProcess, type LndOptions } from "./lnd-process";

const CHANNEL_SATS = 5_000_000;
const CHANNELS = 2;
const OPEN_TIMEOUT_MS = 60_000;

interface Channel {
  active: boolean;
  local_balance: string;
  remote_balance: string;
  local_chan_reserve_sat: string;
  remote_chan_reserve_sat: string;
}
interface PayReq {
  destination: string;
  payment_hash: string;
  num_msat: string;
  cltv_expiry: string;
  payment_addr: string;
  features: Record<string, unknown>;
}

/**
 * Two real LNDs on a regtest node: the merchant's, which issues the invoices, and a customer's with two channels of
 * 5,000,000 sats each to it, so that a larger amount goes as a multi-part payment.
 */
export class RealLnd implements LightningNode {
  private constructor(
    private readonly dir: string,
    private readonly merchant: LndProcess,
    private readonly customer: LndProcess,
    readonly nodeKey: string,
    private readonly storeMacaroon: Buffer,
  ) {}

  /**
   * @param binary Path or name of an lnd with the sub-servers invoicesrpc, routerrpc and walletrpc. The two get a folder
   *   of their own, gone after `stop`.
   * @param chain A real bitcoind; it mines some blocks.
   */
  static async start(
    binary: string,
    chain: BitcoinNode,
    options: Omit<LndOptions, "bitcoindRpcUrl"> = {},
  ): Promise<RealLnd> {
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-lnd-"));
    const started: LndProcess[] = [];
    const start = async (name: string, given: LndOptions): Promise<LndProcess> => {
      const lnd = await LndProcess.start(binary, path.join(dir, name), given);
      started.push(lnd);
      return lnd;
    };
    try {
      const { rpcUrl: bitcoindRpcUrl } = chain;
      const merchant = await start("merchant", { ...options, bitcoindRpcUrl });
      const customer = await start("customer", { bitcoindRpcUrl });
      const { identity_pubkey } = await merchant.call<{ identity_pubkey: string }>("GET", "/v1/getinfo");
      const pair = new RealLnd(dir, merchant, customer, identity_pubkey, await bakeForStore(merchant));
      await pair.openChannels(chain);
      return pair;
    } catch (error) {
      await Promise.all(started.map((lnd) => lnd.stop()));
      rmSync(dir, { recursive: true, force: true });
      throw error;
    }
  }

  get grpc(): LightningGrpc {
    return {
      url: this.merchant.grpcUrl,
      tlsCert: this.merchant.tlsCert,
      adminMacaroon: this.merchant.macaroon("admin"),
      invoiceMacaroon: this.merchant.macaroon("invoice"),
      quittanceMacaroon: this.storeMacaroon,
    };
  }

  /** The customer's own node. */
  get customerRest(): LndRest {
    return this.customer.adminRest;
  }

  async pay(bolt11: string, options: { amountMsat?: bigint } = {}): Promise<LightningPayment> {
    const asked = await this.customer.call<PayReq>("GET", `/v1/payreq/${bolt11}`);
    const amountMsat = options.amountMsat ?? BigInt(asked.num_msat);
    const payment = await this.customer.call<{
      status: string;
      failure_reason: string;
      payment_preimage: string;
    }>("POST", "/v2/router/send", {
      // Explicit: beside a BOLT11 LND accepts no other amount than the one in it.
      dest: base64(asked.destination),
      payment_hash: base64(asked.payment_hash),
      payment_addr: asked.payment_addr,
      dest_features: Object.keys(asked.features)
        .map((bit) => FEATURE_NAMES[Number(bit)])
        .filter(Boolean),
      final_cltv_delta: Number(asked.cltv_expiry),
      amt_msat: amountMsat.toString(),
      timeout_seconds: 20,
      fee_limit_sat: "0", // a channel of its own
      max_parts: 4,
      no_inflight_updates: true,
    });
    if (payment.status !== "SUCCEEDED") throw new Error(`The payment failed: ${payment.failure_reason}`);
    return { preimage: payment.payment_preimage, amountMsat };
  }

  async receivableSats(): Promise<bigint> {
    const { channels } = await this.merchant.call<{ channels: Channel[] }>(
      "GET",
      "/v1/channels?active_only=true",
    );
    return channels.reduce((sum, channel) => {
      const free = BigInt(channel.remote_balance) - BigInt(channel.remote_chan_reserve_sat);
      return free > 0n ? sum + free : sum;
    }, 0n);
  }

  async lock(): Promise<void> {
    await this.merchant.stop();
    await this.merchant.runLocked();
  }

  async unlock(): Promise<void> {
    await this.merchant.unlock();
    await this.untilActive();
  }

  async restart(options: { newCertificate?: boolean } = {}): Promise<void> {
    await this.merchant.stop();
    if (options.newCertificate) this.merchant.forgetCertificate();
    await this.merchant.runLocked();
    await this.unlock();
  }

  async stop(): Promise<void> {
    await Promise.all([this.merchant.stop(), this.customer.stop()]);
    rmSync(this.dir, { recursive: true, force: true });
  }

  private async openChannels(chain: BitcoinNode): Promise<void> {
    const { address } = await this.customer.call<{ address: string }>("GET", "/v1/newaddress");
    // A coin for each channel: LND does not spend unconfirmed ones.
    for (let i = 0; i < CHANNELS; i++) await chain.pay(address, BigInt(CHANNEL_SATS) * 2n);
    await chain.mine(1);
    await eventually(async () => {
      const wallet = await this.customer.call<{ confirmed_balance: string }>("GET", "/v1/balance/blockchain");
      return (
        Number(wallet.confirmed_balance) === CHANNELS * CHANNEL_SATS * 2 && (await this.isSynchronized())
      );
    }, "the customer's LND has its coins");
    await eventually(() => this.connect(), "the nodes are connected");
    for (let i = 0; i < CHANNELS; i++) {
      await this.customer.call("POST", "/v1/channels", {
        node_pubkey: base64(this.nodeKey),
        local_funding_amount: String(CHANNEL_SATS),
        sat_per_vbyte: "5",
      });
    }
    await chain.mine(6); // after the sixth they are announced
    await this.untilActive();
  }

  /**
   * LND also does so automatically, but after a restart of the other it may take long. Whether they are connected.
   */
  private async connect(): Promise<boolean> {
    const { peers } = await this.customer.call<{ peers: unknown[] }>("GET", "/v1/peers");
    if (peers.length > 0) return true;
    const addr = { pubkey: this.nodeKey, host: this.merchant.peerUrl };
    await this.customer.call("POST", "/v1/peers", { addr }).catch((error: unknown) => {
      if (!(error instanceof LndError)) throw error;
    });
    return false;
  }

  private async isSynchronized(): Promise<boolean> {
    const nodes = await Promise.all(
      [this.merchant, this.customer].map((lnd) =>
        lnd.call<{ synced_to_chain: boolean }>("GET", "/v1/getinfo"),
      ),
    );
    return nodes.every((info) => info.synced_to_chain);
  }

  /** Until both have all channels, and have caught up with the chain: before it LND takes no payments. */
  private async untilActive(): Promise<void> {
    await eventually(async () => {
      await this.connect();
      for (const lnd of [this.merchant, this.customer]) {
        const { channels } = await lnd.call<{ channels: Channel[] }>("GET", "/v1/channels?active_only=true");
        if (channels.length < CHANNELS) return false;
      }
      // What it may send over them comes to its own view of the network a little later.
      const routes = `/v1/graph/routes/${this.nodeKey}/1000`;
      const routed = await this.customer.call("GET", routes).catch((error: unknown) => {
        if (!(error instanceof LndError)) throw error;
      });
      return routed !== undefined && this.isSynchronized();
    }, "the channels are active");
  }
}

/** Of lnrpc.FeatureBit, those that a payment signals to its destination. */
const FEATURE_NAMES: Readonly<Record<number, string>> = {
  8: "TLV_ONION_REQ",
  9: "TLV_ONION_OPT",
  14: "PAYMENT_ADDR_REQ",
  15: "PAYMENT_ADDR_OPT",
  16: "MPP_REQ",
  17: "MPP_OPT",
};

function base64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + OPEN_TIMEOUT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${OPEN_TIMEOUT_MS} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** As the documents say that a store does it. */
async function bakeForStore(lnd: LndProcess): Promise<Buffer> {
  const permissions = [
    { entity: "info", action: "read" },
    { entity: "offchain", action: "read" },
    { entity: "invoices", action: "read" },
    { entity: "invoices", action: "write" },
  ];
  const { macaroon } = await lnd.call<{ macaroon: string }>("POST", "/v1/macaroon", { permissions });
  return Buffer.from(macaroon, "hex");
}
