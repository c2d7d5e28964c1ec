import { createHash, randomBytes } from "node:crypto";
import * as secp256k1 from "tiny-secp256k1";
import { decodeBolt11, type DecodedBolt11, type RouteHop } from "../../../domain/lightning/decode-bolt11";
import { encodeBolt11 } from "./encode-bolt11";
import { GrpcRefusal } from "./grpc-refusal";
import { InvoiceBook, type StoredInvoice } from "./invoice-book";
import type { NodeIdentity } from "./node-files";

/** lnrpc.WalletState. */
export type WalletState =
  "NON_EXISTING" | "LOCKED" | "UNLOCKED" | "RPC_ACTIVE" | "SERVER_ACTIVE" | "WAITING_TO_START";

export const CHANNEL = {
  capacitySats: 100_000_000n,
  /** What each side must keep. */
  reserveSats: 1_000_000n,
  shortChannelId: "00006c0000010000", // 108x1x0
} as const;
const FEATURES = [8, 14, 17]; // TLV onion and payment address required, multi-part payments possible
const MIN_FINAL_CLTV = 80;
const DEFAULT_EXPIRY_SECONDS = 86_400;
const MAX_EXPIRY_SECONDS = 365 * 86_400;
const MAX_MEMO_BYTES = 1_024;
/** What fits in a BOLT 11 field of 1,023 words. */
const MAX_DESCRIPTION_BYTES = 639;
const MAX_INVOICE_MSAT = 100_000n * 100_000_000n * 1_000n;

/** The fields of a new invoice, as in lnrpc.Invoice. */
export interface NewInvoice {
  preimage: Buffer;
  valueMsat: bigint;
  memo: string;
  descriptionHash: Buffer;
  expirySeconds: number;
  isPrivate: boolean;
}

export interface LightningPayment {
  /** Hex. */
  preimage: string;
  /** What arrived at the node. */
  amountMsat: bigint;
}

/** The customer's payment did not go through; nothing was paid. */
export class PaymentFailure extends Error {
  override readonly name = "PaymentFailure";
}

/** The node behind the gRPC services, and the customer at the other end of its only channel. */
export class LndCore {
  readonly book: InvoiceBook;
  readonly nodeKey: string;
  readonly customerKey: string;
  walletState: WalletState = "SERVER_ACTIVE";
  /** The customer's side of the channel. */
  customerMsat = (CHANNEL.capacitySats - CHANNEL.reserveSats) * 1_000n;

  constructor(
    private readonly identity: NodeIdentity,
    file: string | null,
    Book: typeof InvoiceBook = InvoiceBook,
  ) {
    this.book = new Book(() => this.nowSeconds(), file);
    this.nodeKey = publicKeyOf(identity.privateKey);
    this.customerKey = publicKeyOf(identity.customerKey);
  }

  nowSeconds(): number {
    return Math.floor(Date.now() / 1_000);
  }

  /** In LND's order, with its words (lnrpc/invoicesrpc/addinvoice.go). @throws GrpcRefusal */
  addInvoice(asked: NewInvoice): StoredInvoice {
    checkAsked(asked);
    const preimage = asked.preimage.length === 0 ? randomBytes(32) : asked.preimage;
    const paymentHash = createHash("sha256").update(preimage).digest();
    const paymentSecret = randomBytes(32);
    const createdAt = this.nowSeconds();
    const expirySeconds = asked.expirySeconds > 0 ? asked.expirySeconds : DEFAULT_EXPIRY_SECONDS;
    const bolt11 = encodeBolt11(
      {
        prefix: "lnbcrt",
        amountMsat: asked.valueMsat > 0n ? asked.valueMsat : null,
        timestampSeconds: createdAt,
        expirySeconds,
        paymentHash,
        paymentSecret,
        description: asked.descriptionHash.length > 0 ? { hash: asked.descriptionHash } : asked.memo,
        minFinalCltvExpiryDelta: MIN_FINAL_CLTV,
        features: FEATURES,
        routeHints: asked.isPrivate ? [[this.hop()]] : [],
      },
      Buffer.from(this.identity.privateKey, "hex"),
    );
    return this.book.add({
      paymentHash: paymentHash.toString("hex"),
      preimage: preimage.toString("hex"),
      paymentSecret: paymentSecret.toString("hex"),
      bolt11,
      memo: asked.memo,
      descriptionHash: asked.descriptionHash.toString("hex"),
      valueMsat: String(asked.valueMsat),
      createdAt,
      expirySeconds,
      cltvExpiry: MIN_FINAL_CLTV,
      isPrivate: asked.isPrivate,
    });
  }

  receivableSats(): bigint {
    const free = this.customerMsat / 1_000n - CHANNEL.reserveSats;
    return free > 0n ? free : 0n;
  }

  /** @throws PaymentFailure */
  pay(bolt11: string, amountMsat?: bigint): LightningPayment {
    const { invoice, paid } = this.offer(bolt11, amountMsat);
    this.customerMsat -= paid;
    this.book.settle(invoice.paymentHash, paid);
    return { preimage: invoice.preimage, amountMsat: paid };
  }

  /** What the payer's wallet, the channel and the payee (invoices/update.go) check. */
  protected offer(bolt11: string, amountMsat?: bigint): { invoice: StoredInvoice; paid: bigint } {
    const asked = decodeBolt11(bolt11);
    const paid = amountMsat ?? asked.amountMsat;
    if (paid === null || paid <= 0n) throw new PaymentFailure("the invoice names no amount: give one");
    if (asked.payeeKey !== this.nodeKey) throw new PaymentFailure("no_route: the payee is another node");
    if (asked.amountMsat !== null && paid > 2n * asked.amountMsat)
      throw new PaymentFailure("nobody pays more than twice of what is asked for");
    if (this.walletState !== "SERVER_ACTIVE") throw new PaymentFailure("no_route: the node is offline");
    if (paid > this.receivableSats() * 1_000n)
      throw new PaymentFailure("temporary_channel_failure: the channel's balance is too small");
    return { invoice: this.payable(asked, paid), paid };
  }

  private payable(asked: DecodedBolt11, paid: bigint): StoredInvoice {
    if (!this.book.has(asked.paymentHash))
      throw new PaymentFailure("incorrect_payment_details: the node has no such invoice");
    const invoice = this.book.get(asked.paymentHash);
    const enough = paid >= BigInt(invoice.valueMsat);
    if (invoice.state !== "OPEN" || invoice.paymentSecret !== asked.paymentSecret || !enough)
      throw new PaymentFailure(
        `incorrect_payment_details: ${enough ? `the invoice is ${invoice.state}` : "the amount is too low"}`,
      );
    return invoice;
  }

  private hop(): RouteHop {
    return {
      nodeKey: this.customerKey,
      shortChannelId: CHANNEL.shortChannelId,
      feeBaseMsat: 1_000,
      feeProportionalMillionths: 1,
      cltvExpiryDelta: 80,
    };
  }
}

function checkAsked({ preimage, memo, descriptionHash, valueMsat, expirySeconds }: NewInvoice): void {
  const memoBytes = Buffer.byteLength(memo);
  if (preimage.length !== 0 && preimage.length !== 32)
    throw new GrpcRefusal("UNKNOWN", `invalid preimage length of ${preimage.length}, want 32`);
  if (memoBytes > MAX_MEMO_BYTES)
    throw new GrpcRefusal("UNKNOWN", `memo too large: ${memoBytes} bytes (maxsize=${MAX_MEMO_BYTES})`);
  if (descriptionHash.length > 0 && descriptionHash.length !== 32)
    throw new GrpcRefusal("UNKNOWN", `description hash is ${descriptionHash.length} bytes, must be 32`);
  if (valueMsat < 0n)
    throw new GrpcRefusal("UNKNOWN", `payments of negative value are not allowed, value is ${valueMsat}`);
  if (valueMsat > MAX_INVOICE_MSAT)
    throw new GrpcRefusal("UNKNOWN", `invoice amount ${btc(valueMsat)} is too large, max is 100000 BTC`);
  if (expirySeconds > MAX_EXPIRY_SECONDS)
    throw new GrpcRefusal(
      "UNKNOWN",
      `expiry of ${expirySeconds} seconds greater than max expiry of ${MAX_EXPIRY_SECONDS} seconds`,
    );
  if (descriptionHash.length === 0 && memoBytes > MAX_DESCRIPTION_BYTES)
    throw new GrpcRefusal(
      "UNKNOWN",
      `data length too big to fit within 10 bits: ${Math.ceil((memoBytes * 8) / 5)}`,
    );
}

const btc = (msat: bigint): string => `${Number(msat / 1_000n) / 1e8} BTC`;

function publicKeyOf(privateKey: string): string {
  const key = secp256k1.pointFromScalar(Buffer.from(privateKey, "hex"), true);
  if (key === null) throw new Error("the node's key is none");
  return Buffer.from(key).toString("hex");
}
