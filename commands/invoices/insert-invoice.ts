import { groupBy } from "../../domain/group-by";
import { created } from "../../domain/invoice/decide";
import type { WITHOUT_ADDRESS } from "../../domain/invoice/method-reason";
import type { MethodReason } from "../../domain/invoice/method-reason";
import { Invoice } from "../../entities/invoice";
import { InvoiceHistory } from "../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { allocateAddresses } from "../wallets/allocate-address";
import { addressFields, type StoredAddress } from "../wallets/destination-macs";
import { type FirstBolt11, giveOutBolt11s } from "../lightning/first-bolt11";
import { insertRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
import type { InvoiceView } from "./read-invoice";
import type { OpenedWallet } from "../wallets/wallet-link";
import { NOTHING_BEFORE } from "../../domain/webhook/dialect";
import { readSubscribers } from "../webhooks/queries";
import { writeEvents } from "../webhooks/write-event";
import type { Tx } from "../transaction";

export type Draft = Omit<
  Invoice,
  "createdAt" | "expiresAt" | "monitoringUntil" | "decideAt" | "expiryHeld"
> & {
  expiresInSeconds: number;
  monitoringSeconds: number;
};

export interface NewInvoice {
  draft: Draft;
  onchain: boolean;
  /** Null also if the address is allocated when the customer opens the page. */
  wallet: OpenedWallet | null;
  bolt11: FirstBolt11 | null;
}

/**
 * With payment methods, `New` events and deliveries, a statement for each table. Addresses come last: from then on
 * others wait for their wallets.
 */
export async function insertInvoices(tx: Tx, asked: readonly NewInvoice[]): Promise<InvoiceView[]> {
  const now = await tx.now();
  const lightningOf = await lightningMethods(tx, asked);
  const invoices = asked.map(({ draft }) => invoiceOf(draft, now));
  const ids = invoices.map(({ id }) => id);
  const [, { rows: subscribers }] = await pipelined(
    insertRows(tx.manager, { into: Invoice, rows: invoices }),
    readSubscribers(tx.manager, ids),
  );
  const events = invoices.flatMap((invoice) =>
    NEW === null ? [] : [{ invoice, event: NEW, circumstances: () => Promise.resolve(NOTHING_BEFORE) }],
  );
  await pipelined(
    writeEvents(tx, events, subscribers),
    insertRows(tx.manager, { into: InvoiceHistory, rows: invoices.map(historyOf) }),
  );
  const addressOf = await allocateAddresses(
    tx,
    asked.flatMap(({ draft: { id: invoiceId }, wallet }) => (wallet === null ? [] : [{ invoiceId, wallet }])),
  );
  const methods = asked.flatMap(({ draft, draft: { id }, onchain }) => [
    ...(onchain ? [onchainMethod(tx, id, addressOf.get(id), whenGiven(draft, lightningOf.get(id)))] : []),
    ...(lightningOf.get(id) ?? []),
  ]);
  await insertRows(tx.manager, { into: InvoicePaymentMethod, rows: methods });
  const methodsOf = groupBy(methods, ({ invoiceId }) => invoiceId);
  return invoices.map((invoice) => {
    const shown = (methodsOf.get(invoice.id) ?? []).map(({ mac: _, ...method }) => method);
    return { invoice, methods: shown, payments: [], paymentsOmitted: 0, tipHeight: null };
  });
}

function invoiceOf(draft: Draft, createdAt: Date): Invoice {
  const expiresAt = new Date(createdAt.getTime() + draft.expiresInSeconds * 1_000);
  const monitoringUntil = new Date(expiresAt.getTime() + draft.monitoringSeconds * 1_000);
  return { ...draft, createdAt, expiresAt, monitoringUntil, decideAt: expiresAt, expiryHeld: false };
}

async function lightningMethods(
  tx: Tx,
  asked: readonly NewInvoice[],
): Promise<Map<string, InvoicePaymentMethod[]>> {
  const bolt11s = asked.flatMap(({ draft: { id: invoiceId }, bolt11 }) =>
    bolt11 === null ? [] : [{ ...bolt11, invoiceId }],
  );
  return groupBy(await giveOutBolt11s(tx, bolt11s), ({ invoiceId }) => invoiceId);
}

const { event: NEW, ...FIRST_STATE } = created();

function historyOf({ id: invoiceId, createdAt }: Invoice): Omit<InvoiceHistory, "id"> {
  const { row, status, additionalStatus, reason } = FIRST_STATE;
  return { invoiceId, at: createdAt, kind: "status", details: { row, status, additionalStatus, reason } };
}

/** At a payment link anyone may create invoices: where Lightning serves, they use up no addresses of the wallet. */
function whenGiven(
  { paymentLinkId }: Draft,
  lightning: readonly InvoicePaymentMethod[] = [],
): (typeof WITHOUT_ADDRESS)[number] {
  const mayChoose = paymentLinkId !== null && lightning.some(({ available }) => available);
  return mayChoose ? "not-chosen" : "not-activated";
}

function onchainMethod(
  { secrets }: Tx,
  invoiceId: string,
  stored: StoredAddress | undefined,
  whenLater: MethodReason,
): InvoicePaymentMethod {
  return {
    invoiceId,
    type: "BTC-CHAIN",
    destination: stored?.address ?? null,
    mac: stored === undefined ? null : secrets.mac(addressFields(stored)),
    available: stored !== undefined,
    reason: stored === undefined ? whenLater : null,
  };
}
