import { z } from "zod";
import { EXAMPLE_IDS, id, instant } from "../http/schemas/answer";
import { pageOf } from "../http/schemas/page";

export const paymentLinkAnswer = z
  .strictObject({
    linkId: id(EXAMPLE_IDS.linkId),
    url: z.string().meta({
      description: "The public page.",
      examples: [`https://pay.example/p/${EXAMPLE_IDS.linkId}`],
    }),
    description: z.string(),
    currency: z.string(),
    amounts: z.array(z.string()).nullable(),
    minAmount: z.string().nullable(),
    maxAmount: z.string().nullable(),
    redirectUrl: z.string().nullable(),
    orderPrefix: z.string(),
    maxUses: z.int().nullable(),
    maxPerDay: z.int(),
    endsAt: instant().nullable(),
    uses: z
      .int()
      .nullable()
      .meta({ description: "Invoices that are open or paid; null without `maxUses`: they are not counted." }),
    invoicesCreated: z.int().meta({ description: "The number of the last invoice." }),
    archived: z.boolean().meta({ description: "An archived link takes no payments." }),
    createdAt: instant(),
  })
  .meta({
    id: "PaymentLink",
    examples: [
      {
        linkId: EXAMPLE_IDS.linkId,
        url: `https://pay.example/p/${EXAMPLE_IDS.linkId}`,
        description: "A pound of tea",
        currency: "EUR",
        amounts: ["12.50"],
        minAmount: null,
        maxAmount: null,
        redirectUrl: null,
        orderPrefix: "tYdHgJ-",
        maxUses: 20,
        maxPerDay: 1_000,
        endsAt: null,
        uses: 3,
        invoicesCreated: 5,
        archived: false,
        createdAt: "2026-03-01T12:00:00.000Z",
      },
    ],
  });

export const paymentLinkPage = pageOf("PaymentLinkPage", paymentLinkAnswer);
