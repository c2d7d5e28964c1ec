import { z } from "zod";

/** OpenAPI describes itself better than we could. */
export const descriptionAnswer = z
  .looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/), info: z.looseObject({ version: z.string() }) })
  .meta({ id: "Description" });
