import { z } from "zod";
import { nativeId } from "../../domain/greenfield/id-text";
import { EVENT_TYPES } from "../../domain/invoice/status";
import { DELIVERY_STATES } from "../../domain/webhook/claim";
import { pageFields } from "../http/schemas/page";
import { oneOf, text, timeOrDay } from "../http/schemas/text";

const filterFields = {
  state: oneOf(DELIVERY_STATES).optional(),
  type: oneOf(EVENT_TYPES).optional(),
  invoiceId: text(100).transform(nativeId).optional(),
  since: timeOrDay
    .optional()
    .meta({ description: "RFC 3339, inclusive; or a day in the store's `timeZone`." }),
  until: timeOrDay.optional().meta({ description: "RFC 3339, exclusive; or a day, which is included." }),
};

export const listDeliveriesQuery = z.strictObject({ ...pageFields, ...filterFields });

export const redeliverManyBody = z
  .strictObject(filterFields)
  .meta({ id: "RedeliverManyFilter", examples: [{ state: "failed", since: "2026-03-01T00:00:00Z" }] });
