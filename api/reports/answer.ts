import { z } from "zod";
import { PERIOD_LENGTHS } from "../../domain/report/periods";
import { sats } from "../http/schemas/answer";

const count = z.int().min(0);
const day = z.iso.date();

const quantiles = z.strictObject({ median: count, p95: count }).nullable().meta({
  description: "In seconds; null without a Settled invoice. Of 100 invoices of each day at most, the newest.",
});

const figures = {
  received: z
    .strictObject({ onchainSats: sats, lightningSats: sats })
    .meta({ description: "Payments that were confirmed in the period." }),
  created: count.meta({
    description: "Invoices that were created in the period. All other figures are about these.",
  }),
  invoices: z
    .strictObject({ New: count, Processing: count, Settled: count, Expired: count, Invalid: count })
    .meta({ description: "By their present state." }),
  sold: z.array(z.strictObject({ currency: z.string(), amount: z.string(), sats })).meta({
    description: "The prices of the Settled invoices: a sum for each currency, and what was due in satoshi.",
  }),
  averageOrderSats: sats.nullable().meta({ description: "Of the Settled invoices; null without one." }),
  paidPercent: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({ description: "Settled, of those that are Settled, Expired or Invalid; null without one." }),
  late: count.meta({ description: "`PaidAfterExpiration`" }),
  partial: count.meta({ description: "`Underpaid`" }),
  secondsToPayment: quantiles,
  secondsToSettled: quantiles,
};

const EXAMPLE = {
  received: { onchainSats: 90_728, lightningSats: 25_000 },
  created: 3,
  invoices: { New: 0, Processing: 0, Settled: 2, Expired: 1, Invalid: 0 },
  sold: [{ currency: "EUR", amount: "63.65", sats: 115_728 }],
  averageOrderSats: 57_864,
  paidPercent: 66.7,
  late: 0,
  partial: 1,
  secondsToPayment: { median: 42, p95: 180 },
  secondsToSettled: { median: 45, p95: 660 },
};
const EXAMPLE_DAYS = { from: "2026-03-01", to: "2026-03-31" };

const period = z.strictObject({ from: day, to: day, ...figures });

export const reportAnswer = z
  .strictObject({
    from: day,
    to: day,
    by: z.enum(PERIOD_LENGTHS),
    timeZone: z.string(),
    totals: z.strictObject(figures),
    periods: z.array(period).meta({ description: "The oldest first, those without invoices too." }),
  })
  .meta({
    id: "Report",
    description:
      "What came in, and what became of the invoices, in a range of days and in each of its periods.",
    examples: [
      {
        ...EXAMPLE_DAYS,
        by: "month",
        timeZone: "Europe/Berlin",
        totals: EXAMPLE,
        periods: [{ ...EXAMPLE_DAYS, ...EXAMPLE }],
      },
    ],
  });
