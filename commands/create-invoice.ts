import { type EntityManager, QueryFailedError } from "typeorm";
import { deriveAddress } from "../domain/chain/derive-address";
import { dustLimitSats } from "../domain/chain/dust";
import { DomainError, invalidField } from "../domain/errors";
import { requiredConfirmations } from "../domain/invoice/confirmations-required";
import { created } from "../domain/invoice/decide";
import { withOrderId } from "../domain/invoice/metadata";
import { dueSats, minDueSats } from "../domain/invoice/pricing";
import type { PaymentMethodType } from "../domain/invoice/status";
import { isFiat } from "../domain/currencies";
import { parseAmount } from "../domain/money";
import { Derivation } from "../entities/derivation";
import { Invoice, type InvoiceRate } from "../entities/invoice";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Store } from "../entities/store";
import { StorePaymentMethod } from "../entities/store-payment-method";
import { WatchedScript } from "../entities/watched-script";
import type { CommandContext } from "./context";
import type { InvoiceView } from "./read-invoice";
import { storeRate } from "./store-rate";
import { writeEvent } from "./write-event";

/** What a merchant asks for. What is left out comes from the store. */
export interface CreateInvoiceInput {
  /** Decimal string in `currency`. */
  amount: string;
  /** `BTC`, `SATS` or ISO 4217. */
  currency?: string;
  /** JSON text of an object, exactly as sent; `orderId` in it is a string. */
  metadataJson?: string;
  redirectUrl?: string;
  redirectAutomatically?: boolean;
  description?: string;
  expiresInSeconds?: number;
  monitoringSeconds?: number;
  requiredConfirmations?: number;
  /** Percent, decimal string. */
  paymentTolerance?: string;
  paymentMethods?: readonly PaymentMethodType[];
  language?: string;
}

interface Price {
  amount: string;
  currency: string;
  rate: InvoiceRate | null;
  dueSats: bigint;
}

interface Address {
  derivationId: string;
  addressIndex: number;
  address: string;
  scriptPubKey: Buffer;
}

/** What else belongs into the invoice's transaction. It may run again with another address. */
export type AlsoWrite = (manager: EntityManager, view: InvoiceView) => Promise<void>;

/**
 * Creates an invoice with a fresh address and its `New` event, in one transaction.
 * @throws DomainError `store-not-found`; `validation-failed` at the field that is wrong; `rate-unavailable`.
 */
export async function createInvoice(
  ctx: CommandContext,
  storeId: string,
  input: CreateInvoiceInput,
  alsoWrite?: AlsoWrite,
): Promise<InvoiceView> {
  const store = await ctx.db.manager.findOneBy(Store, { id: storeId });
  if (!store) throw new DomainError("store-not-found", "There is no such store.");
  const price = await priceOf(ctx, store, input);
  const derivation = await receivingDerivation(ctx, store, price.dueSats, input.paymentMethods);
  const draft = draftOf(ctx, store, input, price);
  const { view, deliveryIds } = await insertWithFreshAddress(ctx, derivation, async (manager, address) => {
    const made = await insertInvoice(manager, ctx, draft, address);
    await alsoWrite?.(manager, made.view);
    return made;
  });
  // Side by side: while the queue is away each waits for its own deadline.
  await Promise.all([
    ctx.enqueue(
      "webhook-delivery",
      deliveryIds.map((deliveryId) => ({ deliveryId, attempt: 1 })),
    ),
    ctx.enqueue("invoice-expiry", [{ invoiceId: draft.id }], { delayMs: draft.expiresInSeconds * 1_000 }),
  ]);
  return view;
}

async function priceOf(ctx: CommandContext, store: Store, input: CreateInvoiceInput): Promise<Price> {
  const { amount, currency = store.defaultCurrency } = input;
  parseAmount(amount, currency); // a wrong amount is told even while rates are away
  if (!isFiat(currency)) return { amount, currency, rate: null, dueSats: dueSats(amount, currency, null) };
  const { value, sources, at, spread } = await storeRate(ctx, store, currency);
  return {
    amount,
    currency,
    rate: { value, sources, at, spread },
    dueSats: dueSats(amount, currency, value),
  };
}

/** The derivation that the invoice's address comes from. A due below dust leaves the on-chain method out. */
async function receivingDerivation(
  ctx: CommandContext,
  store: Store,
  due: bigint,
  wanted: readonly PaymentMethodType[] | undefined,
): Promise<Derivation> {
  const methods = await ctx.db.manager.findBy(StorePaymentMethod, { storeId: store.id });
  const offered = methods.map((method) => method.type);
  const missing = wanted?.find((type) => !offered.includes(type));
  if (missing) throw invalidField("/paymentMethods", `This store does not offer ${missing}.`);
  const onChain = methods.find((method) => method.type === "BTC-CHAIN");
  if (!onChain?.derivationId || wanted?.includes("BTC-CHAIN") === false)
    throw invalidField(
      "/paymentMethods",
      "This store has no payment method for the invoice: set up a wallet for BTC-CHAIN first.",
    );
  const derivation = await ctx.db.manager.findOneByOrFail(Derivation, { id: onChain.derivationId });
  const dust = dustLimitSats(deriveAddress(derivation, 0, ctx.settings.network).scriptPubKey);
  if (due < dust)
    throw invalidField(
      "/amount",
      `The price is ${due} sats. An on-chain payment below ${dust} sats is dust that nodes do not relay, and the store has no other payment method.`,
    );
  return derivation;
}

type Draft = Omit<Invoice, "createdAt" | "expiresAt" | "monitoringUntil" | "decideAt"> & {
  expiresInSeconds: number;
  monitoringSeconds: number;
};

function draftOf(ctx: CommandContext, store: Store, input: CreateInvoiceInput, price: Price): Draft {
  const id = ctx.newId("inv");
  const metadata = withOrderId(input.metadataJson ?? "{}", id);
  const paymentTolerance = input.paymentTolerance ?? store.paymentTolerance;
  return {
    ...price,
    id,
    storeId: store.id,
    status: "New",
    additionalStatus: "None",
    markedByHand: null,
    markNote: null,
    minDueSats: minDueSats(price.dueSats, paymentTolerance),
    paidSats: 0n,
    confirmedSats: 0n,
    metadata,
    orderId: (JSON.parse(metadata) as { orderId: string }).orderId,
    redirectUrl: input.redirectUrl ?? null,
    redirectAutomatically: input.redirectAutomatically ?? store.redirectAutomatically,
    description: input.description ?? null,
    language: input.language ?? null,
    paymentTolerance,
    requiredConfirmations: requiredConfirmations(input.requiredConfirmations ?? null, store, price.dueSats),
    archivedAt: null,
    expiresInSeconds: input.expiresInSeconds ?? store.expiresInSeconds,
    monitoringSeconds: input.monitoringSeconds ?? store.monitoringSeconds,
  };
}

interface Inserted {
  view: InvoiceView;
  deliveryIds: string[];
}

/** How many addresses in a row may turn out to be taken (a backup was restored) before somebody has to look. */
const TAKEN_ADDRESSES_MAX = 100;

async function insertWithFreshAddress(
  ctx: CommandContext,
  derivation: Derivation,
  insert: (manager: EntityManager, address: Address) => Promise<Inserted>,
): Promise<Inserted> {
  for (let taken = 0; ; taken += 1) {
    const address = await nextAddress(ctx, derivation);
    try {
      return await ctx.db.transaction((manager) => insert(manager, address));
    } catch (error) {
      if (!isTakenAddress(error) || taken === TAKEN_ADDRESSES_MAX) throw error;
      ctx.log.warn(
        { derivationId: derivation.id, addressIndex: address.addressIndex },
        "address is taken already; going on to the next",
      );
    }
  }
}

/** Takes the derivation's next index in a statement of its own: no lock waits for a commit, and a crash leaves a hole, never a second use. */
async function nextAddress(ctx: CommandContext, derivation: Derivation): Promise<Address> {
  const [rows] = await ctx.db.query<[{ index: number }[], number]>(
    `UPDATE derivations SET next_index = next_index + 1 WHERE id = $1 RETURNING next_index - 1 AS index`,
    [derivation.id],
  );
  const addressIndex = rows[0]?.index;
  if (addressIndex === undefined) throw new Error(`derivation ${derivation.id} is gone`);
  const { address, scriptPubKey } = deriveAddress(derivation, addressIndex, ctx.settings.network);
  return { derivationId: derivation.id, addressIndex, address, scriptPubKey };
}

function isTakenAddress(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, table } = error.driverError as { code?: string; table?: string };
  return code === "23505" && table === "watched_scripts";
}

async function insertInvoice(
  manager: EntityManager,
  ctx: CommandContext,
  draft: Draft,
  { address, ...script }: Address,
): Promise<Inserted> {
  const { expiresInSeconds, monitoringSeconds, ...fields } = draft;
  await manager.insert(WatchedScript, { ...script, invoiceId: draft.id });
  const createdAt = await ctx.now(manager);
  const expiresAt = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
  const monitoringUntil = new Date(expiresAt.getTime() + monitoringSeconds * 1_000);
  const invoice = manager.create(Invoice, {
    ...fields,
    createdAt,
    expiresAt,
    monitoringUntil,
    decideAt: expiresAt,
  });
  // Else TypeORM would put the columns with defaults back into the entity as the driver's text, past their transformers.
  await manager.createQueryBuilder().insert().into(Invoice).values(invoice).updateEntity(false).execute();
  const method = manager.create(InvoicePaymentMethod, {
    invoiceId: invoice.id,
    type: "BTC-CHAIN",
    destination: address,
    available: true,
    reason: null,
  });
  await manager.insert(InvoicePaymentMethod, method);
  const { row, status, additionalStatus, reason, event } = created();
  await manager.insert(InvoiceHistory, {
    invoiceId: invoice.id,
    at: createdAt,
    kind: "status",
    details: { row, status, additionalStatus, reason },
  });
  const deliveryIds = event ? await writeEvent(manager, ctx, invoice, event, createdAt) : [];
  return { view: { invoice, methods: [method], payments: [], tipHeight: null }, deliveryIds };
}
