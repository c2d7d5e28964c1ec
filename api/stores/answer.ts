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
    supportUrl: z.string().nullable().meta({ description: "Where customers get help." }),
    sellerDetails: z
      .string()
      .nullable()
      .meta({ description: "The seller's address, tax number and the like, in lines: shown on receipts." }),
    defaultCurrency: z.string().meta({ description: "The currency of invoices created without one." }),
    timeZone: z.string().meta({
      description:
        "IANA name. Books, reports, summaries, payment links and the home page count days and months in it.",
    }),
    effectiveTimeZone: z.string().meta({
      description:
        "`timeZone`; UTC if the server's version of Node does not know it, until you choose another or the server is updated.",
    }),
    expiresInSeconds: z.int(),
    monitoringSeconds: z
      .int()
      .meta({ description: "How long after its expiry late payments still change an invoice." }),
    paymentTolerance: z
      .number()
      .meta({ description: "How much less than the price is accepted, in per cent." }),
    requiredConfirmations: z.int().min(0).max(100),
    confirmationTiers: z
      .array(
        z.strictObject({
          aboveSats: satsText("An invoice of more than this, in satoshi, needs `confirmations`.", 10_000_000),
          confirmations: z.int().min(0).max(100),
        }),
      )
      .meta({ description: "The highest tier that the price exceeds applies." }),
    zeroConfMaxSats: satsText(
      "Up to this price 0 confirmations can be enough; null: never.",
      10_000,
    ).nullable(),
    maxInvoiceSats: satsText(
      "A larger price, in satoshi at the invoice's rate, is refused with 422 at `/amount`; null: no limit.",
      100_000_000,
    ).nullable(),
    redirectAutomatically: z.boolean(),
    receiptsByMail: z.boolean().meta({
      description:
        "Whether customers can ask for a receipt by mail on the checkout. The server needs a mail server.",
    }),
    privateRouteHints: z.boolean().meta({
      description:
        "Whether BOLT11s include route hints for the Lightning node's private channels: for a node without public channels.",
    }),
    lazyAddresses: z.boolean().meta({
      description:
        "Whether an invoice gets its on-chain address only when its checkout is first opened or `activateOnchain` is called; an invoice that nobody opens uses none. False: at creation.",
    }),
    rateSpread: z.number().meta({
      description: "Subtracted from the exchange rate, in per cent: the customer pays that much more.",
    }),
    rateSources: z.array(z.string()).nullable().meta({ description: "Null: all of the server's sources." }),
    branding: z.strictObject({
      logoUrl: z.string().nullable(),
      color: z
        .string()
        .nullable()
        .meta({ examples: ["#f7931a"] }),
    }),
    checkoutOrigins: z.array(z.string()).meta({
      description:
        "Websites that may show the checkout in a frame, as `modal.js` does: exact origins, https on mainnet.",
      examples: [["https://shop.example"]],
    }),
    walletChangesByKey: z.boolean().meta({
      description:
        "Whether API keys may replace and remove the store's wallet and change its `startIndex`. It can only be changed in the dashboard.",
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
        sellerDetails: "Tea shop Ltd\n1 Harbour Road, Dublin\nVAT IE1234567X",
        defaultCurrency: "EUR",
        timeZone: "Europe/Dublin",
        effectiveTimeZone: "Europe/Dublin",
        expiresInSeconds: 900,
        monitoringSeconds: 86_400,
        paymentTolerance: 0,
        requiredConfirmations: 1,
        confirmationTiers: [{ aboveSats: 10_000_000, confirmations: 3 }],
        zeroConfMaxSats: null,
        maxInvoiceSats: 100_000_000,
        redirectAutomatically: false,
        receiptsByMail: false,
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
