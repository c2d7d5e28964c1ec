import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { EventEmitter } from "node:events";
import { GrpcRefusal } from "./grpc-refusal";

export type InvoiceState = "OPEN" | "SETTLED" | "CANCELED" | "ACCEPTED";

/** An invoice as LND keeps it. Hashes, secrets and preimages are hex; times are Unix seconds. */
export interface StoredInvoice {
  paymentHash: string;
  preimage: string;
  paymentSecret: string;
  bolt11: string;
  memo: string;
  descriptionHash: string;
  valueMsat: string;
  createdAt: number;
  expirySeconds: number;
  cltvExpiry: number;
  isPrivate: boolean;
  state: InvoiceState;
  addIndex: number;
  /** 0 before it is settled, as the next two. */
  settleIndex: number;
  settledAt: number;
  amountPaidMsat: string;
}

interface Events {
  added: [StoredInvoice];
  settled: [StoredInvoice];
}

/**
 * A node's invoices, with LND's transitions (invoices/invoiceregistry.go, update.go). With a file each change is a
 * line of it, written before it is published.
 */
export class InvoiceBook extends EventEmitter<Events> {
  protected readonly invoices = new Map<string, StoredInvoice>();
  protected lastAdded = 0;
  protected lastSettled = 0;

  /** @param nowSeconds Unix seconds */
  constructor(
    private readonly nowSeconds: () => number,
    protected readonly file: string | null,
  ) {
    super();
    this.setMaxListeners(0); // one a stream
    for (const invoice of file === null ? [] : readLines(file)) {
      this.invoices.set(invoice.paymentHash, invoice);
      this.lastAdded = Math.max(this.lastAdded, invoice.addIndex);
      this.lastSettled = Math.max(this.lastSettled, invoice.settleIndex);
    }
  }

  add(invoice: Omit<StoredInvoice, "state" | "addIndex" | "settleIndex" | "settledAt" | "amountPaidMsat">) {
    if (this.invoices.has(invoice.paymentHash))
      throw new GrpcRefusal("UNKNOWN", "invoice with payment hash already exists");
    this.lastAdded += 1;
    const none = { settleIndex: 0, settledAt: 0, amountPaidMsat: "0" };
    const added = this.keep({ ...invoice, state: "OPEN", addIndex: this.lastAdded, ...none });
    this.emit("added", added);
    return added;
  }

  has(paymentHash: string): boolean {
    return this.invoices.has(paymentHash);
  }

  /** @throws GrpcRefusal */
  get(paymentHash: string): StoredInvoice {
    const invoice = this.look(paymentHash);
    if (!invoice) throw new GrpcRefusal("NOT_FOUND", this.none());
    return invoice;
  }

  /** Null where it is not known. */
  look(paymentHash: string): StoredInvoice | null {
    const invoice = this.invoices.get(paymentHash);
    if (invoice?.state === "OPEN" && this.nowSeconds() >= invoice.createdAt + invoice.expirySeconds)
      // LND's watcher of expiries cancels open invoices; those with held HTLCs it leaves.
      this.keep({ ...invoice, state: "CANCELED" });
    return this.invoices.get(paymentHash) ?? null;
  }

  /** Idempotent. Held HTLCs go back to the payer. @throws GrpcRefusal */
  cancel(paymentHash: string): void {
    const invoice = this.look(paymentHash);
    if (!invoice) throw new GrpcRefusal("UNKNOWN", this.none());
    if (invoice.state === "SETTLED") throw new GrpcRefusal("UNKNOWN", "invoice already settled");
    if (invoice.state !== "CANCELED") this.keep({ ...invoice, state: "CANCELED" });
  }

  settle(paymentHash: string, amountMsat: bigint): StoredInvoice {
    this.lastSettled += 1;
    const settled = this.keep({
      ...this.get(paymentHash),
      state: "SETTLED",
      settleIndex: this.lastSettled,
      settledAt: this.nowSeconds(),
      amountPaidMsat: String(amountMsat),
    });
    this.emit("settled", settled);
    return settled;
  }

  addedAfter(index: number): StoredInvoice[] {
    return [...this.invoices.values()]
      .filter(({ addIndex }) => addIndex > index)
      .sort((a, b) => a.addIndex - b.addIndex);
  }

  settledAfter(index: number): StoredInvoice[] {
    return [...this.invoices.values()]
      .filter(({ settleIndex }) => settleIndex > index)
      .sort((a, b) => a.settleIndex - b.settleIndex);
  }

  private none(): string {
    return this.invoices.size === 0 ? "there are no existing invoices" : "unable to locate invoice";
  }

  protected keep(invoice: StoredInvoice): StoredInvoice {
    if (this.file !== null) appendFileSync(this.file, `${JSON.stringify(invoice)}\n`);
    this.invoices.set(invoice.paymentHash, invoice);
    return invoice;
  }
}

function readLines(file: string): StoredInvoice[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  // The last line is cut off where the process died while writing it.
  if (complete !== text) writeFileSync(file, complete);
  return complete
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StoredInvoice);
}
