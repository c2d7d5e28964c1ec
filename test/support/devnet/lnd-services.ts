import type { Metadata, ServerWritableStream } from "@grpc/grpc-js";
import { GrpcRefusal } from "../../../scripts/devnet/lightning/grpc-refusal";
import { GrpcServices, type Unary, type UnaryHandler } from "../../../scripts/devnet/lightning/grpc-services";
import type { StoredInvoice } from "../../../scripts/devnet/lightning/invoice-book";
import type { WalletState } from "../../../scripts/devnet/lightning/lnd-core";
import type { Right } from "../../../scripts/devnet/lightning/rights";
import type { Fields } from "../../../scripts/devnet/lightning/rpc-messages";

const REFUSED_IN: Partial<Record<WalletState, string>> = {
  WAITING_TO_START: "waiting to start, RPC services not available",
  NON_EXISTING: "wallet not created, create one to enable full RPC access",
  LOCKED: "wallet locked, unlock it to enable full RPC access",
  UNLOCKED: "the RPC server is in the process of starting up, but not yet ready to accept calls",
};

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

export class FaultyServices extends GrpcServices {
  readonly faults: LndFaults = {
    lateMs: {},
    refuse: {},
    muteStreams: false,
    reverseBacklog: false,
    unsynchronized: false,
  };

  /** To whoever subscribed to it. */
  sendState(): void {
    for (const stream of this.stateStreams) stream.write({ state: this.core.walletState });
  }

  protected override unary(name: string, right: Right | null, answer: Unary): UnaryHandler {
    const handle = super.unary(name, right, answer);
    return (call, respond) =>
      handle(call, (...answered) => {
        const lateMs = this.faults.lateMs[name] ?? 0;
        if (lateMs > 0) setTimeout(() => respond(...answered), lateMs).unref();
        else respond(...answered);
      });
  }

  /** As LND's interceptors do (rpcperms/interceptor.go): its state first, then the macaroon. */
  protected override admit(name: string, right: Right | null, metadata: Metadata): void {
    const reason = right === null ? undefined : REFUSED_IN[this.core.walletState];
    const words = this.faults.refuse[name] ?? reason;
    if (words !== undefined) throw new GrpcRefusal("UNKNOWN", words);
    super.admit(name, right, metadata);
  }

  protected override settledAfter(index: number): StoredInvoice[] {
    const settled = super.settledAfter(index);
    return this.faults.reverseBacklog ? settled.reverse() : settled;
  }

  protected override sendNews(invoice: StoredInvoice, stream: ServerWritableStream<Fields, object>): void {
    if (!this.faults.muteStreams) super.sendNews(invoice, stream);
  }

  protected override info(): object {
    return { ...super.info(), synced_to_chain: !this.faults.unsynchronized };
  }
}
