import { z } from "zod";
import { ALERT_KINDS, ALERT_SEVERITIES } from "../../entities/alert";
import { EXAMPLE_IDS, id, instant, storeId } from "../http/schemas/answer";
import { pageOf } from "../http/schemas/page";

export const alertAnswer = z
  .strictObject({
    alertId: id(EXAMPLE_IDS.alertId),
    kind: z.enum(ALERT_KINDS),
    severity: z.enum(ALERT_SEVERITIES),
    storeId,
    invoiceId: id(EXAMPLE_IDS.invoiceId).nullable(),
    message: z.string(),
    at: instant(),
    resolvedAt: instant().nullable().meta({ description: "Null while the alert is open." }),
  })
  .meta({
    id: "Alert",
    description: "Something that needs somebody's attention.",
    examples: [
      {
        alertId: EXAMPLE_IDS.alertId,
        kind: "double-spend",
        severity: "warning",
        storeId: EXAMPLE_IDS.storeId,
        invoiceId: EXAMPLE_IDS.invoiceId,
        message:
          "25000 sats are contested: an unconfirmed transaction spends the same coins, or coins that it depends on, and pays less to the invoice or nothing.",
        at: "2026-03-01T12:40:00.000Z",
        resolvedAt: null,
      },
    ],
  });

export const alertPage = pageOf("AlertPage", alertAnswer);
