import { z } from "zod";
import { EXPORT_FORMATS } from "../http/export";
import { pageFields } from "../http/schemas/page";
import { day, oneOf } from "../http/schemas/text";

const days = {
  from: day.optional().meta({
    description: "The first day in the store's `timeZone`. Default: all.",
    examples: ["2026-03-01"],
  }),
  to: day.optional().meta({ description: "The last day, which is included.", examples: ["2026-03-31"] }),
};

export const listPaymentsQuery = z.strictObject({ ...pageFields, ...days });
export const sumPaymentsQuery = z.strictObject(days);
export const exportPaymentsQuery = z.strictObject({
  format: oneOf(EXPORT_FORMATS).default("json"),
  ...days,
});
