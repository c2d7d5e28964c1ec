import { z } from "zod";
import { readRates } from "../../commands/stores/read-rates";
import { readStore } from "../../database/rows";
import { listPaymentMethods } from "../../commands/wallets/list-payment-methods";
import { speedPolicyOf } from "../../domain/greenfield/speed-policy";
import type { Store } from "../../entities/store";
import { withFieldsNamed } from "./errors";
import { flag, once, query } from "./request";
import { greenfieldRoute } from "./route";
import {
  fallbackRatesAnswer,
  ratesAnswer,
  storeAnswer,
  storePaymentMethodsAnswer,
  storesAnswer,
} from "./store-answer";

/** Each may cost a request to every source. */
const PAIRS_MAX = 10;
const PAIR = "Must be a pair such as BTC_EUR.";

const currencyPairs = z
  .array(
    z
      .string()
      .transform((pair) => pair.toUpperCase())
      .refine((pair) => /^BTC_[A-Z]{3}$/.test(pair), PAIR),
    PAIR,
  )
  .max(PAIRS_MAX, `At most ${PAIRS_MAX} pairs.`)
  .transform((pairs) => [...new Set(pairs)]);

export const storeRoutes = [
  greenfieldRoute({
    method: "get",
    path: "/stores",
    needs: "btcpay.store.canviewstoresettings",
    answer: storesAnswer,
    handle: async ({ ctx, caller: { storeId } }) => [presentStore(await readStore(ctx, storeId))],
  }),
  greenfieldRoute({
    method: "get",
    path: "/stores/:storeId",
    needs: "btcpay.store.canviewstoresettings",
    answer: storeAnswer,
    handle: async ({ ctx, params: { storeId } }) => presentStore(await readStore(ctx, storeId)),
  }),
  greenfieldRoute({
    method: "get",
    path: "/stores/:storeId/payment-methods",
    needs: "btcpay.store.canviewstoresettings",
    query: query({ enabled: once(flag).optional() }),
    answer: storePaymentMethodsAnswer,
    async handle({ ctx, params: { storeId }, query: { enabled = true } }) {
      const methods = await listPaymentMethods(ctx, storeId);
      return enabled ? methods.map(({ type }) => ({ paymentMethodId: type, enabled: true })) : [];
    },
  }),
  // A path may name no store but the key's.
  ...(["/stores/:storeId/rates", "/rates"] as const).map((path) =>
    greenfieldRoute({
      method: "get",
      path,
      needs: "btcpay.store.canviewstoresettings",
      query: query({ currencyPair: currencyPairs }),
      answer: ratesAnswer,
      async handle({ ctx, caller: { storeId }, query: { currencyPair: pairs } }) {
        const currencies = pairs.map((pair) => pair.slice("BTC_".length));
        const rates = await withFieldsNamed({ "/currencies": "/currencyPair" }, () =>
          readRates(ctx, storeId, currencies),
        );
        return rates.map(({ currency, value }) => ({
          currencyPair: `BTC_${currency}`,
          rate: value,
          errors: [],
        }));
      },
    }),
  ),
  // PrestaShop asks for a second source: a price here is the median of several.
  greenfieldRoute({
    method: "get",
    path: "/stores/:storeId/rates/configuration/fallback",
    needs: "btcpay.store.canviewstoresettings",
    answer: fallbackRatesAnswer,
    handle: () =>
      Promise.resolve({
        spread: "0",
        preferredSource: "quittance",
        isCustomScript: false,
        effectiveScript: "",
      }),
  }),
];

function presentStore(store: Store) {
  return {
    id: store.id,
    name: store.name,
    website: store.website ?? "",
    defaultCurrency: store.defaultCurrency,
    invoiceExpiration: store.expiresInSeconds,
    monitoringExpiration: store.monitoringSeconds,
    speedPolicy: speedPolicyOf(store.requiredConfirmations),
    paymentTolerance: Number(store.paymentTolerance),
    anyoneCanCreateInvoice: false,
    requiresRefundEmail: false,
    lightningAmountInSatoshi: false,
    onChainWithLnInvoiceFallback: true,
    redirectAutomatically: store.redirectAutomatically,
    defaultLang: "en",
    networkFeeMode: "Never",
    archived: store.archivedAt !== null,
  };
}
