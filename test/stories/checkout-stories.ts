import { randomBytes } from "node:crypto";
import type { CreateInvoiceInput } from "../../commands/invoices/create-invoice";
import { changeInvoice } from "../../commands/invoices/change-invoice";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import type { Phase } from "../../domain/invoice/phase";
import { ChainBlock } from "../../entities/chain-block";
import { Invoice } from "../../entities/invoice";
import { Payment } from "../../entities/payment";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { Store } from "../../entities/store";
import type { TestContext } from "../support/context";
import { buildInvoice, buildOpenBolt11, buildPayment, buildStore } from "../support/factories";

export const TIP = 102;
export const STORE = "Tea & <Co>";
/** Has a price in fiat, so that every amount is shown in three units. */
const INPUT = {
  amount: "12.50",
  currency: "EUR",
  description: "Two pounds of tea",
  metadataJson: JSON.stringify({ orderId: "A 1001/ü", customer: "olga@shop.example" }),
  redirectUrl: "https://shop.example/thanks?o={orderId}&i={invoiceId}",
  requiredConfirmations: 3,
};

/** A store with everything that customers can be shown. */
export async function checkoutStore(ctx: TestContext): Promise<Store> {
  const store = await buildStore(ctx, { name: STORE });
  await ctx.db.manager.update(Store, store.id, {
    supportUrl: "mailto:help@shop.example",
    website: "https://shop.example",
    brandColor: "#f7931a",
  });
  return store;
}

/** Invoices of one store, brought into a state by what brings real ones there. */
export function checkoutStories(ctx: TestContext, store: Store) {
  const { manager } = ctx.db;

  async function markChecked(): Promise<void> {
    const now = await ctx.now(manager);
    await manager.upsert(
      PaymentMethodSync,
      { type: "BTC-CHAIN", caughtUpTo: now, checkedAt: now, synchronized: true, nodeHeight: TIP },
      ["type"],
    );
  }

  async function make(input: Partial<CreateInvoiceInput> = {}): Promise<Invoice> {
    const { invoice } = await buildInvoice(ctx, { store, ...INPUT, ...input });
    const hash = "00".repeat(32);
    await manager.upsert(ChainBlock, { height: TIP, hash, previousHash: hash }, ["height"]);
    return invoice;
  }

  async function pay({ id }: Invoice, amountSats: bigint, fields: Partial<Payment> = {}): Promise<void> {
    await buildPayment(ctx, id, { storeId: store.id, amountSats, requiredConfirmations: 3, ...fields });
    await changeInvoice(ctx, id);
  }

  /** The time is up, and whoever decides it has not looked yet. */
  async function endTime({ id }: Invoice): Promise<void> {
    await ctx.db.query("UPDATE invoices SET expires_at = clock_timestamp() WHERE id = $1", [id]);
  }

  async function expire(invoice: Invoice): Promise<void> {
    await endTime(invoice);
    await markChecked();
    await changeInvoice(ctx, invoice.id);
  }

  const paidBy = async (invoice: Invoice): Promise<void> =>
    pay(invoice, invoice.dueSats, { state: "confirmed" });

  const stories: Record<Phase, (invoice: Invoice) => Promise<void>> = {
    waiting: async ({ id }) => void (await buildOpenBolt11(ctx, id)),
    partial: (invoice) => pay(invoice, 9_000n),
    checking: endTime,
    seen: (invoice) => pay(invoice, invoice.dueSats, { blockHeight: TIP, blockHash: "00".repeat(32) }),
    paid: paidBy,
    accepted: async ({ id }) => void (await markInvoice(ctx, store.id, id, { status: "Settled" })),
    overpaid: (invoice) =>
      pay(invoice, invoice.dueSats + 5_000n, {
        id: randomBytes(32).toString("hex"),
        type: "BTC-LN",
        txid: null,
        vout: null,
        blockHeight: null,
        blockHash: null,
        state: "confirmed",
        preimage: "ef".repeat(32),
      }),
    paidLate: async (invoice) => {
      await expire(invoice);
      await paidBy(invoice);
    },
    expired: expire,
    underpaid: async (invoice) => {
      await pay(invoice, 9_000n, { state: "confirmed" });
      await expire(invoice);
    },
    lateSeen: async (invoice) => {
      await expire(invoice);
      await pay(invoice, invoice.dueSats);
    },
    invalid: async (invoice) => {
      await pay(invoice, 9_000n);
      await markInvoice(ctx, store.id, invoice.id, { status: "Invalid" });
    },
  };

  /** It was there and is not any more: another transaction, that pays somebody else, spends its input. */
  async function vanish(invoice: Invoice, amountSats = invoice.dueSats): Promise<void> {
    const { id } = await buildPayment(ctx, invoice.id, { storeId: store.id, amountSats });
    await changeInvoice(ctx, invoice.id);
    const conflictTxid = randomBytes(32).toString("hex");
    await manager.update(Payment, { id }, { state: "replaced", conflictTxid });
    await changeInvoice(ctx, invoice.id);
  }

  return {
    make,
    pay,
    vanish,
    expire,
    paidBy,
    async invoiceIn(phase: Phase, input: Partial<CreateInvoiceInput> = {}): Promise<Invoice> {
      const invoice = await make(input);
      await stories[phase](invoice);
      return manager.findOneByOrFail(Invoice, { id: invoice.id });
    },
  };
}
