import { z } from "zod";
import { MARKS } from "../../domain/invoice/status";
import { SPEED_POLICIES } from "../../domain/greenfield/speed-policy";
import { GREENFIELD_PAYMENT_STATUSES } from "../../domain/greenfield/payment";
import { GREENFIELD_ADDITIONAL_STATUSES, GREENFIELD_STATUSES } from "../../domain/greenfield/status";

/** Without an exponent: plugins calculate with its digits. */
const decimal = z.string().regex(/^\d+(?:\.\d+)?$/);
const btc = z.string().regex(/^\d+\.\d{8}$/);
const unixSeconds = z.int().nonnegative();

export const paymentMethodId = z.enum(["BTC-CHAIN", "BTC-LN"]);

export const invoiceAnswer = z.strictObject({
  id: z.string(),
  storeId: z.string(),
  type: z.literal("Standard"),
  status: z.enum(GREENFIELD_STATUSES),
  additionalStatus: z.enum(GREENFIELD_ADDITIONAL_STATUSES),
  amount: decimal,
  paidAmount: decimal,
  currency: z.string(),
  checkoutLink: z.url(),
  createdTime: unixSeconds,
  expirationTime: unixSeconds,
  monitoringExpiration: unixSeconds,
  archived: z.boolean(),
  availableStatusesForManualMarking: z.array(z.enum(MARKS)),
  metadata: z.looseObject({ orderId: z.string() }),
  checkout: z.strictObject({
    speedPolicy: z.enum(SPEED_POLICIES),
    paymentMethods: z.array(paymentMethodId),
    defaultPaymentMethod: z.null(),
    expirationMinutes: z.int(),
    monitoringMinutes: z.int(),
    paymentTolerance: z.number(),
    redirectURL: z.string().nullable(),
    redirectAutomatically: z.boolean(),
    defaultLanguage: z.string().nullable(),
    lazyPaymentMethods: z.boolean(),
  }),
  receipt: z.strictObject({ enabled: z.literal(false), showQR: z.null(), showPayments: z.null() }),
});

export const invoiceListAnswer = z.array(invoiceAnswer);

export const invoicePaymentMethodsAnswer = z.array(
  z.strictObject({
    paymentMethodId,
    currency: z.literal("BTC"),
    activated: z.boolean(),
    destination: z.string(),
    paymentLink: z.string(),
    rate: decimal,
    paymentMethodPaid: btc,
    totalPaid: btc,
    due: btc,
    amount: btc,
    paymentMethodFee: btc,
    payments: z.array(
      z.strictObject({
        id: z.string().regex(/^[0-9a-f]{64}(?:-\d+)?$/),
        receivedDate: unixSeconds,
        value: btc,
        fee: btc,
        status: z.enum(GREENFIELD_PAYMENT_STATUSES),
        destination: z.string(),
      }),
    ),
    additionalData: z.strictObject({}),
  }),
);
