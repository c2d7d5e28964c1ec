import { z } from "zod";
import { text } from "./text";

const LIMIT = "Must be a whole number from 1 to 200.";

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
      description:
        "The maximum number of items to return; 50 by default. A response ends after 2 MiB, so it can have fewer items although there are more: rely on `nextCursor`.",
    }),
  cursor: text(200).optional().meta({ description: "The `nextCursor` of the previous response." }),
};

export const pageQuery = z.strictObject(pageFields);

export const pageOf = <T extends z.ZodType>(name: string, item: T) =>
  z
    .strictObject({
      data: z.array(item),
      nextCursor: z
        .string()
        .nullable()
        .meta({
          description: "Send it as `cursor` to get the next items; null at the end of the list.",
          examples: [null],
        }),
    })
    .meta({ id: name });
