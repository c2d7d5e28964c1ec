import { z } from "zod";
import { SHOP_ORIGINS_MAX } from "../../domain/shop-origins";
import { expiresInSeconds, monitoringSeconds, requiredConfirmations } from "../invoices/request";
import { currencyCode, percent, text, url, webUrl, wholeNumber } from "../http/schemas/text";

const MAX_SATS = 2_100_000_000_000_000;
const COLOR = "Must be a colour such as #f7931a.";

const confirmationTiers = z
  .array(
    z.strictObject({
      aboveSats: wholeNumber(0, MAX_SATS).transform(String),
      confirmations: requiredConfirmations,
    }),
    "Must be a list.",
  )
  .max(20, "Must have at most 20 tiers.")
  .refine(
    (tiers) => new Set(tiers.map(({ aboveSats }) => aboveSats)).size === tiers.length,
    "Must not name one amount twice.",
  );

const rateSource = z
  .string("Must be a string.")
  .regex(/^[a-z0-9-]{1,40}$/, "Must be the name of a rate source, such as kraken.");

/** Null removes a value. */
export const changeStoreBody = z
  .strictObject({
    name: text(100).exactOptional(),
    website: webUrl.nullable().exactOptional(),
    supportUrl: url(
      ["https:", "http:", "mailto:"],
      "Must be a URL that starts with https://, http:// or mailto:.",
    )
      .nullable()
      .exactOptional(),
    sellerDetails: text(500).nullable().exactOptional(),
    defaultCurrency: currencyCode.exactOptional(),
    timeZone: text(64).exactOptional(),
    expiresInSeconds: expiresInSeconds.exactOptional(),
    monitoringSeconds: monitoringSeconds.exactOptional(),
    paymentTolerance: percent.exactOptional(),
    requiredConfirmations: requiredConfirmations.exactOptional(),
    confirmationTiers: confirmationTiers.exactOptional(),
    zeroConfMaxSats: wholeNumber(1, MAX_SATS).transform(BigInt).nullable().exactOptional(),
    maxInvoiceSats: wholeNumber(1, MAX_SATS).transform(BigInt).nullable().exactOptional(),
    redirectAutomatically: z.boolean("Must be true or false.").exactOptional(),
    receiptsByMail: z.boolean("Must be true or false.").exactOptional(),
    privateRouteHints: z.boolean("Must be true or false.").exactOptional(),
    lazyAddresses: z.boolean("Must be true or false.").exactOptional(),
    rateSpread: percent.exactOptional(),
    rateSources: z
      .array(rateSource, "Must be a list.")
      .min(1, "Must name at least one source; null stands for all.")
      .max(20, "Must name at most 20 sources.")
      .refine((names) => new Set(names).size === names.length, "Names a source twice.")
      .nullable()
      .exactOptional(),
    branding: z
      .strictObject({
        logoUrl: webUrl.nullable().exactOptional(),
        color: z
          .string(COLOR)
          .regex(/^#[0-9a-fA-F]{6}$/, COLOR)
          .nullable()
          .exactOptional(),
      })
      .exactOptional(),
    checkoutOrigins: z
      .array(text(300), "Must be a list.")
      .max(SHOP_ORIGINS_MAX, `Must name at most ${SHOP_ORIGINS_MAX} origins.`)
      .exactOptional(),
  })
  .meta({
    id: "ChangeStore",
    examples: [{ name: "Tea shop", requiredConfirmations: 2, branding: { color: "#f7931a" } }],
  });
