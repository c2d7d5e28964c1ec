import { z } from "zod";
import { pageFields } from "./page";

const WAIT = "Must be a whole number of seconds from 0 to 30.";

export const feedQuery = z.strictObject({
  after: z
    .string()
    .regex(/^\d{16}$/, "Must be a seq or nextAfter that this feed gave.")
    .transform(BigInt)
    .optional()
    .meta({ description: "Events behind this one; without it from the beginning." }),
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
      description: "For how many seconds to wait for an event when there is none.",
    }),
});
