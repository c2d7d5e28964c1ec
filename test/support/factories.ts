import { randomBytes } from "node:crypto";
import { acceptRows } from "../../commands/server/authentic-rows";
import { createUser } from "../../commands/accounts/create-user";
import { useUserLink } from "../../commands/accounts/user-links";
import type { CommandContext } from "../../commands/context";
import { createInvoice, type CreateInvoiceInput } from "../../commands/invoices/create-invoice";
import { createStore, type CreateStoreInput } from "../../commands/stores/create-store";
import { bolt11Fields } from "../../commands/wallets/destination-macs";
import { createWebhook } from "../../commands/webhooks/create-webhook";
import type { InvoiceView } from "../../commands/invoices/read-invoice";
import { Bolt11 } from "../../entities/bolt11";
import { Invoice } from "../../entities/invoice";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { Payment } from "../../entities/payment";
import { Review } from "../../entities/review";
import type { Store } from "../../entities/store";
import { newXpub } from "../../scripts/devnet/new-xpub";

export { newXpub };

export async function buildStore(
  ctx: CommandContext,
  overrides: Partial<CreateStoreInput> = {},
): Promise<Store> {
  return createStore(ctx, { name: "A store", wallet: { xpub: newXpub() }, ...overrides });
}

/** An invoice over 100,000 sats, in a store of its own unless one is given. */
export async function buildInvoice(
  ctx: CommandContext,
  { store, ...input }: Partial<CreateInvoiceInput> & { store?: Store } = {},
): Promise<InvoiceView> {
  const { id } = store ?? (await buildStore(ctx));
  return createInvoice(ctx, id, { amount: "100000", currency: "SATS", ...input });
}

export async function buildWebhook(
  ctx: CommandContext,
  store: Store,
  url = "http://127.0.0.1:1/hook",
): Promise<{ webhookId: string; secret: string }> {
  const { webhook, secret } = await createWebhook(ctx, { storeId: store.id, url });
  return { webhookId: webhook.id, secret };
}

/** A payment row, as detection would have written it; `confirmed` stands in a block. */
export async function buildPayment(
  ctx: CommandContext,
  invoiceId: string,
  overrides: Partial<Payment> = {},
): Promise<Payment> {
  const txid = randomBytes(32).toString("hex");
  const now = await ctx.now(ctx.db.manager);
  const confirmed = overrides.state === "confirmed";
  const { storeId } = await ctx.db.manager.findOneByOrFail(Invoice, { id: invoiceId });
  const payment = ctx.db.manager.create(Payment, {
    id: `${txid}:0`,
    invoiceId,
    storeId,
    type: "BTC-CHAIN",
    amountSats: 100_000n,
    state: "pending",
    firstSeenAt: now,
    confirmedAt: confirmed ? now : null,
    txid,
    vout: 0,
    blockHeight: confirmed ? 100 : null,
    blockHash: confirmed ? "00".repeat(32) : null,
    ...overrides,
  });
  await ctx.db.manager.insert(Payment, payment);
  if (payment.type === "BTC-LN") await buildSettledBolt11(ctx, payment);
  return payment;
}

/** A review that ended with a refund, which was not read from the chain yet. */
export async function buildRefund(
  ctx: CommandContext,
  invoiceId: string,
  { refundSats, resolvedAt }: { refundSats: bigint; resolvedAt: Date },
): Promise<void> {
  const { storeId } = await ctx.db.manager.findOneByOrFail(Invoice, { id: invoiceId });
  await ctx.db.manager.insert(Review, {
    id: ctx.newId("rev"),
    storeId,
    invoiceId,
    reason: "overpaid",
    receivedSats: 0n,
    lastPaidAt: resolvedAt,
    createdAt: resolvedAt,
    resolvedAt,
    resolution: "refunded",
    refundType: "BTC-CHAIN",
    refundReference: "ab".repeat(32),
    refundSats,
    refundState: "unchecked",
  });
}

async function buildSettledBolt11(
  ctx: CommandContext,
  { id: paymentHash, invoiceId, amountSats, firstSeenAt }: Payment,
): Promise<void> {
  await ctx.db.manager.insert(Bolt11, {
    paymentHash,
    invoiceId,
    amountSats,
    preimage: randomBytes(32),
    state: "settled",
    createdAt: firstSeenAt,
    expiresAt: firstSeenAt,
  });
}

/** An open BOLT11 over the whole price, as it stands in the database after LND has answered. LND knows nothing of it. */
export async function buildOpenBolt11(ctx: CommandContext, invoiceId: string): Promise<string> {
  const { dueSats, createdAt, expiresAt } = await ctx.db.manager.findOneByOrFail(Invoice, { id: invoiceId });
  const paymentHash = randomBytes(32).toString("hex");
  const bolt11 = `lnbcrt${paymentHash}`;
  const mac = ctx.secrets.mac(bolt11Fields({ invoiceId, paymentHash, bolt11 }));
  await ctx.db.manager.insert(Bolt11, {
    paymentHash,
    invoiceId,
    amountSats: dueSats,
    preimage: randomBytes(32),
    state: "open",
    bolt11,
    mac,
    nodeKey: `02${"00".repeat(32)}`,
    createdAt,
    expiresAt,
  });
  await ctx.db.manager.insert(InvoicePaymentMethod, { invoiceId, type: "BTC-LN", destination: bolt11, mac });
  return bolt11;
}

export const PASSWORD = "seven unrelated giraffes";
/** Computed once a process: for each of hundreds of users it would take seconds. */
let passwordHash: Promise<string> | undefined;
let usersMade = 0;

/** Somebody who has come in once and chosen `PASSWORD`. */
export async function buildUser(
  ctx: CommandContext,
  { admin = false, email = `user${++usersMade}@example.com` }: { admin?: boolean; email?: string } = {},
): Promise<{ userId: string; email: string }> {
  const { userId, url } = await createUser(ctx, { email, admin });
  // The first user of a server would be an admin.
  await ctx.db.query("UPDATE users SET admin = $2 WHERE id = $1", [userId, admin]);
  await acceptRows(ctx);
  const hash = (): Promise<string> => (passwordHash ??= ctx.passwords.hash(PASSWORD));
  await useUserLink(
    { ...ctx, passwords: { ...ctx.passwords, hash } },
    {
      token: url.split("#").at(-1) ?? "",
      password: PASSWORD,
      origin: { ip: "192.0.2.1", userAgent: "" },
    },
  );
  return { userId, email };
}
