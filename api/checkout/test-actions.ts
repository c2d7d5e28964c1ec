import { setTimeout as pause } from "node:timers/promises";
import type Router from "@koa/router";
import type { Context, Middleware } from "koa";
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
import type { Html } from "../http/html";
import { chooseLanguage } from "../../domain/languages/language";
import { phaseOf } from "../../domain/invoice/phase";
import { versionOf } from "./state";
import { makesSense, TEST_ACTIONS, testRefusal, type TestAction } from "./page/test-panel";
import { checkoutView } from "./view";
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

const SHOWN_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 150;
/** A block settles an invoice a little later. */
const QUIET_MS = 600;
/** Shown before it vanishes. */
const PAYMENT_SHOWN_MS = 3_000;
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
    await untilShown(press);
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

const shown = (facts: CheckoutFacts): string => versionOf(checkoutView(facts), chooseLanguage(["en"]));

/** The next page shows the effect, unless that takes long. */
async function untilShown({ ctx, facts }: Press): Promise<void> {
  const before = shown(facts);
  let last = before;
  let quietMs = 0;
  for (let waited = 0; waited < SHOWN_WITHIN_MS && quietMs < QUIET_MS; waited += LOOK_AGAIN_MS) {
    await pause(LOOK_AGAIN_MS);
    const now = shown(await readCheckout(ctx, facts.view.invoice.id));
    quietMs = now === last && now !== before ? quietMs + LOOK_AGAIN_MS : 0;
    last = now;
  }
}

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

/** Returns the invoice to be shown next. */
async function act(press: Press, action: TestAction): Promise<string> {
  const { invoice } = press.facts.view;
  if (action === "another") return another(press);
  if (!makesSense(action, phaseOf(invoice, press.facts.now)))
    throw new PressRefusal("The invoice has changed in the meantime, so this is no longer possible.");
  await ACTS[action](press);
  return invoice.id;
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
  show: (koa: Context, title: string, body: Html) => void;
}

/**
 * `POST /i/{invoiceId}/test/{action}`: a form gets 303, or a page with the reason; a script 204, or 422 with
 * `{"reason"}`.
 */
export function addTestActions(router: Router<ApiState>, parts: CheckoutParts, around: Around): void {
  const customer = testCustomerOf(parts);
  if (customer === null) return;
  const ownPage = sameSite(new URL(parts.publicUrl).origin);
  router.post("/i/:invoiceId/test/:action", ...around.before, ownPage, async (koa) => {
    const ctx = contextOf(parts);
    const action = TEST_ACTIONS.find((name) => name === koa.params.action);
    if (action === undefined) throw new DomainError("route-not-found", "Unknown action.");
    const invoiceId = koa.params.invoiceId ?? "";
    const page = (id: string): string => `${around.base}i/${id}${koa.search}`;
    const byScript = koa.accepts("html", "json") === "json";
    try {
      const facts = await readCheckout(ctx, invoiceId);
      const press = { ctx, customer, facts };
      const next = await act(press, action);
      koa.status = byScript ? 204 : 303;
      if (byScript) return; // its page is notified of changes
      if (next === invoiceId) await untilShown(press);
      koa.redirect(page(next));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      koa.status = 422;
      const title = "That did not work";
      if (byScript) koa.body = { reason };
      else around.show(koa, title, testRefusal(title, reason, page(invoiceId)));
    }
  });
}
