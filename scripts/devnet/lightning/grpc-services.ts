import type { Metadata, sendUnaryData, Server, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import { lndService } from "../../../adapters/lnd/protos";
import { GrpcRefusal } from "./grpc-refusal";
import { toBuffer, toRpcInvoice, type Fields } from "./rpc-messages";
import type { StoredInvoice } from "./invoice-book";
import { CHANNEL, type LndCore } from "./lnd-core";
import { checkRight, type Macaroons, type Right } from "./rights";

export type Unary = (request: Fields) => object;

export type UnaryHandler = (call: ServerUnaryCall<Fields, object>, respond: sendUnaryData<object>) => void;

/** LND's services as far as Quittance and its tests use them, on one server. */
export class GrpcServices {
  private readonly invoiceStreams = new Set<ServerWritableStream<Fields, object>>();
  protected readonly stateStreams = new Set<ServerWritableStream<Fields, object>>();

  constructor(
    protected readonly core: LndCore,
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

  /** Without an error, as LND does when it is stopped. */
  endStreams(): void {
    for (const stream of [...this.stateStreams, ...this.invoiceStreams]) stream.end();
  }

  protected unary(name: string, right: Right | null, answer: Unary): UnaryHandler {
    return (call, respond) => {
      let value: object;
      try {
        this.admit(name, right, call.metadata);
        value = answer(call.request);
      } catch (error) {
        return respond(error as Error);
      }
      respond(null, value);
    };
  }

  /** @throws GrpcRefusal */
  protected admit(_name: string, right: Right | null, metadata: Metadata): void {
    if (right !== null) checkRight(this.macaroons, metadata.get("macaroon").map(String), right);
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
      this.admit("SubscribeInvoices", "invoices:read", stream.metadata);
    } catch (error) {
      stream.emit("error", error); // as the status; a destroyed stream would send none
      return;
    }
    const send = (invoice: StoredInvoice): void => this.sendNews(invoice, stream);
    const addIndex = Number(stream.request["add_index"] ?? 0);
    const settleIndex = Number(stream.request["settle_index"] ?? 0);
    for (const invoice of addIndex > 0 ? book.addedAfter(addIndex) : []) stream.write(toRpcInvoice(invoice));
    for (const invoice of settleIndex > 0 ? this.settledAfter(settleIndex) : [])
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

  protected settledAfter(index: number): StoredInvoice[] {
    return this.core.book.settledAfter(index);
  }

  /** What has just been added or settled. */
  protected sendNews(invoice: StoredInvoice, stream: ServerWritableStream<Fields, object>): void {
    stream.write(toRpcInvoice(invoice));
  }

  protected info(): object {
    return {
      version: "0.20.0-beta commit=simulated",
      identity_pubkey: this.core.nodeKey,
      alias: "simulated",
      num_active_channels: 1,
      num_peers: 1,
      synced_to_chain: true,
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

function bytes(fields: Fields, name: string): Buffer {
  return toBuffer(fields[name]);
}

function hashOf(asked: Fields): string {
  const hash = bytes(asked, "payment_hash");
  if (hash.length !== 32) throw new GrpcRefusal("UNKNOWN", `invalid hash length of ${hash.length}, want 32`);
  return hash.toString("hex");
}
