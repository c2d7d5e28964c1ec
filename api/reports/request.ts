import { z } from "zod";
import { PERIOD_LENGTHS } from "../../domain/report/periods";
import { day, oneOf, text } from "../http/schemas/text";

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
