import { z } from "zod";
import { STORE_ROLES } from "../../../domain/account/store-role";
import { EXAMPLE_IDS, id, instant, sats, storeId } from "../../http/schemas/answer";
import { pageFields, pageOf } from "../../http/schemas/page";
import { changeStoreBody } from "../../stores/request";
import { serverInfoAnswer } from "../../server/answer";
import { oneOf, text } from "../../http/schemas/text";

export const listStoresQuery = z.strictObject({
  ...pageFields,
  archived: oneOf(["true", "false"])
    .default("false")
    .transform((value) => value === "true"),
  q: text(100).optional(),
});

export const createStoreBody = z.strictObject({
  name: text(100),
  defaultCurrency: z.string("Must be a string.").exactOptional(),
});

export const walletChangesByKeyBody = z.strictObject({ allowed: z.boolean("Must be true or false.") });

/** Missing fields are the store's. */
export const checkoutPreviewBody = changeStoreBody
  .pick({ name: true, sellerDetails: true, branding: true })
  .extend({
    phase: oneOf(["waiting", "paid"]),
    nonce: text(100).meta({ description: "Of the page that frames it." }),
  });

export const checkoutPreviewAnswer = z.strictObject({ document: z.string() });

export const storeAccessAnswer = z.strictObject({
  role: z.enum(STORE_ROLES).meta({ description: "What the user may do there." }),
  member: z.boolean().meta({ description: "False for a server admin who is not a member." }),
});

export const storeOfInvoiceAnswer = z.strictObject({ storeId, invoiceId: id(EXAMPLE_IDS.invoiceId) });

export const placeOfDeliveryAnswer = z.strictObject({ storeId, webhookId: z.string() });

const storeLine = storeAccessAnswer.extend({
  storeId,
  name: z.string(),
  archived: z.boolean(),
  createdAt: instant(),
});

export const storeLinePage = pageOf("StoreLinePage", storeLine);

const count = z.int().min(0);

export const storeHomeAnswer = z.strictObject({
  days: z
    .int()
    .meta({ description: "How many days `received` and `invoices` are about; the last is today." }),
  timeZone: z.string().meta({ description: "The store's, in which days are counted." }),
  received: z
    .array(z.strictObject({ day: z.iso.date(), onchainSats: sats, lightningSats: sats }))
    .meta({ description: "What was confirmed on each day, the oldest first, days without payments too." }),
  invoices: z
    .strictObject({ New: count, Processing: count, Settled: count, Expired: count, Invalid: count })
    .meta({ description: "Those that were made in these days, archived ones too, by what they are now." }),
  webhooks: z.array(
    z.strictObject({
      webhookId: id("wh_5Jd8sPqX4mTzRw9KbNvCfY"),
      url: z.string(),
      enabled: z.boolean(),
      failureStreak: count,
      failedDeliveries: count.meta({ description: "1000 stands for that and more." }),
    }),
  ),
  openReviews: count.meta({ description: "1000 stands for that and more." }),
  openAlerts: count,
  rails: serverInfoAnswer.shape.rails,
});

/** Retired, and still watched. */
export const formerNodes = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string(),
      address: z.string().nullable(),
      nodeKey: z.string().nullable(),
      retiredAt: instant().nullable(),
      /** Ids of those that could still be paid there. */
      invoices: z.array(z.string()),
    }),
  ),
});

export const reconnectLightningBody = z.strictObject({
  /** The owner has confirmed the node that answers now. */
  otherNode: z.boolean("Must be true or false."),
});
