import { z } from "zod";
import { CHOICES_MAX } from "../../domain/payment-link/terms";
import { DECIMAL, MAX_AMOUNT_LENGTH } from "../../domain/money/money";
import { text, time, webUrl, wholeNumber } from "../http/schemas/text";

const MOST = 10_000;

const description = text(200)
  .refine((value) => value.trim() !== "", "Must not be empty.")
  .meta({ description: "What is paid for. Shown to the customer, and the description of each invoice." });

const amount = z
  .string('Must be a decimal string such as "12.50".')
  .meta({ pattern: DECIMAL.source, maxLength: MAX_AMOUNT_LENGTH });

/** The command checks them together. */
const fields = {
  amounts: z
    .array(amount, "Must be a list.")
    .max(CHOICES_MAX, `Must name at most ${CHOICES_MAX} amounts.`)
    .nullable()
    .exactOptional()
    .meta({ description: "One is a fixed price, several are a choice. `null`: the customer enters one." }),
  minAmount: amount
    .nullable()
    .exactOptional()
    .meta({ description: "With `maxAmount`: the least that a customer may enter." }),
  maxAmount: amount.nullable().exactOptional().meta({ description: "The most that a customer may enter." }),
  redirectUrl: webUrl.nullable().exactOptional().meta({
    description:
      "Where the customer goes after the checkout. `{invoiceId}` and `{orderId}` are replaced. Default: nowhere; where the customer enters the amount, back to the link.",
  }),
  maxUses: wholeNumber(1, MOST)
    .nullable()
    .exactOptional()
    .meta({ description: "How many invoices may be open or paid. Default: no limit." }),
  endsAt: time
    .transform((at) => new Date(at))
    .nullable()
    .exactOptional()
    .meta({ description: "From then on the link takes no payments. Default: it does not end." }),
};

const maxPerDay = wholeNumber(1, MOST).meta({
  description:
    "How many invoices may be created in a day of the store's `timeZone`, paid or not. Default: 1,000.",
});

export const createPaymentLinkBody = z
  .strictObject({
    description,
    currency: z
      .string("Must be a string.")
      .transform((code) => code.toUpperCase())
      .meta({ pattern: "^[A-Za-z]{3,4}$", description: "`BTC`, `SATS` or an ISO 4217 code." }),
    ...fields,
    maxPerDay: maxPerDay.default(1_000),
    orderPrefix: text(40).exactOptional().meta({
      description: "An invoice's order id is this and its number. Default: the end of the link's id and `-`.",
    }),
  })
  .meta({
    id: "CreatePaymentLink",
    examples: [
      { description: "A pound of tea", currency: "EUR", amounts: ["12.50"], maxUses: 20 },
      {
        description: "Donation",
        currency: "EUR",
        amounts: ["5", "10", "25"],
        endsAt: "2099-12-31T23:59:59Z",
      },
      {
        description: "At the till",
        currency: "EUR",
        minAmount: "0.50",
        maxAmount: "500",
        orderPrefix: "till-",
      },
    ],
  });

export const changePaymentLinkBody = z
  .strictObject({ description: description.exactOptional(), ...fields, maxPerDay: maxPerDay.exactOptional() })
  .meta({
    id: "ChangePaymentLink",
    examples: [{ description: "Two pounds of tea", amounts: ["25"], maxUses: null }, { maxPerDay: 100 }],
  });
