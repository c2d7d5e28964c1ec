import { cpSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { BitcoinNode } from "../devnet/bitcoin-node";
import { LndError, type LndRest } from "../../../scripts/devnet/lightning/call-lnd";
import type { LightningGrpc, LightningNode, LightningPayment } from "../devnet/lightning-node";
import { LndProcess, type LndOptions } from "./lnd-process";

const CHANNEL_SATS = 5_000_000;
const CHANNELS = 2;
const OPEN_TIMEOUT_MS = 60_000;

interface Channel {
  active: boolean;
  remote_pubkey: string;
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
 * A merchant's real LND on a regtest node, which issues the invoices, and a customer's with two channels of 5,000,000
 * sats each to it, so that a larger amount goes as a multi-part payment. Several merchants have one customer.
 */
export class RealLnd implements LightningNode {
  private constructor(
    private readonly folder: string,
    private readonly merchant: LndProcess,
    private readonly customer: LndProcess,
    readonly nodeKey: string,
    private storeMacaroon: Buffer,
    /** Ends all that were started together. */
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * @param binary Path or name of an lnd with the sub-servers invoicesrpc, routerrpc and walletrpc. They get a folder of
   *   their own, gone after `stop`.
   * @param chain A real bitcoind; it mines some blocks.
   * @param merchants The options of each merchant's.
   */
  static async start(
    binary: string,
    chain: BitcoinNode,
    merchants: readonly Omit<LndOptions, "bitcoindRpcUrl">[],
  ): Promise<RealLnd[]> {
    const dir = mkdtempSync(path.join(os.tmpdir(), "quittance-lnd-"));
    const started: LndProcess[] = [];
    const start = async (name: string, given: LndOptions): Promise<LndProcess> => {
      const lnd = await LndProcess.start(binary, path.join(dir, name), given);
      started.push(lnd);
      return lnd;
    };
    const stop = async (): Promise<void> => {
      await Promise.all(started.map((lnd) => lnd.stop()));
      rmSync(dir, { recursive: true, force: true });
    };
    try {
      const { rpcUrl: bitcoindRpcUrl } = chain;
      const customer = await start("customer", { bitcoindRpcUrl });
      const all: RealLnd[] = [];
      for (const [i, options] of merchants.entries()) {
        const merchant = await start(`merchant-${i}`, { ...options, bitcoindRpcUrl });
        const { identity_pubkey } = await merchant.call<{ identity_pubkey: string }>("GET", "/v1/getinfo");
        const macaroon = await bakeForStore(merchant, "1");
        const folder = path.join(dir, `merchant-${i}.before`);
        all.push(new RealLnd(folder, merchant, customer, identity_pubkey, macaroon, stop));
      }
      await fund(customer, chain, merchants.length * CHANNELS);
      for (const lnd of all) await lnd.openChannels();
      await chain.mine(6); // after the sixth they are announced
      for (const lnd of all) await lnd.untilPayable();
      return all;
    } catch (error) {
      await stop();
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

  async lock(signal?: "SIGKILL"): Promise<void> {
    await this.merchant.stop(signal);
    await this.merchant.runLocked();
  }

  async unlock(): Promise<void> {
    await this.merchant.unlock();
    await this.untilPayable();
  }

  async restart(options: { newCertificate?: boolean } = {}): Promise<void> {
    await this.merchant.stop();
    if (options.newCertificate) this.merchant.forgetCertificate();
    await this.merchant.runLocked();
    await this.unlock();
  }

  /** No macaroon that was given to the store is accepted any more, and it has another. */
  async revokeMacaroon(): Promise<void> {
    const macaroon = await bakeForStore(this.merchant, "2");
    await this.merchant.call("DELETE", "/v1/macaroon/1");
    this.storeMacaroon = macaroon;
  }

  /**
   * Copies what the node knows now, to which the returned function sets it back. So it does with the customer's: an LND
   * closes the channels of a peer that has lost its newest state.
   */
  async snapshot(): Promise<() => Promise<void>> {
    const both = [this.merchant, this.customer];
    const folders = both.map((_, i) => path.join(this.folder, String(i)));
    const asStopped = async (change: (lnd: LndProcess, folder: string) => void): Promise<void> => {
      await Promise.all(both.map((lnd) => lnd.stop()));
      both.forEach((lnd, i) => change(lnd, folders[i] ?? ""));
      for (const lnd of both) {
        await lnd.runLocked();
        await lnd.unlock();
      }
      await this.untilPayable();
    };
    await asStopped((lnd, folder) => cpSync(lnd.dir, folder, { recursive: true }));
    return () =>
      asStopped((lnd, folder) => {
        rmSync(lnd.dir, { recursive: true });
        cpSync(folder, lnd.dir, { recursive: true });
      });
  }

  /** Until `back`, another node has its address, certificate and macaroons: a new wallet in the same installation. */
  async reinstall(): Promise<{ back: () => Promise<void> }> {
    await this.merchant.stop();
    const putBack = this.merchant.setWalletAside(this.folder);
    await this.merchant.runNew();
    return {
      back: async () => {
        await this.merchant.stop();
        putBack();
        await this.merchant.runLocked();
        await this.unlock();
      },
    };
  }

  /** Until both have all channels, and have caught up with the chain: before it LND takes no payments. */
  async untilPayable(): Promise<void> {
    await eventually(async () => {
      await this.connect();
      for (const [lnd, peer] of [
        [this.merchant, null],
        [this.customer, this.nodeKey],
      ] as const) {
        const { channels } = await lnd.call<{ channels: Channel[] }>("GET", "/v1/channels?active_only=true");
        const between = channels.filter(({ remote_pubkey }) => peer === null || remote_pubkey === peer);
        if (between.length < CHANNELS) return false;
      }
      // What it may send over them comes to its own view of the network a little later.
      const routes = `/v1/graph/routes/${this.nodeKey}/1000`;
      const routed = await this.customer.call("GET", routes).catch((error: unknown) => {
        if (!(error instanceof LndError)) throw error;
      });
      return routed !== undefined && (await isSynchronized(this.merchant)) && isSynchronized(this.customer);
    }, "the channels are active");
  }

  private async openChannels(): Promise<void> {
    await eventually(() => this.connect(), "the nodes are connected");
    await eventually(() => isSynchronized(this.merchant), "the merchant's LND has caught up with the chain");
    for (let i = 0; i < CHANNELS; i++) {
      await this.customer.call("POST", "/v1/channels", {
        node_pubkey: base64(this.nodeKey),
        local_funding_amount: String(CHANNEL_SATS),
        sat_per_vbyte: "5",
      });
    }
  }

  /**
   * LND also does so automatically, but after a restart of the other it may take long. Whether they are connected.
   */
  private async connect(): Promise<boolean> {
    const { peers } = await this.customer.call<{ peers: { pub_key: string }[] }>("GET", "/v1/peers");
    if (peers.some(({ pub_key }) => pub_key === this.nodeKey)) return true;
    const addr = { pubkey: this.nodeKey, host: this.merchant.peerUrl };
    await this.customer.call("POST", "/v1/peers", { addr }).catch((error: unknown) => {
      if (!(error instanceof LndError)) throw error;
    });
    return false;
  }
}

/** With a coin for each channel: LND does not spend unconfirmed ones. */
async function fund(customer: LndProcess, chain: BitcoinNode, coins: number): Promise<void> {
  const { address } = await customer.call<{ address: string }>("GET", "/v1/newaddress");
  for (let i = 0; i < coins; i++) await chain.pay(address, BigInt(CHANNEL_SATS) * 2n);
  await chain.mine(1);
  await eventually(async () => {
    const wallet = await customer.call<{ confirmed_balance: string }>("GET", "/v1/balance/blockchain");
    return Number(wallet.confirmed_balance) === coins * CHANNEL_SATS * 2 && isSynchronized(customer);
  }, "the customer's LND has its coins");
}

async function isSynchronized(lnd: LndProcess): Promise<boolean> {
  return (await lnd.call<{ synced_to_chain: boolean }>("GET", "/v1/getinfo")).synced_to_chain;
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

/** As the documents say that a store does it, under a root key that can be revoked. */
async function bakeForStore(lnd: LndProcess, rootKeyId: string): Promise<Buffer> {
  const permissions = [
    { entity: "info", action: "read" },
    { entity: "offchain", action: "read" },
    { entity: "invoices", action: "read" },
    { entity: "invoices", action: "write" },
  ];
  const { macaroon } = await lnd.call<{ macaroon: string }>("POST", "/v1/macaroon", {
    permissions,
    root_key_id: rootKeyId,
  });
  return Buffer.from(macaroon, "hex");
}
