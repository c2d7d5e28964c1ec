import { setTimeout as pause } from "node:timers/promises";
import type Router from "@koa/router";
import type { Middleware } from "koa";
import { TestCustomerError, type TestCustomer } from "../../adapters/http/test-customer";
import type { CommandContext } from "../../commands/context";
import { createInvoice } from "../../commands/invoices/create-invoice";
import { expireTestInvoice } from "../../commands/invoices/expire-test-invoice";
import { readCheckout, type CheckoutFacts } from "../../commands/invoices/read-checkout";
import { DomainError } from "../../domain/errors";
import { remainingSats } from "../../domain/invoice/sums";
import type { PaymentMethodType } from "../../domain/invoice/status";
import type { CheckoutParts } from "./parts";
import { sameSite } from "../http/middleware/same-site";
import type { ApiState } from "../http/state";
import { phaseOf } from "../../domain/invoice/phase";
import { makesSense, TEST_ACTIONS, type TestAction } from "./page/test-panel";
import { contextOf } from "../http/for-request";

export const testCustomerOf = ({ network, testCustomer }: CheckoutParts): TestCustomer | null =>
  network === "regtest" ? testCustomer : null;

interface Press {
  ctx: CommandContext;
  customer: TestCustomer;
  facts: CheckoutFacts;
}

class PressRefusal extends Error {
  override readonly name = "PressRefusal";
}

/** The page shows the payment before it vanishes. */
const PAYMENT_SHOWN_MS = 5_000;
/** A node reports whole seconds: within the expiry's second it would be in time. */
const LATE_MS = 1_100;
const ANOTHER_SECONDS = 3_600;

function destination({ facts }: Press, type: PaymentMethodType, none: string): string {
  const found = facts.view.methods.find((method) => method.type === type)?.destination;
  if (!found) throw new PressRefusal(none);
  return found;
}

const address = (press: Press): string =>
  destination(press, "BTC-CHAIN", "This invoice has no Bitcoin address.");

function restOf({ facts: { view } }: Press): bigint {
  const rest = remainingSats(view.invoice);
  if (rest === 0n) throw new PressRefusal("There is nothing left to pay.");
  return rest;
}

async function payRest(press: Press): Promise<void> {
  await press.customer.pay(address(press), restOf(press));
}

async function payLate(press: Press): Promise<void> {
  const { now, view } = press.facts;
  await pause(Math.max(0, view.invoice.expiresAt.getTime() + LATE_MS - now.getTime()));
  await payRest(press);
}

/** Pays first, if there is no payment. */
async function doubleSpend(press: Press): Promise<void> {
  const to = address(press);
  if (press.facts.view.invoice.paidSats === 0n) {
    await press.customer.pay(to, restOf(press));
    await pause(PAYMENT_SHOWN_MS);
  }
  await press.customer.doubleSpend(to);
  // After the expiry a conflict counts only in a block, or after ten minutes.
  const { now, view } = press.facts;
  if (now >= view.invoice.expiresAt) await press.customer.mine(1);
}

const ACTS: Readonly<Record<Exclude<TestAction, "another">, (press: Press) => Promise<void>>> = {
  full: payRest,
  half: async (press) =>
    void (await press.customer.pay(address(press), press.facts.view.invoice.dueSats / 2n)),
  "too-much": async (press) => {
    const excess = press.facts.view.invoice.dueSats / 5n + 1n;
    await press.customer.pay(address(press), restOf(press) + excess);
  },
  lightning: async (press) => {
    const bolt11 = destination(press, "BTC-LN", "This invoice has no BOLT11 now.");
    await press.customer.payBolt11(bolt11);
  },
  "double-spend": doubleSpend,
  mine: ({ customer }) => customer.mine(1),
  expire: ({ ctx, facts }) => expireTestInvoice(ctx, facts.view.invoice.id),
  late: payLate,
};

/** Same price and store; returns its id. */
async function another({ ctx, facts: { view } }: Press): Promise<string> {
  const { storeId, amount, currency, metadata, description, language, redirectUrl } = view.invoice;
  const made = await createInvoice(ctx, storeId, {
    amount,
    currency,
    metadataJson: metadata,
    expiresInSeconds: ANOTHER_SECONDS,
    ...(description === null ? {} : { description }),
    ...(language === null ? {} : { language }),
    ...(redirectUrl === null ? {} : { redirectUrl }),
  });
  return made.invoice.id;
}

async function act(press: Press, action: Exclude<TestAction, "another">): Promise<void> {
  if (!makesSense(action, phaseOf(press.facts.view.invoice, press.facts.now)))
    throw new PressRefusal("The invoice has changed in the meantime, so this is no longer possible.");
  await ACTS[action](press);
}

/** For the page; null for any other error. */
function reasonOf(error: unknown): string | null {
  if (error instanceof PressRefusal || error instanceof TestCustomerError) return error.message;
  const passedOn = error instanceof DomainError && !["invoice-not-found", "unavailable"].includes(error.code);
  return passedOn ? error.message : null;
}

interface Around {
  base: string;
  before: Middleware<ApiState>[];
}

/** `POST /i/{invoiceId}/test/{action}`: 303 to another invoice, else 204; 422 with `{"reason"}`. */
export function addTestActions(router: Router<ApiState>, parts: CheckoutParts, around: Around): void {
  const customer = testCustomerOf(parts);
  if (customer === null) return;
  const ownPage = sameSite(new URL(parts.publicUrl).origin);
  router.post("/i/:invoiceId/test/:action", ...around.before, ownPage, async (koa) => {
    const ctx = contextOf(parts);
    const action = TEST_ACTIONS.find((name) => name === koa.params.action);
    if (action === undefined) throw new DomainError("route-not-found", "Unknown action.");
    try {
      const facts = await readCheckout(ctx, koa.params.invoiceId ?? "");
      const press = { ctx, customer, facts };
      if (action === "another") {
        koa.status = 303;
        koa.redirect(`${around.base}i/${await another(press)}${koa.search}`);
      } else {
        await act(press, action);
        koa.status = 204; // the page is notified of changes
      }
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      koa.status = 422;
      koa.body = { reason };
    }
  });
}
