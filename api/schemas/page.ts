import { z } from "zod";
import { text } from "./text";

const LIMIT = "Must be a whole number from 1 to 200.";

/** The query parameters of every list. */
export const pageFields = {
  limit: z
    .string(LIMIT)
    .regex(/^\d{1,3}$/, LIMIT)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 200, LIMIT)
    .default(50)
    .meta({
      type: "integer",
      minimum: 1,
      maximum: 200,
      description: "How many items a page has: 50 unless told.",
    }),
  cursor: text(200).optional().meta({ description: "The nextCursor of the page before." }),
};

export const pageQuery = z.strictObject(pageFields);

/** A page of a list. */
export const pageOf = <T extends z.ZodType>(name: string, item: T) =>
  z
    .strictObject({
      data: z.array(item),
      nextCursor: z
        .string()
        .nullable()
        .meta({
          description: "Send it as `cursor` for the next page; null on the last one.",
          examples: [null],
        }),
    })
    .meta({ id: name });
