import { z } from "zod";
import { PERIOD_LENGTHS } from "../../domain/report/periods";
import { isDay } from "../../domain/time-zone";
import { oneOf, text } from "../http/schemas/text";

const day = z
  .string("Must be a string.")
  .refine(isDay, "Must be a day such as 2026-01-31.")
  .meta({ format: "date" });

export const reportQuery = z.strictObject({
  from: day.meta({ description: "The first day.", examples: ["2026-03-01"] }),
  to: day.meta({ description: "The last day, which is included.", examples: ["2026-03-31"] }),
  by: oneOf(PERIOD_LENGTHS)
    .default("day")
    .meta({ description: "Weeks begin on Monday. At most 400 periods." }),
  timeZone: text(100)
    .exactOptional()
    .meta({
      description: "An IANA name such as `Europe/Berlin`. Default: the store's.",
      examples: ["Europe/Berlin"],
    }),
});
