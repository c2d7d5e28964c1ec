import { writeFileSync } from "node:fs";
import { decodeBolt11 } from "../../../domain/lightning/decode-bolt11";
import { makeCertificate } from "../../../scripts/devnet/lightning/certificate";
import { InvoiceBook, type StoredInvoice } from "../../../scripts/devnet/lightning/invoice-book";
import { CHANNEL, LndCore, type WalletState } from "../../../scripts/devnet/lightning/lnd-core";
import { NodeFiles, type NodeIdentity } from "../../../scripts/devnet/lightning/node-files";
import {
  SimulatedLnd as DemoLnd,
  type SimulatedLndOptions,
} from "../../../scripts/devnet/lightning/simulated-lnd";
import type { LightningNode } from "./lightning-node";
import { FaultyServices, type LndFaults } from "./lnd-services";
import { TcpGate } from "./tcp-gate";

export type { SimulatedLndOptions };

class TestInvoiceBook extends InvoiceBook {
  /** As with `gc-canceled-invoices-on-the-fly`. */
  forgetsCanceled = false;

  /** All parts of a payment have arrived, and the preimage is not out yet. */
  accept(paymentHash: string): void {
    this.keep({ ...this.get(paymentHash), state: "ACCEPTED" });
  }

  /** The next one settles with an index further on, as if one was settled that is gone from the database. */
  skipSettleIndex(): void {
    this.lastSettled += 1;
  }

  /** All of it, for `restore`. */
  backUp(): readonly StoredInvoice[] {
    return this.addedAfter(0);
  }

  /** An operator puts an old backup in the place of the database: what came since is forgotten. */
  restore(kept: readonly StoredInvoice[]): void {
    if (this.file !== null) writeFileSync(this.file, "");
    this.invoices.clear();
    for (const invoice of kept) this.keep(invoice);
    this.lastAdded = Math.max(0, ...kept.map(({ addIndex }) => addIndex));
    this.lastSettled = Math.max(0, ...kept.map(({ settleIndex }) => settleIndex));
  }

  protected override keep(invoice: StoredInvoice): StoredInvoice {
    const kept = super.keep(invoice);
    if (kept.state === "CANCELED" && this.forgetsCanceled) this.invoices.delete(kept.paymentHash);
    return kept;
  }
}

class TestLndCore extends LndCore {
  declare readonly book: TestInvoiceBook;

  /** By which the node's clock is ahead. */
  clockAheadSeconds = 0;

  override nowSeconds(): number {
    return super.nowSeconds() + this.clockAheadSeconds;
  }

  /** A payment that has arrived whole, and waits to be settled. @throws PaymentFailure */
  hold(bolt11: string): void {
    this.book.accept(this.offer(bolt11).invoice.paymentHash);
  }

  settleHeld(bolt11: string): void {
    const { paymentHash, amountMsat } = decodeBolt11(bolt11);
    if (this.book.get(paymentHash).state !== "ACCEPTED") throw new Error("nothing is held for it");
    this.customerMsat -= amountMsat ?? 0n;
    this.book.settle(paymentHash, amountMsat ?? 0n);
  }
}

/** The demo's LND with all that a real one can do to us. */
export class SimulatedLnd extends DemoLnd implements LightningNode {
  private readonly gate = TcpGate.make(0);

  private constructor(
    private readonly files: NodeFiles,
    identity: NodeIdentity,
    override readonly core: TestLndCore,
    protected override readonly services: FaultyServices,
  ) {
    super(identity, core, services);
  }

  static override async start(options: SimulatedLndOptions = {}): Promise<SimulatedLnd> {
    const files = new NodeFiles(options.dataDir ?? null);
    const identity = await files.readIdentity();
    const core = new TestLndCore(identity, files.invoices, TestInvoiceBook);
    const services = new FaultyServices(core, identity.macaroons);
    const node = new SimulatedLnd(files, identity, core, services);
    await node.open();
    return node;
  }

  get faults(): LndFaults {
    return this.services.faults;
  }

  /** The customer's payment has arrived, but is not settled: the invoice is ACCEPTED. */
  hold(bolt11: string): void {
    this.core.hold(bolt11);
  }

  settleHeld(bolt11: string): void {
    this.core.settleHeld(bolt11);
  }

  async receivableSats(): Promise<bigint> {
    return this.core.receivableSats();
  }

  /** As if the customer's side of the channel had so much left. */
  limitReceivable(sats: bigint): void {
    this.core.customerMsat = (sats + CHANNEL.reserveSats) * 1_000n;
  }

  /** The next invoice settles with an index further on: the one between is skipped. */
  skipSettleIndex(): void {
    this.core.book.skipSettleIndex();
  }

  /** Moves the node's clock, so that its invoices expire. */
  advanceClock(seconds: number): void {
    this.core.clockAheadSeconds += seconds;
  }

  /** What State says. Below RPC_ACTIVE every other call is refused. */
  setState(state: WalletState): void {
    this.core.walletState = state;
    this.services.sendState();
  }

  async lock(): Promise<void> {
    this.gate.cut();
    this.setState("LOCKED");
  }

  async unlock(): Promise<void> {
    this.setState("SERVER_ACTIVE");
  }

  /** Resets all connections, and the streams on them. */
  dropConnections(): void {
    this.gate.cut();
  }

  /** Half open from now on: connections stay and new ones are taken, but no byte passes. */
  freeze(): void {
    this.gate.freeze();
  }

  thaw(): void {
    this.gate.thaw();
  }

  async restart(options: { newCertificate?: boolean } = {}): Promise<void> {
    await this.stop();
    if (options.newCertificate) {
      this.identity = { ...this.identity, certificate: await makeCertificate() };
      this.files.writeIdentity(this.identity);
    }
    this.core.walletState = "SERVER_ACTIVE";
    await this.open();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.gate.close();
  }

  /** Behind the gate, whose port is the one that clients know. */
  protected override async open(): Promise<void> {
    await super.open();
    this.gate.thaw();
    await this.gate.open(this.port);
    this.port = this.gate.port;
  }
}
