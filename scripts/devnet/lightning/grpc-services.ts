import type { sendUnaryData, Server, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import { lndService } from "../../../adapters/lnd/protos";
import { GrpcRefusal } from "./grpc-refusal";
import { toBuffer, toRpcInvoice, type Fields } from "./rpc-messages";
import type { StoredInvoice } from "./invoice-book";
import { CHANNEL, type LndCore } from "./lnd-core";
import { checkRight, type Macaroons, type Right } from "./rights";

/** What tests may break while it runs. */
export interface LndFaults {
  /** Milliseconds that answers wait, by method (`AddInvoice`); the call is carried out before. */
  lateMs: Record<string, number>;
  /** Methods that are refused, and with which words (code UNKNOWN). */
  refuse: Record<string, string>;
  /** Streams do not get what settles. */
  muteStreams: boolean;
  /** A stream's backlog comes last first, as the order of an SQL backend is none. */
  reverseBacklog: boolean;
  /** GetInfo says that the chain is not caught up with. */
  unsynchronized: boolean;
}

type Unary = (request: Fields) => object;

/** LND's services as far as Quittance and its tests use them, on one server. */
export class GrpcServices {
  readonly faults: LndFaults = {
    lateMs: {},
    refuse: {},
    muteStreams: false,
    reverseBacklog: false,
    unsynchronized: false,
  };
  private readonly invoiceStreams = new Set<ServerWritableStream<Fields, object>>();
  private readonly stateStreams = new Set<ServerWritableStream<Fields, object>>();

  constructor(
    private readonly core: LndCore,
    private readonly macaroons: Macaroons,
  ) {}

  addTo(server: Server): void {
    const { core } = this;
    server.addService(lndService("lnrpc.State"), {
      GetState: this.unary("GetState", null, () => ({ state: core.walletState })),
      SubscribeState: (stream: ServerWritableStream<Fields, object>) => {
        this.stateStreams.add(stream);
        stream.once("close", () => this.stateStreams.delete(stream));
        stream.once("cancelled", () => this.stateStreams.delete(stream));
        stream.write({ state: core.walletState });
      },
    });
    server.addService(lndService("lnrpc.Lightning"), {
      GetInfo: this.unary("GetInfo", "info:read", () => this.info()),
      ListChannels: this.unary("ListChannels", "offchain:read", () => ({ channels: [this.channel()] })),
      AddInvoice: this.unary("AddInvoice", "invoices:write", (asked) => this.addInvoice(asked)),
      LookupInvoice: this.unary("LookupInvoice", "invoices:read", (asked) => {
        const text = asked["r_hash_str"];
        const hash =
          typeof text === "string" && text !== "" ? Buffer.from(text, "hex") : bytes(asked, "r_hash");
        if (hash.length !== 0 && hash.length !== 32)
          throw new GrpcRefusal(
            "UNKNOWN",
            `payment hash must be exactly 32 bytes, is instead ${hash.length}`,
          );
        return toRpcInvoice(core.book.get(hash.toString("hex")));
      }),
      SubscribeInvoices: (stream: ServerWritableStream<Fields, object>) => this.subscribe(stream),
    });
    server.addService(lndService("invoicesrpc.Invoices"), {
      CancelInvoice: this.unary("CancelInvoice", "invoices:write", (asked) => {
        core.book.cancel(hashOf(asked));
        return {};
      }),
      LookupInvoiceV2: this.unary("LookupInvoiceV2", "invoices:read", (asked) =>
        toRpcInvoice(core.book.get(hashOf(asked))),
      ),
    });
  }

  tellState(): void {
    for (const stream of this.stateStreams) stream.write({ state: this.core.walletState });
  }

  /** Without an error, as LND does when it is stopped. */
  endStreams(): void {
    for (const stream of [...this.stateStreams, ...this.invoiceStreams]) stream.end();
  }

  private unary(name: string, right: Right | null, answer: Unary) {
    return (call: ServerUnaryCall<Fields, object>, respond: sendUnaryData<object>): void => {
      let result: { error: Error } | { value: object };
      try {
        this.admit(name, right, call);
        result = { value: answer(call.request) };
      } catch (error) {
        result = { error: error as Error };
      }
      const send = (): void => {
        if ("error" in result) respond(result.error);
        else respond(null, result.value);
      };
      const lateMs = this.faults.lateMs[name] ?? 0;
      if (lateMs > 0) setTimeout(send, lateMs).unref();
      else send();
    };
  }

  /** As LND's interceptors do (rpcperms/interceptor.go): its state first, then the macaroon. @throws GrpcRefusal */
  private admit(name: string, right: Right | null, call: Pick<ServerUnaryCall<Fields, object>, "metadata">) {
    const words = this.faults.refuse[name];
    if (words !== undefined) throw new GrpcRefusal("UNKNOWN", words);
    if (right === null) return;
    const reason = REFUSED_IN[this.core.walletState];
    if (reason !== undefined) throw new GrpcRefusal("UNKNOWN", reason);
    checkRight(this.macaroons, call.metadata.get("macaroon").map(String), right);
  }

  private addInvoice(asked: Fields): object {
    const { core } = this;
    const valueMsat = BigInt(Number(asked["value_msat"] ?? 0));
    const { bolt11, paymentHash, paymentSecret, addIndex } = core.addInvoice({
      preimage: bytes(asked, "r_preimage"),
      valueMsat: valueMsat === 0n ? BigInt(Number(asked["value"] ?? 0)) * 1_000n : valueMsat,
      memo: typeof asked["memo"] === "string" ? asked["memo"] : "",
      descriptionHash: bytes(asked, "description_hash"),
      expirySeconds: Number(asked["expiry"] ?? 0),
      isPrivate: asked["private"] === true,
    });
    return {
      r_hash: Buffer.from(paymentHash, "hex"),
      payment_request: bolt11,
      add_index: addIndex,
      payment_addr: Buffer.from(paymentSecret, "hex"),
    };
  }

  /** The missed ones, when an index above 0 was given, then new ones. */
  private subscribe(stream: ServerWritableStream<Fields, object>): void {
    const { book } = this.core;
    try {
      this.admit("SubscribeInvoices", "invoices:read", stream);
    } catch (error) {
      stream.emit("error", error); // as the status; a destroyed stream would send none
      return;
    }
    const send = (invoice: StoredInvoice): void => {
      if (!this.faults.muteStreams) stream.write(toRpcInvoice(invoice));
    };
    const addIndex = Number(stream.request["add_index"] ?? 0);
    const settleIndex = Number(stream.request["settle_index"] ?? 0);
    const missed = [
      ...(addIndex > 0 ? book.addedAfter(addIndex) : []),
      ...(settleIndex > 0 ? book.settledAfter(settleIndex) : []),
    ];
    for (const invoice of this.faults.reverseBacklog ? missed.reverse() : missed)
      stream.write(toRpcInvoice(invoice));
    const leave = (): void => {
      book.off("added", send);
      book.off("settled", send);
    };
    book.on("added", send);
    book.on("settled", send);
    stream.once("cancelled", leave);
    stream.once("close", leave);
    this.invoiceStreams.add(stream);
    stream.once("cancelled", () => this.invoiceStreams.delete(stream));
    stream.once("close", () => this.invoiceStreams.delete(stream));
  }

  private info(): object {
    return {
      version: "0.20.0-beta commit=simulated",
      identity_pubkey: this.core.nodeKey,
      alias: "simulated",
      num_active_channels: 1,
      num_peers: 1,
      synced_to_chain: !this.faults.unsynchronized,
      synced_to_graph: true,
      chains: [{ chain: "bitcoin", network: "regtest" }],
    };
  }

  private channel(): object {
    const constraints = { chan_reserve_sat: String(CHANNEL.reserveSats) };
    return {
      active: true,
      remote_pubkey: this.core.customerKey,
      chan_id: BigInt(`0x${CHANNEL.shortChannelId}`).toString(),
      capacity: String(CHANNEL.capacitySats),
      local_balance: String(this.ownMsat() / 1_000n),
      remote_balance: String(this.core.customerMsat / 1_000n),
      local_constraints: constraints,
      remote_constraints: constraints,
    };
  }

  private ownMsat(): bigint {
    const rest = CHANNEL.capacitySats * 1_000n - this.core.customerMsat;
    return rest > 0n ? rest : 0n;
  }
}

const REFUSED_IN: Partial<Record<LndCore["walletState"], string>> = {
  WAITING_TO_START: "waiting to start, RPC services not available",
  NON_EXISTING: "wallet not created, create one to enable full RPC access",
  LOCKED: "wallet locked, unlock it to enable full RPC access",
  UNLOCKED: "the RPC server is in the process of starting up, but not yet ready to accept calls",
};

function bytes(fields: Fields, name: string): Buffer {
  return toBuffer(fields[name]);
}

function hashOf(asked: Fields): string {
  const hash = bytes(asked, "payment_hash");
  if (hash.length !== 32) throw new GrpcRefusal("UNKNOWN", `invalid hash length of ${hash.length}, want 32`);
  return hash.toString("hex");
}
