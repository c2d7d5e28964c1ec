import { setTimeout as pause } from "node:timers/promises";
import { chainAddress, type StoreApi } from "./api";
import type { ChainCustomer } from "./customer-door";
import { FAILS_ONCE, type WebhookEvent } from "./receiver";

const PRICE_SATS = 40_000n;
const SHORTEST_SECONDS = 30;
const LONGEST_SECONDS = 2_592_000;
/** So many that it stays Processing while it is watched. */
const MOST_CONFIRMATIONS = 100;
const LOOK_AGAIN_MS = 2_000;
const PREFIX = "example-";

/** Whether an event is of one of these, which come by the dozen and not for the terminal. */
export function isExample({ metadata: { orderId } }: WebhookEvent): boolean {
  return typeof orderId === "string" && orderId.startsWith(PREFIX);
}

/**
 * Invoices in every state, for the dashboard. Safe to interrupt: the next run creates only what is missing. Without a
 * customer those that need a payment stay unpaid.
 */
export async function makeExamples(api: StoreApi, customer: ChainCustomer | null): Promise<void> {
  const make = async (orderId: string, options: object = {}): Promise<string> =>
    (await api.createInvoice(PRICE_SATS, orderId, { key: orderId, ...options })).invoiceId;
  const pay = async (invoiceId: string, sats: bigint): Promise<void> => {
    const invoice = await api.readInvoice(invoiceId);
    if (invoice.paidSats === 0) await customer?.pay(chainAddress(invoice), sats);
  };
  const soon = { expiresInSeconds: SHORTEST_SECONDS };
  const late = await make(`${PREFIX}paid-late`, soon);
  await make(`${PREFIX}unpaid`, soon);
  await pay(await make(`${PREFIX}underpaid`, soon), PRICE_SATS / 4n);
  await pay(await make(FAILS_ONCE), PRICE_SATS + 5_000n);
  const slow = { requiredConfirmations: MOST_CONFIRMATIONS };
  await pay(await make(`${PREFIX}processing`, slow), PRICE_SATS);
  await make(`${PREFIX}new`, { expiresInSeconds: LONGEST_SECONDS });
  const invalid = await make(`${PREFIX}invalid`);
  if ((await api.readInvoice(invalid)).status !== "Invalid")
    await api.markInvalid(invalid, "The customer called the order off.");
  while ((await api.readInvoice(late)).status === "New") await pause(LOOK_AGAIN_MS);
  await pay(late, PRICE_SATS);
}
