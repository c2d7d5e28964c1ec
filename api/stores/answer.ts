import { z } from "zod";
import { EXAMPLE_IDS, instant, storeId } from "../http/schemas/answer";

const satsText = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] });

export const storeAnswer = z
  .strictObject({
    storeId,
    name: z.string(),
    website: z.string().nullable(),
    supportUrl: z.string().nullable().meta({ description: "Where customers find help." }),
    defaultCurrency: z.string().meta({ description: "Of invoices that name none." }),
    expiresInSeconds: z.int(),
    monitoringSeconds: z
      .int()
      .meta({ description: "How long after its expiry an invoice is still changed by late payments." }),
    paymentTolerance: z
      .number()
      .meta({ description: "How much less than the price is enough, in per cent." }),
    requiredConfirmations: z.int().min(0).max(100),
    confirmationTiers: z
      .array(
        z.strictObject({
          aboveSats: satsText(
            "An invoice over more than this, in satoshi, needs `confirmations`.",
            10_000_000,
          ),
          confirmations: z.int().min(0).max(100),
        }),
      )
      .meta({ description: "The highest tier that a price exceeds decides." }),
    zeroConfMaxSats: satsText(
      "Up to this price 0 confirmations may be enough; null: never.",
      10_000,
    ).nullable(),
    redirectAutomatically: z.boolean(),
    privateRouteHints: z.boolean().meta({
      description: "BOLT11s name private channels of the Lightning node: for one that has no public channel.",
    }),
    lazyAddresses: z.boolean().meta({
      description:
        "An invoice takes its on-chain address when its page is first opened, or when the address is asked for by `activateOnchain`; one that nobody opens takes none. False: at creation.",
    }),
    rateSpread: z
      .number()
      .meta({ description: "Taken off the exchange rate, in per cent: the customer pays that much more." }),
    rateSources: z.array(z.string()).nullable().meta({ description: "Null: all that the server asks." }),
    branding: z.strictObject({
      logoUrl: z.string().nullable(),
      color: z
        .string()
        .nullable()
        .meta({ examples: ["#f7931a"] }),
    }),
    checkoutOrigins: z.array(z.string()).meta({
      description:
        "Websites whose pages may show the checkout in a frame, as `modal.js` does: exact origins, https on mainnet.",
      examples: [["https://shop.example"]],
    }),
    walletChangesByKey: z.boolean().meta({
      description:
        "API keys may replace and remove the store's wallet and move its `startIndex`. Only the dashboard changes it.",
    }),
    archived: z.boolean(),
    createdAt: instant(),
  })
  .meta({
    id: "Store",
    examples: [
      {
        storeId: EXAMPLE_IDS.storeId,
        name: "Tea shop",
        website: "https://shop.example",
        supportUrl: "mailto:help@shop.example",
        defaultCurrency: "EUR",
        expiresInSeconds: 900,
        monitoringSeconds: 86_400,
        paymentTolerance: 0,
        requiredConfirmations: 1,
        confirmationTiers: [{ aboveSats: 10_000_000, confirmations: 3 }],
        zeroConfMaxSats: null,
        redirectAutomatically: false,
        privateRouteHints: false,
        lazyAddresses: false,
        rateSpread: 0.5,
        rateSources: null,
        branding: { logoUrl: "https://shop.example/logo.svg", color: "#f7931a" },
        checkoutOrigins: ["https://shop.example"],
        walletChangesByKey: false,
        archived: false,
        createdAt: "2026-02-01T09:00:00.000Z",
      },
    ],
  });
