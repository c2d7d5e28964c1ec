import { z } from "zod";
import { SPEED_POLICIES } from "../../domain/greenfield/speed-policy";
import { paymentMethodId } from "./invoice-answer";

export const storeAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  website: z.string(),
  defaultCurrency: z.string(),
  invoiceExpiration: z.int(),
  monitoringExpiration: z.int(),
  speedPolicy: z.enum(SPEED_POLICIES),
  paymentTolerance: z.number(),
  anyoneCanCreateInvoice: z.literal(false),
  requiresRefundEmail: z.literal(false),
  lightningAmountInSatoshi: z.literal(false),
  onChainWithLnInvoiceFallback: z.literal(true),
  redirectAutomatically: z.boolean(),
  defaultLang: z.literal("en"),
  networkFeeMode: z.literal("Never"),
  archived: z.boolean(),
});

export const storesAnswer = z.array(storeAnswer).length(1);

export const storePaymentMethodsAnswer = z.array(
  z.strictObject({ paymentMethodId, enabled: z.literal(true) }),
);

export const ratesAnswer = z.array(
  z.strictObject({
    currencyPair: z.string().regex(/^BTC_[A-Z]{3}$/),
    rate: z.string().regex(/^\d+(?:\.\d+)?$/),
    errors: z.array(z.never()),
  }),
);

export const fallbackRatesAnswer = z.strictObject({
  spread: z.literal("0"),
  preferredSource: z.literal("quittance"),
  isCustomScript: z.literal(false),
  effectiveScript: z.literal(""),
});
