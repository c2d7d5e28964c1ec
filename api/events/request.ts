import { z } from "zod";
import { pageFields } from "../http/schemas/page";

const WAIT = "Must be a whole number of seconds from 0 to 30.";

export const feedQuery = z.strictObject({
  after: z
    .string()
    .regex(/^(\d{16}|latest)$/, "Must be a `seq` or `nextAfter` returned by this feed, or `latest`.")
    .transform((after) => (after === "latest" ? after : BigInt(after)))
    .optional()
    .meta({
      description:
        "Return events after this position; from the beginning if omitted, new ones alone with `latest`. A position that the feed does not have (any more, after a restore from a backup) is refused with 422, which names the one to continue from.",
    }),
  limit: pageFields.limit,
  wait: z
    .string()
    .regex(/^\d{1,2}$/, WAIT)
    .transform(Number)
    .refine((seconds) => seconds <= 30, WAIT)
    .default(0)
    .meta({
      type: "integer",
      minimum: 0,
      maximum: 30,
      description: "How many seconds to wait for an event if there is none yet.",
    }),
});
